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
    rows = [
        (item.id[:ID], item.kind.value, day(item.valid_from) or "-", _cut(item.content)) for item in chosen.memories
    ]
    rows += [
        (message.id[:ID], f"{message.role} said", day(message.at) or "-", _cut(message.content))
        for message in chosen.messages
    ]
    screen.table(("id", "what", "since", "content"), rows[:_SHOWN])
    if len(rows) > _SHOWN:
        screen.say((f"and {len(rows) - _SHOWN:,} more", "muted"))
    words = (
        f"{_many(len(chosen.memories), 'memory', 'memories')} and {_many(len(chosen.messages), 'message', 'messages')}"
    )
    verb = "deleted for good, with the copies that were made before upgrades" if purged else "hidden"
    screen.say(f"In all {words} of profile {chosen.profile} to be {verb}.")


def forgotten_all(result: results.ForgottenAll, screen: Screen) -> None:
    """What was hidden or deleted."""
    chosen = result.chosen
    if result.dry:
        preview(chosen, screen, purged=result.purged)
        return
    words = (
        f"{_many(len(chosen.memories), 'memory', 'memories')} and {_many(len(chosen.messages), 'message', 'messages')}"
    )
    if not result.purged:
        screen.say(f"Forgot {words} of profile {chosen.profile}; reading transcripts again does not bring them back.")
        return
    screen.say(f"Deleted {words} of profile {chosen.profile} from every file of the store.")
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
