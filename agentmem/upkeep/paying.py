"""What `Memory` can do about the work that language models owe."""

from collections.abc import Callable

from agentmem.config import Config
from agentmem.errors import ConfigError, UsageError
from agentmem.ingest.pay import Paid, pay
from agentmem.models.embedder import Embedder
from agentmem.models.language import LanguageModel, ModelRole
from agentmem.prompts.load import load
from agentmem.store import work
from agentmem.store.store import Store

_MODELS = {work.EXTRACT: "model_extract", work.SUMMARY: "model_merge", work.PATTERNS: "model_merge"}


class Paying:
    """The part of `agentmem.memory.Memory` that lets language models work; it needs no profile."""

    config: Config
    _store: Store
    _load: Callable[[], Embedder | None]
    _choose: Callable[[ModelRole], LanguageModel | None]

    def pay(
        self,
        *,
        seconds: float | None = None,
        progress: Callable[[int, int], None] = lambda _done, _owed: None,
    ) -> Paid:
        """Let the models read what they owe, the newest sessions first. Can be interrupted anywhere.

        Nothing is done where no language model is configured. A server that cannot be reached leaves all owed; the
        result says so.

        Args:
            seconds: begin nothing new after about so long; None: when nothing is owed or the day's budget is spent.
            progress: called with the pieces done and those known to be owed.

        Raises:
            ConfigError: an unknown kind of model, or one on another machine that is not allowed.
            StoreBusy: another process holds the store; what was stored stays.
        """
        return pay(self._store, self._choose, self._load, seconds=seconds, progress=progress)

    def redo(self, stage: str) -> int:
        """Make all work of a stage owed again, for its prompt or model has changed; tells how many pieces that are.

        Args:
            stage: `extract`, `summary` or `patterns`.

        Raises:
            UsageError: no such stage.
            ConfigError: no language model is configured.
        """
        if stage not in work.STAGES:
            raise UsageError(f"Unknown stage {stage!r}", f"Stages are {', '.join(work.STAGES)}.")
        if self.config.language_model == "none":
            raise ConfigError("No language model is configured", "`agentmem config set language_model ollama` does it.")
        with self._store.writing() as connection:
            return work.redo(connection, stage, load(stage).label, getattr(self.config, _MODELS[stage]))

    def retry(self) -> int:
        """Give what failed too often another chance; tells how many pieces that are."""
        with self._store.writing() as connection:
            return work.retry(connection)
