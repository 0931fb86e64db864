"""Every mutation, with what was before and what is after."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb

from agentmem.store.forks import Moved
from agentmem.store.rows import TIME, insert, now, number, stored, told

MEMORY, MESSAGE, SESSION, TOMBSTONE, LINES = "memory", "message", "session", "tombstone", "lines"
"""What an entry can be about. *Lines* are those of a session that another one has as well, and keeps from then on."""

_COLUMNS = "no, written_at, actor, operation, profile, subject, before, after, about, action, undoes"


@dataclass(frozen=True, slots=True)
class Entry:
    """One mutation, before it is written.

    Args:
        operation: `ingest`, `remember`, `evidence`, `supersede`, `reinstate`, `forget`, `pin` …
        profile: the profile it happened in.
        subject: the id of the memory, message or session that changed, or a tombstone's digest.
        before: the changed values before; None where there was nothing.
        after: the changed values after; None where nothing is left.
        about: what the subject is: `memory`, `message`, `session`, `tombstone`.
    """

    operation: str
    profile: str
    subject: str
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    about: str = MEMORY


@dataclass(frozen=True, slots=True)
class Written(Entry):
    """An entry of the journal, with its number, time and actor, and the action that it is part of.

    `action` is None for entries of the first release, which noted too little to be undone; `undoes` is the action that
    this one takes back.
    """

    no: int = 0
    at: datetime | None = None
    actor: str = ""
    action: int | None = None
    undoes: int | None = None


@dataclass(slots=True)
class Action:
    """All that one command does, in however many transactions; it is logged and undone as one.

    Args:
        no: the number of its first entry; None before that is written.
        undoes: the action that it takes back.
    """

    no: int | None = None
    undoes: int | None = None


def write(
    connection: duckdb.DuckDBPyConnection, actor: str, entries: Sequence[Entry], action: Action | None = None
) -> None:
    """Append entries, in the transaction of the mutations that they describe.

    Args:
        connection: inside a writing transaction.
        actor: who did it: `user`, `told`, `ingest` …
        entries: in the order in which it was done.
        action: what they are part of; None: these entries are all of it.
    """
    if not entries:
        return
    first = number(connection, "SELECT coalesce(max(no), 0) + 1 FROM journal")
    size = len(entries)
    action = action or Action()
    action.no = first if action.no is None else action.no
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
            "about": ("string", [e.about for e in entries]),
            "action": ("int64", [action.no] * size),
            "undoes": ("int64", [action.undoes] * size),
        },
    )


def moves(profile: str, no: int, moved: Sequence[Moved]) -> list[Entry]:
    """What is to be written of lines that went to a session, by the number of that; an entry for each they left."""
    left: dict[tuple[str, int], list[Moved]] = {}
    for one in moved:
        left.setdefault((one.old.session_id, one.old.no), []).append(one)
    return [
        Entry(
            "move",
            profile,
            session_id,
            {
                "session_no": old_no,
                "lines": [[one.old.seq, one.old.id, one.old.source_id, one.old.stored_at] for one in lines],
            },
            {"session_no": no, "lines": [[one.seq, one.id] for one in lines]},
            LINES,
        )
        for (session_id, old_no), lines in left.items()
    ]


def about(connection: duckdb.DuckDBPyConnection, subjects: Sequence[str]) -> list[Written]:
    """What happened to some memories, messages or sessions, oldest first."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM journal WHERE subject IN (SELECT unnest($1::VARCHAR[])) ORDER BY no", [list(subjects)]
    ).fetchall()
    return [_written(row) for row in rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which entries are meant.

    Args:
        since: written at or after.
        until: written before.
        subjects: about one of these; empty: about anything.
        actions: part of one of these actions; empty: of any.
        profiles: in one of these; empty: in any.
    """

    since: datetime | None = None
    until: datetime | None = None
    subjects: Sequence[str] = ()
    actions: Sequence[int] = ()
    profiles: Sequence[str] = ()


def entries(connection: duckdb.DuckDBPyConnection, wanted: Wanted, limit: int | None = None) -> list[Written]:
    """All entries of the actions of which one entry is meant, oldest first.

    Args:
        connection: the store.
        wanted: which ones.
        limit: of so many actions at most, the newest.
    """
    rows = connection.execute(
        f"""
        WITH meant AS (
            SELECT DISTINCT coalesce(action, no) AS number FROM journal
            WHERE ($since::TIMESTAMP IS NULL OR written_at >= $since)
                AND ($until::TIMESTAMP IS NULL OR written_at < $until)
                AND (len($subjects::VARCHAR[]) = 0 OR list_contains($subjects, subject))
                AND (len($actions::BIGINT[]) = 0 OR list_contains($actions, coalesce(action, no)))
                AND (len($profiles::VARCHAR[]) = 0 OR profile = '' OR list_contains($profiles, profile))
            ORDER BY number DESC LIMIT $limit
        )
        SELECT {_COLUMNS} FROM journal JOIN meant ON meant.number = coalesce(action, no) ORDER BY no
        """,
        {
            "since": stored(wanted.since),
            "until": stored(wanted.until),
            "subjects": list(wanted.subjects),
            "actions": list(wanted.actions),
            "profiles": list(wanted.profiles),
            "limit": 1 << 40 if limit is None else limit,
        },
    ).fetchall()
    return [_written(row) for row in rows]


def known(connection: duckdb.DuckDBPyConnection, action: int) -> bool:
    """Whether there is an action of this number."""
    return bool(number(connection, "SELECT count(*) FROM journal WHERE coalesce(action, no) = $1", [action]))


def beginning(connection: duckdb.DuckDBPyConnection, start: str) -> list[str]:
    """The subjects of memories, messages and sessions whose id begins so."""
    rows = connection.execute(
        "SELECT DISTINCT subject FROM journal WHERE starts_with(subject, $1) AND about IS DISTINCT FROM $2",
        [start.strip(), TOMBSTONE],
    ).fetchall()
    return [subject for (subject,) in rows]


def undone(connection: duckdb.DuckDBPyConnection) -> dict[int, int]:
    """The actions that are taken back, each with the one that did it; what was taken back twice counts again."""
    pairs = connection.execute(
        "SELECT DISTINCT action, undoes FROM journal WHERE undoes IS NOT NULL ORDER BY action DESC"
    ).fetchall()
    found: dict[int, int] = {}
    for action, taken in pairs:  # the newest first: whether it still counts is settled by then
        if action not in found:
            found[taken] = action
    return found


def since(connection: duckdb.DuckDBPyConnection, subjects: Sequence[str], no: int) -> list[int]:
    """The actions, newest first, that touched one of these subjects after an entry."""
    rows = connection.execute(
        "SELECT DISTINCT coalesce(action, no) AS number FROM journal "
        "WHERE no > $1 AND subject IN (SELECT unnest($2::VARCHAR[])) ORDER BY number DESC",
        [no, list(subjects)],
    ).fetchall()
    return [number for (number,) in rows]


def _written(row: Sequence[Any]) -> Written:
    no, at, actor, operation, profile, subject, before, after, about, action, undoes = row
    return Written(
        operation,
        profile,
        subject,
        _read(before),
        _read(after),
        about or MEMORY,
        no=no,
        at=told(at),
        actor=actor,
        action=action,
        undoes=undoes,
    )


def _json(values: Mapping[str, Any] | None) -> str | None:
    return None if values is None else json.dumps(values, ensure_ascii=False, default=str)


def _read(text: str | None) -> dict[str, Any] | None:
    return None if text is None else json.loads(text)
