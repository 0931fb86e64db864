"""Messages taken out of the store again, and hidden ones brought back."""

from collections.abc import Mapping

import duckdb

from agentmem.domain.messages import Role
from agentmem.store import fulltext
from agentmem.store.fulltext import Terms
from agentmem.store.messages import INDEXED, SESSION_STEP, slot_of


def withdraw(
    connection: duckdb.DuckDBPyConnection, no: int, first: int, span: Mapping[str, str | None] | None
) -> list[int]:
    """Take the messages of a session away from a position on, with their place in the index.

    Args:
        connection: inside a writing transaction.
        no: the session's number.
        first: the position.
        span: what `spans` said of the session before they came; None: it goes as well.

    Returns:
        The slots that are free now.
    """
    rows = connection.execute(
        f"SELECT {SESSION_STEP}::BIGINT * session_no + seq FROM occurrences WHERE session_no = $1 AND seq >= $2",
        [no, first],
    ).fetchall()
    slots = [slot for (slot,) in rows]
    fulltext.remove(connection, slots)
    connection.execute("DELETE FROM vector_state WHERE slot IN (SELECT unnest($1::BIGINT[]))", [slots])
    connection.execute("DELETE FROM occurrences WHERE session_no = $1 AND seq >= $2", [no, first])
    connection.execute(
        "DELETE FROM messages WHERE session_no = $1 "
        "AND id NOT IN (SELECT message_id FROM occurrences WHERE session_no = $1)",
        [no],
    )
    if span is None:
        connection.execute("DELETE FROM sessions WHERE no = $1", [no])
    else:
        setting = ", ".join(f"{name} = ${place}" for place, name in enumerate(span, start=2))
        connection.execute(f"UPDATE sessions SET {setting} WHERE no = $1", [no, *span.values()])
    return slots


def unhide(connection: duckdb.DuckDBPyConnection, session_no: int, message_id: str, terms: Terms) -> None:
    """Bring a forgotten message back into the index, at every place where it was said."""
    rows = connection.execute(
        "SELECT o.seq, s.profile, m.role, m.speaker, m.content FROM messages m "
        "JOIN occurrences o ON o.session_no = m.session_no AND o.message_id = m.id "
        "JOIN sessions s ON s.no = m.session_no "
        "WHERE m.session_no = $1 AND m.id = $2 AND m.forgotten_at IS NOT NULL",
        [session_no, message_id],
    ).fetchall()
    connection.execute(
        "UPDATE messages SET forgotten_at = NULL WHERE session_no = $1 AND id = $2", [session_no, message_id]
    )
    documents = []
    for seq, profile, role, speaker, content in rows:
        text = f"{speaker}: {content}" if speaker else content
        dense = role in (Role.USER, Role.ASSISTANT)
        documents.append(fulltext.Document(slot_of(session_no, seq), profile, terms.of(text[:INDEXED]), dense))
    if documents:
        fulltext.add(connection, documents)
