"""Does what the agents say get here? The part of `agentmem doctor` that looks at capture."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

from agentmem.paths import Home
from agentmem.store.store import Store
from agentmem.upkeep import notes
from agentmem.upkeep.backfill import survey
from agentmem.upkeep.doctor import OK, WARNING, Check
from agentmem.upkeep.places import Machine

_SOON = 600.0  # seconds after which a note that still waits is worth a word


def examine_capture(store: Store, machine: Machine | None = None) -> list[Check]:
    """Per agent what it has here, what was heard of it, and what is missing; and the notes that wait."""
    heard = notes.recall(store.home)
    found, _, unread = survey(store, machine or Machine())
    checks = [_spool(store.home, heard)]
    present = {one.agent for one in found}
    for one in found:
        events = heard.events.get(one.agent, {})
        told = ", ".join(f"{event} {_ago(at)}" for event, at in sorted(events.items())) or "no event was ever seen"
        state = OK
        hints = []
        if one.due:
            state = WARNING
            hints.append(f"`agentmem backfill {one.agent}` reads what is missing.")
        detail = f"{one.files:,} sessions on disk, {one.due:,} of them not (wholly) in the store; {told}"
        checks.append(Check(one.agent, state, detail, " ".join(hints)))
    for agent, events in sorted(heard.events.items()):
        if agent not in present:
            told = ", ".join(f"{event} {_ago(at)}" for event, at in sorted(events.items()))
            checks.append(Check(agent, WARNING, f"its hooks call ({told}), but no transcript was found", ""))
    if unread:
        first = f"{unread[0].path}: {unread[0].why}"
        checks.append(
            Check("transcripts", WARNING, f"{len(unread):,} cannot be read, as {first}", "Check your rights.")
        )
    return checks


def _spool(home: Home, heard: notes.Heard) -> Check:
    many, since = notes.backlog(home)
    words = list(_words(many, since, heard))
    stuck = since is not None and time.time() - since > _SOON
    bad = stuck or heard.last_error
    hint = f"`agentmem work --drain` deals with them; {home.log / 'worker.log'} tells more." if bad else ""
    return Check("capture", WARNING if bad else OK, "; ".join(words), hint)


def _words(many: int, since: float | None, heard: notes.Heard) -> Iterator[str]:
    if since is None:
        yield "no note waits"
    else:
        yield f"{many:,} notes wait, the oldest for {_span(time.time() - since)}"
    if heard.failed:
        yield f"{heard.failed:,} came to nothing so far, as their transcript was not there"
    if heard.last_run:
        yield f"the worker ran {_ago(heard.last_run)}"
    if heard.last_error:
        yield f"and stopped: {heard.last_error}"


def _ago(at: str) -> str:
    try:
        then = datetime.fromisoformat(at)
    except ValueError:
        return "at a time that cannot be read"
    return f"{_span((datetime.now(UTC) - then).total_seconds())} ago"


def _span(seconds: float) -> str:
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length:.0f} {unit}"
    return f"{max(0, seconds):.0f} seconds"
