"""The way of a question to its answer: the only list of the stages.

text → analyze → (a model widens it) → channels (in parallel, the question being embedded meanwhile) → filter
→ candidates → fuse → weigh → look up → dates by rule → (a model puts it into words) → answer
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from functools import partial

from agentmem.config import Config
from agentmem.domain.recall import MEMORY, MESSAGE, Answer, Hit, Query, SessionHit
from agentmem.domain.weights import VECTOR
from agentmem.errors import BadReply, ModelUnavailable
from agentmem.models.choose import embedder_of
from agentmem.models.embedder import Embedder
from agentmem.models.ollama_embedder import OllamaEmbedder
from agentmem.recall import anchored, elapsed, outdated
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
from agentmem.recall.fuse import Fused, candidates, fuse
from agentmem.recall.priors import priors
from agentmem.recall.ranking import Ranking, nothing, selected
from agentmem.recall.relevance import KNOWN
from agentmem.recall.sessions import foremost
from agentmem.recall.weigh import MOST_WEIGHED, UNCONFIRMED, Rates, weigh
from agentmem.recall.widen import prepared, widened
from agentmem.store import anchors, embeddings, memories, messages, pasts
from agentmem.store.engine import beside
from agentmem.store.pasts import Past
from agentmem.store.store import Connection, Store
from agentmem.store.vectors import VectorTable

_CANDIDATES = 200
"""Messages, besides twice as many as are wanted, whose speaker, time and place are looked at."""


def recall(
    store: Store,
    text: str,
    ask: Callable[[str], Query],
    embedder: Callable[[], Embedder | None],
    rates: Rates,
    aid: Aid = UNAIDED,
) -> Answer:
    """Answer a question.

    Args:
        store: where to look.
        text: the question.
        ask: analyses a text; the first profile of its query is the one that the answer names.
        embedder: loads the embedding model, or gives None where there is none.
        rates: how memories age.
        aid: what language models may do. The hits come whatever becomes of that.

    Raises:
        ModelMismatch: the store's vectors come from another model.
    """
    began = time.monotonic()
    query, embedder, trouble = widened(store, ask(text), ask, embedder, aid, began=began)
    until = began + aid.seconds
    answer = _find(store, query, embedder, rates, until)

    def lookup(phrase: str) -> datetime | None:
        if answer.abstained:
            return None
        happening = replace(ask(phrase), limit=1)
        _, embeds, _ = widened(store, happening, ask, embedder, Aid(seconds=aid.seconds, early=aid.early), began=began)
        best = _find(store, happening, embeds, rates, until).hits
        return (best[0].occurred_at or best[0].at) if best else None

    # Where the question itself names both days, the calendar answers without any memory.
    computed = elapsed.answer(query.text, query.reference, lookup)
    if computed is not None:
        answer = replace(answer, text=computed, author="rule", abstained=False)
    answer = replace(answer, trouble=aid.trouble or trouble)
    return in_words(query, answer, aid, until=until)


class _NotAsked(Exception):
    """The vectors come from a model on a server that has not been asked about the question yet."""

    def __init__(self, model: OllamaEmbedder) -> None:
        self.model = model


def _find(store: Store, query: Query, embedder: Callable[[], Embedder | None], rates: Rates, until: float) -> Answer:
    """Search. A server is asked while the database is closed: whoever wants to write would have to wait for it."""
    try:
        return _search_all(store, query, embedder, rates)
    except _NotAsked as found:
        query, model = prepared(found.model, query, until)
        return _search_all(store, query, lambda: model, rates)


def _search_all(store: Store, query: Query, embedder: Callable[[], Embedder | None], rates: Rates) -> Answer:
    with store.reading() as connection:
        past = _past(connection, query)
        searched = query if past is None else replace(query, everything=True)
        rankings = list(map(_allowed(connection, query, past), _search(store, connection, searched, embedder)))
        named = candidates(rankings, most=2 * query.limit + _CANDIDATES, by=query.weights)
        known = priors(query, messages.traits(connection, named.slots)) if named.slots else {}
        fused = fuse(rankings, named, known, most=query.limit + 50, by=query.weights)
        fused = _weighed(connection, query, fused, past, rates)
        notes = tuple(dict.fromkeys(ranking.note for ranking in rankings if ranking.note))
        surest = max((one.relevance for one in fused), default=0.0)
        spare = replace(query, limit=query.limit + outdated.SPARE)
        hits = _look_up(connection, spare, fused, past) if surest >= KNOWN else ()
        hits = outdated.settle(connection, query, hits)[: query.limit]
        best = foremost(rankings, named, known, query.sessions, query.weights) if hits and query.sessions else []
        sessions = _sessions(connection, query, best)
        in_code = anchors.of(connection, [hit.id for hit in hits if hit.type == MEMORY])
    return Answer(
        query=query.text,
        profile=query.profiles[0],
        abstained=not hits,
        hits=anchored.mark(hits, in_code),
        sessions=sessions,
        relevance=surest,
        notes=notes,
    )


def _search(
    store: Store, connection: Connection, query: Query, embedder: Callable[[], Embedder | None]
) -> list[Ranking]:
    with ThreadPoolExecutor(max_workers=4) as pool:
        vectors = pool.submit(_by_vector, store, beside(connection), query, embedder)
        searches = [
            pool.submit(message_words.search, beside(connection), query),
            pool.submit(memory_words.search, beside(connection), query),
            pool.submit(topic.search, beside(connection), query),
        ]
        rankings = [related_words.search(connection, query), dates.search(connection, query)]
        near, hypothetical = vectors.result()
        rankings = [near, *(search.result() for search in searches), *rankings, hypothetical]
    return [ranking for ranking in rankings if ranking.channel not in query.weights.without]


def _by_vector(
    store: Store, connection: Connection, query: Query, embedder: Callable[[], Embedder | None]
) -> tuple[Ranking, Ranking]:
    """What is near the question's vector, and what is near that of a hypothetical answer."""
    if VECTOR in query.weights.without:
        return _no_vectors()
    generation = embeddings.current(connection)
    if generation is None:
        return _no_vectors("no vectors yet: `agentmem work` computes them")
    if not query.terms:
        return _no_vectors()
    try:
        model = _serving(generation.model, embedder(), store.config)
        if isinstance(model, OllamaEmbedder):
            raise _NotAsked(model)
        vector = model.embed_query(query.text)
    except (ModelUnavailable, BadReply) as error:
        return _no_vectors(f"words only: {error.message}")
    table = VectorTable(store.home.vectors, generation.no, generation.dimension)
    near = partial(question_vector.search, connection, query, generation, table)
    return near(vector), hypothetical_vector.search(query, model, near)


def _serving(name: str, configured: Embedder | None, config: Config) -> Embedder:
    """The model that the vectors come from: the configured one, or, until that one's are computed, the old one."""
    if configured is None:
        raise ModelUnavailable("no embedding model is configured")
    model = configured if configured.name == name else embedder_of(name, config)
    if model is None:
        raise ModelUnavailable(
            f"the vectors come from {name}, which cannot be loaded: `agentmem reindex` computes others"
        )
    return model


def _no_vectors(note: str = "") -> tuple[Ranking, Ranking]:
    return nothing(question_vector.NAME, note), hypothetical_vector.absent()


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


def _sessions(connection: Connection, query: Query, best: Sequence[tuple[int, float]]) -> tuple[SessionHit, ...]:
    said = messages.by_slots(connection, [slot for slot, _ in best])
    hits = tuple(_message_hit(Fused(slot, score, 0.0, ()), said[slot]) for slot, score in best if slot in said)
    shown = {hit.session_id: hit for hit in outdated.settle(connection, query, hits) if hit.type == MESSAGE}
    return tuple(
        SessionHit(
            rank=rank,
            session_id=hit.session_id or "",
            profile=hit.profile,
            score=hit.score,
            message=shown.get(hit.session_id),
        )
        for rank, hit in enumerate(hits, start=1)
    )


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
