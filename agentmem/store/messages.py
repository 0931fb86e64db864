"""Verbatim messages: written once, found again by id, by slot and by neighbourhood."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import duckdb

from agentmem.domain.messages import Message, Role
from agentmem.store import forks, fulltext
from agentmem.store.forks import Line, Moved, Moving
from agentmem.store.rows import TIME, insert, now, registered, stored, told
from agentmem.store.sessions import Place

SESSION_STEP = fulltext.SESSION_STEP

INDEXED = 50_000
"""Characters of one message that full-text search looks at; what is longer is data that somebody pasted."""

SPOKEN = (Role.USER, Role.ASSISTANT)
"""Whose messages are to have a vector."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message with all that was worked out before the database was opened.

    Args:
        message: the message.
        id: its content address.
        terms: its terms for the full-text index.
        bare: for a message that has neither an id nor a time of its own: how many such messages of its session
            came before it in this stream.
    """

    message: Message
    id: str
    terms: list[int]
    bare: int


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message as the store gives it back, at one of its occurrences."""

    id: str
    slot: int
    session_id: str
    profile: str
    role: str
    kind: str
    trust: str
    content: str
    seq: int
    at: datetime | None = None
    source_id: str | None = None
    speaker: str | None = None
    forgotten_at: datetime | None = None


def indexed(speaker: str | None, content: str) -> str:
    """What of a message full-text search looks at."""
    return (f"{speaker}: {content}" if speaker else content)[:INDEXED]


def slot_of(session_no: int, seq: int) -> int:
    """The number of the document that a message at this place is."""
    return session_no * SESSION_STEP + seq


@dataclass(frozen=True, slots=True)
class Arrival:
    """Messages of one session that want to be stored.

    Args:
        profile: the session's.
        place: where the session stands.
        bare_before: the bare occurrences that the session had when this stream began.
        incoming: in the order of the stream.
    """

    profile: str
    place: Place
    bare_before: int
    incoming: Sequence[Incoming]


@dataclass(frozen=True, slots=True)
class Added:
    """What became of the messages of one session.

    Args:
        new: those that gave a new occurrence.
        moved: those that another session had, and that this one keeps from now on.
        elsewhere: how many another session keeps.
        moves: of `moved`, where each was and is now.
    """

    new: list[Incoming]
    moved: list[Incoming]
    elsewhere: int
    moves: Sequence[Moved] = ()


def add(connection: duckdb.DuckDBPyConnection, arrivals: Sequence[Arrival]) -> list[Added]:
    """Store the messages of some sessions that are not there yet, inside a writing transaction.

    Said again, a message stays one row and gets a further occurrence. An occurrence is known by its id in
    the transcript, else by its time. One that has neither (a *bare* one) is known if the message is, as long as
    the stream has not given more bare messages than were stored when it began: so reading a transcript again, or only
    its end, adds nothing, and a "yes" said three times in a new one stays three occurrences. What a fork repeats is
    stored once; see `agentmem.store.forks`.

    Returns:
        For each session what became of its messages.
    """
    lines = [
        Line(arrival.place.no, arrival.profile, one.id, one.message) for arrival in arrivals for one in arrival.incoming
    ]
    settled = forks.settle(connection, lines)
    known = _known(connection, arrivals)
    stored_ids = set(known)
    added: list[Added] = []
    first_seen: list[tuple[int, Incoming]] = []
    moves: list[tuple[Moving, Line]] = []
    position = -1
    for arrival in arrivals:
        into = Added([], [], 0)
        elsewhere = 0
        left: dict[int, Moving] = {}
        for one in arrival.incoming:
            position += 1
            place = (arrival.place.no, one.id)
            if position in settled.kept_elsewhere:
                elsewhere += 1
                continue
            key = one.message.source_id or stored(one.message.at)
            keys = known.setdefault(place, set())
            if keys and (key in keys if key is not None else one.bare < arrival.bare_before):
                continue
            keys.add(key)
            if position in settled.moving:
                moves.append((settled.moving[position], lines[position]))
                into.moved.append(one)
                left[id(one)] = settled.moving[position]
            else:
                into.new.append(one)
            if place not in stored_ids:
                stored_ids.add(place)
                first_seen.append((arrival.place.no, one))
        places = enumerate(_in_order(arrival, into), arrival.place.next_seq)
        came = [Moved(left[id(one)], seq, one.id) for seq, one in places if id(one) in left]
        added.append(replace(into, elsewhere=elsewhere, moves=came))
    forks.take_out(connection, moves, SESSION_STEP)
    _insert(connection, arrivals, added, first_seen)
    for old, line in moves:
        if old.forgotten_at is not None:
            forget(connection, line.no, line.id, old.forgotten_at)
    return added


def _known(connection: duckdb.DuckDBPyConnection, arrivals: Sequence[Arrival]) -> dict[tuple[int, str], set[object]]:
    """How these messages are stored so far: (session number, id) -> keys of the occurrences."""
    places = {(arrival.place.no, one.id) for arrival in arrivals for one in arrival.incoming}
    known: dict[tuple[int, str], set[object]] = {}
    with registered(connection, {"no": ("int32", [no for no, _ in places]), "id": ("string", [i for _, i in places])}):
        rows = connection.execute(
            "SELECT DISTINCT o.session_no, o.message_id, o.said_at, o.source_id FROM occurrences o "
            "SEMI JOIN new_rows n ON n.no = o.session_no AND n.id = o.message_id"
        ).fetchall()
    for no, message_id, said_at, source_id in rows:
        known.setdefault((no, message_id), set()).add(source_id or said_at)
    return known


def _insert(
    connection: duckdb.DuckDBPyConnection,
    arrivals: Sequence[Arrival],
    added: Sequence[Added],
    first_seen: Sequence[tuple[int, Incoming]],
) -> None:
    insert(
        connection,
        "messages",
        {
            "session_no": ("int32", [no for no, _ in first_seen]),
            "id": ("string", [one.id for _, one in first_seen]),
            "role": ("string", [one.message.role.value for _, one in first_seen]),
            "kind": ("string", [one.message.kind.value for _, one in first_seen]),
            "trust": ("string", [one.message.trust.value for _, one in first_seen]),
            "speaker": ("string", [one.message.speaker for _, one in first_seen]),
            "content": ("string", [one.message.content for _, one in first_seen]),
            "said_at": (TIME, [stored(one.message.at) for _, one in first_seen]),
        },
    )
    placed = [
        (arrival, seq, one)
        for arrival, into in zip(arrivals, added, strict=True)
        for seq, one in enumerate(_in_order(arrival, into), arrival.place.next_seq)
    ]
    insert(
        connection,
        "occurrences",
        {
            "session_no": ("int32", [arrival.place.no for arrival, _, _ in placed]),
            "seq": ("int32", [seq for _, seq, _ in placed]),
            "message_id": ("string", [one.id for _, _, one in placed]),
            "said_at": (TIME, [stored(one.message.at) for _, _, one in placed]),
            "source_id": ("string", [one.message.source_id for _, _, one in placed]),
            "stored_at": (TIME, [stored(now())] * len(placed)),
        },
    )
    fulltext.add(
        connection,
        [
            fulltext.Document(
                slot_of(arrival.place.no, seq), arrival.profile, one.terms, dense=one.message.role in SPOKEN
            )
            for arrival, seq, one in placed
        ],
    )


def _in_order(arrival: Arrival, into: Added) -> list[Incoming]:
    """What is stored of an arrival, as it came."""
    if not into.moved:
        return into.new
    wanted = {id(one) for one in (*into.new, *into.moved)}
    return [one for one in arrival.incoming if id(one) in wanted]


_AT = f"""
    WITH wanted AS MATERIALIZED (SELECT unnest($1::BIGINT[]) AS slot),
    placed AS MATERIALIZED (
        SELECT * FROM occurrences WHERE session_no IN (SELECT (slot // {SESSION_STEP})::INTEGER FROM wanted)
            AND session_no * {SESSION_STEP}::BIGINT + seq IN (SELECT slot FROM wanted)
    ),
    known AS MATERIALIZED (
        SELECT rowid AS place, session_no, id FROM messages
        WHERE session_no IN (SELECT (slot // {SESSION_STEP})::INTEGER FROM wanted)
    ),
    o AS MATERIALIZED (
        SELECT p.*, k.place FROM placed p JOIN known k ON k.session_no = p.session_no AND k.id = p.message_id
    )
"""
"""The occurrences at some slots as `o`, and where their messages lie. Both tables are first cut down to the sessions: a
join of the whole tables by the messages' ids costs ten times as much in a store of a million messages."""

SELECT = f"""
    SELECT m.id, o.session_no * {SESSION_STEP}::BIGINT + o.seq AS slot, s.id AS session_id, s.profile, m.role, m.kind,
        m.trust, m.content, o.seq, coalesce(o.said_at, m.said_at), o.source_id, m.speaker, m.forgotten_at
    FROM occurrences o
    JOIN messages m ON m.session_no = o.session_no AND m.id = o.message_id
    JOIN sessions s ON s.no = o.session_no
"""
"""The rows that `read` makes messages of."""

_SELECT_AT = _AT + SELECT.replace("occurrences o", "o").replace(
    "m.session_no = o.session_no AND m.id = o.message_id", "m.rowid = o.place"
)


def by_slots(connection: duckdb.DuckDBPyConnection, slots: Sequence[int]) -> dict[int, StoredMessage]:
    """The messages at some slots."""
    if not slots:
        return {}
    rows = connection.execute(_SELECT_AT, [list(slots)]).fetchall()
    found = map(read, rows)
    return {message.slot: message for message in found}


@dataclass(frozen=True, slots=True)
class Traits:
    """What a message is like, apart from its words."""

    role: str
    speaker: str | None
    asks: bool
    at: datetime | None


def traits(connection: duckdb.DuckDBPyConnection, slots: Sequence[int]) -> dict[int, Traits]:
    """The traits of the messages at some slots; `asks`: the text ends with a question mark."""
    rows = connection.execute(
        _AT
        + f"""
        SELECT o.session_no * {SESSION_STEP}::BIGINT + o.seq, m.role, m.speaker,
            right(rtrim(m.content), 1) IN ('?', '？'), coalesce(o.said_at, m.said_at)
        FROM o JOIN messages m ON m.rowid = o.place
        """,
        [list(slots)],
    ).fetchall()
    return {slot: Traits(role, speaker, asks, told(at)) for slot, role, speaker, asks, at in rows}


def slots_between(
    connection: duckdb.DuckDBPyConnection,
    profiles: Sequence[str],
    since: datetime | None,
    until: datetime | None,
    *,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
) -> list[int]:
    """The slots of all messages said in a period, the newest first.

    Args:
        connection: the store.
        profiles: where to look.
        since: said at or after.
        until: said before.
        as_of: said by then; one without a time counts from when it was stored.
        known_at: stored by then.
    """
    rows = connection.execute(
        f"""
        SELECT o.session_no * {SESSION_STEP}::BIGINT + o.seq FROM occurrences o
        JOIN sessions s ON s.no = o.session_no AND s.profile IN (SELECT unnest($1::VARCHAR[]))
        WHERE ($2::TIMESTAMP IS NULL OR o.said_at >= $2) AND ($3::TIMESTAMP IS NULL OR o.said_at < $3)
            AND ($4::TIMESTAMP IS NULL OR coalesce(o.said_at, o.stored_at) <= $4)
            AND ($5::TIMESTAMP IS NULL OR o.stored_at <= $5)
        ORDER BY o.said_at DESC, 1 DESC
        """,
        [list(profiles), stored(since), stored(until), stored(as_of), stored(known_at)],
    ).fetchall()
    return [slot for (slot,) in rows]


def by_id(connection: duckdb.DuckDBPyConnection, start: str) -> list[StoredMessage]:
    """Every occurrence of the messages whose id begins with `start`, oldest first."""
    rows = connection.execute(SELECT + " WHERE starts_with(m.id, $1) ORDER BY s.profile, slot", [start]).fetchall()
    return [read(row) for row in rows]


def around(connection: duckdb.DuckDBPyConnection, slot: int, reach: int) -> list[StoredMessage]:
    """A message and its neighbours in the session, in order."""
    found = by_slots(connection, range(slot - reach, slot + reach + 1))
    return [found[place] for place in sorted(found)]


def forget(connection: duckdb.DuckDBPyConnection, session_no: int, message_id: str, at: datetime | None = None) -> None:
    """Hide a message: it leaves the index and is not found again; its row stays, so that it can come back.

    Args:
        connection: inside a writing transaction.
        session_no: the session's number.
        message_id: the message's id.
        at: when it was forgotten, as the database keeps it; None: now.
    """
    connection.execute(
        "UPDATE messages SET forgotten_at = $1 WHERE session_no = $2 AND id = $3",
        [at or stored(now()), session_no, message_id],
    )
    seqs = connection.execute(
        "SELECT seq FROM occurrences WHERE session_no = $1 AND message_id = $2", [session_no, message_id]
    ).fetchall()
    fulltext.remove(connection, [slot_of(session_no, seq) for (seq,) in seqs])


def read(row: tuple[Any, ...]) -> StoredMessage:
    """The message of a row of `SELECT`."""
    identity, slot, session_id, profile, role, kind, trust, content, seq, at, source_id, speaker, forgotten = row
    return StoredMessage(
        id=identity,
        slot=slot,
        session_id=session_id,
        profile=profile,
        role=role,
        kind=kind,
        trust=trust,
        content=content,
        seq=seq,
        at=told(at),
        source_id=source_id,
        speaker=speaker,
        forgotten_at=told(forgotten),
    )
