"""How compaction is scheduled, as text."""

from agentmem.cli.screen import Screen
from agentmem.upkeep.schedule import Scheduled


def scheduled(result: Scheduled, screen: Screen) -> None:
    """What was done, would be done, or is."""
    if result.plan:
        screen.say(result.plan)
        screen.say()
    if result.dry:
        screen.say("Nothing was changed.")
    elif result.installed:
        screen.say(("Compaction runs once a day", "good"), f", by {result.kind}.")
    else:
        screen.say(f"Compaction is not scheduled (here it would be by {result.kind}).")
    if result.detail:
        screen.say((result.detail, "muted"), indent=2)
