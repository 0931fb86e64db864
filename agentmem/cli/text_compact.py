"""What a compaction did, as text."""

from agentmem.cli.screen import Screen, one_line
from agentmem.cli.text_recall import ID
from agentmem.upkeep.compact import Compacted

_SHOWN = 10


def compacted(done: Compacted, screen: Screen) -> None:
    """What was done, or would be."""
    for keeper, members in done.clusters[:_SHOWN]:
        screen.say((keeper.id[:ID], "muted"), " ", (one_line(keeper.content), "strong"))
        for member in members[:_SHOWN]:
            screen.say((f"{'would replace' if done.dry else 'replaces'} {one_line(member.content)}", "muted"), indent=2)
    if len(done.clusters) > _SHOWN:
        screen.say((f"and {len(done.clusters) - _SHOWN:,} more like these", "muted"))
    did = [
        (done.merged, "duplicates merged"),
        (done.expired, "memories expired"),
        (done.trimmed_messages, "old messages trimmed"),
        (done.trimmed_entries, "old log entries dropped"),
        (done.trimmed_notes, "old notes dropped"),
        (done.found, "contradictions found"),
    ]
    told = ", ".join(f"{many:,} {what}" for many, what in did if many)
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
