"""Database files beside the store: looked at as a whole, put in the store's place, kept under a name with a time."""

import shutil
from datetime import datetime
from pathlib import Path

import duckdb

from agentmem.errors import StoreDamaged
from agentmem.paths import PRIVATE_FILE
from agentmem.store import counts, migrations, replacing
from agentmem.store.connection import Database, log_of


def stamped(folder: Path, start: str, at: datetime) -> Path:
    """A name with a time in it that nothing in a folder has yet."""
    return replacing.stamped(folder, start, at)


def take(source: Path, target: Path) -> None:
    """Copy a database file that nobody writes to, with its log."""
    for file, place in ((source, target), (log_of(source), log_of(target))):
        if file.exists():
            place.touch(mode=PRIVATE_FILE)
            shutil.copyfile(file, place)


def examine(file: Path, memory_limit: str, *, deep: bool) -> tuple[int, dict[str, int], dict[str, int]]:
    """Fold the log of a copy of one's own into it, and read all of it.

    Args:
        file: the copy.
        memory_limit: what DuckDB may use.
        deep: also compare its parts with each other.

    Returns:
        Its format, its rows by table, and what does not fit together with how often.

    Raises:
        StoreDamaged: it cannot be read, or is no store.
        StoreTooNew: a newer agentmem wrote it.
    """
    try:
        with duckdb.connect(file, config={"memory_limit": memory_limit}) as connection:
            connection.execute("CHECKPOINT")
        with duckdb.connect(file, read_only=True, config={"memory_limit": memory_limit}) as connection:
            missing = migrations.pending(connection)
            done = migrations.recorded(connection)
            if not done:
                raise StoreDamaged(f"{file.name} is a database, but no store of agentmem", "Nothing has been changed.")
            counts.read_all(connection)
            wrong = counts.disagreements(connection) if deep and not missing else {}
            return len(done), counts.tables(connection), wrong
    except duckdb.Error as error:
        raise StoreDamaged(
            f"The copy cannot be read: {str(error).splitlines()[0]}", "Nothing has been changed."
        ) from error


def contents(database: Database) -> tuple[int, dict[str, int]]:
    """The format of the store, and its rows by table.

    Raises:
        StoreDamaged: it cannot be opened.
    """
    with database.reading() as connection:
        try:
            return len(migrations.recorded(connection)), counts.tables(connection)
        except duckdb.Error as error:
            raise StoreDamaged(f"The store cannot be read: {str(error).splitlines()[0]}") from error


def settle(fresh: Path, place: Path) -> None:
    """Give a finished copy its name."""
    replacing.sync(fresh)
    fresh.rename(place)
    replacing.sync(place.parent)


def swap(database: Database, fresh: Path, kept: Path | None) -> None:
    """Put a file in the place of the store's.

    Args:
        database: the store's.
        fresh: the new file, on the same disk, without a log.
        kept: where the old one goes; None: there is none.

    Raises:
        StoreBusy: others did not let go in time; nothing has changed.
    """
    with database.turn() as opened:
        if database.exists():
            try:
                with opened() as connection:
                    connection.execute("CHECKPOINT")
            except (StoreDamaged, duckdb.Error):  # it is replaced as it is, and kept
                pass
        replacing.replace(database.file, fresh, kept)


def remove(fresh: Path) -> None:
    """Take a copy away, with its log."""
    fresh.unlink(missing_ok=True)
    log_of(fresh).unlink(missing_ok=True)
