"""What `Memory` can do to keep the store in order."""

from collections.abc import Callable, Sequence

from agentmem.config import Config
from agentmem.errors import NotFound, UsageError
from agentmem.models.language import LanguageModel, ModelRole
from agentmem.store import contradictions, journal
from agentmem.store.contradictions import Open
from agentmem.store.store import Store
from agentmem.upkeep.compact import Compacted, compact
from agentmem.upkeep.merge_by_model import Rewording


class Compacting:
    """The part of `agentmem.memory.Memory` that compacts; it works on all profiles."""

    config: Config
    _store: Store
    _choose: Callable[[ModelRole], LanguageModel | None]

    def compact(
        self,
        *,
        dry_run: bool = False,
        seconds: float | None = None,
        llm: bool = True,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> Compacted:
        """Merge memories that say the same, let tasks expire, note contradictions, and tidy all parts of the store.

        Can be stopped at any time, and run again; a second run changes nothing. Sessions can come in meanwhile.

        Args:
            dry_run: only tell what would be done.
            seconds: stop after about this long; None: when all is done.
            llm: let the model that the settings name for merging put what was merged into one sentence, within the
                day's budget. What a machine does not find in the evidence is not taken; the merge itself is the rule's.
            progress: called with the duplicates merged and all that were found.

        Raises:
            StoreBusy: others hold the store; what was done stays.
        """
        rewording = Rewording(self._store, self._choose) if llm and self.config.language_model != "none" else None
        return compact(
            self._store, self.config, dry_run=dry_run, seconds=seconds, rewording=rewording, progress=progress
        )

    def contradictions(self, profiles: Sequence[str] = ()) -> tuple[Open, ...]:
        """The contradictions that were found and nobody settled yet, of some profiles or of all."""
        with self._store.reading() as connection:
            return tuple(contradictions.open_ones(connection, profiles))

    def settle(self, start: str) -> Open:
        """Let a contradiction rest: both memories stand as they are, and `review` does not show the pair again.

        Args:
            start: the contradiction's id, or the beginning of it.

        Raises:
            NotFound: no open contradiction has it.
            UsageError: several do.
        """
        with self._store.writing() as connection:
            found = [one for one in contradictions.open_ones(connection) if one.id.startswith(start)]
            if not found:
                raise NotFound(
                    f"No open contradiction has an id that begins with {start!r}", "`agentmem review` lists them."
                )
            if len(found) > 1:
                raise UsageError(f"{len(found)} contradictions begin with {start!r}", "Give more of the id.")
            contradictions.settle(connection, found[0].id)
            entry = journal.Entry(
                "settle", found[0].newer.profile, found[0].newer.id, after={"with": found[0].older.id}
            )
            journal.write(connection, "user", [entry])
        return found[0]
