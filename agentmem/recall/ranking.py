"""What every channel returns: documents with scores, and how scores of different channels become comparable."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Ranking:
    """The documents that one channel found.

    Args:
        channel: its name.
        slots: the documents; negative: memories, positive: messages.
        scores: the channel's own score of each.
        standard: the scores made comparable with those of other channels; 0 is what an absent document has.
        signal: of each, what the estimate of its relevance uses: the share of the question's weight that its words
            cover, its cosine, or the weight of its topic.
        lengths: of each in terms; may be left out where nothing is ranked by it.
        sessions: of each, the standardised score of its session; only where words are searched.
        model: whose cosines the scores are.
        note: what a person should know, as why there is nothing.
    """

    channel: str
    slots: "NDArray[np.int64]"
    scores: "NDArray[np.float64]"
    standard: "NDArray[np.float64]"
    signal: "NDArray[np.float64]"
    lengths: "NDArray[np.int64] | None" = None
    sessions: "NDArray[np.float64] | None" = None
    model: str | None = None
    note: str = field(default="")


def nothing(channel: str, note: str = "") -> Ranking:
    """A ranking without documents."""
    import numpy as np

    none = np.empty(0)
    return Ranking(channel, np.empty(0, dtype=np.int64), none, none, none, note=note)


def selected(ranking: Ranking, keep: "NDArray[np.bool_] | NDArray[np.int64]") -> Ranking:
    """Some of a ranking's documents."""
    return replace(
        ranking,
        slots=ranking.slots[keep],
        scores=ranking.scores[keep],
        standard=ranking.standard[keep],
        signal=ranking.signal[keep],
        lengths=None if ranking.lengths is None else ranking.lengths[keep],
        sessions=None if ranking.sessions is None else ranking.sessions[keep],
    )


def standardise(scores: "NDArray[np.float64]", population: int, squares: float | None = None) -> "NDArray[np.float64]":
    """Scores divided by their root mean square over a population in which all others score 0.

    Among many documents that is the standard deviation. Among few, which may all score nearly the same, the deviation
    is next to nothing and would blow small differences up; the root mean square stays as large as the scores are.

    Args:
        scores: of some of the population.
        population: how many there are.
        squares: the sum of the squares over the population, where `scores` is only a part of those above 0.
    """
    total = float((scores * scores).sum()) if squares is None else squares
    mean_square = total / max(population, len(scores), 1)
    return scores / mean_square**0.5 if mean_square > 1e-12 else scores * 0.0
