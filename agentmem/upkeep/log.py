"""What the log is asked for, and what lies between two times."""

import re
from dataclasses import dataclass
from datetime import datetime

from agentmem.domain.memories import MemoryItem, Status
from agentmem.errors import NotFound, UsageError
from agentmem.store import journal, memories, versions
from agentmem.store.store import Connection
from agentmem.store.versions import Version
from agentmem.upkeep.inspect import find

ACTION = re.compile(r"e(\d{1,18})")
"""How an action is called."""

_SHORTEST_ID = 8  # characters that ids are shown with: one that begins with e may go on with digits alone


def subject_of(connection: Connection, about: str | None) -> journal.Wanted:
    """The entries that are about a thing: an action `e12`, a memory, a message, a session; None: all.

    Raises:
        NotFound: there is no such thing.
        UsageError: several are meant.
    """
    if about is None:
        return journal.Wanted()
    called = ACTION.fullmatch(about.strip().lower())
    if called and (journal.known(connection, int(called[1])) or len(called[0]) < _SHORTEST_ID):
        return journal.Wanted(actions=(int(called[1]),))
    if journal.about(connection, [about]):
        return journal.Wanted(subjects=(about,))
    try:
        found = find(connection, about)
    except (NotFound, UsageError):
        known = journal.beginning(connection, about)  # what is gone from the store may still stand in the log
        if len(known) != 1:
            raise
        return journal.Wanted(subjects=tuple(known))
    return journal.Wanted(subjects=(found.id if isinstance(found, MemoryItem) else found[0].id,))


def actions_called(names: list[str]) -> tuple[int | None, tuple[int, ...]]:
    """What `undo` is asked for: how many, or which.

    Raises:
        UsageError: neither a number alone nor names like e12.
    """
    called = [ACTION.fullmatch(name.strip().lower()) for name in names]
    if names and all(called):
        return None, tuple(int(one[1]) for one in called if one)
    if len(names) == 1 and names[0].isascii() and names[0].isdigit() and int(names[0]) > 0:
        return int(names[0]), ()
    if not names:
        return 1, ()
    raise UsageError(
        f"{' '.join(names)!r} names nothing to undo",
        "A number undoes so many of the last actions, `e12` that one; `agentmem log` shows them.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A memory at two times; None: it was not known."""

    memory: MemoryItem
    before: Version | None
    after: Version | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What lies between two times.

    Args:
        since: the earlier.
        until: the later; None: now.
        changes: memories that were not the same at both, in the order in which they came to be.
    """

    since: datetime
    until: datetime | None
    changes: tuple[Change, ...]


def difference(
    connection: Connection, profiles: tuple[str, ...], since: datetime, until: datetime | None
) -> Difference:
    """The memories of some profiles whose state was not the same at two times. What is gone for good is left out."""
    before, after = versions.known(connection, since), versions.known(connection, until)
    moved = [no for no in sorted({*before, *after}) if _facts(before.get(no)) != _facts(after.get(no))]
    items = memories.by_numbers(connection, moved)
    changes = [
        Change(memory=items[no], before=before.get(no), after=after.get(no))
        for no in moved
        if no in items and items[no].profile in profiles and not _hidden(before.get(no), after.get(no))
    ]
    return Difference(since=since, until=until, changes=tuple(changes))


def _facts(version: Version | None) -> tuple[object, ...] | None:
    if version is None:
        return None
    return version.status, version.superseded_by, version.valid_from, version.expires_at, version.reason


def _hidden(before: Version | None, after: Version | None) -> bool:
    """Whether it came and was forgotten in between."""
    return before is None and after is not None and after.status is Status.FORGOTTEN
