"""Messages taken out of the store again, and hidden ones brought back."""

from collections.abc import Mapping
from typing import Any

import duckdb

from agentmem.domain.messages import Role
from agentmem.store import fulltext
from agentmem.store.fulltext import Terms
from agentmem.store.messages import SESSION_STEP, SPOKEN, indexed, slot_of
from agentmem.store.rows import number


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


def move_back(
    connection: duckdb.DuckDBPyConnection, wanted: Mapping[str, Any], given: Mapping[str, Any], terms: Terms
) -> bool:
    """Give a session back the lines that another one took over, with the evidence in them.

    They also stay where they are: `withdraw` takes them away there, with all that came with them.

    Args:
        connection: inside a writing transaction.
        wanted: where they were, as the journal has it.
        given: where they are.
        terms: for the index.

    Returns:
        False, and nothing is changed, if they are not there any more, or their places are taken.
    """
    lines = [(*old, *new) for old, new in zip(wanted["lines"], given["lines"], strict=True)]
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE leaving (
            old_no INTEGER, old_seq INTEGER, old_id VARCHAR, source_id VARCHAR, stored_at TIMESTAMP,
            no INTEGER, seq INTEGER, id VARCHAR
        )
        """
    )
    connection.executemany(
        "INSERT INTO leaving VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        [[wanted["session_no"], *line[:4], given["session_no"], *line[4:]] for line in lines],
    )
    count = "SELECT count(*) FROM leaving l JOIN occurrences o ON "
    there = count + "o.session_no = l.no AND o.seq = l.seq AND o.message_id = l.id"
    taken = count + "o.session_no = l.old_no AND o.seq = l.old_seq"
    session = number(connection, "SELECT count(*) FROM sessions WHERE no = $1", [wanted["session_no"]])
    if not session or number(connection, there) != len(lines) or number(connection, taken):
        return False
    connection.execute(
        """
        INSERT INTO messages BY NAME
        SELECT DISTINCT m.* REPLACE (l.old_no AS session_no, l.old_id AS id) FROM leaving l
        JOIN messages m ON m.session_no = l.no AND m.id = l.id
        ANTI JOIN messages k ON k.session_no = l.old_no AND k.id = l.old_id;
        INSERT INTO occurrences BY NAME
        SELECT o.* REPLACE (
            l.old_no AS session_no, l.old_seq AS seq, l.old_id AS message_id, l.source_id AS source_id,
            l.stored_at AS stored_at
        ) FROM leaving l JOIN occurrences o ON o.session_no = l.no AND o.seq = l.seq;
        UPDATE evidence SET session_no = l.old_no, message_id = l.old_id
        FROM leaving l JOIN occurrences o ON o.session_no = l.no AND o.seq = l.seq
        WHERE evidence.session_no = l.no AND evidence.message_id = l.id
            AND evidence.said_at IS NOT DISTINCT FROM o.said_at;
        """
    )
    _index(
        connection,
        """
        SELECT l.old_no, l.old_seq, s.profile, m.role, m.speaker, m.content FROM leaving l
        JOIN sessions s ON s.no = l.old_no JOIN messages m ON m.session_no = l.old_no AND m.id = l.old_id
        WHERE m.forgotten_at IS NULL
        """,
        [],
        terms,
    )
    return True


def is_stored(connection: duckdb.DuckDBPyConnection, session_no: int, message_id: str) -> bool:
    """Whether a session has a message."""
    wanted = "SELECT count(*) FROM messages WHERE session_no = $1 AND id = $2"
    return bool(number(connection, wanted, [session_no, message_id]))


def unhide(connection: duckdb.DuckDBPyConnection, session_no: int, message_id: str, terms: Terms) -> None:
    """Bring a forgotten message back into the index, at every place where it was said."""
    rows = (
        "SELECT m.session_no, o.seq, s.profile, m.role, m.speaker, m.content FROM messages m "
        "JOIN occurrences o ON o.session_no = m.session_no AND o.message_id = m.id "
        "JOIN sessions s ON s.no = m.session_no "
        "WHERE m.session_no = $1 AND m.id = $2 AND m.forgotten_at IS NOT NULL"
    )
    _index(connection, rows, [session_no, message_id], terms)
    connection.execute(
        "UPDATE messages SET forgotten_at = NULL WHERE session_no = $1 AND id = $2", [session_no, message_id]
    )


def _index(connection: duckdb.DuckDBPyConnection, rows: str, given: list[Any], terms: Terms) -> None:
    """Index the messages that a query gives: session number, position, profile, role, speaker, content."""
    documents = [
        fulltext.Document(slot_of(no, seq), profile, terms.of(indexed(speaker, content)), Role(role) in SPOKEN)
        for no, seq, profile, role, speaker, content in connection.execute(rows, given).fetchall()
    ]
    if documents:
        fulltext.add(connection, documents)
