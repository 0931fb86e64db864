"""What `Memory` can take out of every file, with proof."""

from collections.abc import Callable, Sequence

from agentmem.config import Config
from agentmem.store.sessions import Profile
from agentmem.store.store import Store
from agentmem.upkeep import erase
from agentmem.upkeep.erase import Erased
from agentmem.upkeep.scrub import Scrubbed, scrub


class Erasing:
    """The part of `agentmem.memory.Memory` that removes for good; it needs no profile."""

    config: Config
    _store: Store

    def scrub(
        self,
        patterns: Sequence[str] = (),
        *,
        dry_run: bool = False,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> Scrubbed:
        """Take out of everything that is stored, copies included, what the rules find now.

        Args:
            patterns: regular expressions; only what they find, rather than what all rules do.
            dry_run: only look.
            progress: called with the slices of tables that were looked at, and all of them.

        Raises:
            ConfigError: a pattern is no regular expression.
            StoreBusy: others hold the store; run it again.
        """
        return scrub(self._store, tuple(patterns), dry_run=dry_run, progress=progress)

    def find_erasable(self, name: str) -> Profile:
        """The profile that `delete_profile` would delete.

        Raises:
            NotFound: there is none of that name, or there are several.
        """
        return erase.sought(self._store, name)

    def delete_profile(self, name: str) -> Erased:
        """Delete a profile from every file, copies included. Cannot be undone.

        Raises:
            NotFound: there is no such profile.
            StoreBusy: others hold the store; run it again.
        """
        return erase.erase(self._store, name)
