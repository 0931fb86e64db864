"""What is to be forgotten, was forgotten or came back, as text."""

from agentmem.cli import results
from agentmem.cli.screen import Screen, one_line
from agentmem.cli.text_recall import ID, day
from agentmem.upkeep.selection import Selection
from agentmem.upkeep.unforget import Unforgotten

_SHOWN = 12
_LONGEST = 160


def preview(chosen: Selection, screen: Screen, *, purged: bool) -> None:
    """What is meant, the first of it in words."""
    rows = _rows(chosen)
    screen.table(("id", "what", "since", "content"), rows[:_SHOWN])
    if len(rows) > _SHOWN:
        screen.say((f"and {len(rows) - _SHOWN:,} more", "muted"))
    screen.say(_whole(chosen, purged=purged))


def warning(chosen: Selection, screen: Screen, *, purged: bool) -> None:
    """The same on standard error, before somebody is asked."""
    rows = _rows(chosen)
    for row in rows[:_SHOWN]:
        screen.complain("  ".join(row))
    if len(rows) > _SHOWN:
        screen.complain(f"and {len(rows) - _SHOWN:,} more")
    screen.complain(_whole(chosen, purged=purged))


def _rows(chosen: Selection) -> list[tuple[str, str, str, str]]:
    return [
        *((one.id[:ID], one.kind.value, day(one.valid_from) or "-", _cut(one.content)) for one in chosen.memories),
        *((one.id[:ID], f"{one.role} said", day(one.at) or "-", _cut(one.content)) for one in chosen.messages),
    ]


def _whole(chosen: Selection, *, purged: bool) -> str:
    verb = "deleted for good, with all backups in the store's folder" if purged else "hidden"
    return f"In all {_words(chosen)} to be {verb}."


def _words(chosen: Selection) -> str:
    parts = (
        _many(len(chosen.memories), "memory", "memories"),
        _many(len(chosen.messages), "message", "messages"),
    )
    return f"{' and '.join(parts)} of profile {chosen.profile}"


def forgotten_all(result: results.ForgottenAll, screen: Screen) -> None:
    """What was hidden or deleted."""
    chosen = result.chosen
    if result.dry:
        preview(chosen, screen, purged=result.purged)
        return
    if not result.purged:
        screen.say(f"Forgot {_words(chosen)}; reading transcripts again does not bring them back.")
        return
    screen.say(f"Deleted {_words(chosen)} from every file of the store.")
    graves = [item.id[:ID] for item in chosen.memories]
    if graves:
        more = f" and {len(graves) - _SHOWN:,} more" if len(graves) > _SHOWN else ""
        screen.say((f"Digests stay: {', '.join(graves[:_SHOWN])}{more}", "muted"))


def unforgotten(done: Unforgotten, screen: Screen) -> None:
    """What came back."""
    for item in done.memories:
        screen.say((item.status.value, "name"), f" again: {_cut(item.content)}")
    if done.messages:
        screen.say(f"{_many(len(done.messages), 'message is', 'messages are')} found again.")
    if done.purged:
        screen.say("What was purged is gone; it may come back if it is said, or its transcript read, again.")


def _cut(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _LONGEST else line[:_LONGEST] + " …"


def _many(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"
