"""The memories that a briefing is made of. What weighs the same is ordered by what it says, never by id or number."""

from collections.abc import Mapping, Sequence
from datetime import date

import duckdb

from agentmem.domain.memories import MemoryItem
from agentmem.store import memories
from agentmem.store.rows import number

_LATEST = "greatest(since, created_at, confirmed_at, last_recalled_at)"
_SAID = "(SELECT max(said_at) FROM evidence e WHERE e.memory_id = m.id)"


def _open(unconfirmed: str) -> str:
    return f"""
        SELECT m.*, coalesce(valid_from, created_at) AS since,
            $days > 0 AND NOT pinned AND kind <> 'task' AND {unconfirmed} AS unconfirmed
        FROM memories m
        WHERE status = 'active' AND trust <> 'low' AND list_contains($profiles, profile)
            AND (expires_at IS NULL OR expires_at::DATE >= $today::DATE)
    """


_OLD = f"date_diff('day', {_LATEST}::DATE, $today::DATE) > $days"
_UNCONFIRMED = f"{_OLD} AND NOT coalesce(date_diff('day', {_SAID}::DATE, $today::DATE) <= $days, false)"


def foremost(
    connection: duckdb.DuckDBPyConnection,
    profiles: Sequence[str],
    today: date,
    decay: Mapping[str, float],
    most: int,
    *,
    unconfirmed_days: float = 0.0,
) -> list[MemoryItem]:
    """The memories that weigh most on a day, by kind; the same on every call with the same store and day.

    The weight is `importance · exp(-λ · days)`, the days being those since the memory became true or was confirmed;
    half of it for one that is unconfirmed. Pinned ones do not age and go first. Low-trust memories are left out, and so
    are expired ones.

    Args:
        connection: the store.
        profiles: where to look.
        today: the day.
        decay: λ of each kind that is wanted.
        most: how many of each kind.
        unconfirmed_days: after how many days without being said, recalled or confirmed one is unconfirmed; 0: never.
    """
    rows = connection.execute(
        f"""
        SELECT {memories.COLUMNS} FROM memories JOIN (
            SELECT no, kind AS of_kind, row_number() OVER (
                PARTITION BY kind ORDER BY pinned DESC, weight DESC, since DESC, content, profile
            ) AS place FROM (
                SELECT no, kind, pinned, since, content, profile,
                    greatest(0, date_diff('day', greatest(since, confirmed_at)::DATE, $today::DATE)) AS age,
                    round(
                        importance * if(unconfirmed, 0.5, 1)
                        * exp(-$rates[list_position($kinds, kind)] * if(pinned, 0, age)), 9
                    ) AS weight
                FROM ({_open(_UNCONFIRMED)}) m WHERE list_contains($kinds, kind)
            ) m
            QUALIFY place <= $most
        ) best USING (no) ORDER BY of_kind, place
        """,
        {
            "profiles": list(profiles),
            "today": today,
            "kinds": [*decay],
            "rates": [*decay.values()],
            "most": most,
            "days": unconfirmed_days,
        },
    ).fetchall()
    return [memories.read(row) for row in rows]


def rejected(connection: duckdb.DuckDBPyConnection, profiles: Sequence[str], most: int) -> list[MemoryItem]:
    """What was tried and rejected, the most important first."""
    rows = connection.execute(
        f"SELECT {memories.COLUMNS} FROM memories WHERE status = 'rejected' AND trust <> 'low' "
        "AND list_contains($1, profile) ORDER BY importance DESC, valid_from DESC, content, profile LIMIT $2",
        [list(profiles), most],
    ).fetchall()
    return [memories.read(row) for row in rows]


def count_unconfirmed(connection: duckdb.DuckDBPyConnection, profiles: Sequence[str], today: date, days: float) -> int:
    """How many memories are unconfirmed on a day."""
    if days <= 0:
        return 0
    return number(
        connection,
        f"SELECT count(*) FROM ({_open(_UNCONFIRMED)}) WHERE unconfirmed".replace("$profiles", "$1")
        .replace("$today", "$2")
        .replace("$days", "$3"),
        [list(profiles), today, days],
    )
