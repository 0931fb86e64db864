"""Every mutation, with what was before and what is after."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb

from agentmem.store.rows import TIME, insert, now, number, stored, told


@dataclass(frozen=True, slots=True)
class Entry:
    """One mutation, before it is written.

    Args:
        operation: `ingest`, `remember`, `evidence`, `supersede`, `reinstate`, `forget`.
        profile: the profile it happened in.
        subject: the id of the memory, message or session that changed.
        before: the changed values before; None where there was nothing.
        after: the changed values after; None where nothing is left.
    """

    operation: str
    profile: str
    subject: str
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Written(Entry):
    """An entry of the journal, with its number, time and actor."""

    no: int = 0
    at: datetime | None = None
    actor: str = ""


def write(connection: duckdb.DuckDBPyConnection, actor: str, entries: Sequence[Entry]) -> None:
    """Append entries, in the transaction of the mutations that they describe."""
    if not entries:
        return
    first = number(connection, "SELECT coalesce(max(no), 0) + 1 FROM journal")
    size = len(entries)
    insert(
        connection,
        "journal",
        {
            "no": ("int64", range(first, first + size)),
            "written_at": (TIME, [stored(now())] * size),
            "actor": ("string", [actor] * size),
            "operation": ("string", [e.operation for e in entries]),
            "profile": ("string", [e.profile for e in entries]),
            "subject": ("string", [e.subject for e in entries]),
            "before": ("string", [_json(e.before) for e in entries]),
            "after": ("string", [_json(e.after) for e in entries]),
        },
    )


def about(connection: duckdb.DuckDBPyConnection, subjects: Sequence[str]) -> list[Written]:
    """What happened to some memories, messages or sessions, oldest first."""
    rows = connection.execute(
        "SELECT no, written_at, actor, operation, profile, subject, before, after FROM journal "
        "WHERE subject IN (SELECT unnest($1::VARCHAR[])) ORDER BY no",
        [list(subjects)],
    ).fetchall()
    return [
        Written(operation, profile, subject, _read(before), _read(after), no=no, at=told(at), actor=actor)
        for no, at, actor, operation, profile, subject, before, after in rows
    ]


def _json(values: Mapping[str, Any] | None) -> str | None:
    return None if values is None else json.dumps(values, ensure_ascii=False, default=str)


def _read(text: str | None) -> dict[str, Any] | None:
    return None if text is None else json.loads(text)
