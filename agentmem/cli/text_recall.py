"""Answers, memories and messages as text for a person."""

import re
from datetime import datetime

from agentmem.cli.results import Recalled
from agentmem.cli.screen import Piece, Screen, one_line
from agentmem.domain.excerpt import excerpt
from agentmem.domain.memories import Evidence, MemoryItem, Status
from agentmem.domain.recall import MEMORY, Hit, SessionHit
from agentmem.store.messages import StoredMessage

ID = 8
"""Digits of an id that are shown; `show` and `forget` take them."""

_LINES = 3  # of a message on a terminal
_CHARACTERS = 500  # of a message on a pipe
_INDENT = 3
_LONGEST_NAME = 32
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-")


def recalled(result: Recalled, screen: Screen) -> None:
    """An answer and its hits, best first."""
    answer = result.answer
    if answer.abstained:
        screen.say(f"Nothing relevant is known about that in profile {answer.profile}.")
        if result.advice:
            screen.say((result.advice, "muted"))
    if answer.text:
        screen.say((answer.text, "strong"))
        if answer.hits:
            screen.say()
    if answer.trouble:
        screen.complain((f"note: {answer.trouble}", "muted"))
    if result.sessions:
        for one in answer.sessions:
            _session(one, result, screen)
        return
    for number, hit in enumerate(answer.hits):
        if number and (result.explain or screen.width):
            screen.say()
        _hit(hit, result, screen)
    if result.explain:
        for note in answer.notes:
            screen.say((f"note: {note}", "muted"))


def _session(one: SessionHit, result: Recalled, screen: Screen) -> None:
    head: list[Piece] = [f"{one.rank}. ", (f"session {one.session_id}", "name")]
    hit = one.message
    if hit and (when := day(hit.at)):
        head.append((f" · {when}", "muted"))
    screen.say(*head)
    if hit:
        screen.say(f"{hit.speaker or hit.role}: {_trimmed(hit, result, screen)}", indent=_INDENT)


def _hit(hit: Hit, result: Recalled, screen: Screen) -> None:
    what = hit.kind or MEMORY if hit.type == MEMORY else f"{hit.speaker or hit.role} said"
    head: list[Piece] = [f"{hit.rank}. ", (what, "name")]
    if when := day(hit.at):
        head.append((f" · {when}", "muted"))
    if hit.status == Status.REJECTED:
        head.append((" · tried and rejected", "warning"))
    elif hit.status not in (None, Status.ACTIVE):
        head.append((f" · {hit.status}", "warning"))
    head += [(f" · {mark}", "warning") for mark in hit.marks]
    if hit.type == MEMORY:
        screen.say(*head, (f" · id {hit.id[:ID]}", "muted"))
        screen.say((hit.content, "strong"), indent=_INDENT)
        if hit.reason:
            screen.say((f"rejected because: {one_line(hit.reason)}", "warning"), indent=_INDENT)
        for evidence in hit.evidence[-1:]:
            screen.say(*source(evidence, hit.content), indent=_INDENT)
    else:
        screen.say(*head, (f" · session {session(hit.session_id or '')} · id {hit.id[:ID]}", "muted"))
        screen.say(hit.content if result.full else _trimmed(hit, result, screen), indent=_INDENT)
    if result.explain:
        rows = [(part.channel, str(part.rank or ""), f"{part.score:.4f}", f"{part.share:.5f}") for part in hit.parts]
        rows.append(("in all", "", "", f"{hit.score:.5f}"))
        screen.table(("channel", "rank", "score", "share"), rows, indent=_INDENT)


def _trimmed(hit: Hit, result: Recalled, screen: Screen) -> str:
    room = (screen.width - _INDENT) * _LINES - 4 if screen.width else _CHARACTERS
    return excerpt(hit.content, result.answer.query, max(room, 40))


def source(evidence: Evidence, content: str = "") -> list[Piece]:
    """Who said the words that support a memory, when and where; the words too unless they are its content."""
    said: list[Piece] = []
    if one_line(evidence.quote) != one_line(content):
        said = [(f"“{one_line(evidence.quote)}” ", "quote")]
    parts = [evidence.role or "", day(evidence.at), f"session {session(evidence.session_id)}"]
    return [*said, ("— " + ", ".join(part for part in parts if part), "muted")]


def memory(item: MemoryItem, screen: Screen) -> None:
    """A memory with all its properties."""
    screen.say((item.content, "strong"))
    rows = [
        ("id", item.id),
        ("kind", item.kind.value),
        ("status", item.status.value + (f" by {item.superseded_by[:ID]}" if item.superseded_by else "")),
        ("profile", item.profile),
        ("topic", item.topic_key or ""),
        ("true since", minute(item.valid_from)),
        ("happened", minute(item.occurred_at)),
        ("expires", minute(item.expires_at)),
        ("stored", minute(item.created_at)),
        ("importance", f"{item.importance:.2f}"),
        ("pinned", "yes" if item.pinned else ""),
        ("confirmed", minute(item.confirmed_at)),
        ("recalled", f"{item.recalled} times, last {minute(item.last_recalled_at)}" if item.recalled else ""),
        ("rejected because", item.reason or ""),
        ("trust", item.trust.value),
        ("found by", item.extractor),
    ]
    pairs(screen, rows)


def message(said: StoredMessage, screen: Screen, *, room: int | None = None, marked: bool = False) -> None:
    """A message: who, when, and the words, or as many of them as there is room for."""
    head: list[Piece] = ["> " if marked else "  ", (said.speaker or said.role, "name")]
    if when := minute(said.at):
        head.append((f" · {when}", "muted"))
    if said.forgotten_at:
        head.append((" · forgotten", "warning"))
    screen.say(*head, (f" · id {said.id[:ID]}", "muted"))
    screen.say(said.content if room is None else excerpt(said.content, "", room), indent=4)


def pairs(screen: Screen, rows: list[tuple[str, str]]) -> None:
    """Names and values, a line each; what has no value is left out."""
    screen.table(("", ""), [row for row in rows if row[1]])


def session(name: str) -> str:
    """A session's name, cut where it says no more to a person."""
    return name[:ID] if _UUID.match(name) else name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "…"


def day(at: datetime | None) -> str:
    """The day in the user's zone."""
    return at.astimezone().date().isoformat() if at else ""


def minute(at: datetime | None) -> str:
    """The day and time in the user's zone."""
    return f"{at.astimezone():%Y-%m-%d %H:%M}" if at else ""
