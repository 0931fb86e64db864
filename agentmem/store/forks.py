"""Lines that several transcripts have because a session was forked, and the one session that keeps each.

A fork repeats what its parent said: under the same ids (Claude Code's background sessions, Gemini CLI, Qwen Code, pi),
or under new ones with the same times (OpenCode, forks by Claude's SDK). Such a line is stored once in a profile. Which
of the sessions keeps it follows from their ids alone (`agentmem.domain.ids.session_rank`), so that it makes no
difference in which order the transcripts are read: where the session that ought to keep it comes later, the line moves
there, and what rests on it moves along.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from agentmem.domain.ids import session_rank
from agentmem.domain.messages import Message
from agentmem.store import fulltext
from agentmem.store.rows import TIME, registered, stored

GLOBAL_IDS = frozenset({"claude", "gemini", "qwen"})
"""Agents whose transcripts give a line the same id wherever it is copied to, and no other line that id."""

FORKING = GLOBAL_IDS | {"opencode", "pi"}
"""Agents whose forks repeat lines with the time at which they were said."""


@dataclass(frozen=True, slots=True)
class Line:
    """A message that wants to be stored in a session.

    Args:
        no: the session's number.
        profile: the session's.
        id: the message's content address in that session.
        message: what was said.
    """

    no: int
    profile: str
    id: str
    message: Message


@dataclass(frozen=True, slots=True)
class Moving:
    """An occurrence that leaves the session that had it.

    Args:
        session_id: that session.
        no: its number.
        seq: the occurrence's position there.
        id: the message's id there.
        at: when it was said.
        source_id: the id that the transcript there gives the line.
        stored_at: when it was stored there.
        forgotten_at: when it was forgotten, if it was.
        is_purged: whether its words were taken out for good.
    """

    session_id: str
    no: int
    seq: int
    id: str
    at: datetime | None
    source_id: str | None
    stored_at: datetime | None
    forgotten_at: datetime | None
    is_purged: bool


@dataclass(frozen=True, slots=True)
class Moved:
    """An occurrence that left its session, with its position and the message's id where it is now."""

    old: Moving
    seq: int
    id: str


@dataclass(frozen=True, slots=True)
class Settled:
    """What is to become of lines that other sessions have as well.

    Args:
        kept_elsewhere: the positions of lines that are not to be stored.
        moving: position -> the occurrence in whose place it is to be stored.
    """

    kept_elsewhere: frozenset[int]
    moving: Mapping[int, Moving]


def settle(connection: duckdb.DuckDBPyConnection, lines: Sequence[Line]) -> Settled:
    """Find out which lines other sessions of the same profile have, stored or among these; nothing is written."""
    asked = [n for n, line in enumerate(lines) if line.message.agent in FORKING]
    kept, moving = set(), {}
    if asked:
        for n, one in _stored(connection, lines, asked):
            # What was purged must stay where that is known.
            if one.is_purged or session_rank(one.session_id) < session_rank(lines[n].message.session_id):
                kept.add(n)
            else:
                moving[n] = one
        first: dict[tuple[object, ...], str] = {}
        for n in sorted(asked, key=lambda n: session_rank(lines[n].message.session_id)):
            keepers = [first.setdefault(key, lines[n].message.session_id) for key in _keys(lines[n])]
            if any(keeper != lines[n].message.session_id for keeper in keepers):
                kept.add(n)
    return Settled(frozenset(kept), {n: one for n, one in moving.items() if n not in kept})


def _keys(line: Line) -> list[tuple[object, ...]]:
    said = line.message
    keys: list[tuple[object, ...]] = []
    if said.at is not None:
        keys.append((line.profile, said.agent, said.role, said.at, said.content))
    if said.source_id and said.agent in GLOBAL_IDS:
        keys.append((line.profile, said.source_id))
    return keys


def _stored(
    connection: duckdb.DuckDBPyConnection, lines: Sequence[Line], asked: Sequence[int]
) -> list[tuple[int, Moving]]:
    """(position, the occurrence in the session that has it)."""
    said = [lines[n].message for n in asked]
    with registered(
        connection,
        {
            "n": ("int64", asked),
            "no": ("int32", [lines[n].no for n in asked]),
            "profile": ("string", [lines[n].profile for n in asked]),
            "agent": ("string", [one.agent for one in said]),
            "role": ("string", [one.role.value for one in said]),
            "content": ("string", [one.content for one in said]),
            "at": (TIME, [stored(one.at) for one in said]),
            "source_id": ("string", [one.source_id if one.agent in GLOBAL_IDS else None for one in said]),
        },
    ):
        rows = connection.execute(
            """
            WITH found AS (
                SELECT n.n, o.session_no, o.seq, o.message_id, o.said_at, o.source_id, o.stored_at FROM new_rows n
                JOIN occurrences o ON o.source_id = n.source_id AND o.session_no <> n.no
                JOIN sessions s ON s.no = o.session_no AND s.profile = n.profile
                UNION
                SELECT n.n, o.session_no, o.seq, o.message_id, o.said_at, o.source_id, o.stored_at FROM new_rows n
                JOIN occurrences o ON o.said_at = n."at" AND o.session_no <> n.no
                JOIN sessions s ON s.no = o.session_no AND s.profile = n.profile AND s.agent = n.agent
                JOIN messages m ON m.session_no = o.session_no AND m.id = o.message_id
                    AND m.role = n.role AND (m.content = n.content OR m.purged_by IS NOT NULL)
            )
            SELECT f.n, s.id, f.session_no, f.seq, f.message_id, f.said_at, f.source_id, f.stored_at,
                m.forgotten_at, m.purged_by IS NOT NULL
            FROM found f
            JOIN sessions s ON s.no = f.session_no
            JOIN messages m ON m.session_no = f.session_no AND m.id = f.message_id
            """
        ).fetchall()
    return [(n, Moving(*place)) for n, *place in rows]


def take_out(connection: duckdb.DuckDBPyConnection, moves: Sequence[tuple[Moving, Line]], step: int) -> None:
    """Take occurrences out of their sessions and let their evidence point to where they will be stored.

    Args:
        connection: inside a writing transaction.
        moves: what leaves, and what will be stored in its place.
        step: slots that a session has.
    """
    if not moves:
        return
    fulltext.remove(connection, [old.no * step + old.seq for old, _ in moves])
    with registered(
        connection,
        {
            "old_no": ("int32", [old.no for old, _ in moves]),
            "seq": ("int32", [old.seq for old, _ in moves]),
            "old_id": ("string", [old.id for old, _ in moves]),
            "at": (TIME, [old.at for old, _ in moves]),
            "new_at": (TIME, [stored(line.message.at) for _, line in moves]),
            "no": ("int32", [line.no for _, line in moves]),
            "id": ("string", [line.id for _, line in moves]),
        },
    ):
        connection.execute(
            """
            DELETE FROM occurrences USING new_rows n
            WHERE occurrences.session_no = n.old_no AND occurrences.seq = n.seq;
            UPDATE evidence SET session_no = n.no, message_id = n.id, said_at = n.new_at FROM new_rows n
            WHERE evidence.session_no = n.old_no AND evidence.message_id = n.old_id
                AND evidence.said_at IS NOT DISTINCT FROM n."at";
            DELETE FROM messages USING new_rows n WHERE messages.session_no = n.old_no AND messages.id = n.old_id
                AND NOT EXISTS (
                    SELECT 1 FROM occurrences o WHERE o.session_no = n.old_no AND o.message_id = n.old_id
                );
            """
        )
