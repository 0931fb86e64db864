"""Plain text with turns: `User:` and `Assistant:` at the beginning of a line, in several languages.

Markdown around the name (`**User:**`, `## User`) and a time in brackets before it (`[2026-04-10 09:00] User: …`) are
understood. What stands before the first turn is not a message. Inside a code fence only a marker with a time opens a
turn: `user: root` there is a line of some file.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from agentmem.domain.messages import Message, Role, trust_of
from agentmem.domain.reports import Tally
from agentmem.domain.text import clean
from agentmem.sources import noise
from agentmem.sources.lines import Head, split
from agentmem.sources.sessions import session_name
from agentmem.sources.stamps import instant

LABEL = "plain text with User: and Assistant: turns"
AGENT = "plain"

_ROLES = {
    "user": Role.USER,
    "human": Role.USER,
    "me": Role.USER,
    "you": Role.USER,
    "用户": Role.USER,
    "用戶": Role.USER,
    "使用者": Role.USER,
    "ユーザー": Role.USER,
    "사용자": Role.USER,
    "assistant": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "助手": Role.ASSISTANT,
    "アシスタント": Role.ASSISTANT,
    "어시스턴트": Role.ASSISTANT,
    "system": Role.SYSTEM,
}
_MARKER = re.compile(
    rf"""(?:\[(?P<at>[^\[\]\n]{{4,40}})\]\s*)?
        (?P<heading>\#{{1,6}}\s+)?
        (?P<bold>\*\*|__)?
        (?P<name>{"|".join(_ROLES)})
        (?: (?P<colon>\s?[:：])(?(bold)(?:\*\*|__))
          | (?(bold)(?:\*\*|__))(?P<colon_behind>\s?[:：])
          | (?(heading)(?(bold)(?:\*\*|__))\s*\Z|(?!)) )
        \s*(?P<text>.*)""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")


def matches(head: Head) -> bool:
    """Whether the text begins with a turn, or has turns of two sides."""
    if "\x00" in head.text:
        return False
    sides: set[Role] = set()
    for number, line in enumerate(head.text.splitlines()):
        if found := _MARKER.fullmatch(line):
            sides.add(_ROLES[found["name"].lower()])
            if number == 0 or len(sides) > 1:
                return True
    return False


@dataclass(slots=True)
class _Turn:
    """A turn while its lines are gathered."""

    role: Role
    at: datetime | None
    lines: list[str] = field(default_factory=list)


def read(chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally) -> Iterator[Message]:
    """The turns of a text, in its order. See `agentmem.sources.formats.Source`.

    A later read starts at the beginning again (`tally.consumed` stays 0), because a turn has no end of its own.
    """
    turn: _Turn | None = None
    fenced = two_people = False
    lines = Tally()  # of its own: positions mean nothing here
    for raw, _ in split(chunks, lines):
        tally.lines += 1
        text = raw.decode("utf-8", "replace").removeprefix("\ufeff").removesuffix("\r")
        found = _MARKER.fullmatch(text)
        if found and (not fenced or found["at"]):
            if turn and (message := _message(turn, name, session_id, tally)):
                session_id = message.session_id
                yield message
            role = _ROLES[found["name"].lower()]
            # In a copied page "You" is the person; beside "Me" it is the other one.
            two_people = two_people or found["name"].lower() == "me"
            if two_people and found["name"].lower() == "you":
                role = Role.ASSISTANT
            turn = _Turn(role, instant(found["at"]), [found["text"]])
            fenced = bool(_FENCE.match(found["text"]))
        elif turn is None:
            tally.ignored["before the first turn"] += 1
        else:
            turn.lines.append(text)
            fenced ^= bool(_FENCE.match(text))
    tally.skipped.update(lines.skipped)
    if turn and (message := _message(turn, name, session_id, tally)):
        yield message


def _message(turn: _Turn, name: str, session_id: str | None, tally: Tally) -> Message | None:
    text = clean(noise.injected("\n".join(turn.lines))).strip()
    if not text:
        tally.ignored["no text"] += 1
        return None
    tally.messages += 1
    return Message(
        session_id=session_id or session_name(name, turn.role, text, turn.at),
        role=turn.role,
        content=text,
        at=turn.at,
        trust=trust_of(turn.role),
        agent=AGENT,
    )
