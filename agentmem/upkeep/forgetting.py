"""What `Memory` can do about what is to be forgotten: many things at once, for good, and not after all."""

from agentmem.store.fulltext import Terms
from agentmem.store.store import Store
from agentmem.upkeep.forget import forget_all
from agentmem.upkeep.purge import clean, purge
from agentmem.upkeep.selection import Selection, Wanted, select
from agentmem.upkeep.unforget import Unforgotten, unforget


class Forgetting:
    """The part of `agentmem.memory.Memory` that forgets by phrase, session and profile, purges, and takes it back."""

    _store: Store
    _terms: Terms

    @property
    def profile(self) -> str:
        """The profile in which a phrase or session is looked for."""
        raise NotImplementedError

    def find_forgettable(self, wanted: Wanted, *, purging: bool = False) -> Selection:
        """What would be forgotten, or purged; nothing is changed.

        Args:
            wanted: what is meant.
            purging: with a memory also the messages that it was drawn from, and whatever else says its value.

        Raises:
            NotFound: there is nothing of the kind.
            UsageError: it is not clear what is meant.
        """
        here = self._here(wanted)
        with self._store.reading() as connection:
            return select(connection, wanted, here, echoes=purging)

    def forget_all(self, wanted: Wanted) -> Selection:
        """Hide all that is meant; gives what was not hidden before. See `find_forgettable`."""
        here = self._here(wanted)
        with self._store.writing() as connection:
            return forget_all(connection, select(connection, wanted, here, echoes=False))

    def purge(self, wanted: Wanted) -> Selection:
        """Really delete all that is meant, from every file of the store; only digests stay. It cannot be undone.

        The backups in the store's folder are removed, since they hold it too. See `find_forgettable`.
        """
        here = self._here(wanted)
        with self._store.writing() as connection:
            chosen = select(connection, wanted, here, echoes=True)
            purge(connection, chosen)
        clean(self._store)
        return chosen

    def finish_purge(self) -> bool:
        """Clean the files of what a purge deleted that was killed before it came to that; whether there was any."""
        return clean(self._store)

    def unforget(self, wanted: Wanted) -> Unforgotten:
        """Take forgetting back. What was purged comes back only if it is said or read again.

        Raises:
            NotFound: nothing of the kind was forgotten.
        """
        here = self._here(wanted)
        with self._store.writing() as connection:
            return unforget(connection, wanted, here, self._terms)

    def _here(self, wanted: Wanted) -> str:
        return "" if wanted.id is not None or wanted.profile is not None else self.profile
