"""The way of a question to its answer: the only list of the stages.

text → analyze → (a model widens it) → channels (in parallel, the question being embedded meanwhile) → filter → fuse
→ look up → dates by rule → (a model puts it into words) → answer
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from functools import partial

from agentmem.domain.recall import MEMORY, MESSAGE, Answer, Hit, Query
from agentmem.errors import BadReply, ModelUnavailable
from agentmem.models.embedder import Embedder
from agentmem.recall import elapsed
from agentmem.recall.aid import UNAIDED, Aid
from agentmem.recall.answering import in_words
from agentmem.recall.channels import (
    dates,
    hypothetical_vector,
    memory_words,
    message_words,
    question_vector,
    related_words,
    topic,
)
from agentmem.recall.fuse import Fused, fuse
from agentmem.recall.ranking import Ranking, nothing, selected
from agentmem.recall.relevance import KNOWN
from agentmem.recall.widen import widened
from agentmem.store import embeddings, memories, messages
from agentmem.store.store import Connection, Store
from agentmem.store.vectors import VectorTable


def recall(
    store: Store,
    text: str,
    ask: Callable[[str], Query],
    embedder: Callable[[], Embedder | None],
    aid: Aid = UNAIDED,
) -> Answer:
    """Answer a question.

    Args:
        store: where to look.
        text: the question.
        ask: analyses a text; the first profile of its query is the one that the answer names.
        embedder: loads the embedding model, or gives None where there is none.
        aid: what language models may do. The hits come whatever becomes of that.

    Raises:
        ModelMismatch: the store's vectors come from another model.
    """
    began = time.monotonic()
    query, embedder, trouble = widened(store, ask(text), ask, embedder, aid, began=began)
    answer = _find(store, query, embedder)

    def lookup(phrase: str) -> datetime | None:
        if answer.abstained:
            return None
        happening = replace(ask(phrase), limit=1)
        _, embeds, _ = widened(store, happening, ask, embedder, Aid(seconds=aid.seconds, early=aid.early), began=began)
        best = _find(store, happening, embeds).hits
        return (best[0].occurred_at or best[0].at) if best else None

    # Where the question itself names both days, the calendar answers without any memory.
    computed = elapsed.answer(query.text, query.reference, lookup)
    if computed is not None:
        answer = replace(answer, text=computed, author="rule", abstained=False)
    answer = replace(answer, trouble=aid.trouble or trouble)
    return in_words(query, answer, aid, until=began + aid.seconds)


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
        vectors = pool.submit(_by_vector, store, connection.cursor(), query, embedder)
        searches = [
            pool.submit(message_words.search, connection.cursor(), query),
            pool.submit(memory_words.search, connection.cursor(), query),
            pool.submit(topic.search, connection.cursor(), query),
        ]
        rankings = [related_words.search(connection, query), dates.search(connection, query)]
        near, hypothetical = vectors.result()
        return [near, *(search.result() for search in searches), *rankings, hypothetical]


def _by_vector(
    store: Store, connection: Connection, query: Query, embedder: Callable[[], Embedder | None]
) -> tuple[Ranking, Ranking]:
    """What is near the question's vector, and what is near that of a hypothetical answer."""
    generation = embeddings.current(connection)
    if generation is None:
        return _no_vectors("no vectors yet: `agentmem work` computes them")
    if not query.terms:
        return _no_vectors()
    try:
        model = embedder()
        if model is None:
            return _no_vectors("words only: no embedding model is configured")
        embeddings.check(generation, model.name)
        vector = model.embed_query(query.text)
    except (ModelUnavailable, BadReply) as error:
        return _no_vectors(f"words only: {error.message}")
    table = VectorTable(store.home.vectors, generation.no, generation.dimension)
    near = partial(question_vector.search, connection, query, generation, table)
    return near(vector), hypothetical_vector.search(query, model, near)


def _no_vectors(note: str = "") -> tuple[Ranking, Ranking]:
    return nothing(question_vector.NAME, note), hypothetical_vector.absent()


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
