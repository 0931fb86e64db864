"""Secrets are taken out of what an export brings before the store hears of it, as out of anything else that comes in.

An export of agentmem holds none that the rules knew when its texts were stored; older rules knew fewer, the other store
may have had other patterns, and anybody can write a file of this format. Texts that were redacted already stay as they
are. The id of a message or memory is a hash of its words, so it changes with them, in all places.
"""

from collections.abc import Callable, Collection, Mapping

import duckdb

from agentmem.domain.ids import memory_id, message_id
from agentmem.domain.text import normalise
from agentmem.store import columns
from agentmem.store.portable import TABLES, Column, Type
from agentmem.store.rows import registered
from agentmem.store.scrubbing import MARK

Digests = Callable[[str, str | None, str], Collection[str]]
"""What a forgotten memory leaves behind, from its profile, topic and content."""

_SLICE = 20_000
_NO_TEXT = "[0-9a-f]{32}"
"""Ids are hashes, and there are millions of them."""


def clean(connection: duckdb.DuckDBPyConnection, redact: Callable[[str], str], digests: Digests) -> int:
    """Redact all staged texts, and give what changed its new id.

    Vectors are left out if anything changed: that of a text with a secret in it cannot be told from the others.

    Args:
        connection: to the staged tables, as `agentmem.store.staging` lays them out.
        redact: gives the same text back if there is nothing in it.
        digests: for the tombstones of memories that changed.

    Returns:
        How many texts changed.
    """
    texts: dict[tuple[str, str], dict[str, str]] = {}
    for table in TABLES:
        for column in table.columns:
            if column.type in (Type.TEXT, Type.JSON) and not column.choices:
                found = _changed(connection, table.name, column, redact)
                if found:
                    texts[table.name, column.name] = found
    if not texts:
        return 0
    messages = _ids(connection, "messages", texts, ("content", "session_id"))
    memories = _ids(connection, "memories", texts, ("content", "topic_key", "profile"))
    for (table_name, name), changes in texts.items():
        columns.replace(connection, table_name, name, changes)
    ids = _renamed(connection, messages, memories)
    columns.replace_ids(connection, ids)
    _drop_repeated(connection)
    _dig_again(connection, [ids.get(one, one) for one in memories.values()], digests)
    connection.execute("DELETE FROM embeddings")
    return sum(map(len, texts.values()))


def _changed(
    connection: duckdb.DuckDBPyConnection, table: str, column: Column, redact: Callable[[str], str]
) -> dict[str, str]:
    found: dict[str, str] = {}
    for start in columns.slices(connection, table):
        rows = connection.execute(
            f'SELECT DISTINCT "{column.name}" FROM {table} WHERE rowid >= $1 AND rowid < $2 '
            f'AND "{column.name}" IS NOT NULL AND NOT regexp_full_match("{column.name}", \'{_NO_TEXT}\')',
            [start, start + _SLICE],
        )
        while batch := rows.fetchmany(1_000):
            for (text,) in batch:
                new = columns.in_json(text, redact) if column.type is Type.JSON else redact(text)
                if new != text:
                    found[text] = (new.strip() and new) or MARK
    return found


def _ids(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    texts: Mapping[tuple[str, str], Mapping[str, str]],
    names: tuple[str, ...],
) -> dict[int, str]:
    """Position -> id of the rows of which one of these columns changes."""
    found: dict[int, str] = {}
    for name in names:
        if changes := texts.get((table, name)):
            with registered(connection, {"old": ("string", list(changes))}):
                rows = connection.execute(
                    f"SELECT position, id FROM {table} WHERE {name} IN (SELECT old FROM new_rows)"
                ).fetchall()
            found.update(rows)
    return found


def _renamed(
    connection: duckdb.DuckDBPyConnection, messages: Mapping[int, str], memories: Mapping[int, str]
) -> dict[str, str]:
    """Old id -> new id."""
    new = {
        messages[position]: message_id(session, role, content)
        for position, session, role, content in connection.execute(
            "SELECT position, session_id, role, content FROM messages WHERE list_contains($1, position)",
            [list(messages)],
        ).fetchall()
    }
    new |= {
        memories[position]: memory_id(profile, kind, topic, normalise(content))
        for position, profile, kind, topic, content in connection.execute(
            "SELECT position, profile, kind, topic_key, content FROM memories WHERE list_contains($1, position)",
            [list(memories)],
        ).fetchall()
    }
    return {old: identity for old, identity in new.items() if identity != old}


def _drop_repeated(connection: duckdb.DuckDBPyConnection) -> None:
    """What was there with the secret and in its redacted form as well is there once now."""
    for table, key in (("messages", "profile, session_id, id"), ("memories", "id"), ("profiles", "name")):
        connection.execute(
            f"DELETE FROM {table} WHERE position NOT IN (SELECT min(position) FROM {table} GROUP BY {key})"
        )


def _dig_again(connection: duckdb.DuckDBPyConnection, ids: Collection[str], digests: Digests) -> None:
    """A tombstone of a value with a secret in it becomes that of the redacted value."""
    rows = connection.execute(
        "SELECT m.id, m.profile, m.topic_key, m.content, min(t.position), min(t.buried_at), "
        "bool_or(coalesce(t.purged, false)) FROM tombstones t JOIN memories m ON m.id = t.grave "
        "WHERE t.words IS NULL AND m.content <> '' AND list_contains($1, m.id) GROUP BY ALL",
        [list(ids)],
    ).fetchall()
    for identity, profile, topic, content, position, buried_at, purged in rows:
        connection.execute("DELETE FROM tombstones WHERE grave = $1 AND words IS NULL", [identity])
        connection.execute(
            "INSERT INTO tombstones (position, digest, profile, buried_at, grave, purged) "
            "SELECT $1, unnest($2::VARCHAR[]), $3, $4, $5, $6",
            [position, sorted(digests(profile, topic, content)), profile, buried_at, identity, purged],
        )
