"""Brings a store up to date.

Each step of the schema runs in one transaction together with the record that it ran; those of a new store all in one.
The number of recorded steps is the version of the store's format: a store with a step that this program does not know
was written by a newer one and is refused.
"""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from agentmem.errors import StoreTooNew, UpgradeFailed
from agentmem.paths import PRIVATE_FILE
from agentmem.store import replacing
from agentmem.store.connection import Database, log_of
from agentmem.store.counts import tables
from agentmem.store.rows import now, stored
from agentmem.store.schema import STEPS, Step
from agentmem.version import __version__


def pending(connection: duckdb.DuckDBPyConnection) -> list[Step]:
    """The steps that this store still lacks, in order.

    Raises:
        StoreTooNew: the store has a step that this program does not know.
    """
    done = recorded(connection)
    known = {step.__name__ for step in STEPS}
    unknown = sorted(set(done) - known)
    if unknown:
        raise StoreTooNew(
            f"This store was written by a newer agentmem (step {unknown[-1]}, format {len(done)}; "
            f"this program knows format {len(STEPS)})",
            "Upgrade agentmem; the store has not been touched.",
        )
    return [step for step in STEPS if step.__name__ not in done]


def recorded(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The names of the steps that ran, oldest first."""
    try:
        rows = connection.execute("SELECT name FROM schema_migrations ORDER BY name").fetchall()
    except duckdb.CatalogException:  # an empty file: nothing ran yet
        return []
    return [name for (name,) in rows]


@dataclass(frozen=True, slots=True)
class Migrated:
    """A store that was brought up to date.

    Args:
        steps: what ran, in order.
        was: the format before: the number of steps that had run.
        before: rows by table.
        after: rows by table.
        backup: the old file; None for a store that held nothing, and for a rehearsal.
    """

    steps: tuple[str, ...]
    was: int
    before: Mapping[str, int]
    after: Mapping[str, int]
    backup: Path | None = None


def migrate(database: Database, backups: Path) -> Migrated | None:
    """Bring the store up to date; None if it is.

    A store that holds anything is copied, the copy is brought up to date and compared, and only then takes the place of
    the original, which stays as `backups/memory-<format>-<time>.duckdb`.

    Raises:
        UpgradeFailed: a step failed, or rows were lost; the store is as it was.
    """
    with database.turn() as opened:
        with opened() as connection:
            steps = pending(connection)
            done = recorded(connection)
            if not done:
                run(connection, *steps)
            if not steps or not done:
                return None
            if log_of(database.file).exists():
                connection.execute("CHECKPOINT")
        fresh = database.file.with_name(database.file.name + ".upgraded")
        _remove(fresh)
        try:
            fresh.touch(mode=PRIVATE_FILE)
            shutil.copyfile(database.file, fresh)
            migrated = advance(fresh, database.memory_limit)
            backup = replacing.stamped(backups, f"memory-{len(done)}", now())
            replacing.replace(database.file, fresh, backup)
        except BaseException:  # Ctrl-C as well must leave the store as it was
            _remove(fresh)
            raise
        return replace(migrated, backup=backup)


def advance(file: Path, memory_limit: str) -> Migrated:
    """Run the steps that a database file of one's own lacks.

    Raises:
        UpgradeFailed: a step failed, or rows were lost.
        StoreTooNew: the file is from a newer agentmem.
    """
    with duckdb.connect(file, config={"memory_limit": memory_limit}) as connection:
        steps = pending(connection)
        done = recorded(connection)
        before = tables(connection)
        for step in steps:
            try:
                run(connection, step)
            except duckdb.Error as error:
                raise UpgradeFailed(f"Step {step.__name__} failed: {str(error).splitlines()[0]}", _AS_IT_WAS) from error
        after = tables(connection)
        lost = [name for name, many in before.items() if name != _RECORD and after.get(name) != many]
        if lost:
            raise UpgradeFailed(
                f"After the upgrade {lost[0]} would have {after.get(lost[0], 0):,} rows instead of {before[lost[0]]:,}",
                _AS_IT_WAS,
            )
        connection.execute("CHECKPOINT")
    return Migrated(tuple(step.__name__ for step in steps), len(done), before, after)


_RECORD = "schema_migrations"
_AS_IT_WAS = "The store is as it was, and the version of agentmem that wrote it still reads it. Please report this."


def _remove(fresh: Path) -> None:
    fresh.unlink(missing_ok=True)
    log_of(fresh).unlink(missing_ok=True)


def run(connection: duckdb.DuckDBPyConnection, *steps: Step) -> None:
    """Run steps and record them, all or nothing."""
    connection.begin()
    try:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_migrations "
            "(name VARCHAR NOT NULL, ran_at TIMESTAMP NOT NULL, program VARCHAR NOT NULL)"
        )
        for step in steps:
            step(connection)
            connection.execute(
                "INSERT INTO schema_migrations VALUES (?, ?, ?)", [step.__name__, stored(now()), __version__]
            )
    except BaseException:  # Ctrl-C as well must leave the store as it was
        connection.rollback()
        raise
    connection.commit()
