"""Step after fusion: a message that states what was replaced stands below what replaced it, and says so.

A raw message is as it was said, whatever became of it. One that states a superseded value would be taken for the truth
if it stood first: the memory that holds now goes above it, and is brought in if it was not found. Where that was
forgotten, or purged, the message is marked all the same. A message that states what was forgotten is left out.

What a message states is known where a memory rests on it. Others ("OK, port 8443 it is") are known by their words: what
an old value of a topic had that the present one has not, beside some of what both have, in a message older than the
present value; or the numbers of a forgotten one, beside some of its words.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from agentmem.domain.memories import Evidence, MemoryItem, Status
from agentmem.domain.recall import MEMORY, MESSAGE, Hit, Query
from agentmem.domain.text import chunks
from agentmem.recall.forgotten import LONGEST, numbers_in, tells_forgotten, words_of
from agentmem.store import memories, stated
from agentmem.store.store import Connection

SPARE = 20
"""Hits beyond those asked for that are looked up, to take the place of those left out."""

_MOST_NUMBERS = 60  # in the messages found, by which the topics of old values are looked up

Place = tuple[str, str]
"""Session id and message id."""

REPLACED_BY_FORGOTTEN = "replaced by what was forgotten"
"""The mark of a message whose value was replaced by one that is not known any more."""

_OldValue = tuple[frozenset[str], frozenset[str], MemoryItem]
"""The words that only an old value has, those that it shares with the present one, and the present one."""


def settle(connection: Connection, query: Query, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """Put outdated messages below what replaced them; leave out what was forgotten unless everything is asked for."""
    said = [(hit.session_id or "", hit.id) for hit in hits if hit.type == MESSAGE]
    if not said:
        return hits
    states = stated.stated_in(connection, said)
    forgotten = set() if query.everything else _forgotten(connection, query, hits, states)
    if query.as_of is not None or query.known_at is not None:  # what is outdated now was not, then
        return arrange(hits, {}, forgotten, {})
    last = stated.successors(connection, [item for items in states.values() for item in items])
    replaced = {
        place: successor for place, items in states.items() if (successor := _replaced_by(items, last)) is not None
    }
    lost = {place for place, items in states.items() if _without_successor(items, last)}
    hits = tuple(
        replace(hit, marks=(*hit.marks, REPLACED_BY_FORGOTTEN)) if (hit.session_id, hit.id) in lost else hit
        for hit in hits
    )
    old = _old_values(connection, query, hits, replaced.values())
    for hit in hits:
        place = (hit.session_id or "", hit.id)
        if hit.type == MESSAGE and place not in replaced and (successor := _reworded(hit, old)) is not None:
            replaced[place] = successor
    may_add = MEMORY in query.types and not query.since and not query.until
    evidence = memories.evidence_of(connection, [item.id for item in replaced.values()]) if may_add else {}
    newer = {item.id: _hit(item, tuple(evidence.get(item.id, ()))) for item in replaced.values()} if may_add else {}
    return arrange(hits, replaced, forgotten, newer)


def arrange(
    hits: Sequence[Hit], replaced: Mapping[Place, MemoryItem], forgotten: set[Place], newer: Mapping[str, Hit]
) -> tuple[Hit, ...]:
    """The hits in their new order. Pure.

    Args:
        hits: best first.
        replaced: by message, the memory that holds now instead of what it states.
        forgotten: messages to leave out.
        newer: hits of those memories, to be brought in where they were not found.
    """
    kept = [hit for hit in hits if hit.type != MESSAGE or (hit.session_id or "", hit.id) not in forgotten]
    ranks = {hit.id: rank for rank, hit in enumerate(kept) if hit.type == MEMORY}
    keyed: list[tuple[float, int, Hit]] = []
    brought: dict[str, float] = {}
    for rank, hit in enumerate(kept):
        successor = replaced.get((hit.session_id or "", hit.id)) if hit.type == MESSAGE else None
        if successor is None:
            keyed.append((rank, 0, hit))
            continue
        marked = replace(hit, marks=(*hit.marks, f"replaced by {successor.id[:8]}"))
        at: float | None = ranks.get(successor.id)
        if at is None and successor.id in newer:
            if successor.id not in brought:
                brought[successor.id] = rank - 0.5
                keyed.append((rank - 0.5, 0, replace(newer[successor.id], score=hit.score)))
            at = brought[successor.id]
        keyed.append((max(rank, rank if at is None else at), 1, marked))
    ordered = [hit for _, _, hit in sorted(keyed, key=lambda one: one[:2])]
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(ordered, start=1))


def _forgotten(
    connection: Connection, query: Query, hits: Sequence[Hit], states: Mapping[Place, Sequence[MemoryItem]]
) -> set[Place]:
    """The messages that state what was forgotten: a memory that was forgotten rests on them, or their words say it."""
    found = {place for place, items in states.items() if any(one.status is Status.FORGOTTEN for one in items)}
    said = [hit for hit in hits if hit.type == MESSAGE]
    again = tells_forgotten(connection, query.profiles, [hit.content for hit in said])
    return found | {(hit.session_id or "", hit.id) for hit, tells in zip(said, again, strict=True) if tells}


def _without_successor(items: Sequence[MemoryItem], last: Mapping[str, MemoryItem]) -> bool:
    """Whether all that a message states was replaced, and by nothing that holds: that was forgotten since."""
    return bool(items) and all(
        one.status is Status.SUPERSEDED
        and ((end := last.get(one.id)) is None or end.status in (Status.FORGOTTEN, Status.SUPERSEDED))
        for one in items
    )


def _replaced_by(items: Sequence[MemoryItem], last: Mapping[str, MemoryItem]) -> MemoryItem | None:
    """What holds now instead of what a message states; None if it states that as well."""
    own = {item.id for item in items}
    for item in items:
        successor = last.get(item.id) if item.status is Status.SUPERSEDED else None
        if successor is not None and successor.status is Status.ACTIVE and successor.id not in own:
            return successor
    return None


def _old_values(
    connection: Connection, query: Query, hits: Sequence[Hit], now_true: Iterable[MemoryItem]
) -> list[_OldValue]:
    """The values that topics had before: those found, those of what replaced a message, those that one states."""
    keys = {hit.topic_key for hit in hits if hit.type == MEMORY and hit.status == Status.ACTIVE}
    keys |= {item.topic_key for item in now_true}
    numbers = {
        chunk: None
        for hit in hits
        if hit.type == MESSAGE
        for chunk in chunks(hit.content[:LONGEST])
        if any(character.isdigit() for character in chunk)
    }
    keys.update(stated.topics_that_said(connection, query.profiles, list(numbers)[:_MOST_NUMBERS]))
    profiles = sorted({hit.profile for hit in hits})
    topics = sorted(key for key in keys if key)
    versions = [item for _, item in memories.by_topics(connection, profiles, topics, active=False)]
    present = {(item.profile, item.topic_key): item for item in versions if item.status is Status.ACTIVE}
    found = []
    for item in versions:
        now = present.get((item.profile, item.topic_key))
        if now is not None and item.status is Status.SUPERSEDED:
            before, after = words_of(item.content), words_of(now.content)
            only = numbers_in(before - after) or before - after
            if only and before & after:
                found.append((only, before & after, now))
    return found


def _reworded(hit: Hit, old: Sequence[_OldValue]) -> MemoryItem | None:
    words = words_of(hit.content) if old else frozenset()
    for only, both, now in old:
        earlier = hit.at is not None and now.valid_from is not None and hit.at < now.valid_from
        if earlier and hit.profile == now.profile and only <= words and both & words:
            return now
    return None


def _hit(item: MemoryItem, evidence: tuple[Evidence, ...]) -> Hit:
    return Hit(
        rank=0,
        type=MEMORY,
        id=item.id,
        content=item.content,
        score=0.0,
        profile=item.profile,
        kind=item.kind.value,
        at=item.valid_from,
        occurred_at=item.occurred_at,
        topic_key=item.topic_key,
        status=item.status.value,
        trust=item.trust.value,
        evidence=evidence,
    )
