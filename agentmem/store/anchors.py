"""The things in a project's code that memories name, with the commit that was checked out when that was noted."""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from agentmem.store.rows import insert

FILE, SYMBOL, COMMIT = "file", "symbol", "commit"


@dataclass(frozen=True, slots=True)
class Anchor:
    """A thing that a memory names.

    Args:
        memory_id: the memory.
        root: the folder of the working tree.
        head: the commit that was checked out there.
        kind: `file`, `symbol` or `commit`.
        name: the file's path below the root, the symbol, or the commit.
    """

    memory_id: str
    root: str
    head: str
    kind: str
    name: str


def add(connection: duckdb.DuckDBPyConnection, anchors: Sequence[Anchor]) -> None:
    """Note anchors of new memories, inside a writing transaction."""
    insert(
        connection,
        "anchors",
        {name: ("string", [getattr(one, name) for one in anchors]) for name in Anchor.__slots__},
    )


def of(connection: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> dict[str, list[Anchor]]:
    """The anchors of memories, by their id."""
    if not ids:
        return {}
    rows = connection.execute(
        "SELECT memory_id, root, head, kind, name FROM anchors WHERE memory_id IN (SELECT unnest($1::VARCHAR[])) "
        "ORDER BY ALL",
        [list(ids)],
    ).fetchall()
    found: dict[str, list[Anchor]] = {}
    for row in rows:
        found.setdefault(row[0], []).append(Anchor(*row))
    return found
