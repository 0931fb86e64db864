"""What `Memory` can do about transcripts that agents leave on this machine."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial

from agentmem.config import Config
from agentmem.domain.dates import parse_when
from agentmem.models.choose import choose_language_model
from agentmem.models.embedder import Embedder
from agentmem.store.store import Store
from agentmem.upkeep.backfill import CaughtUp, Progress, catch_up
from agentmem.upkeep.capture import examine_capture
from agentmem.upkeep.doctor import Check
from agentmem.upkeep.drain import Drained, drain
from agentmem.upkeep.places import Machine


class Capturing:
    """The part of `agentmem.memory.Memory` that reads on its own; it needs no profile."""

    config: Config
    _store: Store
    _load: Callable[[], Embedder | None]

    def drain(self, *, seconds: float | None = None) -> Drained:
        """Deal with all that the hooks noted down, compute vectors for a while, let models work. Reports no error.

        Args:
            seconds: for the vectors, at most; None: the setting `vector_seconds`.
        """
        return drain(
            self._store,
            self._load,
            seconds=self.config.vector_seconds if seconds is None else seconds,
            models=partial(choose_language_model, self.config),
        )

    def catch_up(
        self,
        agents: Sequence[str] = (),
        *,
        since: datetime | str | None = None,
        dry_run: bool = False,
        progress: Progress = lambda _done, _total: None,
    ) -> CaughtUp:
        """Read what the agents on this machine wrote and the store does not hold yet, the newest first.

        It goes on where an earlier run stopped. Vectors are not computed: call `work`.

        Args:
            agents: whose; none: all that are known.
            since: leave out transcripts not written to since then; a time, or words like "2 weeks ago".
            dry_run: only tell what there is.
            progress: called with the bytes read and all that are to be read.

        Raises:
            UsageError: an unknown agent, or a date that cannot be read.
            StoreBusy: another process holds the store; what was stored stays.
        """
        if isinstance(since, str):
            since = parse_when(since, datetime.now(UTC).astimezone())[0]
        return catch_up(
            self._store,
            Machine(),
            agents=agents,
            since=None if since is None else since.timestamp(),
            dry_run=dry_run,
            progress=progress,
        )

    def examine_capture(self) -> list[Check]:
        """Whether what the agents write gets here."""
        return examine_capture(self._store)
