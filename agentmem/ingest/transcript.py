"""A piece of a session as a model is given it: numbered lines with role, time, and relative dates made absolute.

"yesterday" becomes "yesterday [2026-04-09]", by rule, from the time of the message: models cannot count days.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from agentmem.domain.dates import find_dates
from agentmem.domain.messages import MessageKind, Role
from agentmem.store.messages import StoredMessage

CHUNK = 10_000
"""Characters of a piece, more or less: a message is never cut in two."""

OVERLAP = 2  # messages before a piece, for the context
WINDOW = 5_000
"""Characters of a window of the detail pass."""

DETAIL_FROM = 9  # messages of a person and an agent in the session
_MARGIN = 40  # characters that number, role and time of a line take
_LABELS = {Role.USER: "USER", Role.ASSISTANT: "AGENT", Role.TOOL: "TOOL OUTPUT", Role.SYSTEM: "SYSTEM"}
_LIMITS = {
    MessageKind.TEXT: 8_000,
    MessageKind.SUMMARY: 2_000,
    MessageKind.TOOL_RESULT: 600,
    MessageKind.TOOL_CALL: 200,
}
_RESOLVED = re.compile(r"\s*\[\d{4}-\d\d-\d\d(?: to \d{4}-\d\d-\d\d)?\]")


@dataclass(frozen=True, slots=True)
class Line:
    """A message with the number under which a model cites it; `before` if it only gives context."""

    number: int
    message: StoredMessage
    before: bool = False


def room_of(kind: str, size: int) -> int:
    """How many characters a message of a kind and size takes in a transcript; 0 for an empty one."""
    return min(size, _LIMITS[MessageKind(kind)]) + _MARGIN if size else 0


def cut(sizes: Sequence[int], most: int = CHUNK) -> list[int]:
    """How many of some messages go into each piece, from the first on.

    Borders depend on what comes before them alone: when messages are added, all pieces but the last stay what they are.
    """
    counts: list[int] = []
    room = -1
    for size in sizes:
        if room < size:
            counts.append(0)
            room = most
        counts[-1] += 1
        room -= size
    return counts


def windows(lines: Sequence[Line], most: int = WINDOW) -> list[list[Line]]:
    """Overlapping windows over the lines of a piece: each begins with the last two messages of the one before."""
    found: list[list[Line]] = []
    start = 0
    while start < len(lines):
        end, room = start, most
        while end < len(lines) and (end < start + OVERLAP + 1 or room >= 0):
            room -= room_of(lines[end].message.kind, len(lines[end].message.content))
            if room < 0 and end > start + OVERLAP:
                break
            end += 1
        found.append(list(lines[start:end]))
        if end >= len(lines):
            break
        start = end - OVERLAP
    return found


def render(lines: Sequence[Line]) -> str:
    """The transcript."""
    return "\n".join(map(_rendered, lines))


def day_of(lines: Sequence[Line]) -> str:
    """The day of a piece in words, for a prompt."""
    at = next((line.message.at for line in lines if line.message.at is not None), None)
    return "an unknown day" if at is None else at.strftime("%A, %Y-%m-%d")


def unresolved(text: str) -> str:
    """A text without the dates in brackets that `render` puts in."""
    return _RESOLVED.sub("", text)


def _rendered(line: Line) -> str:
    message = line.message
    label = "TOOL CALL" if message.kind == MessageKind.TOOL_CALL else _LABELS[Role(message.role)]
    who = f"{label} {message.speaker}" if message.speaker else label
    when = f" {message.at:%Y-%m-%d %H:%M}" if message.at else ""
    before = " (before)" if line.before else ""
    text = shortened(message.content, _LIMITS[MessageKind(message.kind)])
    if message.at is not None and message.kind == MessageKind.TEXT:
        text = resolved(text, message.at)
    return f"[{line.number}] {who}{when}{before}: {text}"


def shortened(text: str, most: int) -> str:
    """Beginning and end of a text that is too long."""
    if len(text) <= most:
        return text
    head = most * 3 // 4
    return f"{text[:head]}\n[… {len(text) - most:,} characters left out …]\n{text[head - most :]}"


def resolved(text: str, at: datetime) -> str:
    """The text with each relative date, and each without a year, followed by the absolute one in brackets."""
    pieces = []
    done = 0
    for mention in find_dates(text, at):
        if mention.has_year and not mention.relative:
            continue
        first = mention.start.astimezone(at.tzinfo or UTC).date()
        last = (mention.end - timedelta(seconds=1)).astimezone(at.tzinfo or UTC).date()
        shown = f"{first}" if first == last else f"{first} to {last}"
        pieces += [text[done : mention.span[1]], f" [{shown}]"]
        done = mention.span[1]
    return "".join([*pieces, text[done:]])
