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
        standard: the scores in standard deviations of all that was searched; 0 is what an absent document has.
        relevance: for each, 0 to 1: how sure the channel is that it has to do with the question.
        lengths: of each in terms; may be left out where nothing is ranked by it.
        note: what a person should know, as why there is nothing.
    """

    channel: str
    slots: "NDArray[np.int64]"
    scores: "NDArray[np.float64]"
    standard: "NDArray[np.float64]"
    relevance: "NDArray[np.float64]"
    lengths: "NDArray[np.int64] | None" = None
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
        relevance=ranking.relevance[keep],
        lengths=None if ranking.lengths is None else ranking.lengths[keep],
    )


def standardise(scores: "NDArray[np.float64]", population: int) -> "NDArray[np.float64]":
    """Scores in standard deviations of a population in which all others score 0; such a one stays at 0."""
    population = max(population, len(scores), 1)
    mean = scores.sum() / population
    variance = float((scores * scores).sum()) / population - mean * mean
    return scores / variance**0.5 if variance > 1e-12 else scores * 0.0  # type: ignore[no-any-return]
