"""A new database file in place of the old one, because deleted values stay in the old one.

DuckDB frees blocks and does not wipe them: after DELETE, CHECKPOINT and VACUUM a value can still be read out of
the file. Copied into a new file, only what is there is there. The new file is written beside the old one, synced, and
takes its place in one rename while nobody else can open the store. Killed at any moment, the store is the old one or
the new one, whole; what a killed run left beside it is removed by the next.
"""

import os
from pathlib import Path

import duckdb

from agentmem.errors import StoreDamaged
from agentmem.paths import PRIVATE_FILE
from agentmem.store.connection import Database

_SUFFIX = ".rewritten"


def rewrite(database: Database) -> None:
    """Write the database anew, so that nothing that was deleted is left in its file or its log.

    Needs room for a second copy. Takes about two seconds for 100 MB, during which other processes wait.

    Raises:
        StoreBusy: others did not let go in time; nothing has changed.
        StoreDamaged: the copy is not what the original is; the original stays.
    """
    with database.turn() as opened:
        fresh = database.file.with_name(database.file.name + _SUFFIX)
        _remove(fresh)
        previous = os.umask(0o077)  # nobody else may ever read the copy
        try:
            with opened() as connection:
                connection.execute("CHECKPOINT")
                before = _counts(connection, _name(connection))
                _copy(connection, fresh)
            with duckdb.connect(fresh, read_only=True) as connection:
                after = _counts(connection, _name(connection))
        finally:
            os.umask(previous)
        if before != after:
            _remove(fresh)
            raise StoreDamaged(f"The copy of {database.file} differs from it", "Nothing has been changed.")
        log = database.file.with_name(database.file.name + ".wal")
        if log.exists():  # it would be played back into the new file
            _remove(fresh)
            raise StoreDamaged(f"{log} is still there after a checkpoint", "Nothing has been changed; try again.")
        _sync(fresh)
        fresh.chmod(PRIVATE_FILE)
        fresh.replace(database.file)
        _sync(database.file.parent)


def _copy(connection: duckdb.DuckDBPyConnection, fresh: Path) -> None:
    path = str(fresh).replace("'", "''")
    connection.execute(f"ATTACH '{path}' AS fresh")
    connection.execute(f'COPY FROM DATABASE "{_name(connection)}" TO fresh')
    connection.execute("CHECKPOINT fresh")
    connection.execute("DETACH fresh")


def _name(connection: duckdb.DuckDBPyConnection) -> str:
    return str(connection.execute("SELECT current_database()").fetchall()[0][0])


def _counts(connection: duckdb.DuckDBPyConnection, database: str) -> dict[str, int]:
    """Rows by table."""
    names = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = $1 AND NOT temporary ORDER BY 1", [database]
    ).fetchall()
    return {name: int(connection.execute(f'SELECT count(*) FROM "{name}"').fetchall()[0][0]) for (name,) in names}


def _remove(file: Path) -> None:
    file.unlink(missing_ok=True)
    file.with_name(file.name + ".wal").unlink(missing_ok=True)


def _sync(place: Path) -> None:
    """Make sure that a file, or the names in a folder, are on the disk."""
    if os.name == "nt" and place.is_dir():
        return
    descriptor = os.open(place, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
