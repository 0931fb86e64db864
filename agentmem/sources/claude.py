"""Claude Code: its session files (JSONL) and the JSON of its web sessions (`{"loglines": […]}`).

Each line has a `type`. `user` and `assistant` lines hold messages, `attachment` lines hold what was typed while the
agent worked (`queued_command`) beside much context that nobody said, `system` lines are notices; all others are
bookkeeping. The format is internal to the agent and changes between versions, so a type nobody knows is counted and
passed over, and no field is trusted to have its type.

Whether a person said what stands in a `user` line is told by the line itself in newer versions (`origin.kind`,
`isMeta` …); older ones are told by what the text looks like (`agentmem.sources.noise`).

What comes out:

* a person's words: user, high trust. Words that a person gave as the reason for refusing a tool call stand inside a
  tool's result, where a tool could have forged them: user, medium trust;
* the assistant's text; its thinking and error notices are dropped;
* a compaction summary, which an agent derived from earlier messages: system, kind summary, medium trust;
* a line per tool call and the head of its result: tool, low trust.

Lines of sub-agents are left out: the person did not speak to them.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agentmem.domain.messages import Message, MessageKind, Role, Trust
from agentmem.domain.reports import Tally
from agentmem.domain.text import clean
from agentmem.sources import documents, noise
from agentmem.sources.blocks import label, note, pieces, string
from agentmem.sources.lines import Head, objects, peek
from agentmem.sources.own import OwnCalls
from agentmem.sources.stamps import instant

LABEL = "Claude Code sessions (JSONL)"
AGENT = "claude"

RESULT_HEAD = 400

_BOOKKEEPING = frozenset(
    {
        "progress", "summary", "ai-title", "custom-title", "last-prompt", "queue-operation",
        "file-history-snapshot", "file-history-delta", "mode", "permission-mode", "tag", "agent-name",
        "agent-color", "agent-setting", "pr-link", "worktree-state", "cost-state", "bridge-session",
        "content-replacement", "attribution-snapshot", "relocated", "ended", "isolation-latch", "atis-latch",
    }
)  # fmt: skip
_REFUSED = "The user doesn't want to proceed with this tool use."
_REFUSED_BECAUSE = re.compile(r"the user said:\n")
_CONTINUED = "This session is being continued from a previous conversation"

_TORN = re.compile(r'(?<!\\)"type"\s*:\s*"(?:user|assistant|system|attachment|summary|progress|file-history-[a-z]+)"')
_TORN_ID = re.compile(r'(?<!\\)"(?:parentUuid|isSidechain|sessionId|leafUuid|messageId|isSnapshotUpdate)"\s*:')
_LOGLINES = re.compile(r'(?<!\\)"loglines"\s*:\s*\[')


def matches(head: Head) -> bool:
    """Whether one of the first lines is a line of Claude Code, or the only line is the beginning of one."""
    if head.document and _LOGLINES.search(head.text):
        return True
    if any(_is_line(value) or isinstance(value.get("loglines"), list) for value in head.objects):
        return True
    torn = not head.values and not head.document and head.text.startswith("{")
    return torn and bool(_TORN.search(head.text) and _TORN_ID.search(head.text))


def _is_line(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    if kind in ("user", "assistant"):
        message = value.get("message")
        return isinstance(message, dict) and "parts" not in message  # those are of agents that took over the format
    if kind in ("system", "attachment", "progress"):
        return "uuid" in value and "sessionId" in value
    if isinstance(kind, str):
        return kind in _BOOKKEEPING and not value.keys().isdisjoint(("sessionId", "leafUuid", "messageId"))
    # Versions 1.0 and their tools wrote lines without a type.
    return isinstance(value.get("message"), dict) and "sessionId" in value and "version" in value


def read(chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally) -> Iterator[Message]:
    """The messages of a session file, in the file's order. See `agentmem.sources.formats.Source`.

    A line's own `sessionId` goes before the argument, and that before `name`. A message's `source_id` is the line's
    `uuid`; further messages of the same line have `#2`, `#3` … behind it. Copied lines (a compaction, a forked
    session) keep their `uuid` and are handed on again: that they were seen is for the store to know.

    Raises:
        BadInput: a web session's JSON is too large, or not complete.
    """
    session = _Session(session_id or name, tally)
    head, chunks = peek(chunks)
    if Head.of(head).document:
        for value in documents.load(chunks, name=name, tally=tally):
            for entry in value.get("loglines", [value]) if isinstance(value, dict) else []:
                if isinstance(entry, dict):
                    tally.lines += 1
                    yield from session.entry(entry)
    else:
        for entry in objects(chunks, tally):
            yield from session.entry(entry)
    yield from session.rest()


@dataclass(frozen=True, slots=True)
class _Said:
    """One thing that a line says."""

    role: Role
    text: str
    kind: MessageKind = MessageKind.TEXT
    trust: Trust = Trust.HIGH


class _Session:
    """What must be remembered from line to line: who waits for an answer, and where the work goes on."""

    def __init__(self, session_id: str, tally: Tally) -> None:
        self._session_id = session_id
        self._tally = tally
        self._own = OwnCalls()
        self._queue = _Queue()
        self._cwd: str | None = None
        self._branch: str | None = None

    def entry(self, entry: dict[str, Any]) -> Iterator[Message]:
        """The messages of one line."""
        kind = entry.get("type")
        if "type" not in entry and isinstance(message := entry.get("message"), dict):
            kind = message.get("role")
        for text, queued in self._queue.overdue():
            yield from self._messages(queued, [_Said(Role.USER, text)])
        if entry.get("isSidechain") is True or (entry.get("agentId") and isinstance(entry["agentId"], str)):
            note(self._tally.ignored, "sidechain")
        elif kind == "assistant":
            yield from self._messages(entry, self._assistant(entry))
        elif kind == "user":
            yield from self._messages(entry, self._user(entry))
        elif kind == "attachment":
            yield from self._messages(entry, self._attachment(entry))
        elif kind == "queue-operation":
            note(self._tally.ignored, "queue-operation")
            self._queue.operate(entry)
        elif kind == "system":
            note(self._tally.ignored, f"system {label(entry.get('subtype'))}")
        elif isinstance(kind, str) and kind in _BOOKKEEPING:
            note(self._tally.ignored, kind)
        else:
            note(self._tally.unknown, label(kind))

    def rest(self) -> Iterator[Message]:
        """What was taken from the queue and never came up again."""
        for text, queued in self._queue.taken():
            yield from self._messages(queued, [_Said(Role.USER, text)])

    def _messages(self, entry: dict[str, Any], said: Iterable[_Said]) -> Iterator[Message]:
        self._cwd = string(entry.get("cwd")) or self._cwd
        self._branch = string(entry.get("gitBranch")) or self._branch
        uuid = string(entry.get("uuid"))
        session_id = string(entry.get("sessionId")) or self._session_id
        at: datetime | None = instant(entry.get("timestamp"))
        for number, one in enumerate(said, 1):
            self._tally.messages += 1
            yield Message(
                session_id=session_id,
                role=one.role,
                content=one.text,
                at=at,
                kind=one.kind,
                trust=one.trust,
                source_id=f"{uuid}#{number}" if uuid and number > 1 else uuid,
                cwd=self._cwd,
                branch=self._branch,
                agent=AGENT,
            )

    def _assistant(self, entry: dict[str, Any]) -> Iterator[_Said]:
        message = entry.get("message")
        if not isinstance(message, dict):
            note(self._tally.skipped, "no message")
            return
        if entry.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
            note(self._tally.ignored, "error notice")
            return
        for piece in pieces(message.get("content"), self._tally):
            if self._own.covers(piece):
                note(self._tally.ignored, "agentmem's own")
            elif piece.kind is MessageKind.TEXT:
                if text := clean(noise.replied(piece.text)):
                    yield _Said(Role.ASSISTANT, text, trust=Trust.MEDIUM)
            else:
                yield from self._tool(piece.kind, piece.text)

    def _user(self, entry: dict[str, Any]) -> Iterator[_Said]:
        message = entry.get("message")
        if not isinstance(message, dict):
            note(self._tally.skipped, "no message")
            return
        typed: list[str] = []
        for piece in pieces(message.get("content"), self._tally):
            if piece.kind is MessageKind.TEXT:
                typed.append(piece.text)
            elif self._own.covers(piece):
                note(self._tally.ignored, "agentmem's own")
            elif piece.failed and piece.text.startswith(_REFUSED) and (why := _REFUSED_BECAUSE.search(piece.text)):
                if text := clean(noise.said(piece.text[why.end() :])):
                    yield _Said(Role.USER, text, trust=Trust.MEDIUM)
            else:
                yield from self._tool(piece.kind, piece.text)
        if not typed:
            return
        if entry.get("isCompactSummary") is True or typed[0].startswith(_CONTINUED):
            if text := clean(noise.injected("\n\n".join(typed)).strip()):
                yield _Said(Role.SYSTEM, text, MessageKind.SUMMARY, Trust.MEDIUM)
        elif reason := _unsaid(entry):
            note(self._tally.ignored, reason)
        else:
            yield from self._human(typed)

    def _attachment(self, entry: dict[str, Any]) -> Iterator[_Said]:
        attachment = entry.get("attachment")
        if not isinstance(attachment, dict):
            attachment = {}
        kind = attachment.get("type")
        prompt = kind == "queued_command" and attachment.get("commandMode", "prompt") == "prompt"
        if prompt and not _unsaid(attachment):
            typed = [p.text for p in pieces(attachment.get("prompt"), self._tally) if p.kind is MessageKind.TEXT]
            yield from self._human([text for text in typed if not noise.is_command(text)])
        else:
            note(self._tally.ignored, f"attachment {label(kind)}")

    def _human(self, typed: list[str]) -> Iterator[_Said]:
        """One message of all that a person typed; images and the editor's context stand in blocks of their own."""
        text = clean("\n\n".join(words for text in typed if (words := noise.said(text))))
        if text:
            self._queue.heard(text)
            yield _Said(Role.USER, text)
        else:
            note(self._tally.ignored, "markup")

    def _tool(self, kind: MessageKind, text: str) -> Iterator[_Said]:
        text = clean(noise.printed(text, RESULT_HEAD))
        if text:
            yield _Said(Role.TOOL, text, kind, Trust.LOW)


def _unsaid(entry: dict[str, Any]) -> str:
    """Why the text of a user line (or of a queued command) was not said by a person; empty if it may well be."""
    for flag in ("isMeta", "isVisibleInTranscriptOnly", "turnCompanion"):
        if entry.get(flag) is True:
            return flag
    # A line that reports a tool's result has no words of a person beside it.
    if entry.get("toolUseResult") is not None:
        return "beside a tool's result"
    origin = entry.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else None
    if isinstance(kind, str) and kind not in ("human", "unclassified"):
        return f"origin {label(kind)}"
    return "promptSource system" if kind is None and entry.get("promptSource") == "system" else ""


class _Queue:
    """What a person typed while the agent worked.

    It is written when it is queued, and again when the agent gets it: as a user line, or as an attachment. Versions
    before 2.1.2xx did not write it again when the agent got it in the middle of a turn (`remove`). So what was
    removed waits for its second writing, which knows more (its `uuid`), and is handed on without it if that does not
    come. What was taken back by the person (`popAll`), or waits when the file ends, is not handed on.
    """

    _PATIENCE = 20  # lines after which the second writing is not coming
    _MOST = 100

    def __init__(self) -> None:
        self._waiting: deque[tuple[str, dict[str, Any]]] = deque(maxlen=self._MOST)
        self._taken: deque[tuple[str, dict[str, Any], int]] = deque(maxlen=self._MOST)
        self._line = 0

    def operate(self, entry: dict[str, Any]) -> None:
        """Take note of a `queue-operation` line."""
        operation = entry.get("operation")
        text = _queued_text(entry.get("content"))
        if operation == "enqueue":
            slim = {key: entry.get(key) for key in ("sessionId", "timestamp")}
            self._waiting.append((text, slim))
        elif operation == "popAll":
            self._waiting.clear()
        elif operation in ("dequeue", "remove") and self._waiting:
            # Without its content it is the one that has waited longest.
            found = next((one for one in self._waiting if text and one[0] == text), self._waiting[0])
            self._waiting.remove(found)
            if operation == "remove" and found[0]:
                self._taken.append((*found, self._line))

    def heard(self, text: str) -> None:
        """The text was written a second time."""
        for one in self._taken:
            if one[0] == text:
                self._taken.remove(one)
                return

    def overdue(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Count a line, and give what has waited too long for its second writing."""
        self._line += 1
        while self._taken and self._line - self._taken[0][2] > self._PATIENCE:
            text, entry, _ = self._taken.popleft()
            yield text, entry

    def taken(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """What still waits for its second writing when the file ends."""
        while self._taken:
            text, entry, _ = self._taken.popleft()
            yield text, entry


def _queued_text(content: object) -> str:
    """A queued prompt as it would be handed on; empty where it is a command to the program or markup."""
    typed = [piece.text for piece in pieces(content, Tally()) if piece.kind is MessageKind.TEXT]
    return clean("\n\n".join(words for text in typed if not noise.is_command(text) and (words := noise.said(text))))
