"""The stored memories that are nearest to a new one, by words and by vector."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from agentmem.domain.memories import MemoryItem, Status
from agentmem.errors import AgentmemError
from agentmem.models.embedder import Embedder
from agentmem.store import embeddings, fulltext, memories
from agentmem.store.fulltext import Terms
from agentmem.store.rows import now
from agentmem.store.store import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEAREST = 3
_EACH = 5  # that words and vectors each propose
_LEAST_COVERED = 0.25  # of what a memory's words weigh, that a stored one must share
_LEAST_COSINE = 0.75
_RRF = 60  # Cormack et al., "Reciprocal Rank Fusion outperforms Condorcet" (2009)


def nearest(
    store: Store, terms: Terms, load: Callable[[], Embedder | None], items: Sequence[MemoryItem]
) -> list[tuple[MemoryItem, list[MemoryItem]]]:
    """Each item with at most three active memories of its profile, the nearest first.

    Without an embedding model, or with another than the store's, words alone tell.
    """
    vectors = _vectors(store, load, [item.content for item in items])
    found = []
    with store.reading() as connection:
        generation = embeddings.current(connection)
        for place, item in enumerate(items):
            wanted = memories.Filter(profiles=(item.profile,), statuses=(Status.ACTIVE.value,), alive_at=now())
            alive = {-no for no in memories.numbers(connection, wanted)}
            scores: dict[int, float] = {}
            by_words = fulltext.search_memories(connection, [item.profile], terms.asked(item.content))
            rows = zip(by_words.slots.tolist(), by_words.scores.tolist(), by_words.covered.tolist(), strict=True)
            words = sorted(
                ((score, slot) for slot, score, covered in rows if slot in alive and covered >= _LEAST_COVERED),
                reverse=True,
            )
            ranked = [[slot for _, slot in words[:_EACH]]]
            if vectors and generation is not None:
                slots, cosines, _ = embeddings.scan(
                    connection, generation, [item.profile], vectors[place], sorted(alive)
                )
                near = sorted(zip(cosines.tolist(), slots.tolist(), strict=True), reverse=True)[:_EACH]
                ranked.append([slot for cosine, slot in near if cosine >= _LEAST_COSINE])
            for ranking in ranked:
                for rank, slot in enumerate(ranking, 1):
                    scores[slot] = scores.get(slot, 0.0) + 1 / (_RRF + rank)
            best = sorted(scores, key=lambda slot: (-scores[slot], slot))
            stored = memories.by_numbers(connection, [-slot for slot in best])
            others = [stored[-slot] for slot in best if stored[-slot].id != item.id]
            found.append((item, others[:NEAREST]))
    return found


def _vectors(store: Store, load: Callable[[], Embedder | None], texts: Sequence[str]) -> "list[NDArray[np.float32]]":
    try:
        embedder = load()
        if embedder is None:
            return []
        with store.reading() as connection:
            embeddings.check(embeddings.current(connection), embedder.name)
        return list(embedder.embed_documents(texts))
    except AgentmemError:  # no embedding model, or another one than the store's: words do
        return []
