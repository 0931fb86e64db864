"""Stage: what was found is settled against what is stored, and written with its journal."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from agentmem.domain.ids import memory_id
from agentmem.domain.memories import Candidate, MemoryItem
from agentmem.domain.text import normalise
from agentmem.ingest.forgotten import find_graves
from agentmem.ingest.supersede import Known, Plan, Proposal, Words, supersede
from agentmem.store import journal, memories, states
from agentmem.store.fulltext import Terms
from agentmem.store.rows import now
from agentmem.store.store import Connection


def propose(
    connection: Connection,
    proposals: Sequence[Proposal],
    terms: Terms,
    *,
    actor: str,
    action: journal.Action | None = None,
) -> Plan:
    """Settle proposals against what is stored, and write the outcome with its journal.

    Args:
        connection: inside a writing transaction.
        proposals: in the order in which they were said.
        terms: for the index.
        actor: who does it, for the journal.
        action: what it is part of; None: it is all.
    """
    if not proposals:
        return Plan()
    graves = find_graves(connection, [(p.item.profile, p.item.topic_key, p.item.content) for p in proposals])
    marked = [
        replace(p, buried=grave is not None, grave=grave.id if grave else None)
        for p, grave in zip(proposals, graves, strict=True)
    ]
    plan = supersede(_known(connection, marked), marked)
    _apply(connection, plan, terms, actor, action)
    return plan


def _known(connection: Connection, proposals: Sequence[Proposal]) -> list[Known]:
    linked = [one for p in proposals for one in (p.replaces, p.grave) if one is not None]
    items = memories.by_ids(connection, [*(p.item.id for p in proposals), *linked])
    merged = [item.superseded_by for item in items.values() if item.superseded_by and not item.topic_key]
    items |= memories.by_ids(connection, merged)
    profiles = list({p.item.profile for p in proposals})
    keys = list({p.item.topic_key for p in proposals if p.item.topic_key})
    for _, item in memories.by_topics(connection, profiles, keys, active=True):
        items[item.id] = item
    places = memories.places_of(connection, list(items))
    known = []
    for key, item in items.items():
        times = [at for _, _, at in places.get(key, ()) if at is not None]
        known.append(
            Known(item, max([*times, item.valid_from or datetime.min.replace(tzinfo=UTC)]), places.get(key, ()))
        )
    return known


def _apply(connection: Connection, plan: Plan, terms: Terms, actor: str, action: journal.Action | None) -> None:
    touched = list(dict.fromkeys([*plan.added, *plan.changed, *(key for key, _ in plan.supports)]))
    earlier = states.take(connection, touched)
    added = list(plan.added.values())
    memories.add(connection, [item for item, _ in added], [terms.of(memories.search_text(i, q)) for i, q in added])
    memories.add_queries(connection, [(item.id, query) for item, queries in added for query in queries])
    memories.add_support(
        connection,
        [
            memories.Support(
                memory_id=key, session_no=words.session_no, message_id=words.message_id, quote=words.quote, at=words.at
            )
            for key, words in plan.supports
        ],
    )
    queries_of = memories.queries_of(connection, list(plan.changed))
    for key, (before, after) in plan.changed.items():
        words = terms.of(memories.search_text(after, queries_of.get(key, ())))
        memories.set_status(
            connection,
            before,
            status=after.status,
            terms=words,
            superseded_by=after.superseded_by,
            valid_from=after.valid_from,
        )
    now_so = states.take(connection, touched)
    entries = [states.entry(_operation(plan, key), earlier.get(key), now_so.get(key)) for key in touched]
    journal.write(connection, actor, [entry for entry in entries if entry is not None], action)


def _operation(plan: Plan, key: str) -> str:
    """What is done to a memory, in a word for the journal."""
    if key in plan.added:
        return "remember"
    if key in plan.changed:
        return "supersede" if plan.changed[key][1].superseded_by else "reinstate"
    return "evidence"


def proposal(profile: str, session_no: int, candidate: Candidate) -> Proposal:
    """A candidate as the memory that it would become in a profile, with its support."""
    said_at = candidate.said_at or now()
    item = MemoryItem(
        id=memory_id(profile, candidate.kind, candidate.topic_key, normalise(candidate.content)),
        profile=profile,
        kind=candidate.kind,
        content=candidate.content,
        topic_key=candidate.topic_key,
        importance=candidate.importance,
        occurred_at=candidate.occurred_at,
        valid_from=said_at,
        created_at=now(),
        expires_at=candidate.expires_at,
        trust=candidate.trust,
        extractor=candidate.extractor,
    )
    words = Words(session_no, candidate.message_id, candidate.quote, candidate.said_at)
    return Proposal(item=item, said_at=said_at, support=words, search_queries=candidate.search_queries)
