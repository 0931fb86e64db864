"""Messages that are to be hidden or purged: how they are found, and how they leave the index and come back."""

from collections.abc import Sequence

import duckdb

from agentmem.store import fulltext
from agentmem.store.messages import SELECT, SESSION_STEP, StoredMessage, read
from agentmem.store.rows import now, registered, stored


def containing(connection: duckdb.DuckDBPyConnection, profile: str, words: Sequence[str]) -> list[StoredMessage]:
    """The messages of a profile that contain all of some words, at their first occurrence; case and accents do not
    count.
    """
    rows = connection.execute(
        SELECT
        + """
        WHERE s.profile = $1 AND m.purged_by IS NULL
            AND list_bool_and(list_transform($2::VARCHAR[], lambda w: contains(strip_accents(lower(m.content)), w)))
                IS NOT false
        QUALIFY row_number() OVER (PARTITION BY o.session_no, m.id ORDER BY o.seq) = 1 ORDER BY slot
        """,
        [profile, list(words)],
    ).fetchall()
    return [read(row) for row in rows]


def of_session(connection: duckdb.DuckDBPyConnection, session_no: int) -> list[StoredMessage]:
    """All messages of a session, each at its first occurrence."""
    rows = connection.execute(
        SELECT + " WHERE o.session_no = $1 AND m.purged_by IS NULL "
        "QUALIFY row_number() OVER (PARTITION BY m.id ORDER BY o.seq) = 1 ORDER BY slot",
        [session_no],
    ).fetchall()
    return [read(row) for row in rows]


def at_places(connection: duckdb.DuckDBPyConnection, places: Sequence[tuple[int, str]]) -> list[StoredMessage]:
    """The messages with some (session number, id), each at its first occurrence."""
    rows = connection.execute(
        SELECT
        + """
        JOIN (SELECT unnest($1::INTEGER[]) AS session_no, unnest($2::VARCHAR[]) AS id) w
            ON w.session_no = o.session_no AND w.id = m.id
        WHERE m.purged_by IS NULL
        QUALIFY row_number() OVER (PARTITION BY o.session_no, m.id ORDER BY o.seq) = 1 ORDER BY slot
        """,
        [[no for no, _ in places], [identity for _, identity in places]],
    ).fetchall()
    return [read(row) for row in rows]


def hide(connection: duckdb.DuckDBPyConnection, places: Sequence[tuple[int, str, str | None]]) -> None:
    """Take messages out of the index, inside a writing transaction.

    Args:
        connection: the store.
        places: (session number, message id, the grave that they were purged for; None: hidden only). What is purged
            loses its content; its row stays, so that reading the transcript again finds it known.
    """
    if not places:
        return
    with registered(
        connection,
        {
            "session_no": ("int32", [place[0] for place in places]),
            "id": ("string", [place[1] for place in places]),
            "grave": ("string", [place[2] for place in places]),
        },
    ):
        connection.execute(
            """
            UPDATE messages SET forgotten_at = coalesce(forgotten_at, $1), purged_by = coalesce(n.grave, purged_by),
                content = CASE WHEN n.grave IS NULL THEN content ELSE '' END,
                speaker = CASE WHEN n.grave IS NULL THEN speaker END
            FROM new_rows n WHERE n.session_no = messages.session_no AND n.id = messages.id
            """,
            [stored(now())],
        )
        slots = connection.execute(
            f"SELECT o.session_no * {SESSION_STEP}::BIGINT + o.seq FROM occurrences o "
            "JOIN new_rows n ON n.session_no = o.session_no AND n.id = o.message_id"
        ).fetchall()
    fulltext.remove(connection, [slot for (slot,) in slots])
