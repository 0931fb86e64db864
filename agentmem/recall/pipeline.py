"""The way of a question to its answer: the only list of the stages.

text → analyze → channels (in parallel, the question being embedded meanwhile) → filter → fuse → look up → answer
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime

from agentmem.domain.recall import MEMORY, MESSAGE, Answer, Hit, Query
from agentmem.errors import ModelUnavailable
from agentmem.models.choose import embedder_of
from agentmem.models.embedder import Embedder
from agentmem.recall import elapsed
from agentmem.recall.channels import (
    dates,
    hypothetical_vector,
    memory_words,
    message_words,
    question_vector,
    topic,
)
from agentmem.recall.fuse import Fused, fuse
from agentmem.recall.ranking import Ranking, nothing, selected
from agentmem.recall.relevance import KNOWN
from agentmem.store import embeddings, memories, messages
from agentmem.store.store import Connection, Store
from agentmem.store.vectors import VectorTable


def recall(store: Store, text: str, ask: Callable[[str], Query], embedder: Callable[[], Embedder | None]) -> Answer:
    """Answer a question.

    Args:
        store: where to look.
        text: the question.
        ask: analyses a text; the first profile of its query is the one that the answer names.
        embedder: loads the embedding model, or gives None where there is none.

    Raises:
        ModelMismatch: the store's vectors come from another model.
    """
    query = ask(text)
    answer = _find(store, query, embedder)

    def lookup(phrase: str) -> datetime | None:
        best = _find(store, replace(ask(phrase), limit=1), embedder).hits
        return (best[0].occurred_at or best[0].at) if best else None

    computed = None if answer.abstained else elapsed.answer(query.text, query.reference, lookup)
    return replace(answer, text=computed)


def _find(store: Store, query: Query, embedder: Callable[[], Embedder | None]) -> Answer:
    with store.reading() as connection:
        rankings = list(map(_allowed(connection, query), _search(store, connection, query, embedder)))
        fused = fuse(rankings, most=query.limit + 50)
        notes = tuple(dict.fromkeys(ranking.note for ranking in rankings if ranking.note))
        surest = max((one.relevance for one in fused), default=0.0)
        hits = _look_up(connection, fused, query.limit) if surest >= KNOWN else ()
    return Answer(query=query.text, profile=query.profiles[0], abstained=not hits, hits=hits, notes=notes)


def _search(
    store: Store, connection: Connection, query: Query, embedder: Callable[[], Embedder | None]
) -> list[Ranking]:
    with ThreadPoolExecutor(max_workers=4) as pool:
        searches = [
            pool.submit(_by_vector, store, connection.cursor(), query, embedder),
            pool.submit(message_words.search, connection.cursor(), query),
            pool.submit(memory_words.search, connection.cursor(), query),
            pool.submit(topic.search, connection.cursor(), query),
        ]
        rankings = [dates.search(connection, query), hypothetical_vector.search(query)]
        return [*(search.result() for search in searches), *rankings]


def _by_vector(store: Store, connection: Connection, query: Query, embedder: Callable[[], Embedder | None]) -> Ranking:
    generation = embeddings.current(connection)
    if generation is None:
        return nothing(question_vector.NAME, "no vectors yet: `agentmem work` computes them")
    if not query.terms:
        return nothing(question_vector.NAME)
    try:
        model = embedder()
    except ModelUnavailable as error:
        return nothing(question_vector.NAME, f"words only: {error.message}")
    if model is None:
        return nothing(question_vector.NAME, "words only: no embedding model is configured")
    if model.name != generation.model:  # the configured model's vectors are still to be computed: the old ones serve
        serving = embedder_of(generation.model)
        if serving is None:
            why = (
                f"the vectors come from {generation.model}, which cannot be loaded: `agentmem reindex` computes others"
            )
            return nothing(question_vector.NAME, f"words only: {why}")
        model = serving
    vector = model.embed_query(query.text)
    table = VectorTable(store.home.vectors, generation.no, generation.dimension)
    return question_vector.search(connection, query, generation, table, vector)


def _allowed(connection: Connection, query: Query) -> Callable[[Ranking], Ranking]:
    """What takes from a ranking all that the question's limits exclude."""
    import numpy as np

    wanted = memories.Filter(
        profiles=query.profiles,
        kinds=query.kinds,
        statuses=() if query.everything else ("active",),
        since=query.since,
        until=query.until,
        alive_at=None if query.everything else query.reference,
    )
    items = -np.array(memories.numbers(connection, wanted) if MEMORY in query.types else [], dtype=np.int64)
    said = None
    if MESSAGE not in query.types or query.kinds:
        said = np.empty(0, dtype=np.int64)
    elif query.since or query.until:
        said = np.array(messages.slots_between(connection, query.profiles, query.since, query.until), dtype=np.int64)

    def filtered(ranking: Ranking) -> Ranking:
        keep = np.isin(ranking.slots, items)
        keep |= ranking.slots > 0 if said is None else np.isin(ranking.slots, said)
        return selected(ranking, keep)

    return filtered


def _look_up(connection: Connection, fused: Sequence[Fused], limit: int) -> tuple[Hit, ...]:
    """The hits that the best documents stand for; several occurrences of a message are one hit."""
    candidates = fused[: limit + 50]
    said = messages.by_slots(connection, [one.slot for one in candidates if one.slot > 0])
    items = memories.by_numbers(connection, [-one.slot for one in candidates if one.slot < 0])
    evidence = memories.evidence_of(connection, [item.id for item in items.values()])
    hits: dict[tuple[str, str, str], Hit] = {}
    for one in candidates:
        hit = _message_hit(one, said[one.slot]) if one.slot in said else None
        if -one.slot in items:
            item = items[-one.slot]
            hit = Hit(
                rank=0,
                type=MEMORY,
                id=item.id,
                content=item.content,
                score=one.score,
                profile=item.profile,
                kind=item.kind.value,
                at=item.valid_from,
                occurred_at=item.occurred_at,
                topic_key=item.topic_key,
                status=item.status.value,
                trust=item.trust.value,
                evidence=tuple(evidence.get(item.id, ())),
                parts=one.parts,
            )
        if hit is not None:
            hits.setdefault((hit.type, hit.session_id or "", hit.id), hit)
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(list(hits.values())[:limit], start=1))


def _message_hit(one: Fused, message: messages.StoredMessage) -> Hit:
    return Hit(
        rank=0,
        type=MESSAGE,
        id=message.id,
        content=message.content,
        score=one.score,
        profile=message.profile,
        source_id=message.source_id,
        session_id=message.session_id,
        kind=message.kind,
        role=message.role,
        speaker=message.speaker,
        at=message.at,
        trust=message.trust,
        parts=one.parts,
    )
