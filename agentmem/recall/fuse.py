"""Fusion: many rankings become one. Pure; every hit carries the parts that its score is the sum of.

Reciprocal rank fusion (Cormack et al., 2009): score = Σ_channels weight / (60 + rank).

Memories take part with their rank in each of their channels, times their relevance: there are few, so that the second
may have nothing to do with the question, and what weighs a memory besides (`weigh`) would put it first. In the set of
coding work of the tests the first hit is right for 52.0% of the questions, without that factor 50.0%. Raw messages
first become one ranking of their own, by scores and not by ranks: on LoCoMo, rank fusion of words and vectors loses
to the sum of their standard scores (R@10 67.4 against 74.1), because a rank forgets how far ahead the first one was.
That sum, told in `domain.weights`, is made in two steps: what the channels give names the candidates, and what is
known of each candidate's speaker, time and place is added. The rank by the whole sum then takes part, and its share
is told apart in proportion to the sum's parts. Ties go to the newer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmem.domain.recall import Part
from agentmem.domain.weights import LONG_FROM, SMOOTHING, Weights
from agentmem.recall.priors import Priors
from agentmem.recall.ranking import Ranking
from agentmem.recall.relevance import WORTH_SHOWING, relevance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LENGTH = "length"
"""The part that a long message loses."""

FIT = "relevance"
"""The part that a memory loses which may have little to do with the question."""


@dataclass(frozen=True, slots=True)
class Fused:
    """A document with its final score, the parts of it, and how likely it has to do with the question (0 to 1)."""

    slot: int
    score: float
    relevance: float
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Messages that the channels' sums name, best first.

    Args:
        slots: the messages.
        sums: the parts of each one's sum, by name.
    """

    slots: tuple[int, ...]
    sums: tuple[Mapping[str, float], ...]


def fuse(rankings: Sequence[Ranking], candidates: Candidates, priors: Priors, most: int, by: Weights) -> list[Fused]:
    """One ranking of all documents, best first.

    Args:
        rankings: of the channels.
        candidates: what `candidates` gave for them.
        priors: of the candidates.
        most: how many messages to take part; memories all do.
        by: the weights.
    """
    found = [*_memories(rankings, by), *_messages(rankings, candidates, priors, most, by)]
    return sorted(found, key=lambda one: (-one.score, -abs(one.slot)))


def _memories(rankings: Sequence[Ranking], by: Weights) -> list[Fused]:
    import numpy as np

    parts: dict[int, list[Part]] = {}
    for ranking in rankings:
        weight = by.by_memories.get(ranking.channel, 0.0)
        mine = np.flatnonzero(ranking.slots < 0)
        for rank, i in enumerate(_order(ranking, mine, ranking.scores), start=1):
            slot = int(ranking.slots[i])
            share = weight / (SMOOTHING + rank)
            parts.setdefault(slot, []).append(Part(ranking.channel, rank, float(ranking.scores[i]), share))
    slots = np.array(sorted(parts), dtype=np.int64)
    estimates = dict(zip(slots.tolist(), _relevance(slots, rankings, memory=True).tolist(), strict=True))
    return [_memory(slot, estimates[slot], own, by) for slot, own in parts.items() if estimates[slot] >= WORTH_SHOWING]


def _memory(slot: int, estimate: float, parts: Sequence[Part], by: Weights) -> Fused:
    score = sum(part.share for part in parts)
    fit = estimate**by.fit
    less = (Part(FIT, 0, estimate, score * (fit - 1)),) if fit < 1 else ()
    return Fused(slot, score * fit, estimate, (*parts, *less))


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


def candidates(rankings: Sequence[Ranking], most: int, by: Weights) -> Candidates:
    """The messages with the greatest sums of what the channels give, less what their length takes."""
    import numpy as np

    asked = [ranking for ranking in rankings if by.by_messages.get(ranking.channel) and (ranking.slots > 0).any()]
    if not asked:
        return Candidates((), ())
    # A period alone finds messages only for a question that has nothing but a period.
    finders = [ranking for ranking in asked if ranking.channel != "dates"] or asked
    slots = np.unique(np.concatenate([ranking.slots[ranking.slots > 0] for ranking in finders]))
    given: dict[str, NDArray[np.float64]] = {}
    for ranking in asked:
        at, here = _places(slots, ranking)
        column = np.zeros(len(slots))
        column[at] = by.by_messages[ranking.channel] * ranking.standard[here]
        given[ranking.channel] = column
    given[LENGTH] = -by.long * np.maximum(0.0, np.log2(np.maximum(_lengths(slots, finders), 1) / LONG_FROM))
    total = sum(given.values(), np.zeros(len(slots)))
    # Of many messages only those as good as the last that is wanted are sorted.
    able = np.flatnonzero(total >= np.partition(total, -most)[-most]) if most < len(total) else np.arange(len(total))
    best = able[np.lexsort((-slots[able], -total[able]))][:most]
    return Candidates(
        tuple(slots[best].tolist()), tuple({name: float(column[i]) for name, column in given.items()} for i in best)
    )


def _messages(rankings: Sequence[Ranking], found: Candidates, priors: Priors, most: int, by: Weights) -> list[Fused]:
    import numpy as np

    if not found.slots:
        return []
    sums = {slot: {**own, **priors.get(slot, {})} for slot, own in zip(found.slots, found.sums, strict=True)}
    best = sorted(sums, key=lambda slot: (-sum(sums[slot].values()), -slot))[:most]
    slots = np.array(sorted(best), dtype=np.int64)
    ranks = {ranking.channel: _ranks(ranking, slots) for ranking in rankings if by.by_messages.get(ranking.channel)}
    estimates = dict(zip(slots.tolist(), _relevance(slots, rankings, memory=False).tolist(), strict=True))
    return [
        _message(
            slot, rank, estimates[slot], sums[slot], by.messages, {name: one.get(slot) for name, one in ranks.items()}
        )
        for rank, slot in enumerate(best, start=1)
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
    weight: float,
    ranks: Mapping[str, tuple[int, float] | None],
) -> Fused:
    """A message with the reciprocal of its rank, told apart in proportion to the parts of its sum.

    A sum of next to nothing, or less, cannot be told apart so: then what speaks for it has all of the score.
    """
    score = weight / (SMOOTHING + rank)
    own = {name: value for name, value in given.items() if ranks.get(name) or (name not in ranks and value)}
    whole = sum(own.values())
    if whole < 0.2 * sum(map(abs, own.values())) or not whole:
        own_for = {name: max(value, 0.0) for name, value in own.items()}
        whole = sum(own_for.values())
    else:
        own_for = own
    parts = [
        Part(name, *(ranks.get(name) or (0, own[name])), score * (value / whole if whole else 1 / len(own_for)))
        for name, value in own_for.items()
    ]
    return Fused(slot, score, estimate, tuple(parts))


def _ranks(ranking: Ranking, slots: "NDArray[np.int64]") -> dict[int, tuple[int, float]]:
    """The rank and the score in a channel of the messages at some slots, which ascend."""
    import numpy as np

    mine = np.flatnonzero(ranking.slots > 0)
    ranks = np.zeros(len(ranking.slots), dtype=np.int64)
    ranks[_order(ranking, mine, ranking.scores)] = np.arange(1, len(mine) + 1)
    _, here = _places(slots, ranking)
    return {int(ranking.slots[i]): (int(ranks[i]), float(ranking.scores[i])) for i in here}


def _order(ranking: Ranking, mine: "NDArray[np.int64]", scores: "NDArray[np.float64]") -> "NDArray[np.int64]":
    """Some of a ranking's documents, best first; the newer first among equals."""
    import numpy as np

    return mine[np.lexsort((-np.abs(ranking.slots[mine]), -scores[mine]))]


def _places(slots: "NDArray[np.int64]", ranking: Ranking) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Where a ranking's documents stand in ascending `slots`, and which of its rows those are."""
    import numpy as np

    if not len(slots):
        nowhere = np.empty(0, dtype=np.int64)
        return nowhere, nowhere
    at = np.minimum(np.searchsorted(slots, ranking.slots), len(slots) - 1)
    here = np.flatnonzero(slots[at] == ranking.slots)
    return at[here], here
