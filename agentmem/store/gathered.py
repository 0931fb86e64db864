"""What a model is shown of the memories of a profile."""

from collections.abc import Sequence

import duckdb

from agentmem.store.memories import Support
from agentmem.store.rows import told


def topics_in_use(connection: duckdb.DuckDBPyConnection, profile: str, most: int) -> list[str]:
    """The topic keys of a profile's active memories, the newest first."""
    rows = connection.execute(
        "SELECT topic_key FROM memories WHERE profile = $1 AND status = 'active' AND topic_key IS NOT NULL "
        "AND kind IN ('fact', 'instruction') GROUP BY topic_key ORDER BY max(no) DESC LIMIT $2",
        [profile, most],
    ).fetchall()
    return [key for (key,) in rows]


def words_of(connection: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> dict[str, list[Support]]:
    """The words that support memories, by memory id, in the order of sessions."""
    found: dict[str, list[Support]] = {}
    for memory, session_no, message, quote, at in connection.execute(
        "SELECT memory_id, session_no, message_id, quote, said_at FROM evidence "
        "WHERE memory_id IN (SELECT unnest($1::VARCHAR[])) ORDER BY session_no, said_at",
        [list(ids)],
    ).fetchall():
        support = Support(memory_id=memory, session_no=session_no, message_id=message, quote=quote, at=told(at))
        found.setdefault(memory, []).append(support)
    return found
