"""The memories as they were at another time: true then, or known then."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import duckdb

from agentmem.domain.memories import MemoryItem, Status
from agentmem.domain.past import Record, true_at
from agentmem.store import memories, versions
from agentmem.store.memories import Filter
from agentmem.store.rows import stored, told
from agentmem.store.versions import Version


@dataclass(frozen=True, slots=True)
class Past:
    """A memory as it was, and since when it was true."""

    item: MemoryItem
    since: datetime | None


def look(
    connection: duckdb.DuckDBPyConnection, wanted: Filter, *, as_of: datetime | None, known_at: datetime | None
) -> dict[int, Past]:
    """The memories that were true, or known, at another time, by number.

    Args:
        connection: the store.
        wanted: which of them; its statuses are those of that time, and do not count where `as_of` is given.
        as_of: those that were true then, as far as is known now.
        known_at: as far as the store knew then; alone: those that it knew, and held to be true.
    """
    known = versions.known(connection, known_at)
    loose = replace(wanted, statuses=(), alive_at=None, since=None, until=None)
    items = {no: item for no, item in _items(connection, loose).items() if no in known}
    if as_of is None:
        kept = [no for no, item in items.items() if item.status is not Status.FORGOTTEN]  # forgotten since: never told
        found = {no: Past(_as_known(items[no], known[no]), known[no].valid_from) for no in kept}
        found = {no: past for no, past in found.items() if _counts(past.item, wanted, known_at)}
    else:
        records = _records(connection, items, known, known_at)
        since = true_at(records, as_of)
        found = {no: Past(_as_known(items[no], known[no]) if known_at else items[no], at) for no, at in since.items()}
    return {no: past for no, past in found.items() if _within(past.since, wanted)}


def _items(connection: duckdb.DuckDBPyConnection, wanted: Filter) -> dict[int, MemoryItem]:
    return memories.by_numbers(connection, memories.numbers(connection, wanted))


def _as_known(item: MemoryItem, version: Version) -> MemoryItem:
    return replace(
        item,
        status=version.status or item.status,
        superseded_by=version.superseded_by,
        valid_from=version.valid_from,
        expires_at=version.expires_at,
        reason=version.reason,
    )


def _counts(item: MemoryItem, wanted: Filter, at: datetime | None) -> bool:
    if item.status is Status.FORGOTTEN:
        return False
    if not wanted.statuses:
        return True
    alive = item.expires_at is None or at is None or item.expires_at > at
    return item.status in wanted.statuses and alive


def _within(since: datetime | None, wanted: Filter) -> bool:
    late = wanted.since is None or (since is not None and since >= wanted.since)
    return late and (wanted.until is None or (since is not None and since < wanted.until))


def _records(
    connection: duckdb.DuckDBPyConnection,
    items: dict[int, MemoryItem],
    known: dict[int, Version],
    known_at: datetime | None,
) -> list[Record]:
    claims: dict[int, set[datetime]] = {no: set() for no in items}
    for version in versions.of(connection, list(items), known_at):
        if version.valid_from is not None:
            claims[version.memory_no].add(version.valid_from)
    numbers = {item.id: no for no, item in items.items()}
    for identity, at in _said(connection, list(numbers), known_at):
        claims[numbers[identity]].add(at)
    changed = versions.since(connection, list(items), known_at)
    records = []
    for no, item in items.items():
        version = known[no]
        heir = numbers.get(version.superseded_by or "")
        # Forgotten since it was known: still never told.
        status = Status.FORGOTTEN if item.status is Status.FORGOTTEN else version.status or item.status
        records.append(
            Record(
                no=no,
                identity=item.id,
                topic=(item.profile, item.topic_key) if item.topic_key else None,
                trust=item.trust,
                status=status,
                changed_at=changed[no],
                claims=tuple(claims[no]),
                replaced_at=None if heir is None else known[heir].valid_from,
                expires_at=version.expires_at,
            )
        )
    return records


def _said(
    connection: duckdb.DuckDBPyConnection, ids: Sequence[str], known_at: datetime | None
) -> list[tuple[str, datetime]]:
    """When memories were said, by their evidence that was stored by a time."""
    rows = connection.execute(
        """
        SELECT e.memory_id, e.said_at FROM evidence e
        WHERE e.memory_id IN (SELECT unnest($1::VARCHAR[])) AND e.said_at IS NOT NULL
            AND ($2::TIMESTAMP IS NULL OR EXISTS (
                SELECT 1 FROM occurrences o WHERE o.session_no = e.session_no AND o.message_id = e.message_id
                    AND o.said_at IS NOT DISTINCT FROM e.said_at AND o.stored_at <= $2))
        """,
        [list(ids), stored(known_at)],
    ).fetchall()
    return [(identity, at) for identity, raw in rows if (at := told(raw)) is not None]
