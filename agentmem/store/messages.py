"""Verbatim messages: written once, found again by id, by slot and by neighbourhood."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb

from agentmem.domain.messages import Message, Role
from agentmem.store import fulltext
from agentmem.store.rows import TIME, insert, now, registered, stored, told
from agentmem.store.sessions import Place

SESSION_STEP = 1 << 24
"""Slots that each session has; far more than any session has messages."""

GLOBAL_IDS = frozenset({"claude", "qwen"})
"""Agents whose transcripts give a line the same id wherever it is copied to."""


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


_INDEXED = 50_000
"""Characters of one message that full-text search looks at; what is longer is data that somebody pasted."""


def indexed(speaker: str | None, content: str) -> str:
    """What of a message full-text search looks at."""
    return (f"{speaker}: {content}" if speaker else content)[:_INDEXED]


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


def add(connection: duckdb.DuckDBPyConnection, arrivals: Sequence[Arrival]) -> list[list[Incoming]]:
    """Store the messages of some sessions that are not there yet, inside a writing transaction.

    Said again, a message stays one row and gets a further occurrence. An occurrence is known by its id in
    the transcript, else by its time. One that has neither (a *bare* one) is known if the message is, as long as
    the stream has not given more bare messages than were stored when it began: so reading a transcript again, or only
    its end, adds nothing, and a "yes" said three times in a new one stays three occurrences.

    Returns:
        For each session those that gave a new occurrence.
    """
    copies = _copies(connection, arrivals)
    known = _known(connection, arrivals)
    stored_ids = set(known)
    fresh: list[list[Incoming]] = []
    first_seen: list[tuple[int, Incoming]] = []
    for arrival in arrivals:
        new = []
        for one in arrival.incoming:
            place = (arrival.place.no, one.id)
            if one.message.source_id in copies:
                continue
            key = one.message.source_id or stored(one.message.at)
            keys = known.setdefault(place, set())
            if keys and (key in keys if key is not None else one.bare < arrival.bare_before):
                continue
            keys.add(key)
            new.append(one)
            if place not in stored_ids:
                stored_ids.add(place)
                first_seen.append((arrival.place.no, one))
        fresh.append(new)
    _insert(connection, arrivals, fresh, first_seen)
    return fresh


def _copies(connection: duckdb.DuckDBPyConnection, arrivals: Sequence[Arrival]) -> set[str]:
    """The ids of lines that another session of the same profile has: a fork repeats what its parent said."""
    lines = [
        (arrival.place.no, arrival.profile, one.message.source_id)
        for arrival in arrivals
        for one in arrival.incoming
        if one.message.source_id and one.message.agent in GLOBAL_IDS
    ]
    if not lines:
        return set()
    with registered(
        connection,
        {
            "no": ("int32", [no for no, _, _ in lines]),
            "profile": ("string", [profile for _, profile, _ in lines]),
            "source_id": ("string", [source for _, _, source in lines]),
        },
    ):
        rows = connection.execute(
            "SELECT DISTINCT n.source_id FROM new_rows n "
            "JOIN occurrences o ON o.source_id = n.source_id AND o.session_no <> n.no "
            "JOIN sessions s ON s.no = o.session_no AND s.profile = n.profile"
        ).fetchall()
    return {source for (source,) in rows}


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
    fresh: Sequence[Sequence[Incoming]],
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
        for arrival, new in zip(arrivals, fresh, strict=True)
        for seq, one in enumerate(new, arrival.place.next_seq)
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
    spoken = (Role.USER, Role.ASSISTANT)
    fulltext.add(
        connection,
        [
            fulltext.Document(
                slot_of(arrival.place.no, seq), arrival.profile, one.terms, dense=one.message.role in spoken
            )
            for arrival, seq, one in placed
        ],
    )


_SELECT = f"""
    SELECT m.id, o.session_no * {SESSION_STEP}::BIGINT + o.seq AS slot, s.id AS session_id, s.profile, m.role, m.kind,
        m.trust, m.content, o.seq, coalesce(o.said_at, m.said_at), o.source_id, m.speaker, m.forgotten_at
    FROM occurrences o
    JOIN messages m ON m.session_no = o.session_no AND m.id = o.message_id
    JOIN sessions s ON s.no = o.session_no
"""


def by_slots(connection: duckdb.DuckDBPyConnection, slots: Sequence[int]) -> dict[int, StoredMessage]:
    """The messages at some slots."""
    if not slots:
        return {}
    rows = connection.execute(
        _SELECT
        + f"""
        JOIN (SELECT (slot // {SESSION_STEP})::INTEGER AS session_no, (slot % {SESSION_STEP})::INTEGER AS seq
              FROM (SELECT unnest($1::BIGINT[]) AS slot)) w ON w.session_no = o.session_no AND w.seq = o.seq
        """,
        [list(slots)],
    ).fetchall()
    found = map(_message, rows)
    return {message.slot: message for message in found}


def slots_between(
    connection: duckdb.DuckDBPyConnection, profiles: Sequence[str], since: datetime | None, until: datetime | None
) -> list[int]:
    """The slots of all messages said in a period, the newest first."""
    rows = connection.execute(
        f"""
        SELECT o.session_no * {SESSION_STEP}::BIGINT + o.seq FROM occurrences o
        JOIN sessions s ON s.no = o.session_no AND s.profile IN (SELECT unnest($1::VARCHAR[]))
        WHERE ($2::TIMESTAMP IS NULL OR o.said_at >= $2) AND ($3::TIMESTAMP IS NULL OR o.said_at < $3)
        ORDER BY o.said_at DESC, 1 DESC
        """,
        [list(profiles), stored(since), stored(until)],
    ).fetchall()
    return [slot for (slot,) in rows]


def by_id(connection: duckdb.DuckDBPyConnection, start: str) -> list[StoredMessage]:
    """Every occurrence of the messages whose id begins with `start`, oldest first."""
    rows = connection.execute(_SELECT + " WHERE starts_with(m.id, $1) ORDER BY s.profile, slot", [start]).fetchall()
    return [_message(row) for row in rows]


def around(connection: duckdb.DuckDBPyConnection, slot: int, reach: int) -> list[StoredMessage]:
    """A message and its neighbours in the session, in order."""
    found = by_slots(connection, range(slot - reach, slot + reach + 1))
    return [found[place] for place in sorted(found)]


def forget(connection: duckdb.DuckDBPyConnection, session_no: int, message_id: str) -> None:
    """Hide a message: it leaves the index and is not found again; its row stays, so that it can come back."""
    connection.execute(
        "UPDATE messages SET forgotten_at = $1 WHERE session_no = $2 AND id = $3",
        [stored(now()), session_no, message_id],
    )
    seqs = connection.execute(
        "SELECT seq FROM occurrences WHERE session_no = $1 AND message_id = $2", [session_no, message_id]
    ).fetchall()
    fulltext.remove(connection, [slot_of(session_no, seq) for (seq,) in seqs])


def _message(row: tuple[Any, ...]) -> StoredMessage:
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
