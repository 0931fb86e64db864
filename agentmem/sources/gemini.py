"""Gemini CLI: its session files, JSONL since 0.5x and one JSON document before.

A line is a message with an `id`, an update of the session (`$set`), a step back (`$rewindTo`), or the session's own
data. The same `id` written again is the message's newer state; `$set.messages` is the whole history as the model is to
see it from then on, which may lack what a person said: the program drops prompts that begin with a hook's context. So
all lines are joined by `id`, nothing is taken away, and of what is said under an `id` only what is new is handed on.

What a person typed is `displayContent` where it differs from what was sent; hooks' context (`<hook_context>`, its
angle brackets escaped) is taken out of both. What a tool answered stands there twice and is told once.
"""

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from agentmem.domain.ids import digest
from agentmem.domain.messages import Message, MessageKind
from agentmem.domain.reports import Tally
from agentmem.sources import documents
from agentmem.sources.blocks import Piece, call, label, note, string
from agentmem.sources.lines import Head, peek, values
from agentmem.sources.parts import pieces, result, snapshot
from agentmem.sources.stamps import instant
from agentmem.sources.teller import SUB_AGENT, Said, Teller

LABEL = "Gemini CLI sessions (JSONL or JSON)"
AGENT = "gemini"

_TYPES = frozenset({"user", "gemini", "info", "error", "warning"})
_CONTEXT = ("<session_context>", "This is the Gemini CLI. We are setting up the context for our chat")
_FOLDER = re.compile(r"(?:Workspace Directories:\**\s+- |I'm currently working in the directory: )([^\n]+)")
_COMMAND = re.compile(r"[/?][a-z-]*(?:\s|\Z)")  # as the program tells one; `/etc/hosts is wrong` is none
_UNPROMPTED = "System: Please continue."

_TORN = re.compile(r'(?<!\\)"(?:projectHash"\s*:|type"\s*:\s*"gemini")')
_TORN_MESSAGES = re.compile(r'(?<!\\)"messages"\s*:\s*\[')


def matches(head: Head) -> bool:
    """Whether there is a session's own data, or a message or update of one, among the first values."""
    if any(_is_line(value) for value in head.objects):
        return True
    torn = not head.values and head.text.startswith("{")
    return torn and bool(_TORN.search(head.text) and (not head.document or _TORN_MESSAGES.search(head.text)))


def _is_line(value: dict[str, Any]) -> bool:
    if "projectHash" in value:
        return "sessionId" in value
    if value.get("type") == "gemini":
        return "content" in value or "toolCalls" in value
    return isinstance(value.get("$set"), dict) or isinstance(value.get("$rewindTo"), str)


def read(chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally) -> Iterator[Message]:
    """The messages of a session, in the order in which they first appear. See `agentmem.sources.formats.Source`.

    The session's own id goes before the argument, and that before `name`. A message's `source_id` is the message's
    `id`; further messages of the same one have `#2`, `#3` … behind it.

    Raises:
        BadInput: a JSON document is too large, or not complete.
    """
    session = _Session(session_id or name, tally)
    head, chunks = peek(chunks)
    document = Head.of(head).document
    found = documents.load(chunks, name=name, tally=tally) if document else values(chunks, tally)
    try:
        for value in found:
            if isinstance(value, dict):
                yield from session.line(value)
                if session.foreign:
                    note(tally.ignored, SUB_AGENT)
                    return
            else:
                note(tally.skipped, "not an object")
        yield from session.rest()
    finally:
        if session.foreign or session.whole:
            tally.consumed = 0


@dataclass(slots=True)
class _Held:
    """A message in its newest state, while a newer one may still come."""

    entry: dict[str, Any]
    at: datetime | None
    told: set[str] = field(default_factory=set)


class _Session:
    """Joins what is said under the same id."""

    _PATIENCE = 32  # messages after which a newer state of an earlier one is not waited for
    _MOST = 200_000  # ids that are remembered to tell news from repetition

    def __init__(self, session_id: str, tally: Tally) -> None:
        self._tally = tally
        self._teller = Teller(AGENT, session_id, tally)
        self._named = False
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._told: OrderedDict[str, set[str]] = OrderedDict()
        self._answered: set[str] = set()
        self.foreign = False
        self.whole = False  # one document, which is written anew rather than continued

    def line(self, value: dict[str, Any]) -> Iterator[Message]:
        """The messages that are complete with this line."""
        if "sessionId" in value and "type" not in value:
            self._meta(value)
            self.whole |= "messages" in value
            yield from self._all(value.get("messages"))
        elif isinstance(update := value.get("$set"), dict):
            note(self._tally.ignored, "$set")
            yield from self._all(update.get("messages"))
        elif "$rewindTo" in value:
            note(self._tally.ignored, "$rewindTo")  # what was taken back was said all the same
        else:
            yield from self._take(value)

    def rest(self) -> Iterator[Message]:
        """The messages for whose newer state was waited in vain."""
        while self._held:
            yield from self._release()

    def _meta(self, value: dict[str, Any]) -> None:
        note(self._tally.ignored, "session data")
        if not self._named:
            self._named = True
            self._teller.session_id = string(value.get("sessionId")) or self._teller.session_id
            self.foreign = value.get("kind") == "subagent"

    def _all(self, messages: object) -> Iterator[Message]:
        for one in messages if isinstance(messages, list) else []:
            if isinstance(one, dict):
                yield from self._take(one)

    def _take(self, entry: dict[str, Any]) -> Iterator[Message]:
        kind = entry.get("type")
        if not isinstance(kind, str) or kind not in _TYPES:
            note(self._tally.unknown, label(kind))
            return
        if kind not in ("user", "gemini"):
            note(self._tally.ignored, kind)
            return
        at = instant(entry.get("timestamp"))
        identity = string(entry.get("id"))
        if identity is None:
            yield from self._tell(_Held(entry, at), None)
            return
        if known := self._held.get(identity):
            # A checkpoint writes the same words again under the time of the checkpoint.
            for key, value in entry.items():
                if value not in (None, "", []) or key not in known.entry:
                    known.entry[key] = value
            return
        self._held[identity] = _Held(dict(entry), at, self._told.get(identity, set()))
        if len(self._held) > self._PATIENCE:
            yield from self._release()

    def _release(self) -> Iterator[Message]:
        identity, held = self._held.popitem(last=False)
        yield from self._tell(held, identity)
        self._told[identity] = held.told
        if len(self._told) > self._MOST:
            self._told.popitem(last=False)

    def _tell(self, held: _Held, identity: str | None) -> Iterator[Message]:
        said = []
        for one in self._said(held.entry):
            key = digest(one.role, one.text)
            if key not in held.told:
                held.told.add(key)
                said.append(one)
        yield from self._teller.tell(said, at=held.at, source_id=identity)

    def _said(self, entry: dict[str, Any]) -> Iterator[Said]:
        if entry.get("type") == "gemini":
            for piece in pieces(entry.get("content"), self._tally):
                if piece.kind is MessageKind.TEXT:
                    yield from self._teller.reply(piece.text)
            yield from self._calls(entry.get("toolCalls"))
            return
        typed = []
        for piece in pieces(entry.get("content"), self._tally):
            if piece.kind is MessageKind.TEXT:
                typed.append(piece.text)
            else:
                yield from self._result(piece)
        if (shown := entry.get("displayContent")) is not None:
            shown = [piece.text for piece in pieces(shown, self._tally) if piece.kind is MessageKind.TEXT]
            typed = shown or typed
        yield from self._typed("\n".join(typed).strip())

    def _typed(self, text: str) -> Iterator[Said]:
        if text.startswith(_CONTEXT):
            if folder := _FOLDER.search(text[:20_000]):
                self._teller.cwd = string(folder[1].strip()) or self._teller.cwd
            note(self._tally.ignored, "session context")
        elif summary := snapshot(text):
            yield from self._teller.summary(summary)
        elif text == _UNPROMPTED or _COMMAND.match(text):
            note(self._tally.ignored, "command")
        elif text:
            yield from self._teller.human([text])

    def _calls(self, calls: object) -> Iterator[Said]:
        for one in calls if isinstance(calls, list) else []:
            if not isinstance(one, dict):
                continue
            # Of a server's tool the name may be bare: then the name that is shown tells the server.
            names = [name for key in ("name", "displayName") if isinstance(name := one.get(key), str)]
            named = next((name for name in names if "agentmem" in name.lower()), names[0] if names else None)
            yield from self._teller.tool(call(named, one.get("args"), one.get("id")))
            given = one.get("result")
            for part in given if isinstance(given, list) else []:
                if isinstance(part, dict) and isinstance(answer := part.get("functionResponse"), dict):
                    yield from self._result(result(answer))

    def _result(self, piece: Piece) -> Iterator[Said]:
        if piece.call_id is not None:
            if piece.call_id in self._answered:
                return
            self._answered.add(piece.call_id)
        yield from self._teller.tool(piece)
