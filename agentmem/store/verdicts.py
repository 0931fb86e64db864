"""What a model said of the memories that it checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from agentmem.store.rows import TIME, insert, now, stored, told


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check said of a memory.

    Args:
        memory_id: the memory.
        check: its name; `all` for the whole.
        verdict: `pass` or `correct`; what was dropped has no memory.
        reason: the model's.
        before: what the memory said until it was corrected.
        model: that checked.
        version: of the prompt.
        at: when.
    """

    memory_id: str
    check: str
    verdict: str
    reason: str
    before: str | None
    model: str
    version: str
    at: datetime | None = None


def note_verdicts(connection: duckdb.DuckDBPyConnection, verdicts: Sequence[Verdict]) -> None:
    """Keep verdicts; those that a memory had from an earlier check go."""
    ids = list({one.memory_id for one in verdicts})
    connection.execute("DELETE FROM verdicts WHERE memory_id IN (SELECT unnest($1::VARCHAR[]))", [ids])
    at = stored(now())
    insert(
        connection,
        "verdicts",
        {
            "memory_id": ("string", [one.memory_id for one in verdicts]),
            "check_name": ("string", [one.check for one in verdicts]),
            "verdict": ("string", [one.verdict for one in verdicts]),
            "reason": ("string", [one.reason for one in verdicts]),
            "before": ("string", [one.before for one in verdicts]),
            "model": ("string", [one.model for one in verdicts]),
            "version": ("string", [one.version for one in verdicts]),
            "judged_at": (TIME, [at] * len(verdicts)),
        },
    )


def verdicts_of(connection: duckdb.DuckDBPyConnection, memory_id: str) -> list[Verdict]:
    """The verdicts on a memory, that on the whole first."""
    rows = connection.execute(
        "SELECT memory_id, check_name, verdict, reason, before, model, version, judged_at FROM verdicts "
        "WHERE memory_id = $1 ORDER BY check_name <> 'all', check_name",
        [memory_id],
    ).fetchall()
    return [
        Verdict(memory, check, verdict, reason, before, model, version, told(at))
        for memory, check, verdict, reason, before, model, version, at in rows
    ]
