"""Codex CLI: its rollouts (JSONL), in the paginated form (since 0.17x) and in the older one.

A line is `{"timestamp", "ordinal", "type", "payload"}`. What was said stands there twice: in `response_item` lines, as
the model saw it, and in `event_msg` lines, as the screen showed it. The former are read, because they tell where each
part of a message comes from (`content_item_kinds`); the latter only where a file has none of the former. Older versions
tell nothing of the kind: there the text of a user message tells whether a person said it.

A session is named by the first `session_meta`. Versions before the paginated form copied all lines of the parent into
a forked session, its `session_meta` with them, under new timestamps. Such copies are left out where the file itself
shows that they are ones: by turns that are older than the session, or because they were written in one go and are
followed by an answer written in the same go. What remains in doubt is handed on. A line without `ordinal` or an id of
its own gets a `source_id` made of its content, which is the same in the parent's file.

Sessions of sub-agents, and of the agent's own housekeeping, are left out: the person did not speak to them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from agentmem.domain.ids import digest
from agentmem.domain.messages import Message, MessageKind, Role
from agentmem.domain.reports import Tally
from agentmem.sources import rollouts
from agentmem.sources.blocks import flat, label, note, pieces, string
from agentmem.sources.lines import Head, objects
from agentmem.sources.stamps import instant
from agentmem.sources.teller import SUB_AGENT, Said, Teller

LABEL = "Codex CLI rollouts (JSONL, also .zst)"
AGENT = "codex"

COPIED = "copied from the session that this one was forked from"

_TYPES = frozenset(
    {
        "session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state",
        "token_usage_record", "inter_agent_communication",
    }
)  # fmt: skip
_BOOKKEEPING = frozenset({"world_state", "token_usage_record", "inter_agent_communication"})
_UNTOLD = frozenset(
    {
        "reasoning", "ghost_snapshot", "compaction", "compaction_summary", "context_compaction",
        "image_generation_call", "tool_search_call", "tool_search_output", "other",
    }
)  # fmt: skip
_TORN = re.compile(r'(?<!\\)"type"\s*:\s*"(?:session_meta|response_item|event_msg|turn_context)"')
_TORN_PAYLOAD = re.compile(r'(?<!\\)"payload"\s*:\s*\{')
_NAME = re.compile(r"rollout-.*?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:\.jsonl)?")


def matches(head: Head) -> bool:
    """Whether one of the first lines is a line of a rollout, or the only line is the beginning of one."""
    for value in head.objects:
        if isinstance(value.get("payload"), dict) and isinstance(value.get("type"), str) and value["type"] in _TYPES:
            return True
    torn = not head.values and not head.document and head.text.startswith("{")
    return torn and bool(_TORN.search(head.text[:4000]) and _TORN_PAYLOAD.search(head.text[:4000]))


def read(chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally) -> Iterator[Message]:
    """The messages of a rollout, in the file's order. See `agentmem.sources.formats.Source`.

    The id in the first `session_meta` goes before the argument, and that before `name`. A message's `source_id` is the
    line's `ordinal`, else the id of its payload, else made of its content. A file whose lines are left out for what
    its beginning tells (`tally.consumed` is 0 then) is read from its start again.
    """
    if session_id is None:
        found = _NAME.fullmatch(name)
        session_id = found[1] if found else name
    rollout = _Rollout(session_id, tally)
    try:
        for entry in objects(chunks, tally):
            yield from rollout.entry(entry)
            if rollout.foreign:
                note(tally.ignored, SUB_AGENT)
                break
        yield from rollout.rest()
    finally:
        if rollout.foreign or rollout.forked:
            tally.consumed = 0


class _Rollout:
    """What must be remembered from line to line."""

    _MOST_EVENTS = 500  # events held back until a response item shows that they are not needed

    def __init__(self, session_id: str, tally: Tally) -> None:
        self._tally = tally
        self._teller = Teller(AGENT, session_id, tally)
        self._named = False
        self._copies: _Copies | None = None
        self._events: list[Message] | None = []
        self._summary = ""
        self._again: dict[str, int] = defaultdict(int)
        self.foreign = False

    @property
    def forked(self) -> bool:
        """Whether the file begins with copies of another session's lines."""
        return self._copies is not None

    def entry(self, entry: dict[str, Any]) -> Iterator[Message]:
        """The messages of one line."""
        kind, payload = entry.get("type"), entry.get("payload")
        payload = payload if isinstance(payload, dict) else {}
        at = instant(entry.get("timestamp"))
        told: Iterable[Message] = ()
        if kind == "session_meta":
            self._meta(payload, at)
        elif kind == "response_item":
            told = self._tell(self._item(payload), entry, payload, at)
        elif kind == "compacted":
            told = self._tell(self._compacted(payload), entry, payload, at)
        elif kind == "event_msg":
            self._event(entry, payload, at)
            if self._events is not None and len(self._events) >= self._MOST_EVENTS:
                told, self._events = self._events, []
        elif kind == "turn_context":
            self._teller.cwd = string(payload.get("cwd")) or self._teller.cwd
            note(self._tally.ignored, "turn_context")
        elif isinstance(kind, str) and kind in _BOOKKEEPING:
            note(self._tally.ignored, kind)
        else:
            note(self._tally.unknown, label(kind))
        if self._copies is None or not self._copies.going_on:
            yield from told
        else:
            turn = payload.get("turn_id") if kind in ("turn_context", "event_msg") else None
            yield from self._copies.sift(list(told), at, turn)

    def rest(self) -> Iterator[Message]:
        """What was held back and turned out to be needed."""
        if self._copies is not None:
            yield from self._copies.rest()
        if self._events and not self.foreign:
            yield from self._events

    def _meta(self, payload: dict[str, Any], at: datetime | None) -> None:
        note(self._tally.ignored, "session_meta")
        named = string(payload.get("id")) or string(payload.get("session_id"))
        if self._named:
            if named and named != self._teller.session_id and self._copies is None:
                self._copies = _Copies(self._teller.session_id, at, self._tally)
            return
        self._named = True
        self._teller.session_id = named or self._teller.session_id
        self._teller.cwd = string(payload.get("cwd"))
        git = payload.get("git")
        self._teller.branch = string(git.get("branch")) if isinstance(git, dict) else None
        self.foreign = rollouts.is_foreign(payload)

    def _tell(
        self, said: Iterator[Said], entry: dict[str, Any], payload: dict[str, Any], at: datetime | None
    ) -> Iterator[Message]:
        whole = list(said)
        if not whole:
            return iter(())
        source_id = string(entry.get("ordinal")) or string(payload.get("id"))
        if source_id is None:
            source_id = digest(whole[0].role, whole[0].kind, whole[0].text)[:16]
            self._again[source_id] += 1
            if (count := self._again[source_id]) > 1:
                source_id = f"{source_id}.{count}"
        return self._teller.tell(whole, at=at, source_id=source_id)

    def _item(self, payload: dict[str, Any]) -> Iterator[Said]:
        kind = payload.get("type")
        if kind == "message" or (kind is None and "role" in payload):
            self._drop_events()
            yield from self._message(payload)
        elif piece := rollouts.tool(payload):
            yield from self._teller.tool(piece)
        else:
            known = isinstance(kind, str) and kind in _UNTOLD
            note(self._tally.ignored if known else self._tally.unknown, f"response_item {label(kind)}")

    def _message(self, payload: dict[str, Any]) -> Iterator[Said]:
        role, content = payload.get("role"), payload.get("content")
        if role == "assistant":
            for piece in pieces(content, self._tally):
                if piece.kind is MessageKind.TEXT:
                    yield from self._teller.reply(piece.text)
        elif role == "user":
            typed = []
            for origin, text in rollouts.parts(payload):
                if origin == rollouts.SUMMARY:
                    yield from self._summarised(text)
                elif origin == rollouts.HUMAN:
                    typed.append(text)
                else:
                    note(self._tally.ignored, f"from {label(origin)}")
            if typed:
                yield from self._teller.human(typed)
        else:
            note(self._tally.ignored, f"role {label(role)}")

    def _compacted(self, payload: dict[str, Any]) -> Iterator[Said]:
        text = payload.get("message")
        if not isinstance(text, str) or not text.strip():
            history = payload.get("replacement_history")
            history = history if isinstance(history, list) else []
            found = [text for one in history if isinstance(one, dict) for origin, text in rollouts.parts(one)
                     if origin == rollouts.SUMMARY]  # fmt: skip
            text = found[-1] if found else ""
        yield from self._summarised(text)

    def _summarised(self, text: str) -> Iterator[Said]:
        """A summary, unless it is the last one again: it is repeated to the model as a user's message."""
        text = rollouts.bare_summary(text)
        if text and text != self._summary:
            self._summary = text
            yield from self._teller.summary(text)

    def _event(self, entry: dict[str, Any], payload: dict[str, Any], at: datetime | None) -> None:
        """Keep what an event says until it is known whether response items say it as well."""
        note(self._tally.ignored, f"event_msg {label(payload.get('type'))}")
        if self._events is None:
            return
        item = payload.get("item")
        kind, text = payload.get("type"), payload.get("message")
        if kind == "item_completed" and isinstance(item, dict):
            kind, text = item.get("type"), flat(item.get("content"))
        if not isinstance(text, str):
            return
        said: Iterator[Said] = iter(())
        if kind in ("user_message", "UserMessage"):
            said = self._teller.human(words for origin, words in rollouts.told(text) if origin == rollouts.HUMAN)
        elif kind in ("agent_message", "AgentMessage"):
            said = self._teller.reply(text)
        self._events.extend(self._tell(said, entry, {}, at))

    def _drop_events(self) -> None:
        if self._events is not None:
            self._tally.messages -= len(self._events)
            self._events = None
            self._again.clear()


class _Copies:
    """Tells the copied lines at the beginning of a forked session from those that were said in it.

    Args:
        session_id: the forked session, whose id begins with the time at which it was made.
        at: when the copying began.
        tally: counts the copies.
    """

    _PAUSE = timedelta(milliseconds=100)  # lines that follow faster were written in one go

    def __init__(self, session_id: str, at: datetime | None, tally: Tally) -> None:
        self._made = rollouts.made(session_id)
        self._before = at
        self._tally = tally
        self._old_turn = False
        self._held: list[Message] = []
        self.going_on = True

    def sift(self, told: list[Message], at: datetime | None, turn: object) -> Iterator[Message]:
        """The messages that are not copies, among those of one line and those still in doubt."""
        begun = rollouts.made(turn) if isinstance(turn, str) else None
        if begun is not None and self._made is not None:
            self._old_turn = begun < self._made
            self.going_on = self._old_turn
        elif not self._old_turn:
            self.going_on = at is not None and self._before is not None and at - self._before <= self._PAUSE
        self._before = at
        if self._old_turn:
            self._drop(told)
        elif not self.going_on:
            yield from self.rest()
            yield from told
        else:
            self._held += told
            # Nothing answers within the time that a copy takes: what has an answer behind it is copied too.
            if any(one.role is Role.ASSISTANT for one in told):
                self._drop([])

    def rest(self) -> Iterator[Message]:
        """What was in doubt to the end."""
        yield from self._held
        self._held = []

    def _drop(self, told: list[Message]) -> None:
        gone = len(self._held) + len(told)
        self._held = []
        self._tally.messages -= gone
        if gone:
            self._tally.ignored[COPIED] += gone
