"""Merges staged rows into the store, by content address. Each function works inside one writing transaction.

What the store has stays as it is; what it lacks is added. Rows that have no id of their own (journal, evidence …) are
counted: the export's third row of a kind is new if the store has two. So an import that was cut off is completed by the
next one, and the same export twice changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from agentmem.domain.messages import Role
from agentmem.store import fulltext
from agentmem.store.messages import SESSION_STEP
from agentmem.store.portable import Table, table
from agentmem.store.rows import now, number, stored
from agentmem.store.staging import MESSAGE_COLUMNS

if TYPE_CHECKING:
    import pyarrow as pa

_SPOKEN = [Role.USER.value, Role.ASSISTANT.value]


@dataclass(frozen=True, slots=True)
class Merged:
    """What became of the rows of one table."""

    new: int = 0
    known: int = 0
    refused: int = 0

    def __add__(self, other: "Merged") -> "Merged":
        return Merged(self.new + other.new, self.known + other.known, self.refused + other.refused)


def attach(connection: duckdb.DuckDBPyConnection, staging: Path) -> None:
    """Lay the staged tables before the store as `staged.…`, for this connection."""
    path = str(staging).replace("'", "''")
    connection.execute(f"ATTACH '{path}' AS staged (READ_ONLY)")


def profiles(connection: duckdb.DuckDBPyConnection) -> Merged:
    """Add profiles that are not there."""
    return _add(
        connection, table("profiles"), "SELECT * FROM staged.profiles t ANTI JOIN profiles s ON s.name = t.name"
    )


def sessions(connection: duckdb.DuckDBPyConnection) -> Merged:
    """Add sessions that are not there; those that are may have begun earlier or lasted longer than was known."""
    connection.execute(
        """
        UPDATE sessions SET started_at = least(sessions.started_at, t.started_at),
            ended_at = greatest(sessions.ended_at, t.ended_at)
        FROM staged.sessions t WHERE t.profile = sessions.profile AND t.id = sessions.id
        """
    )
    missing = "SELECT * FROM staged.sessions t ANTI JOIN sessions s ON s.profile = t.profile AND s.id = t.id"
    return _add(connection, table("sessions"), missing, number_as="no")


def messages(
    connection: duckdb.DuckDBPyConnection, piece: "pa.Table"
) -> "tuple[Merged, Merged, list[tuple[int, int]]]":
    """Add a piece of `Staging.messages`.

    New occurrences of a session that is there go behind its last one. What either side has forgotten is forgotten.

    Returns:
        What became of messages and of occurrences, and (place in the piece, slot) of what is to be indexed.
    """
    connection.register("piece", piece)
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE placed AS
        SELECT p.*, s.no FROM piece p JOIN sessions s ON s.profile = p.profile AND s.id = p.session_id
        """
    )
    connection.unregister("piece")
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE nearby AS
        SELECT o.* FROM occurrences o SEMI JOIN placed p ON p.no = o.session_no
        """
    )
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE fresh AS
        SELECT *, rank + greatest(next_seq, max(seq - rank) OVER (PARTITION BY no ORDER BY rank)) AS at_seq FROM (
            SELECT p.*, row_number() OVER (PARTITION BY p.no ORDER BY p.place) - 1 AS rank,
                coalesce(l.last + 1, 0) AS next_seq
            FROM placed p
            LEFT JOIN (
                SELECT session_no, message_id, coalesce(source_id, said_at::VARCHAR) AS mark, count(*) AS many
                FROM nearby GROUP BY ALL
            ) k ON k.session_no = p.no AND k.message_id = p.message_id
                AND k.mark IS NOT DISTINCT FROM coalesce(p.source_id, p.said_at::VARCHAR)
            LEFT JOIN (SELECT session_no, max(seq) AS last FROM nearby GROUP BY ALL) l ON l.session_no = p.no
            WHERE p.repeat > coalesce(k.many, 0)
        )
        """
    )
    names = ", ".join(MESSAGE_COLUMNS)
    firsts = ", ".join("first_said_at" if name == "said_at" else name for name in MESSAGE_COLUMNS)
    added = _changed(
        connection,
        f"""
        INSERT INTO messages (session_no, id, {names})
        SELECT no, message_id, {firsts} FROM (
            SELECT *, row_number() OVER (PARTITION BY no, message_id ORDER BY place) AS turn FROM placed
        ) p ANTI JOIN messages m ON m.session_no = p.no AND m.id = p.message_id
        WHERE turn = 1 ORDER BY place
        """,
    )
    connection.execute(
        "INSERT INTO occurrences (session_no, seq, message_id, said_at, source_id, stored_at) "
        "SELECT no, at_seq, message_id, said_at, source_id, coalesce(stored_at, $1) FROM fresh ORDER BY place",
        [stored(now())],
    )
    _forget(connection)
    rows = connection.execute(
        f"""
        SELECT f.place - (SELECT min(place) FROM placed), f.no * {SESSION_STEP}::BIGINT + f.at_seq FROM fresh f
        JOIN messages m ON m.session_no = f.no AND m.id = f.message_id WHERE m.forgotten_at IS NULL ORDER BY f.place
        """
    ).fetchall()
    distinct = number(connection, "SELECT count(DISTINCT (no, message_id)) FROM placed")
    occurrences = number(connection, "SELECT count(*) FROM fresh")
    return Merged(added, distinct - added), Merged(occurrences, piece.num_rows - occurrences), rows


def _forget(connection: duckdb.DuckDBPyConnection) -> None:
    """Hide the messages of `placed` that were forgotten where they come from and are not here."""
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE hidden AS
        SELECT DISTINCT m.session_no, m.id, p.forgotten_at, p.purged_by FROM messages m
        JOIN placed p ON p.no = m.session_no AND p.message_id = m.id
        WHERE p.forgotten_at IS NOT NULL AND m.forgotten_at IS NULL
        """
    )
    slots = connection.execute(
        f"""
        SELECT o.session_no * {SESSION_STEP}::BIGINT + o.seq FROM occurrences o
        JOIN hidden h ON h.session_no = o.session_no AND h.id = o.message_id
        """
    ).fetchall()
    if not slots:
        return
    connection.execute(
        """
        UPDATE messages SET forgotten_at = h.forgotten_at, purged_by = h.purged_by,
            content = CASE WHEN h.purged_by IS NULL THEN messages.content ELSE '' END
        FROM hidden h WHERE h.session_no = messages.session_no AND h.id = messages.id
        """
    )
    fulltext.remove(connection, [slot for (slot,) in slots])


def index(
    connection: duckdb.DuckDBPyConnection,
    piece: "pa.Table",
    terms: Sequence[Sequence[int]],
    placed: Sequence[tuple[int, int]],
) -> None:
    """Index the new occurrences of a piece; `terms` are those of its rows."""
    roles, owners = piece["role"].to_pylist(), piece["profile"].to_pylist()
    fulltext.add(
        connection,
        [fulltext.Document(slot, owners[row], terms[row], dense=roles[row] in _SPOKEN) for row, slot in placed],
    )


def rows(
    connection: duckdb.DuckDBPyConnection, name: str, key: str, *, where: str = "true", number_as: str = ""
) -> Merged:
    """Add the rows of a table that has no session in it.

    Args:
        connection: with the staged tables attached.
        name: the table.
        key: columns by which rows are the same; as many as are there are known.
        where: which staged rows (`t`) may come in; the others are refused.
        number_as: a column that the store numbers.
    """
    this = table(name)
    same = " AND ".join(f'k."{part}" IS NOT DISTINCT FROM t."{part}"' for part in key.split(", "))
    quoted = ", ".join(f'"{part}"' for part in key.split(", "))
    missing = f"""
        SELECT t.* FROM (
            SELECT *, row_number() OVER (PARTITION BY {quoted} ORDER BY position) AS repeat FROM staged.{name} t
            WHERE {where}
        ) t LEFT JOIN (SELECT {quoted}, count(*) AS many FROM {name} GROUP BY ALL) k ON {same}
        WHERE t.repeat > coalesce(k.many, 0)
    """
    refused = number(connection, f"SELECT count(*) FROM staged.{name} t WHERE NOT ({where})")
    return _add(connection, this, missing, number_as=number_as, refused=refused)


def work(connection: duckdb.DuckDBPyConnection) -> Merged:
    """Add work that was done, or is owed, for texts that are not known to have been worked on."""
    new = _changed(
        connection,
        """
        INSERT INTO work (stage, key, version, model, attempts, last_error, done_at, failed_at, profile, session_no,
            first_seq, last_seq)
        SELECT t.stage, t.key, t.version, t.model, t.attempts, t.last_error, t.done_at, t.failed_at, t.profile, s.no,
            t.first_seq, t.last_seq
        FROM staged.work t
        ANTI JOIN work k ON k.stage = t.stage AND k.key = t.key AND k.version = t.version AND k.model = t.model
        LEFT JOIN sessions s ON s.profile = t.profile AND s.id = t.session_id ORDER BY t.position
        """,
    )
    total = number(connection, "SELECT count(*) FROM staged.work")
    return Merged(new, total - new)


def evidence(connection: duckdb.DuckDBPyConnection, where: str) -> Merged:
    """Add evidence that the store lacks of memories that it has; sessions whose messages did not come are marked."""
    staged = f"""
        SELECT t.*, s.no AS session_no FROM staged.evidence t
        JOIN sessions s ON s.profile = t.profile AND s.id = t.session_id WHERE {where}
    """
    total = number(connection, "SELECT count(*) FROM staged.evidence")
    allowed = number(connection, f"SELECT count(*) FROM ({staged})")
    added = _changed(
        connection,
        f"""
        INSERT INTO evidence (memory_id, session_no, message_id, quote, said_at)
        SELECT t.memory_id, t.session_no, t.message_id, t.quote, t.said_at FROM (
            SELECT *, row_number() OVER (PARTITION BY memory_id, session_no, message_id, said_at ORDER BY position)
                AS repeat FROM ({staged})
        ) t LEFT JOIN (
            SELECT memory_id, session_no, message_id, said_at, count(*) AS many FROM evidence GROUP BY ALL
        ) k ON k.memory_id = t.memory_id AND k.session_no = t.session_no AND k.message_id = t.message_id
            AND k.said_at IS NOT DISTINCT FROM t.said_at
        WHERE t.repeat > coalesce(k.many, 0) ORDER BY t.position
        """,
    )
    connection.execute(
        """
        UPDATE sessions SET quoted_only = true WHERE no IN (
            SELECT e.session_no FROM evidence e SEMI JOIN staged.evidence t ON t.memory_id = e.memory_id
            ANTI JOIN messages m ON m.session_no = e.session_no AND m.id = e.message_id
        )
        """
    )
    return Merged(added, allowed - added, total - allowed)


def _add(
    connection: duckdb.DuckDBPyConnection, this: Table, missing: str, *, number_as: str = "", refused: int = 0
) -> Merged:
    """Insert the rows of a query in their order, with numbers where the table has them."""
    names = ", ".join(f'"{column.name}"' for column in this.columns)
    first = ""
    into = names
    if number_as:
        into = f"{number_as}, {names}"
        start = number(connection, f"SELECT coalesce(max({number_as}), 0) FROM {this.name}")
        first = f"{start} + row_number() OVER (ORDER BY position), "
    added = _changed(
        connection, f"INSERT INTO {this.name} ({into}) SELECT {first}{names} FROM ({missing}) ORDER BY position"
    )
    total = number(connection, f"SELECT count(*) FROM staged.{this.name}")
    return Merged(added, total - added - refused, refused)


def _changed(connection: duckdb.DuckDBPyConnection, statement: str, parameters: Any = None) -> int:
    """Run a statement; how many rows it wrote."""
    return int(connection.execute(statement, parameters).fetchall()[0][0])
