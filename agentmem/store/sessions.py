"""Profiles and the sessions that belong to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from agentmem.domain.messages import Message
from agentmem.errors import NotFound
from agentmem.projects import USER
from agentmem.store.rows import TIME, insert, now, number, registered, stored, told


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile and what it holds."""

    name: str
    identity: str | None
    created_at: datetime | None
    sessions: int
    messages: int
    memories: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a session stands in the store.

    Args:
        no: its number.
        next_seq: the position of its next message.
        bare: how many of its occurrences have neither an id nor a time of their own.
    """

    no: int
    next_seq: int = 0
    bare: int = 0


def ensure_profile(connection: duckdb.DuckDBPyConnection, name: str, identity: str | None = None) -> None:
    """Create a profile unless it is there; one that did not know what it stands for is told."""
    connection.execute(
        "INSERT INTO profiles SELECT $name, $identity, $at "
        "WHERE NOT EXISTS (SELECT 1 FROM profiles WHERE name = $name)",
        {"name": name, "identity": identity, "at": stored(now())},
    )
    if identity is not None:
        connection.execute("UPDATE profiles SET identity = $2 WHERE name = $1 AND identity IS NULL", [name, identity])


def find_profile(connection: duckdb.DuckDBPyConnection, wanted: str) -> str:
    """The profile that a person means by a name: the exact one, else the only one that begins so.

    Raises:
        NotFound: none, or several.
    """
    names: list[str] = [name for (name,) in connection.execute("SELECT name FROM profiles ORDER BY name").fetchall()]
    if wanted in names or wanted == USER:
        return wanted
    close = [name for name in names if name.rsplit("-", 1)[0] == wanted] or [n for n in names if n.startswith(wanted)]
    if len(close) == 1:
        return close[0]
    if close:
        raise NotFound(f"Several profiles are meant by {wanted!r}", f"Say which: {', '.join(close)}.")
    some = ", ".join(names[:8]) or "none yet"
    raise NotFound(f"There is no profile {wanted!r}", f"`agentmem profile list` shows all; there are: {some}.")


def exact_profile(connection: duckdb.DuckDBPyConnection, wanted: str) -> str:
    """The profile of exactly that name: what is taken away is not taken by the beginning of its name.

    Raises:
        NotFound: there is none.
    """
    found = find_profile(connection, wanted)
    if found != wanted:
        raise NotFound(f"There is no profile {wanted!r}", f"If {found!r} is meant, say its whole name.")
    return found


def list_profiles(connection: duckdb.DuckDBPyConnection) -> list[Profile]:
    """All profiles with counts, by name."""
    rows = connection.execute(
        """
        SELECT p.name, p.identity, p.created_at,
            (SELECT count(*) FROM sessions s WHERE s.profile = p.name),
            (SELECT count(*) FROM messages m JOIN sessions s ON m.session_no = s.no WHERE s.profile = p.name),
            (SELECT count(*) FROM memories e WHERE e.profile = p.name AND e.status = 'active')
        FROM profiles p ORDER BY p.name
        """
    ).fetchall()
    return [Profile(name, identity, told(at), *counts) for name, identity, at, *counts in rows]


def places(connection: duckdb.DuckDBPyConnection, keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Place]:
    """Where sessions stand, by (profile, session id); those that are not stored yet are left out."""
    rows = connection.execute(
        """
        SELECT s.profile, s.id, s.no, coalesce(max(o.seq) + 1, 0),
            count(o.seq) FILTER (o.source_id IS NULL AND o.said_at IS NULL)
        FROM sessions s LEFT JOIN occurrences o ON o.session_no = s.no
        WHERE s.id IN (SELECT unnest($ids::VARCHAR[])) AND s.profile IN (SELECT unnest($profiles::VARCHAR[]))
        GROUP BY s.profile, s.id, s.no
        """,
        {"ids": list({key[1] for key in keys}), "profiles": list({key[0] for key in keys})},
    ).fetchall()
    wanted = set(keys)
    return {(p, i): Place(no, seq, bare) for p, i, no, seq, bare in rows if (p, i) in wanted}


def begin_with(connection: duckdb.DuckDBPyConnection, start: str) -> list[tuple[int, str, str]]:
    """Number, profile and id of the sessions whose id begins so."""
    rows: list[tuple[int, str, str]] = connection.execute(
        "SELECT no, profile, id FROM sessions WHERE starts_with(id, $1) ORDER BY no", [start]
    ).fetchall()
    return rows


def profiles_of(connection: duckdb.DuckDBPyConnection, session_ids: Sequence[str]) -> dict[str, str]:
    """The profile in which each session was stored before, of those that were, in exactly one."""
    rows = connection.execute(
        "SELECT id, min(profile) FROM sessions WHERE id IN (SELECT unnest($1::VARCHAR[])) "
        "GROUP BY id HAVING count(DISTINCT profile) = 1",
        [list(session_ids)],
    ).fetchall()
    return dict(rows)


def spans(connection: duckdb.DuckDBPyConnection, numbers: Sequence[int]) -> dict[int, dict[str, str | None]]:
    """What `extend` changes of sessions, as text, by number: what the journal notes before it does."""
    rows = connection.execute(
        "SELECT no, started_at::VARCHAR, ended_at::VARCHAR, cwd, branch, ingested_at::VARCHAR FROM sessions "
        "WHERE no IN (SELECT unnest($1::INTEGER[]))",
        [list(numbers)],
    ).fetchall()
    names = ("started_at", "ended_at", "cwd", "branch", "ingested_at")
    return {row[0]: dict(zip(names, row[1:], strict=True)) for row in rows}


def drop_empty_profile(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Take a profile away that holds nothing."""
    connection.execute(
        "DELETE FROM profiles WHERE name = $1 AND NOT EXISTS (SELECT 1 FROM sessions WHERE profile = $1) "
        "AND NOT EXISTS (SELECT 1 FROM memories WHERE profile = $1)",
        [name],
    )


def create(
    connection: duckdb.DuckDBPyConnection, firsts: Sequence[tuple[str, Message]], source: str
) -> dict[tuple[str, str], Place]:
    """Create sessions, each from its profile and first message."""
    no = number(connection, "SELECT coalesce(max(no), 0) + 1 FROM sessions")
    numbers = range(no, no + len(firsts))
    insert(
        connection,
        "sessions",
        {
            "no": ("int32", numbers),
            "id": ("string", [message.session_id for _, message in firsts]),
            "profile": ("string", [profile for profile, _ in firsts]),
            "agent": ("string", [message.agent for _, message in firsts]),
            "source": ("string", [source] * len(firsts)),
            "ingested_at": (TIME, [stored(now())] * len(firsts)),
        },
    )
    return {(profile, message.session_id): Place(n) for n, (profile, message) in zip(numbers, firsts, strict=True)}


def extend(connection: duckdb.DuckDBPyConnection, added: Mapping[int, Sequence[Message]]) -> None:
    """Note that sessions have new messages: their span of time, and the folder and branch said last."""
    rows = []
    for no, messages in added.items():
        times = [message.at for message in messages if message.at is not None]
        folder = next((m.cwd for m in reversed(messages) if m.cwd), None)
        branch = next((m.branch for m in reversed(messages) if m.branch), None)
        rows.append((no, stored(min(times, default=None)), stored(max(times, default=None)), folder, branch))
    with registered(
        connection,
        {
            "no": ("int32", [row[0] for row in rows]),
            "first": (TIME, [row[1] for row in rows]),
            "last": (TIME, [row[2] for row in rows]),
            "cwd": ("string", [row[3] for row in rows]),
            "branch": ("string", [row[4] for row in rows]),
        },
    ):
        connection.execute(
            """
            UPDATE sessions SET started_at = least(started_at, n.first), ended_at = greatest(ended_at, n.last),
                cwd = coalesce(n.cwd, sessions.cwd), branch = coalesce(n.branch, sessions.branch), ingested_at = $1
            FROM new_rows n WHERE n.no = sessions.no
            """,
            [stored(now())],
        )
