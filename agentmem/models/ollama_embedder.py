"""Embedding models of an Ollama server."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentmem.errors import BadReply, ModelUnavailable, NoAnswerInTime
from agentmem.models.ollama import KEEP_ALIVE, connect, told_apart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TRIES = 3
_FIRST_PAUSE = 0.25
_BATCH = 32
_SHORTEST = 64  # characters; a text cut down to these fits into every model
_TOO_LONG = ("context length", "too long", "exceeds", "too large", "input length")

# What models were trained to see before (a stored text, a question). Models that are not named here see the text alone.
_MARKS = {
    "nomic-embed-text": ("search_document: ", "search_query: "),
    "embeddinggemma": ("title: none | text: ", "task: search result | query: "),
    "mxbai-embed-large": ("", "Represent this sentence for searching relevant passages: "),
    "snowflake-arctic-embed": ("", "Represent this sentence for searching relevant passages: "),
    "qwen3-embedding": ("", "Instruct: Given a question, retrieve passages that answer it\nQuery: "),
}


class OllamaEmbedder:
    """An embedding model; it is not reached for before it is needed.

    Args:
        host: of the server.
        model: its name there.
        seconds: how long a batch may take.
    """

    def __init__(self, host: str, model: str, seconds: float = 300.0) -> None:
        self.name = f"ollama/{model}"
        self._host = host
        self._model = model
        self._seconds = seconds
        self._dimension = 0
        family = model.rsplit("/", 1)[-1].split(":", 1)[0]
        self._marks = _MARKS.get(family, ("", ""))

    @property
    def dimension(self) -> int:
        """The length of its vectors; the model is asked for one to learn it.

        Raises:
            ModelUnavailable: it cannot be reached.
        """
        if not self._dimension:
            self._embed(["?"])
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        return self._embed([self._marks[0] + text for text in texts])

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        return self._embed([self._marks[1] + text])[0]  # type: ignore[no-any-return]

    def _embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        import numpy as np

        rows: list[Sequence[float]] = []
        for start in range(0, len(texts), _BATCH):
            rows += self._batch(list(texts[start : start + _BATCH]))
        vectors = np.asarray(rows, dtype=np.float32).reshape(len(rows), -1)
        if not np.isfinite(vectors).all():
            raise BadReply(f"{self.name} gave vectors that are no numbers")
        if vectors.shape[1]:
            if self._dimension not in (0, vectors.shape[1]):
                raise BadReply(f"{self.name} gave vectors of {vectors.shape[1]} and of {self._dimension} numbers")
            self._dimension = vectors.shape[1]
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)

    def _batch(self, texts: list[str]) -> list[Sequence[float]]:
        try:
            return self._patiently(texts)
        except (BadReply, ModelUnavailable) as error:
            if not any(sign in error.message for sign in _TOO_LONG):
                raise
            # Asked to cut what is too long, some versions refuse instead: then it is cut here.
            if len(texts) > 1:
                return [row for text in texts for row in self._batch([text])]
            if len(texts[0]) <= _SHORTEST:
                raise
            return self._batch([texts[0][: max(_SHORTEST, len(texts[0]) * 2 // 3)]])

    def _patiently(self, texts: list[str]) -> list[Sequence[float]]:
        pause = _FIRST_PAUSE
        for tries in range(1, _TRIES + 1):
            try:
                with connect(self._host, self._seconds) as client, told_apart(self._host, self._model):
                    found = client.embed(self._model, texts, truncate=True, keep_alive=KEEP_ALIVE).embeddings
            except NoAnswerInTime:
                raise
            except ModelUnavailable as error:
                lasting = "has no model" in error.message or any(sign in error.message for sign in _TOO_LONG)
                if tries == _TRIES or lasting:
                    raise
                time.sleep(pause)
                pause *= 2
                continue
            if len(found) != len(texts):
                raise BadReply(f"{self.name} gave {len(found)} vectors for {len(texts)} texts")
            return list(found)
        raise AssertionError  # the last try returns or raises
