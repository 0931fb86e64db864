"""Which memories that count have all of some pieces of words: a narrow choice for whoever compares what they say."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from agentmem.domain.memories import MemoryItem
from agentmem.store import memories
from agentmem.store.rows import registered, stored

MOST_PIECES = 3


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked for.

    Args:
        item: a memory that may not be stored yet.
        pieces: at most three pieces of lower-case words, all of which the content must have.
    """

    item: MemoryItem
    pieces: tuple[str, ...]


def find(connection: duckdb.DuckDBPyConnection, sought: Sequence[Sought], at: datetime) -> dict[str, list[MemoryItem]]:
    """By the id of each memory that is not stored, the active ones of its profile and kind that have its pieces.

    Args:
        connection: the store.
        sought: what is looked for; one without pieces finds nothing.
        at: what expires before does not count.
    """
    rows = {one.item.id: one for one in sought if one.pieces}
    if not rows:
        return {}
    pieces = {
        f"piece{place}": ("string", [one.pieces[min(place, len(one.pieces) - 1)] for one in rows.values()])
        for place in range(MOST_PIECES)
    }
    with registered(
        connection,
        {
            "id": ("string", list(rows)),
            "profile": ("string", [one.item.profile for one in rows.values()]),
            "kind": ("string", [one.item.kind.value for one in rows.values()]),
            **pieces,
        },
    ):
        pairs = connection.execute(
            f"""
            WITH wanted AS (SELECT * FROM new_rows n ANTI JOIN memories m USING (id)),
            there AS MATERIALIZED (
                SELECT id, profile, kind, lower(content) AS words FROM memories
                SEMI JOIN (SELECT DISTINCT profile, kind FROM wanted) w USING (profile, kind)
                WHERE status = 'active' AND (expires_at IS NULL OR expires_at > $1)
            )
            SELECT n.id, t.id FROM wanted n JOIN there t USING (profile, kind)
            WHERE {" AND ".join(f"contains(t.words, n.{name})" for name in pieces)}
            """,
            [stored(at)],
        ).fetchall()
    items = memories.by_ids(connection, [found for _, found in pairs])
    result: dict[str, list[MemoryItem]] = {}
    for wanted, found in sorted(pairs):
        result.setdefault(wanted, []).append(items[found])
    return result
