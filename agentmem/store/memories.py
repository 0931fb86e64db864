"""Distilled memories with their evidence and search queries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

import duckdb

from agentmem.domain.memories import Evidence, MemoryItem, MemoryKind, Status
from agentmem.domain.messages import Trust
from agentmem.store import fulltext, versions
from agentmem.store.rows import TIME, insert, number, stored, told

_FIELDS = tuple(field.name for field in fields(MemoryItem))
COLUMNS = ", ".join(_FIELDS)
"""The columns that `read` makes a memory of."""

_TIMES = ("occurred_at", "valid_from", "created_at", "expires_at", "last_recalled_at", "confirmed_at")
_TYPES = {**dict.fromkeys(_TIMES, TIME), "importance": "double", "pinned": "bool", "recalled": "int32"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """The words that support a memory, and where they stand."""

    memory_id: str
    session_no: int
    message_id: str
    quote: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which memories are meant.

    Args:
        profiles: in which profiles; empty: all.
        kinds: of which kinds; empty: all.
        statuses: with which status; empty: any.
        since: became true at or after.
        until: became true before.
        alive_at: not expired at this time; None: expired or not.
    """

    profiles: Sequence[str] = ()
    kinds: Sequence[str] = ()
    statuses: Sequence[str] = (Status.ACTIVE.value,)
    since: datetime | None = None
    until: datetime | None = None
    alive_at: datetime | None = None


def search_text(item: MemoryItem, queries: Iterable[str]) -> str:
    """The text under which a memory is found, by words and by vector: its questions, its topic, its content."""
    return "\n".join([*queries, item.topic_key or "", item.content]).strip()


def add(connection: duckdb.DuckDBPyConnection, items: Sequence[MemoryItem], terms: Sequence[Sequence[int]]) -> None:
    """Insert and index memories that are not stored yet.

    Args:
        connection: inside a writing transaction.
        items: the memories.
        terms: the terms of each one's `search_text`.
    """
    first = next_number(connection)
    put(connection, range(first, first + len(items)), items, terms)


def next_number(connection: duckdb.DuckDBPyConnection) -> int:
    """The number of the next memory. It is given once: vectors outlive their memory for a while, and carry only it."""
    return number(
        connection,
        "SELECT greatest((SELECT coalesce(max(no), 0) FROM memories), "
        "(SELECT coalesce(max(memory_no), 0) FROM versions)) + 1",
    )


def put(
    connection: duckdb.DuckDBPyConnection,
    numbers: Sequence[int],
    items: Sequence[MemoryItem],
    terms: Sequence[Sequence[int]],
) -> None:
    """Like `add`, under numbers that nobody has; a forgotten memory is not indexed."""
    insert(
        connection,
        "memories",
        {
            "no": ("int32", numbers),
            **{name: (_TYPES.get(name, "string"), [_plain(getattr(item, name)) for item in items]) for name in _FIELDS},
        },
    )
    fulltext.add(
        connection,
        [
            document(no, item, words)
            for no, item, words in zip(numbers, items, terms, strict=True)
            if item.status is not Status.FORGOTTEN
        ],
    )
    versions.note(connection, list(zip(numbers, items, strict=True)))


def document(no: int, item: MemoryItem, terms: Sequence[int]) -> fulltext.Document:
    """A memory as it is indexed."""
    # Superseded memories can be asked for, by words. Tasks are short-lived, and found by words as well.
    dense = item.status in (Status.ACTIVE, Status.REJECTED) and item.kind is not MemoryKind.TASK
    return fulltext.Document(-no, item.profile, terms, dense)


def add_queries(connection: duckdb.DuckDBPyConnection, queries: Sequence[tuple[str, str]]) -> None:
    """Insert (memory id, question) pairs of new memories."""
    insert(
        connection,
        "search_queries",
        {"memory_id": ("string", [m for m, _ in queries]), "query": ("string", [q for _, q in queries])},
    )


def add_support(connection: duckdb.DuckDBPyConnection, supports: Sequence[Support]) -> None:
    """Insert evidence."""
    insert(
        connection,
        "evidence",
        {
            "memory_id": ("string", [s.memory_id for s in supports]),
            "session_no": ("int32", [s.session_no for s in supports]),
            "message_id": ("string", [s.message_id for s in supports]),
            "quote": ("string", [s.quote for s in supports]),
            "said_at": (TIME, [stored(s.at) for s in supports]),
        },
    )


def set_status(
    connection: duckdb.DuckDBPyConnection,
    item: MemoryItem,
    *,
    status: Status,
    terms: Sequence[int] = (),
    superseded_by: str | None = None,
    valid_from: datetime | None = None,
) -> MemoryItem:
    """Change whether a memory counts, and how it can be found.

    Args:
        connection: inside a writing transaction.
        item: the memory as it is.
        status: the new status.
        terms: of its `search_text`; a forgotten one needs none.
        superseded_by: the memory that replaces it.
        valid_from: since when it is true (again); None leaves that as it is.
    """
    changed = replace(item, status=status, superseded_by=superseded_by, valid_from=valid_from or item.valid_from)
    return change(connection, changed, terms)


def change(connection: duckdb.DuckDBPyConnection, item: MemoryItem, terms: Sequence[int] | None = None) -> MemoryItem:
    """Write a stored memory anew, in all but its id; the index follows.

    Args:
        connection: inside a writing transaction.
        item: as it is to be.
        terms: of its `search_text` if its status changes; a forgotten one needs none. None leaves the index as it is.
    """
    no = number(connection, "SELECT no FROM memories WHERE id = $1", [item.id])
    names = [name for name in _FIELDS if name != "id"]
    setting = ", ".join(f"{name} = ${place}" for place, name in enumerate(names, start=2))
    connection.execute(
        f"UPDATE memories SET {setting} WHERE no = $1", [no, *(_plain(getattr(item, name)) for name in names)]
    )
    if terms is not None:
        fulltext.remove(connection, [-no])
        if item.status is not Status.FORGOTTEN:
            fulltext.add(connection, [document(no, item, terms)])
    versions.note(connection, [(no, item)])
    return item


def remove(connection: duckdb.DuckDBPyConnection, identity: str) -> None:
    """Take a memory out of the store with all that belongs to it; its embedding stays, which was paid for."""
    no = number(connection, "SELECT no FROM memories WHERE id = $1", [identity])
    fulltext.remove(connection, [-no])
    connection.execute("DELETE FROM vector_state WHERE slot = $1", [-no])
    for table, key in (("evidence", "memory_id"), ("search_queries", "memory_id"), ("memories", "id")):
        connection.execute(f"DELETE FROM {table} WHERE {key} = $1", [identity])
    versions.note(connection, [(no, None)])


def by_ids(connection: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> dict[str, MemoryItem]:
    """Memories by id, whatever their status."""
    if not ids:
        return {}
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM memories WHERE id IN (SELECT unnest($1::VARCHAR[]))", [list(ids)]
    ).fetchall()
    return {row[0]: read(row) for row in rows}


def by_numbers(connection: duckdb.DuckDBPyConnection, numbers: Sequence[int]) -> dict[int, MemoryItem]:
    """Memories by number (their slot, negated), whatever their status."""
    if not numbers:
        return {}
    rows = connection.execute(
        f"SELECT no, {COLUMNS} FROM memories WHERE no IN (SELECT unnest($1::INTEGER[]))", [list(numbers)]
    ).fetchall()
    return {row[0]: read(row[1:]) for row in rows}


def by_prefix(connection: duckdb.DuckDBPyConnection, start: str) -> list[MemoryItem]:
    """The memories whose id begins with `start`."""
    rows = connection.execute(f"SELECT {COLUMNS} FROM memories WHERE starts_with(id, $1)", [start]).fetchall()
    return [read(row) for row in rows]


def by_topics(
    connection: duckdb.DuckDBPyConnection, profiles: Sequence[str], keys: Sequence[str], *, active: bool
) -> list[tuple[int, MemoryItem]]:
    """(number, memory) of all that have one of these topic keys, newest first; `active`: or rejected ones."""
    if not keys:
        return []
    rows = connection.execute(
        f"SELECT no, {COLUMNS} FROM memories WHERE topic_key IN (SELECT unnest($1::VARCHAR[])) "
        "AND profile IN (SELECT unnest($2::VARCHAR[])) AND ($3 OR status IN ('active', 'rejected')) "
        "ORDER BY valid_from DESC NULLS LAST, no DESC",
        [list(keys), list(profiles), not active],
    ).fetchall()
    return [(row[0], read(row[1:])) for row in rows]


def topics(connection: duckdb.DuckDBPyConnection, profiles: Sequence[str], most: int) -> list[str]:
    """The topic keys that active memories have, those of the newest first."""
    rows = connection.execute(
        "SELECT topic_key FROM memories WHERE status = 'active' AND topic_key IS NOT NULL "
        "AND profile IN (SELECT unnest($1::VARCHAR[])) GROUP BY topic_key ORDER BY max(no) DESC LIMIT $2",
        [list(profiles), most],
    ).fetchall()
    return [key for (key,) in rows]


_LETS_THROUGH = """
    (len($profiles) = 0 OR list_contains($profiles, profile))
    AND (len($kinds) = 0 OR list_contains($kinds, kind))
    AND (len($statuses) = 0 OR list_contains($statuses, status))
    AND ($since::TIMESTAMP IS NULL OR valid_from >= $since) AND ($until::TIMESTAMP IS NULL OR valid_from < $until)
    AND ($alive_at::TIMESTAMP IS NULL OR expires_at IS NULL OR expires_at > $alive_at)
"""


def _parameters(wanted: Filter) -> dict[str, Any]:
    return {
        "profiles": list(wanted.profiles),
        "kinds": list(wanted.kinds),
        "statuses": list(wanted.statuses),
        "since": stored(wanted.since),
        "until": stored(wanted.until),
        "alive_at": stored(wanted.alive_at),
    }


def select(connection: duckdb.DuckDBPyConnection, wanted: Filter, limit: int | None = None) -> list[MemoryItem]:
    """The memories that a filter lets through, newest first."""
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM memories WHERE {_LETS_THROUGH} "
        "ORDER BY valid_from DESC NULLS LAST, no DESC LIMIT $limit",
        {**_parameters(wanted), "limit": 1 << 40 if limit is None else limit},
    ).fetchall()
    return [read(row) for row in rows]


def numbers(connection: duckdb.DuckDBPyConnection, wanted: Filter) -> list[int]:
    """The numbers of the memories that a filter lets through."""
    rows = connection.execute(f"SELECT no FROM memories WHERE {_LETS_THROUGH}", _parameters(wanted)).fetchall()
    return [no for (no,) in rows]


def dated(connection: duckdb.DuckDBPyConnection, profiles: Sequence[str], start: datetime, end: datetime) -> list[int]:
    """The numbers of memories of what happened, or was said, in a period; the newest first."""
    rows = connection.execute(
        "SELECT no FROM memories WHERE profile IN (SELECT unnest($1::VARCHAR[])) AND "
        "((occurred_at >= $2 AND occurred_at < $3) OR (valid_from >= $2 AND valid_from < $3)) "
        "ORDER BY coalesce(occurred_at, valid_from) DESC, no DESC",
        [list(profiles), stored(start), stored(end)],
    ).fetchall()
    return [no for (no,) in rows]


def evidence_of(connection: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> dict[str, list[Evidence]]:
    """The evidence of memories, oldest first."""
    if not ids:
        return {}
    rows = connection.execute(
        """
        SELECT e.memory_id, s.id, e.message_id, e.quote, coalesce(e.said_at, m.said_at) AS said_at, m.role,
            (SELECT min(o.source_id) FROM occurrences o WHERE o.session_no = e.session_no
                AND o.message_id = e.message_id AND o.said_at IS NOT DISTINCT FROM e.said_at)
        FROM evidence e JOIN sessions s ON s.no = e.session_no
        LEFT JOIN messages m ON m.session_no = e.session_no AND m.id = e.message_id
        WHERE e.memory_id IN (SELECT unnest($1::VARCHAR[])) ORDER BY 5 NULLS FIRST
        """,
        [list(ids)],
    ).fetchall()
    found: dict[str, list[Evidence]] = {}
    for memory, session, message, quote, at, role, source in rows:
        one = Evidence(
            memory_id=memory,
            session_id=session,
            message_id=message,
            quote=quote,
            at=told(at),
            role=role,
            source_id=source,
        )
        found.setdefault(memory, []).append(one)
    return found


def last_said(connection: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> dict[str, datetime]:
    """When the newest evidence of memories was said, of those that have any with a time."""
    rows = connection.execute(
        "SELECT memory_id, max(said_at) AS latest FROM evidence WHERE memory_id IN (SELECT unnest($1::VARCHAR[])) "
        "AND said_at IS NOT NULL GROUP BY memory_id",
        [list(ids)],
    ).fetchall()
    return {memory: at for memory, raw in rows if (at := told(raw)) is not None}


def places_of(
    connection: duckdb.DuckDBPyConnection, ids: Sequence[str]
) -> dict[str, set[tuple[int, str, datetime | None]]]:
    """Where memories have evidence: (session number, message id, time) by memory id."""
    found: dict[str, set[tuple[int, str, datetime | None]]] = {}
    for memory, session_no, message, at in connection.execute(
        "SELECT memory_id, session_no, message_id, said_at FROM evidence "
        "WHERE memory_id IN (SELECT unnest($1::VARCHAR[]))",
        [list(ids)],
    ).fetchall():
        found.setdefault(memory, set()).add((session_no, message, told(at)))
    return found


def queries_of(connection: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> dict[str, list[str]]:
    """The search queries of memories."""
    if not ids:
        return {}
    found: dict[str, list[str]] = {}
    for memory, query in connection.execute(
        "SELECT memory_id, query FROM search_queries WHERE memory_id IN (SELECT unnest($1::VARCHAR[]))", [list(ids)]
    ).fetchall():
        found.setdefault(memory, []).append(query)
    return found


def _plain(value: Any) -> Any:
    return stored(value) if isinstance(value, datetime) else value


def read(row: Sequence[Any]) -> MemoryItem:
    """A memory from a row of `COLUMNS`."""
    values = dict(zip(_FIELDS, row, strict=True))
    for name in _TIMES:
        values[name] = told(values[name])
    values["kind"] = MemoryKind(values["kind"])
    values["status"] = Status(values["status"])
    values["trust"] = Trust(values["trust"])
    return MemoryItem(**values)
