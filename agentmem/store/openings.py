"""What was worked on last: the latest sessions of a project, each with the words that tell what it was about."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from agentmem.store.rows import told

_LONGEST = 2_000  # characters of the words that are handed on


@dataclass(frozen=True, slots=True)
class Opening:
    """A session, and what it was about.

    Args:
        session_id: the session.
        at: when its last message was said, or else when it was stored.
        agent: the program it was held with.
        branch: the git branch it ended on.
        words: its summary, else what a person said in it first.
        derived: whether the words are a summary.
    """

    session_id: str
    at: datetime | None
    agent: str | None
    branch: str | None
    words: str
    derived: bool


def latest(connection: duckdb.DuckDBPyConnection, profile: str, most: int, *, but: str | None = None) -> list[Opening]:
    """The latest sessions in which a person said something, newest first.

    Args:
        connection: the store.
        profile: the project.
        most: how many.
        but: a session to leave out: the one that asks.
    """
    rows = connection.execute(
        """
        SELECT no, id, coalesce(ended_at, ingested_at) AS latest, agent, branch FROM sessions
        WHERE profile = $1 AND id IS DISTINCT FROM $2 ORDER BY latest DESC, id LIMIT $3
        """,
        [profile, but, most * 4],  # some will have nothing to show: an agent was started and left again
    ).fetchall()
    numbers = [row[0] for row in rows]
    summaries = _summaries(connection, numbers)
    first = _first_words(connection, [no for no in numbers if no not in summaries])
    return [
        Opening(identity, told(at), agent, branch, summaries.get(no) or first[no], derived=no in summaries)
        for no, identity, at, agent, branch in rows
        if no in summaries or no in first
    ][:most]


def _summaries(connection: duckdb.DuckDBPyConnection, numbers: Sequence[int]) -> dict[int, str]:
    rows = connection.execute(
        """
        SELECT e.session_no, arg_max(left(m.content, $2), (coalesce(m.valid_from, m.created_at), m.id))
        FROM memories m JOIN evidence e ON e.memory_id = m.id
        WHERE m.kind = 'summary' AND m.status = 'active' AND m.trust <> 'low' AND list_contains($1, e.session_no)
        GROUP BY e.session_no
        """,
        [list(numbers), _LONGEST],
    ).fetchall()
    return dict(rows)


def _first_words(connection: duckdb.DuckDBPyConnection, numbers: Sequence[int]) -> dict[int, str]:
    rows = connection.execute(
        """
        SELECT o.session_no, arg_min(left(m.content, $2), o.seq)
        FROM occurrences o JOIN messages m ON m.session_no = o.session_no AND m.id = o.message_id
        WHERE list_contains($1, o.session_no) AND list_contains($1, m.session_no)
            AND m.role = 'user' AND m.kind = 'text' AND m.trust = 'high' AND m.forgotten_at IS NULL
            AND NOT EXISTS (
                SELECT 1 FROM evidence e JOIN memories f ON f.id = e.memory_id AND f.status = 'forgotten'
                WHERE e.session_no = m.session_no AND e.message_id = m.id
            )
        GROUP BY o.session_no
        """,
        [list(numbers), _LONGEST],
    ).fetchall()
    return dict(rows)
