"""What a policy drops: words of old messages, once the quotes that memories rest on are safe, and old log entries."""

from datetime import datetime

import duckdb

from agentmem.store import hiding
from agentmem.store.rows import number, stored

TRIMMED = "trimmed"
"""What the row of a message says that lost its content to a policy, in place of a grave."""

_UNDATED_KEEP = """
    FROM messages m WHERE m.purged_by IS NULL AND m.said_at < $1 AND m.content <> ''
    AND NOT EXISTS (SELECT 1 FROM evidence e WHERE e.session_no = m.session_no AND e.message_id = m.id AND e.quote = '')
"""
"""Old messages all of whose quotes stand in `evidence`; one without a time is kept."""


def count_messages(connection: duckdb.DuckDBPyConnection, said_before: datetime | None) -> int:
    """How many messages `trim_messages` would take the content of."""
    if said_before is None:
        return 0
    return number(connection, f"SELECT count(*) {_UNDATED_KEEP}", [stored(said_before)])


def trim_messages(connection: duckdb.DuckDBPyConnection, said_before: datetime | None) -> int:
    """Drop the content of messages said before a time, inside a writing transaction; how many there were.

    Their rows stay, so that reading a transcript again finds them known, and so do the quotes that memories rest on.
    None: nothing is dropped.
    """
    if said_before is None:
        return 0
    # The time of a quote is its message's where it has none of its own.
    connection.execute(
        "UPDATE evidence SET said_at = m.said_at FROM messages m "
        "WHERE evidence.said_at IS NULL AND m.session_no = evidence.session_no AND m.id = evidence.message_id "
        "AND m.said_at < $1",
        [stored(said_before)],
    )
    rows = connection.execute(f"SELECT m.session_no, m.id {_UNDATED_KEEP}", [stored(said_before)]).fetchall()
    hiding.hide(connection, [(no, identity, TRIMMED) for no, identity in rows])
    return len(rows)


def count_entries(connection: duckdb.DuckDBPyConnection, written_before: datetime | None) -> int:
    """How many entries `trim_entries` would drop."""
    if written_before is None:
        return 0
    return number(connection, "SELECT count(*) FROM journal WHERE written_at < $1", [stored(written_before)])


def trim_entries(connection: duckdb.DuckDBPyConnection, written_before: datetime | None) -> int:
    """Drop the entries of the journal written before a time, inside a writing transaction; how many there were."""
    many = count_entries(connection, written_before)
    if many:
        connection.execute("DELETE FROM journal WHERE written_at < $1", [stored(written_before)])
    return many
