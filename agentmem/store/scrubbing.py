"""Texts change after they were stored: what hangs on them changes with them, in one transaction.

The id of a message or memory is a hash of its words, so it becomes that of the new words: reading the transcript
again, under the rules that took the words out, gives the same id and adds nothing. For words that no rule takes out (a
pattern that was given once) the old id is kept as a hash with the store's key, in `scrubbed`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import duckdb

from agentmem.domain.ids import memory_id, message_id
from agentmem.domain.text import normalise
from agentmem.store import columns, fulltext, memories, messages
from agentmem.store.columns import Texts
from agentmem.store.fulltext import Terms
from agentmem.store.messages import SESSION_STEP
from agentmem.store.rows import now, number, registered, stored
from agentmem.store.tombstones import of_value as tombstone

MARK = "[redacted:all:0000]"
"""What stands in a text of which nothing is left."""


@dataclass(slots=True)
class Changed:
    """What was changed, by table."""

    texts: dict[str, int] = field(default_factory=dict)


def hashed(key: bytes, identity: str) -> str:
    """The id of a message before it was scrubbed, as `scrubbed` keeps it."""
    return blake2b(identity.encode(), key=key, digest_size=16).hexdigest()


def scrubbed(connection: duckdb.DuckDBPyConnection) -> dict[str, tuple[str, str]]:
    """Hashed old id -> (id, content) of the messages that were scrubbed."""
    rows = connection.execute(
        "SELECT DISTINCT s.digest, m.id, m.content FROM scrubbed s JOIN messages m ON m.id = s.message_id"
    ).fetchall()
    return {digest: (identity, content) for digest, identity, content in rows}


def apply(connection: duckdb.DuckDBPyConnection, texts: Texts, key: bytes, terms: Terms) -> Changed:
    """Change texts, and all that hangs on them, inside a writing transaction.

    Args:
        connection: of a store of any format.
        texts: the new form of each text, by table and column.
        key: of the store.
        terms: for the index.
    """
    done = Changed()
    slots = _said(connection, texts.get(("messages", "content"), {}) | texts.get(("messages", "speaker"), {}))
    numbers = _remembered(connection, texts)
    before = _messages(connection, list(texts.get(("messages", "content"), {})))
    held = _memories(connection, numbers)
    for (table, column), changes in texts.items():
        columns.replace(connection, table, column, {old: (new.strip() and new) or MARK for old, new in changes.items()})
        done.texts[table] = done.texts.get(table, 0) + len(changes)
    _rename_messages(connection, before, key)
    _rename_memories(connection, held)
    _index_again(connection, slots, numbers, terms)
    _forget_vectors(connection, [*slots, *(-no for no in numbers)])
    return done


def _said(connection: duckdb.DuckDBPyConnection, changes: Mapping[str, str]) -> list[int]:
    """The slots of the messages with one of these texts."""
    if not changes:
        return []
    with registered(connection, {"old": ("string", list(changes))}):
        rows = connection.execute(
            f"SELECT DISTINCT o.session_no * {SESSION_STEP}::BIGINT + o.seq FROM messages m "
            "JOIN occurrences o ON o.session_no = m.session_no AND o.message_id = m.id "
            "WHERE m.content IN (SELECT old FROM new_rows) OR m.speaker IN (SELECT old FROM new_rows)"
        ).fetchall()
    return [slot for (slot,) in rows]


def _remembered(connection: duckdb.DuckDBPyConnection, texts: Texts) -> list[int]:
    """The numbers of the memories of which something that they are found by changes."""
    found: set[int] = set()
    for table, column, query in (
        ("memories", "content", "SELECT no FROM memories WHERE content IN (SELECT old FROM new_rows)"),
        ("memories", "topic_key", "SELECT no FROM memories WHERE topic_key IN (SELECT old FROM new_rows)"),
        (
            "search_queries", "query",
            "SELECT m.no FROM memories m JOIN search_queries q ON q.memory_id = m.id WHERE q.query IN (FROM new_rows)",
        ),
    ):  # fmt: skip
        if changes := texts.get((table, column)):
            with registered(connection, {"old": ("string", list(changes))}):
                found.update(no for (no,) in connection.execute(query).fetchall())
    return sorted(found)


def _messages(connection: duckdb.DuckDBPyConnection, contents: Sequence[str]) -> list[tuple[int, str, str, str]]:
    """(number of the session, id, id of the session, role) of the messages with one of these contents."""
    with registered(connection, {"old": ("string", contents)}):
        return connection.execute(
            "SELECT m.session_no, m.id, s.id, m.role FROM messages m JOIN sessions s ON s.no = m.session_no "
            "WHERE m.content IN (SELECT old FROM new_rows)"
        ).fetchall()


def _rename_messages(
    connection: duckdb.DuckDBPyConnection, before: Sequence[tuple[int, str, str, str]], key: bytes
) -> None:
    has_record = "scrubbed" in columns.tables(connection)
    ids: dict[str, str] = {}
    for session_no, old, session_id, role in before:
        rows = connection.execute(
            "SELECT content FROM messages WHERE session_no = $1 AND id = $2", [session_no, old]
        ).fetchall()
        if not rows:
            continue
        ids[old] = new = message_id(session_id, role, rows[0][0])
        if has_record:
            connection.execute("INSERT INTO scrubbed VALUES ($1, $2)", [hashed(key, old), new])
        if new != old and number(
            connection, "SELECT count(*) FROM messages WHERE session_no = $1 AND id = $2", [session_no, new]
        ):  # it was stored in its new form as well: one of them is enough
            connection.execute("DELETE FROM messages WHERE session_no = $1 AND id = $2", [session_no, old])
    columns.replace_ids(connection, {old: new for old, new in ids.items() if old != new})


def _memories(connection: duckdb.DuckDBPyConnection, numbers: Sequence[int]) -> dict[int, tuple[str, str, str]]:
    """Number -> (id, profile, content)."""
    rows = connection.execute(
        "SELECT no, id, profile, content FROM memories WHERE list_contains($1, no)", [list(numbers)]
    ).fetchall()
    return {no: (identity, profile, content) for no, identity, profile, content in rows}


def _rename_memories(connection: duckdb.DuckDBPyConnection, before: Mapping[int, tuple[str, str, str]]) -> None:
    ids: dict[str, str] = {}
    rows = connection.execute(
        "SELECT no, kind, topic_key, content FROM memories WHERE list_contains($1, no)", [list(before)]
    ).fetchall()
    for no, kind, topic_key, content in rows:
        old, profile, was = before[no]
        new = memory_id(profile, kind, topic_key, normalise(content))
        grave = tombstone(profile, was)
        if number(connection, "SELECT count(*) FROM tombstones WHERE digest = $1", [grave]):
            connection.execute("DELETE FROM tombstones WHERE digest = $1", [grave])
            connection.execute(
                "INSERT INTO tombstones (digest, profile, buried_at) VALUES ($1, $2, $3)",
                [tombstone(profile, content), profile, stored(now())],
            )
        if new == old:
            continue
        ids[old] = new
        if number(connection, "SELECT count(*) FROM memories WHERE id = $1 AND no <> $2", [new, no]):
            fulltext.remove(connection, [-no])
            connection.execute("DELETE FROM memories WHERE no = $1", [no])
            columns.delete_where(connection, "memory_no", [no], "int64")
    columns.replace_ids(connection, ids)


def _index_again(
    connection: duckdb.DuckDBPyConnection, slots: Sequence[int], numbers: Sequence[int], terms: Terms
) -> None:
    """Cut the changed documents into terms anew; those that are not in the index stay out of it."""
    wanted = [*slots, *(-no for no in numbers)]
    indexed = {
        slot: (profile, dense)
        for slot, profile, dense in connection.execute(
            "SELECT slot, profile, dense FROM documents WHERE list_contains($1, slot)", [wanted]
        ).fetchall()
    }
    said = connection.execute(
        f"SELECT o.session_no * {SESSION_STEP}::BIGINT + o.seq AS slot, m.speaker, m.content FROM occurrences o "
        "JOIN messages m ON m.session_no = o.session_no AND m.id = o.message_id WHERE list_contains($1, slot)",
        [list(indexed)],
    ).fetchall()
    texts = {slot: messages.indexed(speaker, content) for slot, speaker, content in said}
    items = connection.execute(
        "SELECT no, id, topic_key, content FROM memories WHERE list_contains($1, -no)", [list(indexed)]
    ).fetchall()
    queries = memories.queries_of(connection, [row[1] for row in items])
    for no, identity, topic_key, content in items:
        texts[-no] = "\n".join([*queries.get(identity, ()), topic_key or "", content]).strip()
    fulltext.remove(connection, list(indexed))
    fulltext.add(
        connection,
        [fulltext.Document(slot, indexed[slot][0], terms.of(text), indexed[slot][1]) for slot, text in texts.items()],
    )


def _forget_vectors(connection: duckdb.DuckDBPyConnection, slots: Sequence[int]) -> None:
    """The vectors of changed documents go; they are owed again."""
    connection.execute("DELETE FROM vector_state WHERE list_contains($1, slot)", [list(slots)])
    drop_loose_embeddings(connection)


def drop_loose_embeddings(connection: duckdb.DuckDBPyConnection) -> None:
    """Embeddings that no document has go: nobody knows what they were of."""
    connection.execute("DELETE FROM embeddings WHERE content_hash NOT IN (SELECT content_hash FROM vector_state)")
