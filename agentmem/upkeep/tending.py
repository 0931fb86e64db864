"""What `Memory` can do to keep memories true: edit, pin, confirm, reject; the log of all that was done; undo."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from agentmem.config import Config
from agentmem.domain.memories import MemoryItem
from agentmem.errors import NotFound, UsageError
from agentmem.projects import USER
from agentmem.recall.weigh import is_unconfirmed
from agentmem.store import journal, memories
from agentmem.store.fulltext import Terms
from agentmem.store.store import Store
from agentmem.upkeep import tend
from agentmem.upkeep.asked import local_now, moment
from agentmem.upkeep.log import Difference, difference, subject_of
from agentmem.upkeep.undo import Deed, deeds, meant, slots_of, undo
from agentmem.upkeep.vacate import vacated


class Tending:
    """The part of `agentmem.memory.Memory` that keeps memories true."""

    config: Config
    _store: Store
    _terms: Terms

    @property
    def profile(self) -> str:
        """The profile that is looked at."""
        raise NotImplementedError

    def edit(self, start: str, text: str) -> MemoryItem:
        """Say a memory in other words: the new one supersedes it, and keeps its kind, topic and importance.

        Raises:
            NotFound: there is no such memory.
            UsageError: several are meant, the text is empty or the same, or the memory does not count any more.
        """
        text = self._store.redact(text)
        return self._tended(lambda connection: tend.edit(connection, start, text, self._terms))

    def pin(self, start: str) -> MemoryItem:
        """Keep a memory from losing weight by age."""
        return self._tended(lambda connection: tend.pin(connection, start, pinned=True))

    def unpin(self, start: str) -> MemoryItem:
        """Let a memory age again."""
        return self._tended(lambda connection: tend.pin(connection, start, pinned=False))

    def confirm(self, start: str) -> MemoryItem:
        """Say that a memory still holds; a rejected or expired one counts again."""
        return self._tended(lambda connection: tend.confirm(connection, start, self._terms, self.config.task_days))

    def reject(self, start: str, why: str) -> MemoryItem:
        """Say that a memory did not prove right; it is shown as tried and rejected from now on.

        Raises:
            UsageError: there is no reason, or the memory does not count any more.
        """
        why = self._store.redact(why)
        return self._tended(lambda connection: tend.reject(connection, start, why, self._terms))

    def log(
        self,
        about: str | None = None,
        *,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        limit: int | None = None,
    ) -> tuple[Deed, ...]:
        """What was done to the store, newest first.

        Args:
            about: a memory, message or session, by its id or the beginning of it, or an action as `e12`.
            since: only what was done since then.
            until: only what was done before.
            limit: so many actions at most.

        Raises:
            NotFound: there is no such thing.
            UsageError: several are meant.
        """
        with self._store.reading() as connection:
            wanted = subject_of(connection, about)
            wanted = replace(wanted, since=moment(since, local_now()), until=moment(until, local_now()))
            found = deeds(connection, wanted, limit)
        if not found and wanted.actions:
            raise NotFound(f"There is no entry {about} in the log", "`agentmem log` shows the latest.")
        return found

    def contents(self, deeds: Sequence[Deed]) -> dict[str, str]:
        """What the memories that some actions changed say, by id."""
        ids = {entry.subject for deed in deeds for entry in deed.entries if entry.about == journal.MEMORY}
        with self._store.reading() as connection:
            return {key: item.content for key, item in memories.by_ids(connection, sorted(ids)).items()}

    def unconfirmed(self) -> tuple[MemoryItem, ...]:
        """The profile's memories, and the user's, that nobody said, recalled or confirmed for long; oldest first."""
        days = self.config.unconfirmed_days
        profiles = tuple(dict.fromkeys((self.profile, USER)))
        now = local_now()
        with self._store.reading() as connection:
            items = memories.select(connection, memories.Filter(profiles=profiles, alive_at=now))
            said = memories.last_said(connection, [item.id for item in items])
        return tuple(item for item in reversed(items) if is_unconfirmed(item, said.get(item.id), now, days))

    def diff(self, since: datetime | str, until: datetime | str | None = None) -> Difference:
        """What the profile's memories, and the user's, were at one time and are at another.

        Args:
            since: the earlier time.
            until: the later one; None: now.

        Raises:
            UsageError: the later one is before the earlier one.
        """
        start = moment(since, local_now()) or local_now()
        end = moment(until, local_now())
        if end is not None and end < start:
            raise UsageError("The time to compare with is before the time to begin at", "Give the earlier one first.")
        with self._store.reading() as connection:
            return difference(connection, tuple(dict.fromkeys((self.profile, USER))), start, end)

    def undoable(
        self, last: int | None = 1, *, since: datetime | str | None = None, actions: Sequence[int] = ()
    ) -> tuple[Deed, ...]:
        """The actions that `undo` would take back, newest first.

        Args:
            last: the last so many; None: all that `since` lets through.
            since: only those since then.
            actions: these, by number, instead.

        Raises:
            NotFound: there is none.
            UsageError: one was taken back before.
        """
        with self._store.reading() as connection:
            return meant(connection, last=last, since=moment(since, local_now()), actions=actions)

    def undo(
        self, last: int | None = 1, *, since: datetime | str | None = None, actions: Sequence[int] = ()
    ) -> tuple[Deed, ...]:
        """Take actions back, all or none of them; what `undoable` shows.

        Returns:
            The actions that did it, which can be taken back in turn.

        Raises:
            AgentmemError: one cannot be taken back, or what it did was changed since.
        """
        wanted = self.undoable(last, since=since, actions=actions)
        with vacated(self._store, slots_of(wanted)), self._store.writing() as connection:
            return undo(connection, wanted, self._terms)

    def _tended(self, change: Callable[..., MemoryItem]) -> MemoryItem:
        with self._store.writing() as connection:
            return change(connection)
