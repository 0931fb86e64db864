"""What was done to memories, and what it changed, as JSON."""

from collections.abc import Callable
from typing import Any

from agentmem.cli import results
from agentmem.cli.json_parts import Fields, entry, memory, moment
from agentmem.store.versions import Version
from agentmem.upkeep.undo import Deed


def _deed(deed: Deed) -> Fields:
    entries = [
        {"about": one.about, "subject": one.subject, "profile": one.profile, **entry(one)} for one in deed.entries
    ]
    return {
        "entry": f"e{deed.no}",
        "at": moment(deed.at),
        "actor": deed.actor,
        "operation": deed.operation,
        "undoes": deed.undoes and f"e{deed.undoes}",
        "undone_by": deed.undone_by and f"e{deed.undone_by}",
        "final": deed.final or None,
        "changes": entries,
    }


def _differed(result: results.Differed) -> Fields:
    found = result.difference
    return {
        "since": moment(found.since),
        "until": moment(found.until),
        "changes": [
            {"memory": memory(one.memory), "before": _state(one.before), "after": _state(one.after)}
            for one in found.changes
        ],
    }


def _state(version: Version | None) -> Fields | None:
    if version is None:
        return None
    return {
        "status": version.status,
        "superseded_by": version.superseded_by,
        "valid_from": moment(version.valid_from),
        "expires_at": moment(version.expires_at),
        "reason": version.reason,
    }


FORMS: dict[type[Any], Callable[[Any], Fields]] = {
    results.Tended: lambda result: {"done": result.done, "memory": memory(result.memory)},
    results.Logged: lambda result: {"log": [_deed(one) for one in result.deeds]},
    results.Undone: lambda result: {"undone": [_deed(one) for one in result.deeds]},
    results.Differed: _differed,
    results.Reviewed: lambda result: {
        "profile": result.profile,
        "unconfirmed": [memory(one) for one in result.memories],
        "contradictions": [
            {"id": one.id, "reason": one.reason, "newer": memory(one.newer), "older": memory(one.older)}
            for one in result.contradictions
        ],
    },
}
