"""Pairs of memories that cannot both be true, and that only a person can settle.

`agentmem compact` finds them and `agentmem review` shows them. A pair is open as long as nobody settled it and both of
its memories count; for two values of one topic it is enough that the one counts which now holds the topic.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from agentmem.domain.ids import digest
from agentmem.domain.memories import MemoryItem
from agentmem.store import memories
from agentmem.store.rows import TIME, now, registered, stored, told

TOPIC, VALUE, NEGATION = "topic", "value", "negation"  # and "judged": a language model says so
"""Two values of one topic, said with equal right; the same words with other numbers or names; the one denies the
other."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A pair, by the ids of its memories; `reason` is `topic`, `value`, `negation` or `judged`."""

    profile: str
    first: str
    second: str
    reason: str

    @property
    def id(self) -> str:
        """The same for the same pair, whichever is named first."""
        return digest("contradiction", *sorted((self.first, self.second)))


@dataclass(frozen=True, slots=True)
class Open:
    """An open contradiction with its two memories, the newer one first."""

    id: str
    reason: str
    newer: MemoryItem
    older: MemoryItem
    found_at: datetime | None


def add(connection: duckdb.DuckDBPyConnection, found: Sequence[Contradiction]) -> int:
    """Note pairs that are not noted yet, settled or not, inside a writing transaction; how many were new."""
    with registered(
        connection,
        {
            "id": ("string", [one.id for one in found]),
            "profile": ("string", [one.profile for one in found]),
            "first": ("string", [one.first for one in found]),
            "second": ("string", [one.second for one in found]),
            "reason": ("string", [one.reason for one in found]),
            "found_at": (TIME, [stored(now())] * len(found)),
        },
    ):
        rows = connection.execute(
            "INSERT INTO contradictions SELECT id, profile, first, second, reason, found_at, NULL FROM new_rows n "
            "ANTI JOIN contradictions c ON c.id = n.id RETURNING id"
        ).fetchall()
    return len(rows)


def known(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """The ids of all that were ever noted."""
    return {identity for (identity,) in connection.execute("SELECT id FROM contradictions").fetchall()}


def open_ones(connection: duckdb.DuckDBPyConnection, profiles: Sequence[str] = ()) -> list[Open]:
    """The open contradictions of some profiles, or of all; those found last first."""
    rows = connection.execute(
        """
        SELECT c.id, c.reason, c.first, c.second, c.found_at FROM contradictions c
        JOIN memories a ON a.id = c.first JOIN memories b ON b.id = c.second
        WHERE c.settled_at IS NULL AND (len($1) = 0 OR list_contains($1, c.profile)) AND CASE c.reason
            WHEN 'topic' THEN (a.status = 'active' AND b.superseded_by = a.id)
                OR (b.status = 'active' AND a.superseded_by = b.id)
            ELSE a.status = 'active' AND b.status = 'active' END
        ORDER BY c.found_at DESC, c.id
        """,
        [list(profiles)],
    ).fetchall()
    items = memories.by_ids(connection, [identity for row in rows for identity in row[2:4]])
    opened = []
    for identity, reason, first, second, found_at in rows:
        pair = sorted((items[first], items[second]), key=lambda item: (str(item.valid_from), item.id), reverse=True)
        opened.append(Open(identity, reason, pair[0], pair[1], told(found_at)))
    return opened


def settle(connection: duckdb.DuckDBPyConnection, identity: str) -> None:
    """Note that a person has dealt with a pair, inside a writing transaction."""
    connection.execute("UPDATE contradictions SET settled_at = $1 WHERE id = $2", [stored(now()), identity])
