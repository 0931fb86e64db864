"""Stage: what a language model adds to a question: topics, other words for it, and a hypothetical answer (HyDE).

One call, made while the question is being embedded. It only ever adds to what the rules found, and what it suggests
counts for little when it is decided whether anything relevant is known: a model finds a topic for every question.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from agentmem.domain.recall import Query
from agentmem.errors import BadReply, ModelUnavailable
from agentmem.models.embedder import Embedder
from agentmem.models.language import LanguageModel
from agentmem.prompts.load import load
from agentmem.recall.aid import ANALYSIS_SHARE, Aid
from agentmem.recall.quoting import harmless, shortened
from agentmem.recall.waiting import Pending
from agentmem.store import embeddings, memories
from agentmem.store.store import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TOPIC_WEIGHTS = (0.3, 0.25, 0.2)
"""Of suggested topics, best first: below those that the rules are sure of, and just enough to be shown."""

_MOST_TOPICS = 80  # offered
_MOST_WORDS = 8
_LONGEST_WORD = 40
_LONGEST_STATEMENT = 400
_LONGEST_QUESTION = 1_000
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "topics": {"type": "array", "items": {"type": "string"}, "maxItems": len(TOPIC_WEIGHTS)},
        "words": {"type": "array", "items": {"type": "string"}, "maxItems": _MOST_WORDS},
        "statement": {"type": "string"},
    },
    "required": ["topics", "words", "statement"],
}


@dataclass(frozen=True, slots=True)
class Widening:
    """What a model suggests.

    Args:
        topics: keys that the store has, best first.
        words: other words for what is looked for.
        statement: a sentence that might answer.
    """

    topics: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    statement: str = ""


class KeptEmbedder:
    """An embedder that computes each text once: before the database is opened, and not again while it is open."""

    def __init__(self, model: Embedder) -> None:
        self.name = model.name
        self._model = model
        self._questions: dict[str, NDArray[np.float32]] = {}
        self._documents: dict[str, NDArray[np.float32]] = {}
        self._failed: ModelUnavailable | BadReply | None = None  # a server that is down is not asked twice

    @property
    def dimension(self) -> int:
        return self._model.dimension

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        import numpy as np

        for text in texts:
            if text not in self._documents:
                self._documents[text] = self._model.embed_documents([text])[0]
        return np.stack([self._documents[text] for text in texts])

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        if self._failed is not None:
            raise self._failed
        if text not in self._questions:
            try:
                self._questions[text] = self._model.embed_query(text)
            except (ModelUnavailable, BadReply) as error:
                self._failed = error
                raise
        return self._questions[text]

    def prepare(self, question: str, until: float) -> None:
        """Embed a question now; what goes wrong, or takes too long, is raised when its vector is asked for."""
        with suppress(ModelUnavailable, BadReply):
            if Pending(lambda: self.embed_query(question)).result(until) is None:
                self._failed = ModelUnavailable(f"{self.name} took too long")

    def knows(self, statement: str, until: float) -> bool:
        """Whether a statement could be embedded in time."""
        try:
            return Pending(lambda: self.embed_documents([statement])).result(until) is not None
        except (ModelUnavailable, BadReply):  # a server that went away meanwhile costs this channel only
            return False


Embedding = Callable[[], Embedder | None]


def widened(
    store: Store, query: Query, ask: Callable[[str], Query], embedder: Embedding, aid: Aid, *, began: float
) -> tuple[Query, Embedding, str]:
    """A question with what a model adds, an embedder that has embedded it already, and why something is missing.

    The database is open only for the moment that it takes to read the topics.

    Args:
        store: where the topics are.
        query: what the rules made of the question.
        ask: analyses other words by rule.
        embedder: loads the embedding model.
        aid: the model, and how long it may take.
        began: when the question came, by `time.monotonic`.
    """
    analyst = aid.analyst
    if analyst is None and not aid.early:
        return query, embedder, ""
    with store.reading() as connection:
        keys = memories.topics(connection, query.profiles, _MOST_TOPICS)
        embedded = embeddings.current(connection) is not None
    if analyst is None:
        kept = _kept(embedder, query.text, began + aid.seconds) if embedded else None
        return query, _given(kept, embedder), ""
    until = began + (ANALYSIS_SHARE if aid.writer is not None else 1.0) * aid.seconds
    seconds = until - time.monotonic()
    if seconds <= 0:
        return query, embedder, "no time for a model to analyse the question"
    pending = Pending(lambda: widen(aid.checked(analyst), query, keys, seconds))
    kept = _kept(embedder, query.text, until) if embedded else None
    try:
        found = pending.result(until)
    except (ModelUnavailable, BadReply) as error:
        return query, _given(kept, embedder), f"the question was analysed by rule: {error.message}"
    if found is None:
        return query, _given(kept, embedder), f"the question was analysed by rule: {analyst.name} took too long"
    statement = (
        found.statement
        if found.statement and kept is not None and kept.knows(found.statement, began + aid.seconds)
        else ""
    )
    known = {key for key, _ in query.topics}
    topics = [pair for pair in zip(found.topics, TOPIC_WEIGHTS, strict=False) if pair[0] not in known]
    terms = ask(" ".join(found.words)).terms if found.words else ()
    more = replace(
        query,
        topics=(*query.topics, *topics),
        related=tuple(term for term in terms if term not in query.terms),
        hypothesis=statement,
    )
    return more, _given(kept, embedder), ""


def prepared(model: Embedder, query: Query, until: float) -> tuple[Query, KeptEmbedder]:
    """An embedder that has embedded a question already, or will say that it could not; and the question.

    The hypothetical answer is left out where there is no time for its vector.
    """
    kept = KeptEmbedder(model)
    kept.prepare(query.text, until)
    if query.hypothesis and not kept.knows(query.hypothesis, until):
        query = replace(query, hypothesis="")
    return query, kept


def widen(model: LanguageModel, query: Query, keys: Sequence[str], seconds: float) -> Widening:
    """Ask a model, and take of its reply what can be used.

    Args:
        model: the model.
        query: the question.
        keys: the topics that the store has.
        seconds: how long it may take.

    Raises:
        ModelUnavailable: there is no server, no such model, or no answer in time.
        BadReply: it answered with something else.
    """
    filled = load("analyze").fill(
        question=shortened(harmless(query.text[:20_000]), _LONGEST_QUESTION),
        today=query.reference.date().isoformat(),
        topics="\n".join(f"* {harmless(key)}" for key in keys) or "(none)",
    )
    said = model.ask(filled, schema=SCHEMA, seconds=seconds).data or {}
    topics = [key for key in _texts(said.get("topics")) if key in keys]
    words = [word for word in _texts(said.get("words")) if len(word) <= _LONGEST_WORD]
    statement = said.get("statement")
    return Widening(
        tuple(dict.fromkeys(topics))[: len(TOPIC_WEIGHTS)],
        tuple(dict.fromkeys(words))[:_MOST_WORDS],
        shortened(harmless(statement), _LONGEST_STATEMENT) if isinstance(statement, str) else "",
    )


def _texts(value: object) -> list[str]:
    found = value if isinstance(value, list) else []
    return [text for one in found if isinstance(one, str) and (text := harmless(one))]


def _kept(embedder: Embedding, question: str, until: float) -> KeptEmbedder | None:
    """The embedder, with the question embedded."""
    try:
        model = embedder()
    except ModelUnavailable:  # the search says so again, in its own words
        return None
    if model is None:
        return None
    kept = model if isinstance(model, KeptEmbedder) else KeptEmbedder(model)
    kept.prepare(question, until)
    return kept


def _given(kept: KeptEmbedder | None, embedder: Embedding) -> Embedding:
    return embedder if kept is None else lambda: kept
