"""How much there is, and whether the parts of the store agree with each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import duckdb

from agentmem.store.messages import SESSION_STEP
from agentmem.store.rows import number, told


@dataclass(frozen=True, slots=True)
class Counts:
    """What the store holds.

    Args:
        profiles: how many.
        sessions: how many.
        messages: how many rows; a message said twice in a session is one.
        memories: by kind and status, as `{"fact": {"active": 3}}`.
        tombstones: forgotten values.
        journal: entries.
        last_ingest: per agent, when a session of it was stored last.
    """

    profiles: int
    sessions: int
    messages: int
    memories: Mapping[str, Mapping[str, int]]
    tombstones: int
    journal: int
    last_ingest: Mapping[str, datetime | None]


def count(connection: duckdb.DuckDBPyConnection) -> Counts:
    """Count everything."""
    kinds: dict[str, dict[str, int]] = {}
    for kind, status, many in connection.execute(
        "SELECT kind, status, count(*) FROM memories GROUP BY ALL ORDER BY ALL"
    ).fetchall():
        kinds.setdefault(kind, {})[status] = many
    last = connection.execute(
        "SELECT coalesce(agent, 'unknown'), max(ingested_at) FROM sessions GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    return Counts(
        profiles=number(connection, "SELECT count(*) FROM profiles"),
        sessions=number(connection, "SELECT count(*) FROM sessions"),
        messages=number(connection, "SELECT count(*) FROM messages"),
        memories=kinds,
        tombstones=number(connection, "SELECT count(*) FROM tombstones"),
        journal=number(connection, "SELECT count(*) FROM journal"),
        last_ingest={agent: told(at) for agent, at in last},
    )


def tables(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Rows by table, whatever tables the store has."""
    names = connection.execute("SELECT table_name FROM duckdb_tables() WHERE NOT temporary ORDER BY 1").fetchall()
    return {name: number(connection, f'SELECT count(*) FROM "{name}"') for (name,) in names}


def read_all(connection: duckdb.DuckDBPyConnection) -> None:
    """Read every block of every table, whose checksums DuckDB compares as it goes.

    Raises:
        duckdb.Error: a block is damaged.
    """
    for name in tables(connection):
        connection.execute(f'SELECT bit_xor(hash(t)) FROM "{name}" t').fetchall()


_DISAGREEMENTS = {
    "messages without a session": "SELECT count(*) FROM messages m ANTI JOIN sessions s ON s.no = m.session_no",
    "messages that no occurrence shows": (
        "SELECT count(*) FROM messages m ANTI JOIN occurrences o ON o.session_no = m.session_no AND o.message_id = m.id"
    ),
    "occurrences without a message": (
        "SELECT count(*) FROM occurrences o ANTI JOIN messages m ON m.session_no = o.session_no AND m.id = o.message_id"
    ),
    "messages stored twice": ("SELECT count(*) - count(DISTINCT (session_no, id)) FROM messages"),
    "messages that are not indexed": (
        f"SELECT count(*) FROM (SELECT o.session_no * {SESSION_STEP}::BIGINT + o.seq AS slot FROM occurrences o "
        "JOIN messages m ON m.session_no = o.session_no AND m.id = o.message_id WHERE m.forgotten_at IS NULL) o "
        "ANTI JOIN documents d USING (slot)"
    ),
    "memories that are not indexed": (
        "SELECT count(*) FROM (SELECT -no AS slot FROM memories WHERE status <> 'forgotten') e "
        "ANTI JOIN documents d USING (slot)"
    ),
    "postings without a document": "SELECT count(*) FROM postings p ANTI JOIN documents d USING (slot)",
    "topics with two active memories": (
        "SELECT count(*) FROM (SELECT 1 FROM memories WHERE status = 'active' AND topic_key IS NOT NULL "
        "GROUP BY profile, topic_key HAVING count(*) > 1)"
    ),
    "evidence without its message": (
        "SELECT count(*) FROM evidence e ANTI JOIN messages m ON m.session_no = e.session_no AND m.id = e.message_id "
        "ANTI JOIN (SELECT no FROM sessions WHERE quoted_only) s ON s.no = e.session_no"
    ),
}


def disagreements(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """What does not fit together, by name, with how often; empty for a sound store."""
    found = {name: number(connection, query) for name, query in _DISAGREEMENTS.items()}
    return {name: many for name, many in found.items() if many}
