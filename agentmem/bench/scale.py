"""How the time of an answer grows with the store: a made-up store that grows, asked by words alone and with vectors.

All messages lie in one profile, the hardest case. Words are made up and as unevenly frequent as those of a language
(Zipf's law over 50,000); messages have some 30 of them; a question is four words of one message that are not among the
hundred most frequent, which stand for the function words that recall leaves out: one message in forty has one of them.

Vectors are those of 256 messages that were really embedded, each with some noise, because embedding a million takes
half a day: what is measured is the search, with the time that the model takes for the question.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from agentmem import paths
from agentmem.bench.retrieval import Progress, milliseconds
from agentmem.config import Config
from agentmem.domain.recall import MESSAGE, TYPES
from agentmem.domain.weights import VECTOR, Weights
from agentmem.ingest.vectorize import vectorize
from agentmem.memory import Memory
from agentmem.models.choose import choose_embedder
from agentmem.models.embedder import Embedder
from agentmem.store.store import Store
from agentmem.upkeep.tidy import tidy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SIZES = (10_000, 100_000, 1_000_000)
PROFILE = "scale"
_WORDS = 50_000
_FREQUENT = 100
_SESSION = 50  # messages of a session
_BATCH = 20_000  # messages of an ingest
_SEEDS = 256  # messages that are really embedded
_NOISE = 0.5  # of the noise's length to that of a vector
_ASKED = 4  # words of a question
_WARMING = 5  # questions put before the clock runs
_BEGAN = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Scale:
    """One size.

    Args:
        messages: stored.
        embedder: whose vectors were searched; `none` for words alone.
        questions: put.
        milliseconds: of an answer: `p50`, `p95`, `p99`.
        ingest_seconds: to store and index all of the messages so far.
        store_bytes: of the database and the vectors.
    """

    messages: int
    embedder: str
    questions: int
    milliseconds: dict[str, float]
    ingest_seconds: float
    store_bytes: int


def run(
    folder: Path,
    config: Config,
    *,
    sizes: Sequence[int] = SIZES,
    questions: int = 100,
    progress: Progress = lambda _what, _done, _all: None,
) -> tuple[Scale, ...]:
    """Grow a store and put questions to it at each size.

    Args:
        folder: an empty folder for the store.
        config: the settings, the embedder above all.
        sizes: numbers of messages.
        questions: how many at each size.
        progress: called with what is being done, how much of it is, and how much there is.
    """
    memory = Memory(paths.home(folder), config, PROFILE)
    store, made_up = Store(memory.home, config), _MadeUp()
    model = choose_embedder(config.embedder, config)
    measured, stored, seconds = [], 0, 0.0
    for size in sorted(sizes):
        while stored < size:
            some = min(_BATCH, size - stored)
            lines = made_up.messages(stored, some)
            started = time.perf_counter()
            memory.ingest(lines, source=PROFILE)
            seconds += time.perf_counter() - started
            stored += some
            progress("messages", stored, max(sizes))
        tidy(store)
        asked = made_up.questions(stored, questions)
        measured.append(_measured(memory, "none", stored, seconds, asked))
        if model is not None:
            vectorize(store, _Noisy(model, made_up), batch=_BATCH)
            measured.append(_measured(memory, model.name, stored, seconds, asked))
    return tuple(measured)


def _measured(memory: Memory, embedder: str, stored: int, seconds: float, asked: Sequence[str]) -> Scale:
    weights = Weights(without=frozenset({VECTOR})) if embedder == "none" else Weights()
    warming = asked[:_WARMING]
    times = []
    for number, question in enumerate([*warming, *asked]):
        started = time.perf_counter()
        memory.recall(question, types=(MESSAGE,) if embedder == "none" else TYPES, weights=weights)
        if number >= len(warming):
            times.append(time.perf_counter() - started)
    held = memory.stats()
    return Scale(stored, embedder, len(asked), milliseconds(times), seconds, held.database_bytes + held.vector_bytes)


class _MadeUp:
    """Messages and questions, the same at each run."""

    def __init__(self) -> None:
        import numpy as np

        ranks = np.arange(1, _WORDS + 1)
        self._shares = np.cumsum(1 / ranks) / (1 / ranks).sum()
        syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
        self._words = np.array(["".join(parts) for parts in islice(product(syllables, repeat=3), _WORDS)])
        np.random.default_rng(0).shuffle(self._words)

    def messages(self, first: int, many: int) -> list[dict[str, object]]:
        """Lines of a generic transcript, of people and assistants by turns, a session an hour."""
        lines: list[dict[str, object]] = []
        for number in range(first, first + many):
            session, place = divmod(number, _SESSION)
            at = _BEGAN + timedelta(hours=session, minutes=place)
            role = "assistant" if place % 2 else "user"
            content = " ".join(self._words[self._drawn(number)])
            lines.append(
                {
                    "role": role,
                    "content": content,
                    "session_id": f"s{session}",
                    "id": str(number),
                    "timestamp": at.isoformat(),
                }
            )
        return lines

    def questions(self, stored: int, many: int) -> list[str]:
        """Questions about messages among the first `stored`."""
        import numpy as np

        chance = np.random.default_rng(1)
        asked: list[str] = []
        while len(asked) < many:
            words = np.unique(self._drawn(int(chance.integers(stored))))
            rare = words[words >= _FREQUENT]
            if len(rare) >= _ASKED:
                asked.append(" ".join(self._words[chance.choice(rare, _ASKED, replace=False)]))
        return asked

    def _drawn(self, number: int) -> "NDArray[np.int64]":
        import numpy as np

        chance = np.random.default_rng((2, number))
        length = max(4, min(400, int(chance.lognormal(3.2, 0.7))))
        return np.searchsorted(self._shares, chance.random(length))


class _Noisy:
    """A model's vectors of a few messages, each used many times with some noise; questions are really embedded."""

    def __init__(self, model: Embedder, made_up: _MadeUp) -> None:
        texts = [str(line["content"]) for line in made_up.messages(0, _SEEDS)]
        self._seeds = model.embed_documents(texts)
        self.name, self.dimension, self.embed_query = model.name, model.dimension, model.embed_query

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        import numpy as np

        chance = np.random.default_rng(crc32(texts[0].encode()))
        noise = chance.standard_normal((len(texts), self.dimension), dtype=np.float32)
        noise *= _NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
        vectors = self._seeds[chance.integers(len(self._seeds), size=len(texts))] + noise
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)  # type: ignore[no-any-return]
