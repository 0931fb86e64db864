"""The memories that a briefing is made of."""

from collections.abc import Mapping, Sequence
from datetime import date

import duckdb

from agentmem.domain.memories import MemoryItem
from agentmem.store import memories


def foremost(
    connection: duckdb.DuckDBPyConnection, profiles: Sequence[str], today: date, decay: Mapping[str, float], most: int
) -> list[MemoryItem]:
    """The memories that weigh most on a day, by kind and weight; the same on every call with the same store and day.

    The weight is `importance · exp(-λ · days)`, the days being those since the memory became true. Low-trust memories
    are left out, and so are expired ones.

    Args:
        connection: the store.
        profiles: where to look.
        today: the day.
        decay: λ of each kind that is wanted.
        most: how many of each kind.
    """
    rows = connection.execute(
        f"""
        SELECT {memories.COLUMNS} FROM (
            SELECT m.*, row_number() OVER (PARTITION BY kind ORDER BY weight DESC, since DESC, id) AS place FROM (
                SELECT m.*, coalesce(valid_from, created_at) AS since,
                    greatest(0, date_diff('day', since::DATE, $today::DATE)) AS days,
                    round(importance * exp(-$rates[list_position($kinds, kind)] * days), 9) AS weight
                FROM memories m
                WHERE status = 'active' AND trust <> 'low' AND list_contains($profiles, profile)
                    AND list_contains($kinds, kind)
                    AND (expires_at IS NULL OR expires_at::DATE >= $today::DATE)
            ) m
        ) WHERE place <= $most ORDER BY kind, place
        """,
        {"profiles": list(profiles), "today": today, "kinds": [*decay], "rates": [*decay.values()], "most": most},
    ).fetchall()
    return [memories.read(row) for row in rows]
