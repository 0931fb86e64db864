"""Which memories a message states, whatever became of them, and what replaced these."""

from collections.abc import Sequence

import duckdb

from agentmem.domain.memories import MemoryItem
from agentmem.store import memories

_LONGEST_CHAIN = 50


def stated_in(
    connection: duckdb.DuckDBPyConnection, said: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], list[MemoryItem]]:
    """The memories, in any status, that have evidence in some messages.

    Args:
        connection: the store.
        said: (session id, message id).
    """
    if not said:
        return {}
    rows = connection.execute(
        """
        SELECT DISTINCT s.id, e.message_id, e.memory_id FROM evidence e JOIN sessions s ON s.no = e.session_no
        JOIN (SELECT unnest($1::VARCHAR[]) AS session_id, unnest($2::VARCHAR[]) AS message_id) w
            ON w.session_id = s.id AND w.message_id = e.message_id
        ORDER BY ALL
        """,
        [[session for session, _ in said], [message for _, message in said]],
    ).fetchall()
    items = memories.by_ids(connection, [row[2] for row in rows])
    found: dict[tuple[str, str], list[MemoryItem]] = {}
    for session, message, memory in rows:
        if memory in items:
            found.setdefault((session, message), []).append(items[memory])
    return found


def successors(connection: duckdb.DuckDBPyConnection, items: Sequence[MemoryItem]) -> dict[str, MemoryItem]:
    """By the id of each memory that was replaced, the last one in the chain of those that replaced it."""
    known = {item.id: item for item in items}
    for _ in range(_LONGEST_CHAIN):
        missing = [item.superseded_by for item in known.values() if item.superseded_by not in (None, *known)]
        fetched = memories.by_ids(connection, [identity for identity in missing if identity])
        if not fetched:
            break
        known |= fetched
    last = {}
    for item in items:
        end, seen = item, {item.id}
        while end.superseded_by in known and end.superseded_by not in seen:
            end = known[end.superseded_by]
            seen.add(end.id)
        if end.id != item.id:
            last[item.id] = end
    return last


def topics_that_said(connection: duckdb.DuckDBPyConnection, profiles: Sequence[str], words: Sequence[str]) -> list[str]:
    """The topics of which a value that was replaced contained one of some words."""
    if not words:
        return []
    rows = connection.execute(
        "SELECT DISTINCT topic_key FROM memories WHERE status = 'superseded' AND topic_key IS NOT NULL "
        "AND list_contains($1, profile) "
        "AND list_bool_or(list_transform($2::VARCHAR[], lambda w: contains(content, w)))",
        [list(profiles), list(words)],
    ).fetchall()
    return sorted(key for (key,) in rows)


def forgotten_contents(connection: duckdb.DuckDBPyConnection, profiles: Sequence[str], most: int) -> list[str]:
    """What the memories of some profiles said that were forgotten, the newest first."""
    rows = connection.execute(
        "SELECT content FROM memories WHERE status = 'forgotten' AND list_contains($1, profile) "
        "ORDER BY no DESC LIMIT $2",
        [list(profiles), most],
    ).fetchall()
    return [content for (content,) in rows]
