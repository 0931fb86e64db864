"""Brings a store up to date.

Each step of the schema runs in one transaction together with the record that it ran. The number of recorded steps is
the version of the store's format: a store with a step that this program does not know was written by a newer one and is
refused.
"""

import shutil
from pathlib import Path

import duckdb

from agentmem.errors import StoreTooNew
from agentmem.paths import make_private_folder
from agentmem.store.connection import Database
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


def migrate(database: Database, backups: Path) -> None:
    """Bring the store up to date; a store that holds anything is copied first.

    The copy is `backups/memory-<format>-<time>.duckdb`.
    """
    with database.alone() as connection:
        steps = pending(connection)
        done = recorded(connection)
        if not steps:
            return
        if done:
            connection.execute("CHECKPOINT")
            make_private_folder(backups)
            stamp = now().strftime("%Y%m%dT%H%M%S")
            shutil.copy2(database.file, backups / f"memory-{len(done)}-{stamp}.duckdb")
        for step in steps:
            run(connection, step)


def run(connection: duckdb.DuckDBPyConnection, step: Step) -> None:
    """Run one step and record it, both or neither."""
    connection.begin()
    try:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_migrations "
            "(name VARCHAR NOT NULL, ran_at TIMESTAMP NOT NULL, program VARCHAR NOT NULL)"
        )
        step(connection)
        connection.execute(
            "INSERT INTO schema_migrations VALUES (?, ?, ?)", [step.__name__, stored(now()), __version__]
        )
    except BaseException:  # Ctrl-C as well must leave the store as it was
        connection.rollback()
        raise
    connection.commit()
