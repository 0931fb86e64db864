"""Fusion: many rankings become one. Pure; every hit carries the parts that its score is the sum of.

Reciprocal rank fusion (Cormack et al., 2009): score = Σ_channels weight / (60 + rank).

Memories take part with their rank in each of their channels. Raw messages first become one ranking of their own, by
scores and not by ranks: on LoCoMo, rank fusion of words and vectors loses to the sum of their standard scores
(R@10 67.4 against 74.1), because a rank forgets how far ahead the first one was. That sum's rank then
takes part, and its share is told apart by what each channel gave to the sum. A document of a period that the
question names gets a fixed addition there. Ties go to the newer.

Long messages match many questions by their bulk: from 64 terms on, each doubling of a message's length takes one
standard deviation from its sum. On BEAM-100K (long answers of assistants) that lifts R@10 from 54.4 to 61.4, on LoCoMo
and MemDaily (short turns) it changes nothing (74.1 to 73.9, 37.8 to 38.0).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmem.domain.recall import Part
from agentmem.recall.ranking import Ranking
from agentmem.recall.relevance import WORTH_SHOWING, relevance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SMOOTHING = 60
MEMORY_WEIGHTS = {
    "topic": 2.0,
    "memory words": 1.0,
    "question vector": 1.0,
    "hypothetical vector": 0.7,
    "related words": 0.5,
    "dates": 1.0,
}
MESSAGE_WEIGHT = 1.5  # half for its words, one for its vector: raw words count least of all
MESSAGE_WEIGHTS = {
    "message words": 1.0,
    "question vector": 1.0,
    "hypothetical vector": 1.0,
    "related words": 0.5,
    "dates": 2.0,
}
"""Of the standard scores that are added up for raw messages."""

LONG_FROM = 64
LONG_WEIGHT = 1.0
"""Length in terms from which a message is long, and what each doubling takes from its sum."""


@dataclass(frozen=True, slots=True)
class Fused:
    """A document with its final score, the parts of it, and how likely it has to do with the question (0 to 1)."""

    slot: int
    score: float
    relevance: float
    parts: tuple[Part, ...]


def fuse(rankings: Sequence[Ranking], most: int) -> list[Fused]:
    """One ranking of all documents, best first.

    Args:
        rankings: of the channels.
        most: how many messages to take part; memories all do.
    """
    found = [*_memories(rankings), *_messages(rankings, most)]
    return sorted(found, key=lambda one: (-one.score, -abs(one.slot)))


def _memories(rankings: Sequence[Ranking]) -> list[Fused]:
    import numpy as np

    parts: dict[int, list[Part]] = {}
    for ranking in rankings:
        weight = MEMORY_WEIGHTS.get(ranking.channel, 0.0)
        mine = np.flatnonzero(ranking.slots < 0)
        for rank, i in enumerate(_order(ranking, mine, ranking.scores), start=1):
            slot = int(ranking.slots[i])
            share = weight / (SMOOTHING + rank)
            parts.setdefault(slot, []).append(Part(ranking.channel, rank, float(ranking.scores[i]), share))
    slots = np.array(sorted(parts), dtype=np.int64)
    estimates = dict(zip(slots.tolist(), _relevance(slots, rankings, memory=True).tolist(), strict=True))
    return [
        Fused(slot, sum(part.share for part in own), estimates[slot], tuple(own))
        for slot, own in parts.items()
        if estimates[slot] >= WORTH_SHOWING
    ]


def _relevance(slots: "NDArray[np.int64]", rankings: Sequence[Ranking], *, memory: bool) -> "NDArray[np.float64]":
    """The relevance of some documents (`slots` ascend). A period counts if the question names nothing else."""
    import numpy as np

    only_dates = all(ranking.channel == "dates" or not len(ranking.slots) for ranking in rankings)
    words, sure = np.zeros(len(slots)), np.zeros(len(slots))
    cosines = np.full(len(slots), np.nan)
    model = None
    for ranking in rankings:
        at, here = _places(slots, ranking)
        if ranking.channel in ("memory words", "message words", "related words"):
            words[at] = np.maximum(words[at], ranking.signal[here])
        elif ranking.channel == "question vector":
            cosines[at] = ranking.signal[here]
            model = ranking.model
        elif ranking.channel == "topic" or only_dates:
            sure[at] = ranking.signal[here]
    return np.maximum(sure, relevance(words, cosines, memory=memory, model=model))


def _messages(rankings: Sequence[Ranking], most: int) -> list[Fused]:
    import numpy as np

    asked = [ranking for ranking in rankings if MESSAGE_WEIGHTS.get(ranking.channel) and (ranking.slots > 0).any()]
    if not asked:
        return []
    # A period alone finds messages only for a question that has nothing but a period.
    finders = [ranking for ranking in asked if ranking.channel != "dates"] or asked
    slots = np.unique(np.concatenate([ranking.slots[ranking.slots > 0] for ranking in finders]))
    given: dict[str, NDArray[np.float64]] = {}
    for ranking in asked:
        at, here = _places(slots, ranking)
        column = np.zeros(len(slots))
        column[at] = MESSAGE_WEIGHTS[ranking.channel] * ranking.standard[here]
        given[ranking.channel] = column
    total = sum(given.values(), np.zeros(len(slots)))
    total = total - LONG_WEIGHT * np.maximum(0.0, np.log2(np.maximum(_lengths(slots, finders), 1) / LONG_FROM))
    best = np.lexsort((-slots, -total))[:most]
    ranks = {ranking.channel: _ranks(ranking) for ranking in asked}
    estimates = _relevance(slots, rankings, memory=False)
    return [
        _message(int(slots[i]), rank, float(estimates[i]), {c: float(g[i]) for c, g in given.items()}, ranks)
        for rank, i in enumerate(best, start=1)
    ]


def _lengths(slots: "NDArray[np.int64]", rankings: Sequence[Ranking]) -> "NDArray[np.int64]":
    import numpy as np

    lengths = np.zeros(len(slots), dtype=np.int64)
    for ranking in rankings:
        if ranking.lengths is not None:
            at, here = _places(slots, ranking)
            lengths[at] = ranking.lengths[here]
    return lengths


def _message(
    slot: int,
    rank: int,
    estimate: float,
    given: Mapping[str, float],
    ranks: Mapping[str, Mapping[int, tuple[int, float]]],
) -> Fused:
    score = MESSAGE_WEIGHT / (SMOOTHING + rank)
    own = {channel: max(value, 0.0) for channel, value in given.items() if slot in ranks[channel]}
    whole = sum(own.values())
    parts = [
        Part(channel, *ranks[channel][slot], score * (value / whole if whole else 1 / len(own)))
        for channel, value in own.items()
    ]
    return Fused(slot, score, estimate, tuple(parts))


def _ranks(ranking: Ranking) -> dict[int, tuple[int, float]]:
    import numpy as np

    mine = np.flatnonzero(ranking.slots > 0)
    ordered = _order(ranking, mine, ranking.scores)
    return {int(ranking.slots[i]): (rank, float(ranking.scores[i])) for rank, i in enumerate(ordered, start=1)}


def _order(ranking: Ranking, mine: "NDArray[np.int64]", scores: "NDArray[np.float64]") -> "NDArray[np.int64]":
    """Some of a ranking's documents, best first; the newer first among equals."""
    import numpy as np

    return mine[np.lexsort((-np.abs(ranking.slots[mine]), -scores[mine]))]


def _places(slots: "NDArray[np.int64]", ranking: Ranking) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Where a ranking's documents stand in ascending `slots`, and which of its rows those are."""
    import numpy as np

    here = np.flatnonzero(np.isin(ranking.slots, slots))
    return np.searchsorted(slots, ranking.slots[here]), here
