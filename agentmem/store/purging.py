"""Really deleting: rows, postings, evidence, vectors, what the journal holds of them. Digests stay."""

import json
from collections.abc import Collection, Sequence

import duckdb

from agentmem.domain.ids import content_hash
from agentmem.domain.memories import MemoryItem
from agentmem.store import embeddings, fulltext, hiding, memories, versions
from agentmem.store.messages import SESSION_STEP, StoredMessage
from agentmem.store.rows import now, number, stored

_OWED = "rewrite"  # a stage of the table `work`: deleted values are still in the files


def drawn_only_from(connection: duckdb.DuckDBPyConnection, session_no: int) -> list[MemoryItem]:
    """The memories, in any status, whose evidence is all of one session."""
    rows = connection.execute(
        "SELECT memory_id FROM evidence GROUP BY memory_id HAVING min(session_no) = $1 AND max(session_no) = $1",
        [session_no],
    ).fetchall()
    return list(memories.by_ids(connection, [identity for (identity,) in rows]).values())


def delete_memories(connection: duckdb.DuckDBPyConnection, items: Sequence[MemoryItem]) -> None:
    """Delete memories with all that belongs to them, inside a writing transaction."""
    ids = [item.id for item in items]
    queries = memories.queries_of(connection, ids)
    numbers = connection.execute("SELECT no FROM memories WHERE id IN (SELECT unnest($1::VARCHAR[]))", [ids]).fetchall()
    slots = [-no for (no,) in numbers]
    _delete_vectors(
        connection, slots, [content_hash(memories.search_text(item, queries.get(item.id, ()))) for item in items]
    )
    fulltext.remove(connection, slots)
    for table, column in (
        ("search_queries", "memory_id"),
        ("evidence", "memory_id"),
        ("anchors", "memory_id"),
        ("verdicts", "memory_id"),
        ("contradictions", "first"),
        ("contradictions", "second"),
        ("memories", "id"),
    ):
        connection.execute(f"DELETE FROM {table} WHERE {column} IN (SELECT unnest($1::VARCHAR[]))", [ids])
    versions.note(connection, [(no, None) for (no,) in numbers])
    _clear_journal(connection, ids, [item.content for item in items])


def blank_messages(connection: duckdb.DuckDBPyConnection, said: Sequence[StoredMessage], graves: Sequence[str]) -> None:
    """Take the content of messages away, and the evidence in them, inside a writing transaction.

    Args:
        connection: the store.
        said: the messages.
        graves: of each, what it is purged for.
    """
    places = [(message.slot // SESSION_STEP, message.id) for message in said]
    slots = connection.execute(
        f"SELECT o.session_no * {SESSION_STEP}::BIGINT + o.seq FROM occurrences o "
        "JOIN (SELECT unnest($1::INTEGER[]) AS session_no, unnest($2::VARCHAR[]) AS id) w "
        "ON w.session_no = o.session_no AND w.id = o.message_id",
        [[no for no, _ in places], [identity for _, identity in places]],
    ).fetchall()
    _delete_vectors(
        connection,
        [slot for (slot,) in slots],
        [content_hash(embeddings.message_text(message.speaker, message.content)) for message in said],
    )
    connection.execute(
        "DELETE FROM evidence USING (SELECT unnest($1::INTEGER[]) AS session_no, unnest($2::VARCHAR[]) AS id) w "
        "WHERE evidence.session_no = w.session_no AND evidence.message_id = w.id",
        [[no for no, _ in places], [identity for _, identity in places]],
    )
    hiding.hide(connection, [(no, identity, grave) for (no, identity), grave in zip(places, graves, strict=True)])
    ids = [identity for _, identity in places]
    _clear_journal(connection, ids, ids)  # other memories have evidence there, with its words


def unblank(connection: duckdb.DuckDBPyConnection, graves: Sequence[str]) -> int:
    """Let the messages of some graves come back when their transcripts are read again; how many they are."""
    rows = connection.execute(
        "DELETE FROM messages WHERE purged_by IN (SELECT unnest($1::VARCHAR[])) RETURNING session_no, id",
        [list(graves)],
    ).fetchall()
    connection.execute(
        "DELETE FROM occurrences USING (SELECT unnest($1::INTEGER[]) AS session_no, unnest($2::VARCHAR[]) AS id) w "
        "WHERE occurrences.session_no = w.session_no AND occurrences.message_id = w.id",
        [[no for no, _ in rows], [identity for _, identity in rows]],
    )
    return len(rows)


def owe_rewrite(connection: duckdb.DuckDBPyConnection) -> None:
    """Note, in the transaction that deletes, that the files still hold what is deleted."""
    connection.execute(
        "INSERT INTO work (stage, key, version, model, attempts, done_at) VALUES ($1, 'files', '', '', 0, $2)",
        [_OWED, stored(now())],
    )


def owes_rewrite(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether a purge did not come to the end of cleaning the files."""
    return number(connection, "SELECT count(*) FROM work WHERE stage = $1", [_OWED]) > 0


def rewritten(connection: duckdb.DuckDBPyConnection) -> None:
    """Note that the files are clean."""
    connection.execute("DELETE FROM work WHERE stage = $1", [_OWED])


def _delete_vectors(connection: duckdb.DuckDBPyConnection, slots: Collection[int], hashes: Collection[str]) -> None:
    """Delete embeddings, except where another document has the same text."""
    rows = connection.execute(
        "DELETE FROM vector_state WHERE slot IN (SELECT unnest($1::BIGINT[])) RETURNING content_hash", [list(slots)]
    ).fetchall()
    connection.execute(
        "DELETE FROM embeddings WHERE content_hash IN (SELECT unnest($1::VARCHAR[])) "
        "AND content_hash NOT IN (SELECT content_hash FROM vector_state)",
        [[*hashes, *(key for (key,) in rows)]],
    )


def _clear_journal(connection: duckdb.DuckDBPyConnection, subjects: Sequence[str], words: Sequence[str]) -> None:
    """Delete all entries about some things, or with some words in them."""
    written = [json.dumps(one, ensure_ascii=False)[1:-1] for one in words]
    connection.execute(
        """
        DELETE FROM journal
        WHERE subject IN (SELECT unnest($1::VARCHAR[])) OR list_bool_or(list_transform($2::VARCHAR[],
            lambda c: contains(coalesce(before::VARCHAR, '') || coalesce(after::VARCHAR, ''), c)))
        """,
        [list(subjects), written],
    )
