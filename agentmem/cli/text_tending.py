"""What was done to memories, and what it changed, as text."""

from collections.abc import Callable, Mapping
from typing import Any

from agentmem.cli import results
from agentmem.cli.screen import Piece, Screen, one_line
from agentmem.cli.text_recall import ID, day, minute
from agentmem.domain.memories import MemoryItem, Status
from agentmem.store.journal import LINES, MEMORY, MESSAGE, SESSION, TOMBSTONE, Written
from agentmem.store.versions import Version
from agentmem.upkeep.undo import Deed

_MOST_ENTRIES = 5  # of an action in the log; `log e12` shows all
_LONGEST = 100  # characters of a memory in the log
_LONGEST_VALUE = 300
_DISAGREE = {
    "topic": "two values of one topic, said with equal right",
    "value": "the same with another value",
    "negation": "one denies the other",
    "judged": "a language model says that they disagree",
}
_SAID = {
    "edit": "Said in other words",
    "pin": "Pinned",
    "unpin": "Unpinned",
    "confirm": "Confirmed",
    "reject": "Rejected",
}


def tended(result: results.Tended, screen: Screen) -> None:
    """What was done to one memory."""
    item = result.memory
    why: list[Piece] = [f" ({item.reason})"] if item.reason else []
    screen.say(f"{_SAID[result.done]}: ", (one_line(item.content), "strong"), *why)
    screen.say((f"id {item.id[:ID]}; `agentmem undo` takes it back", "muted"))


def logged(result: results.Logged, screen: Screen) -> None:
    """Actions, newest first."""
    if not result.deeds and screen.width:
        screen.say("Nothing was done yet.")
    for number, deed in enumerate(result.deeds):
        if number and screen.width:
            screen.say()
        _deed(deed, screen, whole=result.whole, contents=result.contents)


def _deed(deed: Deed, screen: Screen, *, whole: bool, contents: Mapping[str, str]) -> None:
    head: list[Piece] = [(f"e{deed.no}", "name"), f" {minute(deed.at)} ", (deed.operation, "strong")]
    head.append((f" by {deed.actor}", "muted"))
    if deed.undoes is not None:
        head.append(f", undoing e{deed.undoes}")
    if deed.undone_by is not None:
        head.append((f", undone by e{deed.undone_by}", "warning"))
    screen.say(*head)
    shown = deed.entries if whole else deed.entries[:_MOST_ENTRIES]
    for entry in shown:
        screen.say(*_entry(entry, contents), indent=2)
        if whole:
            for name, old, new in _fields(entry):
                screen.say((f"{name}: ", "muted"), f"{old} → {new}", indent=4)
    if len(shown) < len(deed.entries):
        screen.say((f"and {len(deed.entries) - len(shown):,} more: `agentmem log e{deed.no}`", "muted"), indent=2)
    if whole and deed.final and deed.undone_by is None:
        screen.say((f"It cannot be undone: {deed.final}.", "muted"), indent=2)


def _entry(entry: Written, contents: Mapping[str, str]) -> list[Piece]:
    if entry.about == SESSION:
        many = (entry.after or entry.before or {}).get("messages", "")
        return [f"{entry.operation} ", f"{many} messages of session {one_line(entry.subject)[:40]}"]
    if entry.about == LINES:
        many = len((entry.after or entry.before or {}).get("lines", ()))
        return [f"{entry.operation} ", f"{many} lines of session {one_line(entry.subject)[:40]}, which was forked"]
    if entry.about == TOMBSTONE:
        return [f"{entry.operation} ", "the mark on a forgotten value" + (" removed" if entry.after is None else "")]
    words = contents.get(entry.subject) or (entry.after or {}).get("content") or (entry.before or {}).get("content")
    what = "message" if entry.about == MESSAGE else "memory"
    said: list[Piece] = [f" “{_short(one_line(str(words)), _LONGEST)}”"] if words else []
    return [f"{entry.operation} ", f"{what} ", (entry.subject[:ID], "name"), *said]


def _fields(entry: Written) -> list[tuple[str, str, str]]:
    if entry.about != MEMORY or entry.before is None or entry.after is None:
        return []
    return [
        (name, _value(entry.before.get(name)), _value(entry.after.get(name)))
        for name in dict.fromkeys([*entry.before, *entry.after])
    ]


def _value(value: Any) -> str:
    if value is None or value == []:
        return "nothing"
    if isinstance(value, list):
        return "; ".join(_short(one_line(str(one[2] if isinstance(one, list) else one)), _LONGEST) for one in value)
    return _short(one_line(str(value)), _LONGEST_VALUE)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def undone(result: results.Undone, screen: Screen) -> None:
    """What was taken back."""
    for deed in result.deeds:
        many = len(deed.entries)
        changes = f"{many:,} {'change' if many == 1 else 'changes'}"
        screen.say(f"Undone: e{deed.undoes} ({changes}). `agentmem undo e{deed.no}` does it again.")


def previewed(deeds: tuple[Deed, ...], contents: Mapping[str, str], screen: Screen) -> None:
    """What would be taken back."""
    logged(results.Logged(deeds, contents=contents), screen)


def differed(result: results.Differed, screen: Screen) -> None:
    """What changed between two times."""
    found = result.difference
    if not found.changes:
        screen.say(f"No memory changed between {minute(found.since)} and {minute(found.until) or 'now'}.")
    for change in found.changes:
        mark, style, words = _change(change.memory, change.before, change.after)
        screen.say((mark, style), " ", (change.memory.id[:ID], "name"), f" {words}: ", one_line(change.memory.content))


def _change(item: MemoryItem, before: Version | None, after: Version | None) -> tuple[str, str, str]:
    if after is None:
        return "-", "bad", "undone"
    if after.status is Status.SUPERSEDED:
        by = f" by {after.superseded_by[:ID]}" if after.superseded_by else ""
        return ("+" if before is None else "-"), "muted", f"superseded{by}"
    if after.status is not Status.ACTIVE:
        return "-", "bad", str(after.status) + (f" ({after.reason})" if after.reason else "")
    if before is None:
        return "+", "good", f"new {item.kind}"
    if before.status is not Status.ACTIVE:
        return "+", "good", f"{before.status} before, active again"
    return "~", "warning", f"true since {day(after.valid_from)} (before: {day(before.valid_from)})"


def reviewed(result: results.Reviewed, screen: Screen) -> None:
    """Memories that nobody confirmed for long, and pairs of which only one can be true."""
    if not result.memories and not result.contradictions:
        screen.say(f"Nothing to review in profile {result.profile}.")
        return
    if result.memories:
        screen.table(("id", "kind", "since", "content"), [_row(item) for item in result.memories])
        if screen.width:
            screen.say(("`agentmem review --confirm ID` keeps one, `reject ID --why` and `forget ID` do not.", "muted"))
    for one in result.contradictions:
        screen.say((one.id[:ID], "name"), f" {_DISAGREE.get(one.reason, one.reason)}:")
        for item in (one.newer, one.older):
            screen.say(
                (item.id[:ID], "name"), f" {day(item.valid_from or item.created_at)} {one_line(item.content)}", indent=2
            )
    if result.contradictions and screen.width:
        screen.say(("Reject or forget what is wrong; `agentmem review --settle ID` lets both stand.", "muted"))


def _row(item: MemoryItem) -> tuple[str, ...]:
    return (item.id[:ID], item.kind.value, day(item.valid_from or item.created_at), one_line(item.content))


FORMS: dict[type[Any], Callable[[Any, Screen], None]] = {
    results.Tended: tended,
    results.Logged: logged,
    results.Undone: undone,
    results.Differed: differed,
    results.Reviewed: reviewed,
}
