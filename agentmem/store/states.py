"""Memories before and after a mutation, as the journal keeps them, and the way back.

A memory's *state* is all that belongs to it: its fields, its number, its search queries and its evidence. An entry of
the journal holds what differs between two states; where a memory came to be or went, the whole state. Postings follow
from a state, and so do vectors, which `agentmem work` brings back from what was paid for.

Not part of a change: how often and when a memory was recalled. That is noted by reading, and nobody takes it back.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import duckdb

from agentmem.domain.memories import MemoryItem, MemoryKind, Status
from agentmem.domain.messages import Trust
from agentmem.store import journal, memories
from agentmem.store.fulltext import Terms
from agentmem.store.rows import number, stored

State = dict[str, Any]
"""Fields of `MemoryItem`, times as text; `no`, `queries` and `evidence` (session number, message, quote, time)."""

_RECALLED = ("last_recalled_at", "recalled")
_LISTS = ("queries", "evidence")
_TIMES = tuple(field.name for field in fields(MemoryItem) if field.name.endswith(("_at", "_from")))


def take(connection: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> dict[str, State]:
    """The states of memories by id; those that are not stored are left out."""
    if not ids:
        return {}
    numbers = dict(
        connection.execute(
            "SELECT id, no FROM memories WHERE id IN (SELECT unnest($1::VARCHAR[]))", [list(ids)]
        ).fetchall()
    )
    queries = memories.queries_of(connection, list(numbers))
    evidence: dict[str, list[list[Any]]] = {}
    for key, session_no, message, quote, at in connection.execute(
        "SELECT memory_id, session_no, message_id, quote, said_at FROM evidence "
        "WHERE memory_id IN (SELECT unnest($1::VARCHAR[]))",
        [list(numbers)],
    ).fetchall():
        evidence.setdefault(key, []).append(words(session_no, message, quote, at))
    return {
        key: state(item, numbers[key], queries.get(key, ()), evidence.get(key, ()))
        for key, item in memories.by_ids(connection, list(numbers)).items()
    }


def state(item: MemoryItem, no: int | None, queries: Iterable[str], evidence: Iterable[Sequence[Any]]) -> State:
    """The state of a memory, put together."""
    return {
        **fields_of(item),
        "no": no,
        "queries": list(queries),  # in their order, which decides on the vector
        "evidence": [list(one) for one in evidence],
    }


def fields_of(item: MemoryItem) -> State:
    """A memory's own fields, as they stand in a state."""
    return {field.name: _plain(getattr(item, field.name)) for field in fields(MemoryItem)}


def words(session_no: int, message: str, quote: str, at: datetime | None) -> list[Any]:
    """A piece of evidence, as it stands in a state."""
    return [session_no, message, quote, _plain(at)]


def entry(operation: str, before: State | None, after: State | None) -> journal.Entry | None:
    """What the journal says of a change; None if nothing changed but what was recalled."""
    known = after or before
    if known is None:
        return None
    if before is not None and after is not None:
        names = [n for n in after if n not in (*_LISTS, *_RECALLED) and before[n] != after[n]]
        old, new = {n: before[n] for n in names}, {n: after[n] for n in names}
        for name in _LISTS:
            gone, come = _missing(before[name], after[name]), _missing(after[name], before[name])
            if gone or come:
                old[name], new[name] = gone, come
        if not new:
            return None
        before, after = old, new
    return journal.Entry(operation, known["profile"], known["id"], before=before, after=after)


@contextmanager
def recorded(
    connection: duckdb.DuckDBPyConnection,
    actor: str,
    operation: str,
    ids: Iterable[str] = (),
    *,
    action: journal.Action | None = None,
) -> Iterator[set[str]]:
    """Write into the journal what happens to memories, and to tombstones, while the context lasts.

    Yields:
        The ids that are watched: add those of memories that come to be. Ids that exist must be named from the start.
    """
    watched = set(ids)
    before, graves = take(connection, sorted(watched)), _graves(connection)
    yield watched
    after, dug = take(connection, sorted(watched)), _graves(connection)
    changes = [entry(operation, before.get(key), after.get(key)) for key in sorted(watched)]
    tombs = [_grave(operation, row, None) for row in _missing(graves, dug)]
    tombs += [_grave(operation, None, row) for row in _missing(dug, graves)]
    journal.write(connection, actor, [one for one in changes if one is not None] + tombs, action)


def differs(connection: duckdb.DuckDBPyConnection, subject: str, after: Mapping[str, Any] | None) -> bool:
    """Whether a memory is no longer as an entry of the journal left it."""
    now = take(connection, [subject]).get(subject)
    if now is None or after is None:
        return (now is None) is not (after is None)
    fits = all(now.get(name) == value for name, value in after.items() if name not in (*_LISTS, *_RECALLED, "no"))
    if "id" in after and any(_missing(now[name], after[name]) for name in _LISTS):  # it is the whole state
        return True
    return not fits or any(_missing(after.get(name, ()), now[name]) for name in _LISTS)


def restore(
    connection: duckdb.DuckDBPyConnection,
    subject: str,
    wanted: Mapping[str, Any] | None,
    given: Mapping[str, Any] | None,
    terms: Terms,
) -> None:
    """Bring a memory from the state that a change left it in back to the one before.

    Args:
        connection: inside a writing transaction.
        subject: its id.
        wanted: what the entry says of the state to bring back.
        given: what it says of the state that is there.
        terms: for the index.
    """
    if wanted is None:
        memories.remove(connection, subject)
        return
    if given is None:
        item = _item(wanted)
        taken = number(connection, "SELECT count(*) FROM memories WHERE no = $1", [wanted["no"] or 0])
        index = terms.of(memories.search_text(item, wanted["queries"]))
        if taken or not wanted["no"]:
            memories.add(connection, [item], [index])
        else:
            memories.put(connection, [wanted["no"]], [item], [index])
        _add_lists(connection, subject, wanted)
        return
    now = take(connection, [subject])[subject]
    _take_lists(connection, subject, given)
    _add_lists(connection, subject, wanted)
    item = _item({**now, **{name: value for name, value in wanted.items() if name not in (*_LISTS, "no")}})
    queries = memories.queries_of(connection, [subject]).get(subject, ())
    memories.change(connection, item, terms.of(memories.search_text(item, queries)))
    if wanted.get("queries") or given.get("queries"):  # it is found by other words, so by another vector
        connection.execute("DELETE FROM vector_state WHERE slot = $1", [-now["no"]])


def restore_tombstone(
    connection: duckdb.DuckDBPyConnection, wanted: Mapping[str, Any] | None, given: Mapping[str, Any] | None
) -> None:
    """Take a tombstone away, or put it back."""
    if given is not None:
        where = " AND ".join(f"{name}::VARCHAR IS NOT DISTINCT FROM ${n}" for n, name in enumerate(given, start=1))
        connection.execute(f"DELETE FROM tombstones WHERE {where}", list(given.values()))
    if wanted is not None:
        places = ", ".join(f"${n}" for n in range(1, len(wanted) + 1))
        connection.execute(f"INSERT INTO tombstones ({', '.join(wanted)}) VALUES ({places})", list(wanted.values()))


def _add_lists(connection: duckdb.DuckDBPyConnection, subject: str, wanted: Mapping[str, Any]) -> None:
    memories.add_queries(connection, [(subject, query) for query in wanted.get("queries", ())])
    supports = [
        memories.Support(memory_id=subject, session_no=no, message_id=message, quote=quote, at=_time(at))
        for no, message, quote, at in wanted.get("evidence", ())
    ]
    memories.add_support(connection, supports)


def _take_lists(connection: duckdb.DuckDBPyConnection, subject: str, given: Mapping[str, Any]) -> None:
    for query in given.get("queries", ()):
        connection.execute("DELETE FROM search_queries WHERE memory_id = $1 AND query = $2", [subject, query])
    for no, message, quote, at in given.get("evidence", ()):
        connection.execute(
            "DELETE FROM evidence WHERE memory_id = $1 AND session_no = $2 AND message_id = $3 AND quote = $4 "
            "AND said_at IS NOT DISTINCT FROM $5::TIMESTAMP",
            [subject, no, message, quote, stored(_time(at))],
        )


def _graves(connection: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    found = connection.execute("SELECT COLUMNS(*)::VARCHAR FROM tombstones ORDER BY ALL")
    names = [column[0] for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def _grave(operation: str, before: dict[str, Any] | None, after: dict[str, Any] | None) -> journal.Entry:
    row = before or after or {}
    return journal.Entry(
        operation, str(row.get("profile", "")), str(row.get("digest", "")), before, after, journal.TOMBSTONE
    )


def _missing(some: Iterable[Any], others: Iterable[Any]) -> list[Any]:
    """Those of some values that are not, or not as often, among the others."""
    left = list(others)
    missing = []
    for one in some:
        if one in left:
            left.remove(one)
        else:
            missing.append(one)
    return missing


def _item(values: Mapping[str, Any]) -> MemoryItem:
    given = {field.name: values[field.name] for field in fields(MemoryItem) if field.name in values}
    times = {name: _time(given.get(name)) for name in _TIMES}
    item = MemoryItem(**{**given, **times})
    return replace(item, kind=MemoryKind(item.kind), status=Status(item.status), trust=Trust(item.trust))


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        aware = value if value.tzinfo else value.replace(tzinfo=UTC)
        return aware.astimezone(UTC).isoformat()
    return value


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def rival(connection: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> str | None:
    """A memory that is active on the topic of one of these, which is active as well; None: there is none."""
    rows = connection.execute(
        "SELECT min(other.id) FROM memories m JOIN memories other ON other.profile = m.profile "
        "AND other.topic_key = m.topic_key AND other.id <> m.id AND other.status = 'active' "
        "WHERE m.status = 'active' AND m.id IN (SELECT unnest($1::VARCHAR[]))",
        [list(ids)],
    ).fetchall()
    found: str | None = rows[0][0]
    return found


def orphan(connection: duckdb.DuckDBPyConnection, ids: Sequence[str], session_ids: Sequence[str]) -> str | None:
    """A memory that points to one of these which is gone, or whose words in one of these sessions are; None: none."""
    rows = connection.execute(
        """
        SELECT min(id) FROM (
            SELECT id FROM memories WHERE superseded_by IN (SELECT unnest($1::VARCHAR[]))
                AND superseded_by NOT IN (SELECT id FROM memories)
            UNION ALL
            SELECT e.memory_id FROM evidence e LEFT JOIN sessions s ON s.no = e.session_no
            ANTI JOIN messages m ON m.session_no = e.session_no AND m.id = e.message_id
            WHERE len($2::VARCHAR[]) > 0 AND (s.id IS NULL OR list_contains($2::VARCHAR[], s.id))
        )
        """,
        [list(ids), list(session_ids)],
    ).fetchall()
    found: str | None = rows[0][0]
    return found
