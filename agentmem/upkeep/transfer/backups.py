"""Backups: a copy of the database of one moment, read as a whole before it counts; and the way back.

Vectors are part of the database; LanceDB's folder is made from them again.
"""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import filelock

from agentmem.errors import NotFound, StoreBusy, StoreDamaged, UsageError
from agentmem.paths import PRIVATE_FILE, make_private_folder
from agentmem.store import copies, scratch
from agentmem.store.rows import now
from agentmem.store.store import Store

_START = "agentmem"
_TIME = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True, slots=True)
class Copied:
    """A database file and what is in it.

    Args:
        place: the file.
        at: when it was made.
        size: in bytes.
        format: the number of steps that its schema has.
        rows: by table; empty where nobody looked.
        wrong: what does not fit together in it, with how often.
    """

    place: str
    at: datetime | None
    size: int
    format: int = 0
    rows: Mapping[str, int] | None = None
    wrong: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class BackedUp:
    """A backup that was made, and older ones that went."""

    made: Copied
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Restored:
    """A backup that took the place of the store, or would.

    Args:
        backup: the backup.
        store: the store as it was; None where there was none.
        kept: where the replaced store lies; None: nothing was replaced.
        done: whether it was done.
    """

    backup: Copied
    store: Copied | None
    kept: str | None
    done: bool


def back_up(store: Store, folder: Path | None, keep: int | None) -> BackedUp:
    """Copy the database while others work with it, and read the copy as a whole.

    Args:
        store: whose.
        folder: where to; None: the folder `backups` of the store.
        keep: leave so many of the newest that were made this way, in that folder; None: all.

    Raises:
        NotFound: nothing is stored yet.
        StoreDamaged: the copy cannot be read.
    """
    if not store.exists():
        raise NotFound(f"Nothing is stored yet in {store.home.data}", "`agentmem ingest FILE` begins.")
    folder = store.home.backups if folder is None else folder
    try:
        make_private_folder(folder)
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(f"{folder} cannot be made a folder: {why}", "Name a folder to put the backup into.") from error
    place = copies.stamped(folder, _START, now())
    fresh = folder / f".{place.name}.{os.getpid()}.partial"
    try:
        scratch.copy(store.database, fresh)
        made = _look(fresh, store.database.memory_limit, deep=True)
        copies.settle(fresh, place)
    except BaseException:  # Ctrl-C as well must leave nothing half-written behind
        copies.remove(fresh)
        raise
    removed = []
    if keep is not None:
        for old in _made(folder)[keep:]:
            old.unlink(missing_ok=True)
            removed.append(str(old))
    return BackedUp(_named(made, place), tuple(removed))


def listed(store: Store) -> list[Copied]:
    """All that lies in the store's own folder of backups, the newest first."""
    files = sorted(store.home.backups.glob("*.duckdb"), key=lambda file: file.stat().st_mtime, reverse=True)
    return [Copied(str(file), _time_of(file), file.stat().st_size) for file in files if not file.name.startswith(".")]


def restore(store: Store, backup: Path, *, dry_run: bool) -> Restored:
    """Put a backup in the place of the store, which is kept.

    Args:
        store: which.
        backup: a file that `back_up` or an upgrade made, or an earlier restore kept.
        dry_run: only look at both.

    Raises:
        NotFound: there is no such file.
        StoreDamaged: the backup cannot be read; nothing has changed.
        StoreTooNew: a newer agentmem wrote it; nothing has changed.
        StoreBusy: others did not let go in time; nothing has changed.
    """
    if not backup.is_file():
        raise NotFound(f"There is no backup {backup}", "`agentmem restore` lists those beside the store.")
    if not dry_run:
        make_private_folder(store.home.data)
    limit = store.database.memory_limit
    with scratch.folder(store.home) as folder:
        fresh = folder / "restored.duckdb"
        copies.take(backup, fresh)
        found = _named(_look(fresh, limit, deep=False), backup)
        present = _present(store)
        if dry_run:
            return Restored(found, present, None, done=False)
        _drop_vectors(store)
        kept = copies.stamped(store.home.backups, "replaced", now()) if store.exists() else None
        copies.swap(store.database, fresh, kept)
    return Restored(found, present, None if kept is None else str(kept), done=True)


def _present(store: Store) -> Copied | None:
    """What the store holds; without its rows if it cannot be read, which is a reason to restore."""
    file = store.home.database
    if not store.exists():
        return None
    at = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    try:
        form, rows = copies.contents(store.database)
    except StoreDamaged:
        return Copied(str(file), at, file.stat().st_size)
    return Copied(str(file), at, file.stat().st_size, form, rows)


def _look(file: Path, memory_limit: str, *, deep: bool) -> Copied:
    form, rows, wrong = copies.examine(file, memory_limit, deep=deep)
    return Copied(str(file), None, file.stat().st_size, form, rows, wrong)


def _named(copied: Copied, place: Path) -> Copied:
    return Copied(str(place), _time_of(place), place.stat().st_size, copied.format, copied.rows, copied.wrong)


def _made(folder: Path) -> list[Path]:
    """The backups of a folder, the newest first."""
    return sorted(folder.glob(f"{_START}-*.duckdb"), key=lambda file: (file.stat().st_mtime, file.name), reverse=True)


def _time_of(file: Path) -> datetime:
    return datetime.fromtimestamp(file.stat().st_mtime, UTC)


def _drop_vectors(store: Store) -> None:
    """Take LanceDB's tables away: they hold what the replaced store had. `agentmem work` fills them again."""
    vectors = store.home.vectors
    if not vectors.exists():
        return
    try:
        with filelock.FileLock(vectors / "writer.lock", timeout=10, mode=PRIVATE_FILE):
            for inside in vectors.iterdir():
                if inside.is_dir():
                    shutil.rmtree(inside, ignore_errors=True)
                elif inside.name != "writer.lock":
                    inside.unlink(missing_ok=True)
    except filelock.Timeout:
        raise StoreBusy("Vectors are being computed", "another agentmem") from None
