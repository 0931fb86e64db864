"""What a backfill or a sweep found and did, as text."""

from collections.abc import Sequence

from agentmem.cli.progress import amount
from agentmem.cli.screen import Screen
from agentmem.upkeep.backfill import AgentFound, CaughtUp

_SHOWN = 8


def found(agents: Sequence[AgentFound], screen: Screen) -> None:
    """What each agent has here."""
    if not agents:
        screen.say("No agent that is known has any transcripts here.")
        return
    rows = [
        (
            one.agent,
            f"{one.files:,}",
            amount(one.size, "bytes"),
            f"{one.due:,}",
            amount(one.due_size, "bytes"),
            ", ".join(one.folders[:2]) + (" …" if len(one.folders) > 2 else ""),
        )
        for one in agents
    ]
    screen.table(("agent", "sessions", "size", "to read", "size", "in"), rows)


def caught_up(done: CaughtUp, screen: Screen) -> None:
    """What was read."""
    if done.dry:
        found(done.found, screen)
    else:
        stored = done.stored
        screen.say(
            f"Read {_many(done.read, 'transcript')} ({amount(done.bytes, 'bytes')}): ",
            (f"{_many(stored.messages, 'new message')}, {stored.memories:,} new memories", "strong"),
            f"; {_many(stored.known, 'message')} known before.",
        )
        if stored.superseded:
            screen.say(f"{stored.superseded:,} memories superseded or brought back by newer words.", indent=2)
        if stored.refused:
            screen.say(f"{stored.refused:,} memories left out: forgotten before.", indent=2)
        if stored.redacted:
            screen.say(f"Secrets or private parts taken out of {_many(stored.redacted, 'message')}.", indent=2)
    for label, counts in (("Left out", done.left_out), ("Unknown entries passed over", done.unknown)):
        if counts:
            told = ", ".join(f"{many:,} {what}" for what, many in counts.most_common(_SHOWN))
            screen.say(f"{label}: {told}.", indent=2)
    for one in done.unread[:_SHOWN]:
        screen.complain(("not read: ", "warning"), f"{one.path}: {one.why}")
    if done.unread_count > _SHOWN:
        screen.complain(("not read: ", "warning"), f"{done.unread_count - _SHOWN:,} more")
    if done.stored.messages:
        screen.say("Vectors are owed: `agentmem work` computes them.", indent=2)


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
