"""BM25 of messages: of each alone, as the middle of a window of three and of five, and of its session as a whole.

The answer often stands next to the words of the question. Messages of a window count as one text, whose mean length is
three or five times that of one; for sessions N, df and the mean length are those of sessions. The formula is that of
`agentmem.store.fulltext`. The database gives the lengths of all messages asked and the postings of the question's
terms; windows are made of them here, with arrays: over a million messages SQL for the same takes five times as long.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb

from agentmem.store.fulltext import K1, SESSION_BITS, B

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_REACH = 2


@dataclass(frozen=True, slots=True)
class Windows:
    """Scores of the messages that have a term of the question or stand near one; arrays of one length, by slot.

    Args:
        slots: the messages.
        scores: BM25 of each alone.
        three: of ±1 messages.
        five: of ±2 messages.
        own: 0 to 1, the share of the question's idf that each has.
        covered: that its window of five has.
        lengths: of each in terms.
        population: how many messages were searched.
        sessions: BM25 of its session.
        session_squares: the sum of the squares of the sessions' scores over all messages.
    """

    slots: "NDArray[np.int64]"
    scores: "NDArray[np.float64]"
    three: "NDArray[np.float64]"
    five: "NDArray[np.float64]"
    own: "NDArray[np.float64]"
    covered: "NDArray[np.float64]"
    lengths: "NDArray[np.int64]"
    population: int
    sessions: "NDArray[np.float64]"
    session_squares: float


@dataclass(frozen=True, slots=True)
class Postings:
    """Where a question's terms are: for each occurrence the term (0, 1 …), the message's place in the scope, and tf."""

    terms: "NDArray[np.int64]"
    places: "NDArray[np.int64]"
    tf: "NDArray[np.float64]"


def _idf(population: int, df: "NDArray[np.int64]") -> "NDArray[np.float64]":
    """Lucene's idf, always positive; of a term that is nowhere the highest."""
    import numpy as np

    return np.log(1 + (population - df + 0.5) / (df + 0.5))  # type: ignore[no-any-return]


def search(connection: duckdb.DuckDBPyConnection, profiles: Sequence[str], terms: Sequence[int]) -> Windows:
    """The scores of every message that has one of the terms, or stands within two messages of one that has."""
    import numpy as np

    scope = connection.execute(
        "SELECT slot, length FROM documents WHERE slot > 0 AND profile IN (SELECT unnest($1::VARCHAR[]))",
        [list(profiles)],
    ).fetchnumpy()
    slots, lengths = scope["slot"], scope["length"].astype(np.int64)
    if not (np.diff(slots) > 0).all():
        order = np.argsort(slots)
        slots, lengths = slots[order], lengths[order]
    asked = np.unique(np.array(terms, dtype=np.uint64))
    rows = connection.execute(
        "SELECT term, slot, tf FROM postings WHERE slot > 0 AND term IN (SELECT unnest($1::UBIGINT[]))",
        [asked.tolist()],
    ).fetchnumpy()
    places = np.minimum(np.searchsorted(slots, rows["slot"]), max(len(slots) - 1, 0))
    here = slots[places] == rows["slot"] if len(slots) else np.zeros(len(places), dtype=bool)
    found = Postings(np.searchsorted(asked, rows["term"][here]), places[here], rows["tf"][here].astype(np.float64))
    return score(slots, lengths, found, len(asked))


def score(slots: "NDArray[np.int64]", lengths: "NDArray[np.int64]", found: Postings, asked: int) -> Windows:
    """The scores.

    Args:
        slots: of all messages of the profiles, ascending.
        lengths: of each in terms.
        found: the postings of the question's terms.
        asked: how many terms the question has.
    """
    import numpy as np

    n = len(slots)
    if not len(found.places):
        none, nowhere = np.empty(0), np.empty(0, dtype=np.int64)
        return Windows(nowhere, none, none, none, none, none, nowhere, n, none, 0.0)
    weights = _idf(n, np.bincount(found.terms, minlength=asked))
    total = float(weights.sum())
    terms, places, tf1, tf3, tf5 = _spread(slots, found, n)
    here, at = np.unique(places, return_inverse=True)
    length1, length3, length5 = _lengths(slots, lengths, here)
    weight, mean = weights[terms], float(lengths.mean())

    def summed(values: "NDArray[np.float64]") -> "NDArray[np.float64]":
        return np.bincount(at, values, minlength=len(here)).astype(np.float64)

    sessions, squares = _sessions(slots, lengths, found, asked)
    return Windows(
        slots=slots[here],
        scores=summed(_bm25(weight, tf1, length1[at], mean)),
        three=summed(_bm25(weight, tf3, length3[at] / 3, mean)),
        five=summed(_bm25(weight, tf5, length5[at] / 5, mean)),
        own=summed(weight * (tf1 > 0)) / total,
        covered=summed(weight) / total,
        lengths=length1,
        population=n,
        sessions=sessions[here],
        session_squares=squares,
    )


def _bm25(
    weight: "NDArray[np.float64]", tf: "NDArray[np.float64]", length: "NDArray[Any]", mean: float
) -> "NDArray[np.float64]":
    return weight * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / mean))


def _spread(
    slots: "NDArray[np.int64]", found: Postings, n: int
) -> "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]":
    """For each term and each message within reach of it: tf in the message, in its window of three and of five."""
    import numpy as np

    keys, tfs, steps = [], [], []
    for apart in range(-_REACH, _REACH + 1):
        near = np.clip(found.places + apart, 0, n - 1)
        step = np.abs(slots[near] - slots[found.places])
        # Clipped at an end it is a message that another `apart` reaches as well.
        within = (step <= _REACH) & (near == found.places + apart)
        keys.append(found.terms[within] * n + near[within])
        tfs.append(found.tf[within])
        steps.append(step[within])
    pairs, at = np.unique(np.concatenate(keys), return_inverse=True)
    tf, step = np.concatenate(tfs), np.concatenate(steps)
    one, three, five = (tf * (step <= reach) for reach in range(_REACH + 1))

    def summed(values: "NDArray[np.float64]") -> "NDArray[np.float64]":
        return np.bincount(at, values, minlength=len(pairs)).astype(np.float64)

    return pairs // n, pairs % n, summed(one), summed(three), summed(five)


def _lengths(
    slots: "NDArray[np.int64]", lengths: "NDArray[np.int64]", here: "NDArray[np.int64]"
) -> "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]":
    """The lengths of some messages, of their windows of three, and of those of five."""
    import numpy as np

    one = lengths[here]
    three, five = one.copy(), one.copy()
    for apart in (-2, -1, 1, 2):
        near = np.clip(here + apart, 0, len(slots) - 1)
        step = np.where(near == here + apart, np.abs(slots[near] - slots[here]), _REACH + 1)
        three += np.where(step <= 1, lengths[near], 0)
        five += np.where(step <= _REACH, lengths[near], 0)
    return one, three, five


def _sessions(
    slots: "NDArray[np.int64]", lengths: "NDArray[np.int64]", found: Postings, asked: int
) -> "tuple[NDArray[np.float64], float]":
    """For each message BM25 of its session among sessions, and the sum of the squares over all messages."""
    import numpy as np

    numbers = slots >> SESSION_BITS
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    many = len(starts)
    turns = np.diff(starts, append=len(slots))
    size = np.add.reduceat(lengths, starts)
    place = np.searchsorted(starts, found.places, side="right") - 1
    pairs, at = np.unique(found.terms * many + place, return_inverse=True)
    tf = np.bincount(at, found.tf, minlength=len(pairs)).astype(np.float64)
    terms, session = pairs // many, pairs % many
    weight = _idf(many, np.bincount(terms, minlength=asked))[terms]
    scores = np.bincount(session, _bm25(weight, tf, size[session], float(size.mean())), minlength=many)
    return np.repeat(scores, turns), float((scores * scores * turns).sum())
