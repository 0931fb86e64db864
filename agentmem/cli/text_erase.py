"""What was taken out for good, and what was computed anew, as text."""

from collections.abc import Mapping, Sequence

from agentmem.cli.screen import Screen
from agentmem.upkeep.erase import Erased
from agentmem.upkeep.reindexing import Reindexed
from agentmem.upkeep.scrub import Scrubbed


def scrubbed(done: Scrubbed, screen: Screen) -> None:
    """What a scrub found, and what became of it."""
    if done.resumed and not done.dry:
        screen.say("An earlier run was not finished; this one went on with it.")
    many = sum(done.secrets.values())
    if not many and not done.texts and not done.files:
        screen.say("Nothing was found.")
    else:
        kinds = ", ".join(f"{number:,} {kind}" for kind, number in done.secrets.most_common())
        screen.say((f"{many:,} secret{'' if many == 1 else 's'}", "strong"), f" ({kinds})" if kinds else "", ":")
        for table, number in sorted(done.texts.items()):
            screen.say(f"{table}: {number:,}", indent=2)
        for file in done.files:
            screen.say(file, indent=2)
    if done.dry:
        screen.say("Nothing was changed.")
        return
    _proof(done.residue, done.unreadable, screen)


def erased(done: Erased, screen: Screen) -> None:
    """A profile that is gone."""
    one = done.profile
    screen.say(
        (f"Deleted profile {one.name}", "strong"),
        f": sessions: {one.sessions:,}, messages: {one.messages:,}, memories: {one.memories:,}.",
    )
    if done.copies:
        screen.say(f"Backups that it was taken out of: {len(done.copies):,}.", indent=2)
    _proof(done.residue, done.unreadable, screen)


def reindexed(done: Reindexed, screen: Screen) -> None:
    """How far a change of the model has come."""
    vectors = done.vectors
    screen.say(f"{vectors.computed:,} vectors computed, {vectors.reused:,} reused, {vectors.owed:,} owed.")
    if done.serving == done.model:
        screen.say((f"{done.model} serves.", "strong"))
    else:
        screen.say(f"{done.serving} serves until those of {done.model} are complete: `agentmem reindex` goes on.")


def _proof(left: Sequence[str], unreadable: Mapping[str, str], screen: Screen) -> None:
    for file in left:
        screen.complain(("residue: ", "bad"), f"something of it still lies in {file}")
    for file, reason in unreadable.items():
        screen.complain(("not cleaned: ", "bad"), f"{file}: {reason}")
    if not left and not unreadable:
        screen.say("Every file of the store was searched: nothing of it is left.")
