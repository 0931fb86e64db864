"""What `Memory` can do to keep the store in order."""

from collections.abc import Callable

from agentmem.config import Config
from agentmem.store import contradictions
from agentmem.store.contradictions import Open
from agentmem.store.store import Store
from agentmem.upkeep.compact import Compacted, compact


class Compacting:
    """The part of `agentmem.memory.Memory` that compacts; it works on all profiles."""

    config: Config
    _store: Store

    def compact(
        self,
        *,
        dry_run: bool = False,
        seconds: float | None = None,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> Compacted:
        """Merge memories that say the same, let tasks expire, note contradictions, and tidy all parts of the store.

        Can be stopped at any time, and run again; a second run changes nothing. Sessions can come in meanwhile.

        Args:
            dry_run: only tell what would be done.
            seconds: stop after about this long; None: when all is done.
            progress: called with the duplicates merged and all that were found.

        Raises:
            StoreBusy: others hold the store; what was done stays.
        """
        return compact(self._store, self.config, dry_run=dry_run, seconds=seconds, progress=progress)

    def contradictions(self) -> tuple[Open, ...]:
        """The contradictions that compaction found and nobody settled yet, of all profiles."""
        with self._store.reading() as connection:
            return tuple(contradictions.open_ones(connection))
