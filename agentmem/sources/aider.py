"""Aider: its chat history (`.aider.chat.history.md`), one file for all runs in a repository.

    # aider chat started at 2026-06-09 14:01:00

    #### add a retry to the webhook
    I'll add exponential backoff.

    > Applied edit to src/webhook.py

A line that begins with `####` was typed, one that begins with `>` was printed by the program, all others are the
model's. The program ends its own lines with two spaces, which tells a prompt from a heading in an answer; where
an editor has stripped them, a `####` right behind an answer counts as part of it.

Each run is a session. The file knows one time only, when the run began, in the machine's local time: all messages of
the run have it.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from agentmem.domain.messages import Message, MessageKind, Role
from agentmem.domain.reports import Tally
from agentmem.domain.text import clean
from agentmem.sources.blocks import Piece, note
from agentmem.sources.lines import Head, split
from agentmem.sources.sessions import session_name
from agentmem.sources.teller import Said, Teller

LABEL = "Aider chat history (Markdown)"
AGENT = "aider"

_HEADER = re.compile(r"# aider chat started at (.{1,40}?)\s*")
_STARTED = re.compile(r"^# aider chat started at ", re.MULTILINE)
_DONE = re.compile(r"(?:Applied edit to|Creating empty file|Commit [0-9a-f]{6,40}|Running|Added .* to the chat)\b.*")
_COMMAND = re.compile(r"/([a-z-]+)\s*(.*)", re.DOTALL)
_ASKING = frozenset({"ask", "code", "architect", "context", "help"})  # what stands behind these is a question
_BLANK = "<blank>"


def matches(head: Head) -> bool:
    """Whether a run of aider begins in the text."""
    return not head.document and "\x00" not in head.text and bool(_STARTED.search(head.text))


def read(chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally) -> Iterator[Message]:
    """The messages of a history, in its order. See `agentmem.sources.formats.Source`.

    A run's session is the argument, else made of `name`, the run's beginning and its first message. A message's
    `source_id` is the run's beginning and the message's number in it. A later read starts at the beginning again
    (`tally.consumed` stays 0), because a message has no end of its own.
    """
    return _History(name, session_id, None, tally).read(chunks)


def read_at(
    path: Path, chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally
) -> Iterator[Message]:
    """As `read`; the folder of the file is the one that was worked in, and tells two histories apart."""
    folder = str(path.absolute().parent)
    return _History(f"{path.absolute().parent.name}-{name}", session_id, folder, tally).read(chunks)


class _History:
    """The run that is being read, and the message whose lines are being gathered."""

    def __init__(self, name: str, session_id: str | None, folder: str | None, tally: Tally) -> None:
        self._name = name
        self._given = session_id
        self._tally = tally
        self._teller = Teller(AGENT, session_id or name, tally)
        self._teller.cwd = folder
        self._running = False
        self._marked: bool | None = None  # whether the program's own lines end in two spaces; None: not seen yet
        self._run = ""
        self._begun: datetime | None = None
        self._number = 0
        self._role: Role | None = None
        self._lines: list[str] = []

    def read(self, chunks: Iterable[bytes]) -> Iterator[Message]:
        """The messages of all runs."""
        lines = Tally()  # of its own: positions mean nothing here
        for raw, _ in split(chunks, lines):
            self._tally.lines += 1
            text = raw.decode("utf-8", "replace").removeprefix("\ufeff").removesuffix("\r")
            if header := _HEADER.fullmatch(text):
                yield from self._end()
                self._start(header[1])
            elif self._running:
                yield from self._line(text)
            else:
                note(self._tally.ignored, "before the first run")
        self._tally.skipped.update(lines.skipped)
        yield from self._end()

    def _start(self, begun: str) -> None:
        self._running = True
        self._marked = None
        self._run = clean(begun)
        self._begun = _local(begun)
        self._number = 0
        self._teller.session_id = self._given or ""

    def _line(self, text: str) -> Iterator[Message]:
        own = text.endswith("  ")
        if text.startswith("####") and self._marked is None:
            self._marked = own  # the first of a run is typed in any case
        # Without marks a prompt never stands right behind an answer: the program prints the cost in between.
        typed = own or (not self._marked and self._role is not Role.ASSISTANT)
        if text == "####" or (text.startswith("#### ") and typed):
            role, text = Role.USER, text[5:].strip()
        elif text == ">" or (text.startswith("> ") and (own or not self._marked)):
            role, text = Role.TOOL, text[2:].strip()
        elif not text.strip():
            if self._role is Role.USER:
                yield from self._end()  # the lines of one prompt follow each other
            self._lines.append("")
            return
        else:
            role = Role.ASSISTANT
        if role is not self._role or role is Role.TOOL:
            yield from self._end()
            self._role = role
        self._lines.append(text)

    def _end(self) -> Iterator[Message]:
        text = "\n".join(self._lines).strip()
        role, self._role, self._lines = self._role, None, []
        said = list(self._said(role, text)) if role and text else []
        if not said:
            return
        self._number += 1
        if not self._teller.session_id:
            self._teller.session_id = session_name(self._name, said[0].role, said[0].text, self._begun)
        yield from self._teller.tell(said, at=self._begun, source_id=f"{self._run}/{self._number}")

    def _said(self, role: Role, text: str) -> Iterator[Said]:
        if role is Role.ASSISTANT:
            yield from self._teller.reply(text)
        elif role is Role.TOOL:
            if _DONE.fullmatch(text):
                yield from self._teller.tool(Piece(MessageKind.TOOL_CALL, text[:240], arguments=text))
            else:
                note(self._tally.ignored, "printed by the program")
        else:
            command = _COMMAND.match(text)
            if command and command[1] in _ASKING:
                text = command[2]
            if text == _BLANK or (command and command[1] not in _ASKING):
                note(self._tally.ignored, "command")
            else:
                yield from self._teller.human([text])


def _local(text: str) -> datetime | None:
    """A time as the program writes it, in the machine's local time."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
