"""Exports, imports, backups and upgrades as text."""

from collections.abc import Mapping

from agentmem.cli import results
from agentmem.cli.progress import amount
from agentmem.cli.screen import Screen
from agentmem.cli.text_recall import minute
from agentmem.upkeep.transfer.backups import BackedUp, Restored
from agentmem.upkeep.transfer.exporting import Exported
from agentmem.upkeep.transfer.importing import Imported
from agentmem.upkeep.transfer.upgrading import Upgraded

_COUNTED = ("sessions", "messages", "memories", "journal", "tombstones", "embeddings")
"""Tables that a person knows by name."""


def exported(done: Exported, screen: Screen) -> None:
    """What was written."""
    screen.say("Exported to ", (done.place, "strong"), f" ({done.format}, {amount(done.size, 'bytes')}), read back:")
    screen.table(("table", "rows"), [(name, f"{rows:,}") for name, rows in done.rows.items() if rows], indent=2)
    if "messages" not in done.rows:
        screen.say(("Without messages: --with-messages takes them along.", "muted"), indent=2)


def imported(done: Imported, screen: Screen) -> None:
    """What was merged."""
    screen.say(
        "Would import " if done.dry else "Imported ",
        (done.place, "strong"),
        f" ({done.format}) into {', '.join(done.profiles) or 'no profile'}:",
    )
    rows = [
        (name, f"{one.new:,} new", f"{one.known:,} known", f"{one.refused:,} refused")
        for name, one in done.tables.items()
        if one.new or one.known or one.refused
    ]
    screen.table(("table", "", "", ""), rows, indent=2)
    for many, what in ((done.forgotten, "forgotten, as on the other side"), (done.superseded, "superseded")):
        if many:
            screen.say(f"{many:,} {'memory' if many == 1 else 'memories'} {what}.", indent=2)
    if any(one.refused for one in done.tables.values()):
        screen.say("Refused: what was forgotten here, and what belongs to it.", indent=2)
    for note in done.notes:
        screen.say((note[0].upper() + note[1:] + ".", "warning"), indent=2)
    if done.dry:
        screen.say("Nothing was written.", indent=2)


def backed_up(done: BackedUp, screen: Screen) -> None:
    """What was copied."""
    screen.say("Backed up to ", (done.made.place, "strong"), f" ({amount(done.made.size, 'bytes')}), read back:")
    screen.say(_held(done.made.rows), indent=2)
    for name, many in (done.made.wrong or {}).items():
        screen.complain(("warning: ", "warning"), f"the store has {many:,} {name}; `agentmem doctor --deep` tells more")
    if done.removed:
        screen.say(f"{len(done.removed)} older {'backup' if len(done.removed) == 1 else 'backups'} removed.", indent=2)


def backups_listed(listed: results.BackupsListed, screen: Screen) -> None:
    """The copies beside the store."""
    if not listed.backups:
        screen.say(f"No backups in {listed.folder}: `agentmem backup` makes one.")
        return
    rows = [(minute(one.at) or "-", amount(one.size, "bytes"), one.place) for one in listed.backups]
    screen.table(("made", "size", "backup"), rows)


def restored(result: Restored, screen: Screen) -> None:
    """Two stores, and which of them is in force."""
    for title, one in (("Backup", result.backup), ("Store", result.store)):
        if one is None:
            screen.say(f"{title}: nothing is there.")
        else:
            screen.say(f"{title}: ", (one.place, "strong"), f", {minute(one.at)}")
            screen.say("cannot be read." if one.rows is None else f"format {one.format}; {_held(one.rows)}", indent=2)
    if result.done:
        kept = f" The one before lies in {result.kept}." if result.kept else ""
        screen.say(f"The backup is the store now.{kept}")
        screen.say("`agentmem work` fills the vector index again.", indent=2)


def upgraded(result: Upgraded, screen: Screen) -> None:
    """What was brought up to date."""
    done = result.migrated
    if not result.exists:
        screen.say("Nothing is stored yet.")
    elif done is None:
        screen.say(f"The store is up to date (format {result.format}).")
    else:
        verb = "would be" if result.dry else "was"
        screen.say(f"The store {verb} upgraded from format {done.was} to {result.format}: {', '.join(done.steps)}.")
        screen.table(
            ("table", "before", "after"),
            [(name, f"{done.before.get(name, 0):,}", f"{many:,}") for name, many in done.after.items()],
            indent=2,
        )
        if done.backup:
            screen.say(f"The old file is kept: {done.backup}", indent=2)
        if result.dry:
            screen.say("This was done with a copy; the store was not changed.", indent=2)


def _held(rows: Mapping[str, int] | None) -> str:
    return ", ".join(f"{name}: {many:,}" for name, many in _known(rows or {}))


def _known(rows: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(name, rows[name]) for name in _COUNTED if name in rows]
