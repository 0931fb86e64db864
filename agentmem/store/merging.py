"""Many memories changed at once: merged into others, or expired. Their postings stay, only their vectors go."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import duckdb

from agentmem.domain.memories import MemoryItem, Status
from agentmem.store import memories, versions
from agentmem.store.rows import registered, stored


def active(connection: duckdb.DuckDBPyConnection) -> list[MemoryItem]:
    """All memories that count, of all profiles, by number."""
    rows = connection.execute(f"SELECT {memories.COLUMNS} FROM memories WHERE status = 'active' ORDER BY no").fetchall()
    return [memories.read(row) for row in rows]


def numbers_of(connection: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> dict[int, str]:
    """The ids of memories by their numbers."""
    rows = connection.execute(
        "SELECT no, id FROM memories WHERE id IN (SELECT unnest($1::VARCHAR[]))", [list(ids)]
    ).fetchall()
    return dict(rows)


def evidence_counts(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """How often each memory was said."""
    return dict(connection.execute("SELECT memory_id, count(*) FROM evidence GROUP BY memory_id").fetchall())


def expired_by(connection: duckdb.DuckDBPyConnection, at: datetime, limit: int) -> list[MemoryItem]:
    """Memories that count though their time is over, oldest first."""
    rows = connection.execute(
        f"SELECT {memories.COLUMNS} FROM memories "
        "WHERE status = 'active' AND expires_at IS NOT NULL AND expires_at <= $1 ORDER BY no LIMIT $2",
        [stored(at), limit],
    ).fetchall()
    return [memories.read(row) for row in rows]


def change_status(connection: duckdb.DuckDBPyConnection, changes: Sequence[tuple[str, Status, str | None]]) -> None:
    """Set status and successor of memories, inside a writing transaction; their postings stay, their vectors go.

    Args:
        connection: the store.
        changes: (id, status, id of the memory that replaces it); none of them to `forgotten`.
    """
    with registered(
        connection,
        {
            "id": ("string", [change[0] for change in changes]),
            "status": ("string", [change[1].value for change in changes]),
            "superseded_by": ("string", [change[2] for change in changes]),
        },
    ):
        rows = connection.execute(
            "UPDATE memories SET status = n.status, superseded_by = n.superseded_by FROM new_rows n "
            "WHERE n.id = memories.id RETURNING memories.no, memories.id"
        ).fetchall()
    connection.execute(
        "UPDATE documents SET dense = false WHERE slot IN (SELECT unnest($1::BIGINT[]))", [[-no for no, _ in rows]]
    )
    items = memories.by_ids(connection, [identity for _, identity in rows])
    versions.note(connection, [(no, items[identity]) for no, identity in rows])


def gather_evidence(connection: duckdb.DuckDBPyConnection, keepers: Mapping[str, str]) -> None:
    """Give memories the evidence of others as well, inside a writing transaction.

    Args:
        connection: the store.
        keepers: by the id of a memory whose evidence it is, the id of the one that is to have it too.
    """
    with registered(connection, {"member": ("string", list(keepers)), "keeper": ("string", list(keepers.values()))}):
        connection.execute(
            """
            INSERT INTO evidence
            SELECT DISTINCT n.keeper, e.session_no, e.message_id, e.quote, e.said_at
            FROM evidence e JOIN new_rows n ON n.member = e.memory_id
            WHERE NOT EXISTS (SELECT 1 FROM evidence k WHERE k.memory_id = n.keeper AND k.session_no = e.session_no
                AND k.message_id = e.message_id AND k.said_at IS NOT DISTINCT FROM e.said_at)
            """
        )
        connection.execute(
            """
            UPDATE memories SET importance = greatest(importance, b.best) FROM (
                SELECT n.keeper, max(m.importance) AS best FROM new_rows n JOIN memories m ON m.id = n.member
                GROUP BY n.keeper
            ) b WHERE b.keeper = memories.id
            """
        )


def rivals(connection: duckdb.DuckDBPyConnection) -> list[tuple[MemoryItem, MemoryItem]]:
    """(the memory that holds a topic, one that it replaced though it was said at the same time and trusted alike)."""
    rows = connection.execute(
        "SELECT holder.id, loser.id FROM memories holder JOIN memories loser ON loser.superseded_by = holder.id "
        "AND loser.profile = holder.profile AND loser.topic_key = holder.topic_key AND loser.trust = holder.trust "
        "AND loser.valid_from = holder.valid_from "
        "WHERE holder.status = 'active' AND loser.status = 'superseded' ORDER BY holder.no, loser.no"
    ).fetchall()
    items = memories.by_ids(connection, [identity for row in rows for identity in row])
    return [(items[holder], items[loser]) for holder, loser in rows]
