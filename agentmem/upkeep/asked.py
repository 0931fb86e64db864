"""What callers say in words, as values: kinds and points in time."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from agentmem.domain.dates import parse_when
from agentmem.domain.memories import MemoryKind
from agentmem.errors import UsageError


def kind_called(name: str | None) -> MemoryKind | None:
    """The kind of this name.

    Raises:
        UsageError: there is no such kind.
    """
    return None if name is None else MemoryKind(kinds_called([name])[0])


def kinds_called(names: Sequence[str]) -> tuple[str, ...]:
    """The same names, when each is a kind's.

    Raises:
        UsageError: one is not.
    """
    known = [kind.value for kind in MemoryKind]
    for name in names:
        if name not in known:
            raise UsageError(f"Unknown kind {name!r}", f"Kinds are {', '.join(known)}.")
    return tuple(names)


def local_now() -> datetime:
    """Now, in the zone of this machine: what "today" means to its user."""
    return datetime.now(UTC).astimezone()


def today_meant(when: datetime | str | None, now: datetime) -> datetime:
    """What "today" means, in the zone that it is said in; without one, in that of `now`, whatever the time of year.

    Raises:
        UsageError: the words are no date.
    """
    if isinstance(when, str):
        with suppress(ValueError):
            written = datetime.fromisoformat(when.strip())
            if written.tzinfo is not None:
                return written
    at = moment(when, now) or now
    return at if isinstance(when, datetime) else at.astimezone(now.tzinfo)


def instant(when: datetime | str | None, reference: datetime) -> datetime | None:
    """A point in time to look back from; of a period that is said in words, its last moment ("by the end of April")."""
    if not isinstance(when, str):
        return moment(when, reference)
    start, end = parse_when(when, reference)
    is_distance = abs(end - reference) < timedelta(seconds=1)  # "7d" is the time seven days ago
    return start if is_distance else end - timedelta(microseconds=1)


def moment(when: datetime | str | None, reference: datetime) -> datetime | None:
    """A point in time; of a period that is said in words, its beginning."""
    if when is None:
        return None
    if isinstance(when, str):
        return parse_when(when, reference)[0]
    return when if when.tzinfo else when.astimezone()
