"""How far each transcript file was read, so that only what grew is read again."""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from agentmem.store.rows import now, stored


@dataclass(frozen=True, slots=True)
class Watermark:
    """How far a file was read.

    Args:
        path: the file, absolute.
        format: the format that its content had.
        session_id: the session that its lines without one were given to; None where they name theirs.
        size: its size in bytes when it was read.
        consumed: bytes up to the end of the last complete line; 0 for a format that is always read from its start.
        head: SHA-256 of its first bytes: another head is another file under the same name.
    """

    path: str
    format: str
    session_id: str | None
    size: int
    consumed: int
    head: str


def watermarks(connection: duckdb.DuckDBPyConnection, paths: Sequence[str] | None = None) -> dict[str, Watermark]:
    """The watermarks of some files, or of all, by path."""
    rows = connection.execute(
        "SELECT path, format, session_id, size, consumed, head FROM files "
        "WHERE $1::VARCHAR[] IS NULL OR list_contains($1, path)",
        [None if paths is None else list(paths)],
    ).fetchall()
    return {row[0]: Watermark(*row) for row in rows}


def mark(connection: duckdb.DuckDBPyConnection, watermark: Watermark) -> None:
    """Note how far a file was read, inside a writing transaction."""
    connection.execute("DELETE FROM files WHERE path = $1", [watermark.path])
    connection.execute(
        "INSERT INTO files VALUES ($1, $2, $3, $4, $5, $6, $7)",
        [
            watermark.path,
            watermark.format,
            watermark.session_id,
            watermark.size,
            watermark.consumed,
            watermark.head,
            stored(now()),
        ],
    )
