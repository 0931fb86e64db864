"""An embedder whose vectors can be worked out by hand, for tests and for trying things without a model."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING
from zlib import crc32

from agentmem.domain.text import fold

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class FakeLettersEmbedder:
    """Like `FakeEmbedder`, over pairs of letters: another model, for what a change of the model does."""

    name = "fake-letters/pairs"
    dimension = 48

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        import numpy as np

        vectors = np.full((len(texts), self.dimension), 1e-3, dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            letters = fold(text)
            for pair in pairwise(letters):
                row[crc32("".join(pair).encode()) % self.dimension] += 1
        lengths: NDArray[np.float32] = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / lengths

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        return self.embed_documents([text])[0]  # type: ignore[no-any-return]


class FakeEmbedder:
    """Each word adds one to the place crc32(word) mod dimension; the sum is scaled to length one.

    Texts that share words are near each other, others are not: enough to test whatever handles vectors.
    """

    def __init__(self, name: str = "fake/words", dimension: int = 64) -> None:
        self.name = name
        self.dimension = dimension

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        import numpy as np

        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in fold(text).split():
                row[crc32(word.encode()) % self.dimension] += 1
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        return self.embed_documents([text])[0]  # type: ignore[no-any-return]
