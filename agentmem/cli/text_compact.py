"""What a compaction did, as text."""

from agentmem.cli.screen import Screen, one_line
from agentmem.cli.text_recall import ID
from agentmem.upkeep.compact import Compacted

_SHOWN = 10


def _plural(what: str, many: int) -> str:
    return what if many == 1 else f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"


def compacted(done: Compacted, screen: Screen) -> None:
    """What was done, or would be."""
    for keeper, members in done.clusters[:_SHOWN]:
        screen.say((keeper.id[:ID], "muted"), " ", (one_line(keeper.content), "strong"))
        for member in members[:_SHOWN]:
            screen.say((f"{'would replace' if done.dry else 'replaces'} {one_line(member.content)}", "muted"), indent=2)
    if len(done.clusters) > _SHOWN:
        screen.say((f"and {len(done.clusters) - _SHOWN:,} more like these", "muted"))
    did = [
        (done.merged, "duplicate", "merged"),
        (done.expired, "memory", "expired"),
        (done.trimmed_messages, "old message", "trimmed"),
        (done.trimmed_entries, "old log entry", "dropped"),
        (done.trimmed_notes, "old note", "dropped"),
        (done.found, "contradiction", "found"),
    ]
    told = ", ".join(f"{many:,} {_plural(what, many)} {became}" for many, what, became in did if many)
    if told:
        screen.say(f"Would be done: {told}." if done.dry else f"Done: {told}.")
    else:
        screen.say("Nothing to do.")
    if done.reworded is not None:
        if done.reworded.merged or done.reworded.refused:
            screen.say(
                f"A model put {done.reworded.merged:,} of them into one sentence; {done.reworded.refused:,} of its "
                "sentences did not rest on the evidence."
            )
        if done.reworded.note:
            screen.say((done.reworded.note, "warning"))
    if done.purged:
        screen.say("The files were cleaned of what an earlier purge had left in them.")
    if done.open:
        screen.say(f"Contradictions that wait for you: {done.open:,}. `agentmem review` shows them.")
    if not done.complete:
        screen.say(("The time was up; the next run goes on.", "warning"))
