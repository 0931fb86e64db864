"""What `Memory` can show without searching: lists, versions, counts, health."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from agentmem.config import Config
from agentmem.domain.memories import MemoryItem, Status
from agentmem.paths import Home
from agentmem.projects import USER
from agentmem.recall.anchored import state
from agentmem.store import memories, pasts, sessions
from agentmem.store.sessions import Profile
from agentmem.store.store import Store
from agentmem.upkeep.asked import instant, kinds_called, local_now, moment
from agentmem.upkeep.capture import examine_capture
from agentmem.upkeep.doctor import Check, examine
from agentmem.upkeep.inspect import Shown, Version, history, show
from agentmem.upkeep.stats import Stats, stats


class Looking:
    """The part of `agentmem.memory.Memory` that only looks."""

    home: Home
    config: Config
    _store: Store

    @property
    def profile(self) -> str:
        """The profile that is looked at."""
        raise NotImplementedError

    def list(
        self,
        *,
        kinds: Sequence[str] = (),
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        everything: bool = False,
        limit: int | None = None,
        as_of: datetime | str | None = None,
        known_at: datetime | str | None = None,
    ) -> tuple[MemoryItem, ...]:
        """The memories of the profile and the user's, the newest first.

        Args:
            kinds: only these kinds.
            since: valid since then or later.
            until: valid since before then.
            everything: also superseded, expired and forgotten ones.
            limit: at most so many; None: all.
            as_of: only those that were true then; of a day, its end.
            known_at: only those that the store knew then, as it knew them.
        """
        wanted = memories.Filter(
            profiles=tuple(dict.fromkeys((self.profile, USER))),
            kinds=kinds_called(kinds),
            statuses=() if everything else (Status.ACTIVE, Status.REJECTED),
            since=moment(since, local_now()),
            until=moment(until, local_now()),
            alive_at=None if everything else local_now(),
        )
        then, known = instant(as_of, local_now()), instant(known_at, local_now())
        with self._store.reading() as connection:
            if then is None and known is None:
                return tuple(memories.select(connection, wanted, limit))
            past = pasts.look(connection, wanted, as_of=then, known_at=known)
        items = [replace(one.item, valid_from=one.since) for _, one in sorted(past.items(), reverse=True)]
        never = datetime.min.replace(tzinfo=UTC)
        return tuple(sorted(items, key=lambda item: item.valid_from or never, reverse=True)[:limit])

    def questioned(self) -> tuple[tuple[MemoryItem, tuple[str, ...]], ...]:
        """The profile's own active memories that answer a question, each with the questions that it answers."""
        wanted = memories.Filter(profiles=(self.profile,), statuses=(Status.ACTIVE,), alive_at=local_now())
        with self._store.reading() as connection:
            found = memories.select(connection, wanted)
            queries = memories.queries_of(connection, [item.id for item in found])
        return tuple((item, tuple(queries[item.id])) for item in found if item.id in queries)

    def show(self, start: str) -> Shown:
        """A memory or message with all that belongs to it.

        Args:
            start: its id, or the beginning of it.

        Raises:
            NotFound: there is none.
            UsageError: there are several.
        """
        with self._store.reading() as connection:
            shown = show(connection, start)
        return replace(shown, code=state(shown.anchors) or "") if shown.anchors else shown

    def history(self, start: str) -> tuple[Version, ...]:
        """All versions of a memory: those of its topic, or itself alone; the oldest first.

        Raises:
            NotFound: there is no such memory.
            UsageError: several are meant.
        """
        with self._store.reading() as connection:
            return history(connection, start)

    def stats(self) -> Stats:
        """What the store holds and takes."""
        return stats(self._store)

    def doctor(self, *, deep: bool = False) -> "tuple[Check, ...]":
        """Whether everything is as it should be."""
        return (*examine(self.home, self.config, deep=deep), *examine_capture(self._store))

    def profiles(self) -> tuple[Profile, ...]:
        """All profiles, with what they hold."""
        with self._store.reading() as connection:
            return tuple(sessions.list_profiles(connection))
