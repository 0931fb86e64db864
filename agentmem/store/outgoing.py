"""Reads what is wanted of a store, table by table, in bounded pieces. Works on a connection of its own to a copy."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import duckdb

from agentmem.store.portable import Group, Table
from agentmem.store.rows import number, stored

if TYPE_CHECKING:
    import pyarrow as pa

MEMORY_LIMIT = "128MB"
"""What DuckDB may use while a store is read out: it holds one piece of messages, or sorts what is narrow."""

_PIECE = 50_000
"""Messages read at once, which become one row group of Parquet."""

_VECTOR_PIECE = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be read.

    Args:
        profiles: of which profiles; empty: all.
        since: memories that became true, and sessions that went on, at or after; None: all.
        kinds: memories of these kinds; empty: all.
        messages: also the messages.
        vectors: also the vectors.
    """

    profiles: Sequence[str] = ()
    since: datetime | None = None
    kinds: Sequence[str] = ()
    messages: bool = False
    vectors: bool = False

    def holds(self, group: Group) -> bool:
        """Whether a group's tables are part of it."""
        if group is Group.WHOLE:
            return self.messages and self.since is None and not self.profiles
        return {Group.MESSAGES: self.messages, Group.VECTORS: self.vectors}.get(group, True)


def choose(connection: duckdb.DuckDBPyConnection, wanted: Wanted) -> None:
    """Note in temporary tables what is wanted.

    Sessions that went on since the date come with all their messages; those that older evidence cites come without.
    The journal of a part is that of its memories and sessions.
    """
    connection.execute(
        """
        CREATE TEMP TABLE chosen_profiles AS SELECT DISTINCT name FROM (
            SELECT name FROM profiles UNION SELECT profile FROM sessions UNION SELECT profile FROM memories
            UNION SELECT profile FROM tombstones
        ) WHERE len($profiles) = 0 OR list_contains($profiles, name)
        """,
        {"profiles": list(wanted.profiles)},
    )
    connection.execute(
        """
        CREATE TEMP TABLE chosen_memories AS SELECT t.id, t.no,
            row_number() OVER (ORDER BY t.profile, coalesce(t.valid_from, t.created_at), t.no) AS place
        FROM memories t SEMI JOIN chosen_profiles c ON c.name = t.profile
        WHERE ($since::TIMESTAMP IS NULL OR coalesce(t.valid_from, t.created_at) >= $since)
            AND (len($kinds) = 0 OR list_contains($kinds, t.kind))
        """,
        {"since": stored(wanted.since), "kinds": list(wanted.kinds)},
    )
    connection.execute(
        """
        CREATE TEMP TABLE chosen_sessions AS
        SELECT t.no, fresh, row_number() OVER (ORDER BY t.profile, t.started_at NULLS LAST, t.id) AS place
        FROM (SELECT *, $since::TIMESTAMP IS NULL OR coalesce(ended_at, ingested_at) >= $since AS fresh FROM sessions) t
        SEMI JOIN chosen_profiles c ON c.name = t.profile
        WHERE fresh OR t.no IN (
            SELECT e.session_no FROM evidence e SEMI JOIN chosen_memories m ON m.id = e.memory_id
        )
        """,
        {"since": stored(wanted.since)},
    )
    connection.execute(
        """
        CREATE TEMP TABLE chosen_entries AS SELECT j.no FROM journal j
        -- What a store imported is about that store. An import into an empty one gives the same export again.
        WHERE j.operation <> 'import' AND ($whole
            OR ($by_profile AND j.profile IN (SELECT name FROM chosen_profiles))
            OR j.subject IN (SELECT id FROM chosen_memories)
            OR (NOT $by_kind AND (j.profile, j.subject) IN
                (SELECT (s.profile, s.id) FROM sessions s JOIN chosen_sessions c ON c.no = s.no)))
        """,
        {
            "whole": not (wanted.profiles or wanted.kinds or wanted.since),
            "by_profile": not (wanted.kinds or wanted.since),
            "by_kind": bool(wanted.kinds),
        },
    )
    if wanted.vectors:
        connection.execute(
            """
            CREATE TEMP TABLE chosen_vectors AS SELECT DISTINCT content_hash FROM embeddings
            WHERE $whole OR content_hash IN (
                SELECT v.content_hash FROM vector_state v WHERE -v.slot IN (SELECT no FROM chosen_memories)
                    OR ($messages AND v.slot IN (
                        SELECT d.slot FROM documents d SEMI JOIN chosen_profiles c ON c.name = d.profile
                        WHERE d.slot > 0))
            )
            """,
            {"whole": not (wanted.profiles or wanted.kinds or wanted.since), "messages": wanted.messages},
        )


def count(connection: duckdb.DuckDBPyConnection, tables: Sequence[Table]) -> int:
    """About how many rows these tables give, after `choose`."""
    return sum(number(connection, f"SELECT count(*) FROM {one.name}") for one in tables)


def read(connection: duckdb.DuckDBPyConnection, table: Table) -> "Iterator[pa.RecordBatch]":
    """The wanted rows of a table in their order, after `choose`; times without a zone, in UTC."""
    columns = ", ".join(column.sql for column in table.columns)
    for condition in _pieces(connection, table):
        rows = connection.sql(f"SELECT {columns} FROM {table.source} WHERE {condition} ORDER BY {table.order}")
        yield from rows.to_arrow_reader(_VECTOR_PIECE if table.group is Group.VECTORS else _PIECE)


def _pieces(connection: duckdb.DuckDBPyConnection, table: Table) -> list[str]:
    """Conditions that cut a large table into pieces that follow each other, so that none is sorted as a whole."""
    if table.by_session:
        # Messages of whole sessions: neighbours in time, and in the file if they were read in that order.
        ends = connection.execute(
            f"""
            SELECT max(place) FROM (
                SELECT place, sum(many) OVER (ORDER BY place) // {_PIECE} AS piece FROM (
                    SELECT c.place, count(*) AS many FROM chosen_sessions c JOIN {table.name} t ON t.session_no = c.no
                    WHERE c.fresh GROUP BY ALL
                )
            ) GROUP BY piece ORDER BY 1
            """
        ).fetchall()
        first = 0
        pieces = []
        for (last,) in ends:
            pieces.append(
                f"c.fresh AND c.place > {first} AND c.place <= {last} AND t.session_no IN "
                f"(SELECT no FROM chosen_sessions WHERE place > {first} AND place <= {last})"
            )
            first = last
        return pieces
    if table.group is Group.VECTORS:
        digits = 1 if number(connection, "SELECT count(*) FROM embeddings") < 16 * _VECTOR_PIECE else 2
        return [f"starts_with(t.content_hash, '{start:0{digits}x}')" for start in range(16**digits)]
    return ["true"]
