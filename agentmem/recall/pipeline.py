"""The way of a question to its answer: the only list of the stages.

text → analyze → channels (in parallel, the question being embedded meanwhile) → filter → fuse → weigh → look up
→ answer
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime

from agentmem.domain.recall import MEMORY, MESSAGE, Answer, Hit, Query
from agentmem.errors import ModelUnavailable
from agentmem.models.embedder import Embedder
from agentmem.recall import anchored, elapsed, outdated
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
from agentmem.recall.weigh import MOST_WEIGHED, UNCONFIRMED, Rates, weigh
from agentmem.store import anchors, embeddings, memories, messages, pasts
from agentmem.store.pasts import Past
from agentmem.store.store import Connection, Store
from agentmem.store.vectors import VectorTable


def recall(
    store: Store, text: str, ask: Callable[[str], Query], embedder: Callable[[], Embedder | None], rates: Rates
) -> Answer:
    """Answer a question.

    Args:
        store: where to look.
        text: the question.
        ask: analyses a text; the first profile of its query is the one that the answer names.
        embedder: loads the embedding model, or gives None where there is none.
        rates: how memories age.

    Raises:
        ModelMismatch: the store's vectors come from another model.
    """
    query = ask(text)
    answer = _find(store, query, embedder, rates)

    def lookup(phrase: str) -> datetime | None:
        best = _find(store, replace(ask(phrase), limit=1), embedder, rates).hits
        return (best[0].occurred_at or best[0].at) if best else None

    computed = None if answer.abstained else elapsed.answer(query.text, query.reference, lookup)
    return replace(answer, text=computed)


def _find(store: Store, query: Query, embedder: Callable[[], Embedder | None], rates: Rates) -> Answer:
    with store.reading() as connection:
        past = _past(connection, query)
        searched = query if past is None else replace(query, everything=True)
        rankings = list(map(_allowed(connection, query, past), _search(store, connection, searched, embedder)))
        fused = _weighed(connection, query, fuse(rankings, most=query.limit + 50), past, rates)
        notes = tuple(dict.fromkeys(ranking.note for ranking in rankings if ranking.note))
        surest = max((one.relevance for one in fused), default=0.0)
        spare = replace(query, limit=query.limit + outdated.SPARE)
        hits = _look_up(connection, spare, fused, past) if surest >= KNOWN else ()
        hits = outdated.settle(connection, query, hits)[: query.limit]
        named = anchors.of(connection, [hit.id for hit in hits if hit.type == MEMORY])
    hits = anchored.mark(hits, named)
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
    embeddings.check(generation, model.name)
    vector = model.embed_query(query.text)
    table = VectorTable(store.home.vectors, generation.no, generation.dimension)
    return question_vector.search(connection, query, generation, table, vector)


def _wanted(query: Query) -> memories.Filter:
    return memories.Filter(
        profiles=query.profiles,
        kinds=query.kinds,
        statuses=() if query.everything else ("active", "rejected"),
        since=query.since,
        until=query.until,
        alive_at=None if query.everything else query.reference,
    )


def _past(connection: Connection, query: Query) -> dict[int, Past] | None:
    """The memories of another time by slot, if one is asked for."""
    if query.as_of is None and query.known_at is None:
        return None
    found = pasts.look(connection, _wanted(query), as_of=query.as_of, known_at=query.known_at)
    return {-no: past for no, past in found.items()}


def _allowed(connection: Connection, query: Query, past: dict[int, Past] | None) -> Callable[[Ranking], Ranking]:
    """What takes from a ranking all that the question's limits exclude."""
    import numpy as np

    numbers = memories.numbers(connection, _wanted(query)) if past is None else [-slot for slot in past]
    items = -np.array(numbers if MEMORY in query.types else [], dtype=np.int64)
    said = None
    if MESSAGE not in query.types or query.kinds:
        said = np.empty(0, dtype=np.int64)
    elif query.since or query.until or past is not None:
        between = messages.slots_between(
            connection, query.profiles, query.since, query.until, as_of=query.as_of, known_at=query.known_at
        )
        said = np.array(between, dtype=np.int64)

    def filtered(ranking: Ranking) -> Ranking:
        keep = np.isin(ranking.slots, items)
        keep |= ranking.slots > 0 if said is None else np.isin(ranking.slots, said)
        return selected(ranking, keep)

    return filtered


def _weighed(
    connection: Connection, query: Query, fused: list[Fused], past: dict[int, Past] | None, rates: Rates
) -> list[Fused]:
    slots = [one.slot for one in fused if one.slot < 0][:MOST_WEIGHED]
    if not slots:
        return fused
    items = {-no: item for no, item in memories.by_numbers(connection, [-slot for slot in slots]).items()}
    if past is not None:  # what was recalled or confirmed since then tells nothing about that time
        items = {
            slot: replace(past[slot].item, valid_from=past[slot].since, confirmed_at=None, last_recalled_at=None)
            for slot in items
        }
        rates = replace(rates, unconfirmed_days=0.0)
    said = memories.last_said(connection, [item.id for item in items.values()])
    return weigh(fused, items, said, query.as_of or query.known_at or query.reference, rates)


def _look_up(
    connection: Connection, query: Query, fused: Sequence[Fused], past: dict[int, Past] | None
) -> tuple[Hit, ...]:
    """The hits that the best documents stand for; several occurrences of a message are one hit."""
    limit = query.limit
    candidates = fused[: limit + 50]
    said = messages.by_slots(connection, [one.slot for one in candidates if one.slot > 0])
    items = memories.by_numbers(connection, [-one.slot for one in candidates if one.slot < 0])
    evidence = memories.evidence_of(connection, [item.id for item in items.values()])
    hits: dict[tuple[str, str, str], Hit] = {}
    for one in candidates:
        hit = _message_hit(one, said[one.slot]) if one.slot in said else None
        if -one.slot in items:
            item = items[-one.slot] if past is None else past[one.slot].item
            quotes = tuple(e for e in evidence.get(item.id, ()) if not (query.as_of and e.at and e.at > query.as_of))
            hit = Hit(
                rank=0,
                type=MEMORY,
                id=item.id,
                content=item.content,
                score=one.score,
                profile=item.profile,
                kind=item.kind.value,
                at=item.valid_from if past is None else past[one.slot].since,
                occurred_at=item.occurred_at,
                topic_key=item.topic_key,
                status=item.status.value,
                trust=item.trust.value,
                evidence=quotes,
                parts=one.parts,
                marks=(UNCONFIRMED,) if any(part.channel == UNCONFIRMED for part in one.parts) else (),
                reason=item.reason,
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
