"""What language models owe: a row for each piece of a session. It stays when it is paid, so nothing is paid twice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import duckdb

from agentmem.store.rows import insert, now, number, stored

EXTRACT, SUMMARY, PATTERNS = "extract", "summary", "patterns"
STAGES = (EXTRACT, SUMMARY, PATTERNS)
MOST_ATTEMPTS = 3
"""After so many failures a piece is left alone until somebody asks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work.

    Args:
        stage: one of `STAGES`.
        key: hash of what is to be read.
        version: of the prompt.
        model: that is to read it.
        profile: where it belongs.
        session_no: the session; -1 where it is about many.
        first_seq: its first message.
        last_seq: its last message.
        attempts: how often it failed.
    """

    stage: str
    key: str
    version: str
    model: str
    profile: str
    session_no: int = -1
    first_seq: int = 0
    last_seq: int = 0
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A message as the planner sees it."""

    seq: int
    message_id: str
    role: str
    kind: str
    size: int


@dataclass(frozen=True, slots=True)
class Growth:
    """A session of which something is not covered by any piece yet.

    Args:
        session_no: the session.
        profile: its profile.
        last: its last piece, if it has one.
        open: whether that piece can still grow: nobody has tried it.
    """

    session_no: int
    profile: str
    last: Job | None = None
    open: bool = False


@dataclass(frozen=True, slots=True)
class Backlog:
    """How the work stands.

    Args:
        owed: pieces to be paid, by stage.
        failed: pieces that failed too often, and are left alone.
        errors: the last errors, the newest first.
        seconds_today: how long models worked today.
        calls: model calls so far.
        failures: how many of them failed.
        prompt_tokens: read so far.
        reply_tokens: written so far.
        seconds: how long models worked so far.
    """

    owed: Mapping[str, int]
    failed: int = 0
    errors: tuple[str, ...] = ()
    seconds_today: float = 0.0
    calls: int = 0
    failures: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    seconds: float = 0.0


_JOB = "stage, key, version, model, profile, session_no, first_seq, last_seq, attempts"


def grown(connection: duckdb.DuckDBPyConnection, sessions: Sequence[int] | None = None) -> list[Growth]:
    """Sessions with messages that no piece covers.

    Args:
        connection: the store.
        sessions: only these; None: all.
    """
    rows = connection.execute(
        f"""
        WITH covered AS (
            SELECT session_no, max(last_seq) AS last_seq FROM work WHERE stage = $stage GROUP BY session_no
        ), present AS (
            SELECT session_no, max(seq) AS last_seq FROM occurrences
            WHERE $sessions::INTEGER[] IS NULL OR list_contains($sessions, session_no) GROUP BY session_no
        )
        SELECT p.session_no, s.profile, w.last_seq IS NOT NULL, w.done_at IS NULL AND w.attempts = 0,
            {", ".join(f"w.{name}" for name in _JOB.split(", "))}
        FROM present p JOIN sessions s ON s.no = p.session_no
        LEFT JOIN covered c ON c.session_no = p.session_no
        LEFT JOIN work w ON w.stage = $stage AND w.session_no = p.session_no AND w.last_seq = c.last_seq
        WHERE c.last_seq IS NULL OR c.last_seq < p.last_seq ORDER BY p.session_no
        """,
        {"stage": EXTRACT, "sessions": None if sessions is None else list(sessions)},
    ).fetchall()
    return [
        Growth(no, profile, _job(job) if begun else None, bool(begun and is_open))
        for no, profile, begun, is_open, *job in rows
    ]


def lines(connection: duckdb.DuckDBPyConnection, session_no: int, first_seq: int) -> list[Line]:
    """The messages of a session from one on, in order; forgotten ones have no size."""
    rows = connection.execute(
        """
        SELECT o.seq, m.id, m.role, m.kind, CASE WHEN m.forgotten_at IS NULL THEN length(m.content) ELSE 0 END
        FROM occurrences o JOIN messages m ON m.session_no = o.session_no AND m.id = o.message_id
        WHERE o.session_no = $1 AND o.seq >= $2 ORDER BY o.seq
        """,
        [session_no, first_seq],
    ).fetchall()
    return [Line(*row) for row in rows]


def owe(connection: duckdb.DuckDBPyConnection, jobs: Sequence[Job], *, instead_of: Sequence[Job] = ()) -> None:
    """Note pieces of work, inside a writing transaction.

    Args:
        connection: the transaction.
        jobs: the new pieces.
        instead_of: pieces that they replace, because they have grown.
    """
    for job in instead_of:
        connection.execute("DELETE FROM work WHERE stage = $1 AND key = $2 AND done_at IS NULL", [job.stage, job.key])
    fields = _JOB.split(", ")
    kinds = {"session_no": "int32", "first_seq": "int32", "last_seq": "int32", "attempts": "int32"}
    insert(
        connection,
        "work",
        {name: (kinds.get(name, "string"), [getattr(job, name) for job in jobs]) for name in fields},
    )


def owed(
    connection: duckdb.DuckDBPyConnection,
    stage: str,
    limit: int,
    *,
    quiet_since: datetime | None = None,
    ended: Sequence[str] = (),
) -> list[Job]:
    """Pieces of a stage that are to be paid, those of the newest sessions first.

    Args:
        connection: the store.
        stage: which.
        limit: at most so many.
        quiet_since: leave out the last piece of a session that got a message since then: it may still grow.
        ended: sessions that are known to have ended, by id.
    """
    rows = connection.execute(
        f"""
        SELECT {", ".join(f"w.{name}" for name in _JOB.split(", "))}
        FROM work w LEFT JOIN sessions s ON s.no = w.session_no
        WHERE w.stage = $stage AND w.done_at IS NULL AND w.attempts < $most AND (
            $quiet::TIMESTAMP IS NULL OR s.no IS NULL OR s.ingested_at < $quiet OR list_contains($ended, s.id)
            OR EXISTS (SELECT 1 FROM work l WHERE l.stage = w.stage AND l.session_no = w.session_no
                AND l.last_seq > w.last_seq)
        )
        ORDER BY coalesce(s.ended_at, s.ingested_at) DESC NULLS LAST, w.session_no DESC, w.attempts, w.first_seq
        LIMIT $limit
        """,
        {"stage": stage, "most": MOST_ATTEMPTS, "quiet": stored(quiet_since), "ended": list(ended), "limit": limit},
    ).fetchall()
    return [_job(row) for row in rows]


def settle(connection: duckdb.DuckDBPyConnection, job: Job) -> bool:
    """Note that a piece is paid; False if another process has paid it, or it is gone."""
    found = connection.execute(
        "UPDATE work SET done_at = $1, last_error = NULL WHERE stage = $2 AND key = $3 AND done_at IS NULL RETURNING 1",
        [stored(now()), job.stage, job.key],
    ).fetchall()
    return bool(found)


def fail(connection: duckdb.DuckDBPyConnection, job: Job, error: str, times: int = 1) -> None:
    """Note that a piece failed, and for how many failures that counts: 0 where the fault is not the piece's."""
    connection.execute(
        "UPDATE work SET attempts = attempts + $5, last_error = $1, failed_at = $2 "
        "WHERE stage = $3 AND key = $4 AND done_at IS NULL",
        [error, stored(now()), job.stage, job.key, times],
    )


def redo(connection: duckdb.DuckDBPyConnection, stage: str, version: str, model: str) -> int:
    """Make a stage's work owed again, to be done with another prompt or model; tells how many pieces that are."""
    again = connection.execute(
        "UPDATE work SET done_at = NULL, attempts = 0, last_error = NULL, version = $1, model = $2 "
        "WHERE stage = $3 RETURNING 1",
        [version, model, stage],
    ).fetchall()
    return len(again)


def retry(connection: duckdb.DuckDBPyConnection) -> int:
    """Give pieces that failed too often another chance."""
    again = connection.execute(
        "UPDATE work SET attempts = 0 WHERE done_at IS NULL AND attempts >= $1 RETURNING 1", [MOST_ATTEMPTS]
    ).fetchall()
    return len(again)


def complete(
    connection: duckdb.DuckDBPyConnection, quiet_since: datetime, ended: Sequence[str], least: int
) -> list[tuple[int, str, int]]:
    """(number, profile, last message) of sessions that seem to be over, are read through, and lack a summary.

    Args:
        connection: the store.
        quiet_since: a session without a message since then is over.
        ended: sessions that are known to be, by id.
        least: how many messages of a person and an agent it must have.
    """
    rows: list[tuple[int, str, int]] = connection.execute(
        """
        SELECT s.no, any_value(s.profile), max(o.seq) FROM sessions s
        JOIN occurrences o ON o.session_no = s.no
        JOIN messages m ON m.session_no = o.session_no AND m.id = o.message_id
        WHERE (coalesce(s.ended_at, s.ingested_at) < $quiet OR list_contains($ended, s.id))
            AND EXISTS (SELECT 1 FROM work w WHERE w.stage = 'extract' AND w.session_no = s.no)
            AND NOT EXISTS (SELECT 1 FROM work w WHERE w.stage = 'extract' AND w.session_no = s.no
                AND w.done_at IS NULL AND w.attempts < $most)
        GROUP BY s.no
        HAVING count(*) FILTER (m.kind = 'text' AND m.role IN ('user', 'assistant')) >= $least
            AND max(o.seq) > (SELECT coalesce(max(w.last_seq), -1) FROM work w
                WHERE w.stage = 'summary' AND w.session_no = s.no)
        """,
        {"quiet": stored(quiet_since), "ended": list(ended), "most": MOST_ATTEMPTS, "least": least},
    ).fetchall()
    return rows


def unmined(connection: duckdb.DuckDBPyConnection, least: int) -> list[tuple[str, int]]:
    """(profile, sessions read through) of profiles with so many sessions more than when patterns were mined last."""
    rows: list[tuple[str, int]] = connection.execute(
        """
        SELECT w.profile, count(DISTINCT w.session_no) AS sessions FROM work w
        WHERE w.stage = 'extract' AND w.done_at IS NOT NULL GROUP BY w.profile
        HAVING sessions >= $1 + (SELECT coalesce(max(p.last_seq), 0) FROM work p
            WHERE p.stage = 'patterns' AND p.profile = w.profile)
        """,
        [least],
    ).fetchall()
    return rows


@dataclass(frozen=True, slots=True)
class Use:
    """What a stage took from its model."""

    stage: str
    model: str
    calls: int = 0
    failures: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    seconds: float = 0.0


def note_use(connection: duckdb.DuckDBPyConnection, day: date, uses: Sequence[Use]) -> None:
    """Add to what models took on a day."""
    for use in uses:
        values = [day, use.stage, use.model, use.calls, use.failures, use.prompt_tokens, use.reply_tokens, use.seconds]
        added = connection.execute(
            "UPDATE model_time SET calls = calls + $4, failures = failures + $5, prompt_tokens = prompt_tokens + $6, "
            "reply_tokens = reply_tokens + $7, seconds = seconds + $8 "
            "WHERE day = $1 AND stage = $2 AND model = $3 RETURNING 1",
            values,
        ).fetchall()
        if not added:
            connection.execute("INSERT INTO model_time VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", values)


def seconds_on(connection: duckdb.DuckDBPyConnection, day: date) -> float:
    """How long models worked on a day."""
    found = connection.execute("SELECT coalesce(sum(seconds), 0) FROM model_time WHERE day = $1", [day]).fetchall()
    return float(found[0][0])


def backlog(connection: duckdb.DuckDBPyConnection, day: date) -> Backlog:
    """How the work stands, on a day."""
    kept = "session_no IS NOT NULL AND done_at IS NULL"
    owed_by = connection.execute(
        f"SELECT stage, count(*) FROM work WHERE {kept} AND attempts < $1 GROUP BY stage ORDER BY stage",
        [MOST_ATTEMPTS],
    ).fetchall()
    errors = connection.execute(
        f"SELECT last_error FROM work WHERE {kept} AND last_error IS NOT NULL GROUP BY last_error "
        "ORDER BY max(failed_at) DESC LIMIT 3"
    ).fetchall()
    total = connection.execute(
        "SELECT coalesce(sum(calls), 0)::BIGINT, coalesce(sum(failures), 0)::BIGINT, "
        "coalesce(sum(prompt_tokens), 0)::BIGINT, coalesce(sum(reply_tokens), 0)::BIGINT, coalesce(sum(seconds), 0) "
        "FROM model_time"
    ).fetchall()[0]
    return Backlog(
        dict(owed_by),
        number(connection, f"SELECT count(*) FROM work WHERE {kept} AND attempts >= {MOST_ATTEMPTS}"),
        tuple(error for (error,) in errors),
        seconds_on(connection, day),
        *total,
    )


def _job(row: Sequence[Any]) -> Job:
    return Job(**dict(zip(_JOB.split(", "), row, strict=True)))
