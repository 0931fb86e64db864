"""What was known about each memory, and since when: the store's own past.

A row is a state that a memory was in; it lasts until the next row of the same memory. A row without a status says that
the memory is gone. No content is in it, so that nothing here has to be purged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import duckdb

from agentmem.domain.memories import MemoryItem, Status
from agentmem.store.rows import TIME, insert, now, number, stored, told


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A state of a memory.

    Args:
        memory_no: the memory's number.
        known_from: since when the store knew it to be so.
        status: its status; None: it is gone.
        superseded_by: the id of the memory that had replaced it.
        valid_from: since when it was held to be true.
        expires_at: when it stops to matter.
        reason: why it was rejected.
    """

    memory_no: int
    known_from: datetime
    status: Status | None
    superseded_by: str | None = None
    valid_from: datetime | None = None
    expires_at: datetime | None = None
    reason: str | None = None


def note(connection: duckdb.DuckDBPyConnection, states: Sequence[tuple[int, MemoryItem | None]]) -> None:
    """Note the new states of memories by number, in the transaction that brings them about; None: gone."""
    first = number(connection, "SELECT coalesce(max(no), 0) + 1 FROM versions")
    items = [item for _, item in states]
    insert(
        connection,
        "versions",
        {
            "no": ("int64", range(first, first + len(states))),
            "memory_no": ("int32", [no for no, _ in states]),
            "known_from": (TIME, [stored(now())] * len(states)),
            "status": ("string", [item and item.status.value for item in items]),
            "superseded_by": ("string", [item and item.superseded_by for item in items]),
            "valid_from": (TIME, [stored(item.valid_from) if item else None for item in items]),
            "expires_at": (TIME, [stored(item.expires_at) if item else None for item in items]),
            "reason": ("string", [item and item.reason for item in items]),
        },
    )


def known(connection: duckdb.DuckDBPyConnection, at: datetime | None = None) -> dict[int, Version]:
    """The state in which each memory was known at a time, by number; those not known then are left out.

    Args:
        connection: the store.
        at: the time, inclusive; None: now.
    """
    rows = connection.execute(
        """
        SELECT memory_no, known_from, status, superseded_by, valid_from, expires_at, reason FROM (
            SELECT *, row_number() OVER (PARTITION BY memory_no ORDER BY no DESC) AS back FROM versions
            WHERE $1::TIMESTAMP IS NULL OR known_from <= $1
        ) WHERE back = 1 AND status IS NOT NULL
        """,
        [stored(at)],
    ).fetchall()
    return {row[0]: _version(row) for row in rows}


def of(connection: duckdb.DuckDBPyConnection, numbers: Sequence[int], at: datetime | None = None) -> list[Version]:
    """All states that some memories were in, oldest first.

    Args:
        connection: the store.
        numbers: of the memories.
        at: only those known by then; None: all.
    """
    rows = connection.execute(
        "SELECT memory_no, known_from, status, superseded_by, valid_from, expires_at, reason FROM versions "
        "WHERE memory_no IN (SELECT unnest($1::INTEGER[])) AND ($2::TIMESTAMP IS NULL OR known_from <= $2) ORDER BY no",
        [list(numbers), stored(at)],
    ).fetchall()
    return [_version(row) for row in rows]


def since(
    connection: duckdb.DuckDBPyConnection, numbers: Sequence[int], at: datetime | None = None
) -> dict[int, datetime]:
    """Since when each memory has the status that it is known to have at a time; None: now."""
    found: dict[int, datetime] = {}
    last: dict[int, Status | None] = {}
    for version in of(connection, numbers, at):
        if last.get(version.memory_no) is not version.status or version.memory_no not in found:
            found[version.memory_no] = version.known_from
        last[version.memory_no] = version.status
    return found


def _version(row: Sequence[Any]) -> Version:
    no, known_from, status, superseded_by, valid_from, expires_at, reason = row
    return Version(
        memory_no=no,
        known_from=known_from.replace(tzinfo=UTC),
        status=None if status is None else Status(status),
        superseded_by=superseded_by,
        valid_from=told(valid_from),
        expires_at=told(expires_at),
        reason=reason,
    )
