"""Upgrade: brings a store that an older agentmem wrote up to date, or shows on a copy what that would do."""

from dataclasses import dataclass
from pathlib import Path

from agentmem.store import migrations, scratch
from agentmem.store.migrations import Migrated
from agentmem.store.schema import STEPS
from agentmem.store.store import Store


@dataclass(frozen=True, slots=True)
class Upgraded:
    """What an upgrade did, or would do.

    Args:
        format: the format that this program writes.
        migrated: what ran; None: the store is up to date, or there is none.
        dry: nothing was changed.
        exists: whether anything is stored.
    """

    format: int
    migrated: Migrated | None
    dry: bool
    exists: bool


def upgrade(store: Store, *, dry_run: bool) -> Upgraded:
    """Bring the store up to date, after a backup.

    Raises:
        StoreTooNew: a newer agentmem wrote it; it is not touched.
        UpgradeFailed: it could not be done; the store is as it was.
    """
    form = len(STEPS)
    if not store.exists():
        return Upgraded(form, None, dry_run, exists=False)
    with store.database.reading() as connection:
        steps = migrations.pending(connection)
    if not steps:
        return Upgraded(form, None, dry_run, exists=True)
    if not dry_run:
        return Upgraded(form, migrations.migrate(store.database, store.home.backups), dry_run, exists=True)
    with scratch.folder(store.home) as folder:
        copy: Path = folder / "rehearsal.duckdb"
        scratch.copy(store.database, copy)
        return Upgraded(form, migrations.advance(copy, store.database.memory_limit), dry_run, exists=True)
