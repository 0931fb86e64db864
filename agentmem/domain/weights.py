"""Every weight of the ranking, and the experiment that set it.

A raw message's sum, in standard deviations, is

    sum = alone · bm25 + three · bm25(±1) + five · bm25(±2)                          its words
        + session · bm25(session) + covered · share of the question's weight
        + smoothed cosine + session_vector · best cosine of its session            its vector
        + 2 if it was said in a period that the question names
        - long · log2(terms / 64), from 64 terms on
        + first if it opens its session - asks if it ends with a question mark
        + named if the question names its speaker, and no other one
        - future if it was said after the day that the question calls today

Set on LoCoMo (1,536 questions of the four answerable categories), BEAM-100K dev (179) and MemDaily's Chinese pool (300)
together, by coordinate ascent from hand-set values on the mean of turn-level R@10 and R@20, with and without
vectors; the same for every store. R@10 / R@20 with vectors are 78.8 / 84.9, 63.8 / 70.1 and 39.5 / 51.6. Set on two
of the three sets, what the third reaches: LoCoMo 76.6 / 83.5, BEAM 63.7 / 70.1, MemDaily 39.0 / 51.4
(all three with `covered` 0; `long` and `future` each show on one of the sets only, `named` and `asks` mostly on
LoCoMo: where a set is left out, what shows on it alone kept its hand-set value).
`agentmem bench ablate` tells what each is worth.

Tried and left out, worth less than half a point over all: expansion by the words of the best messages (RM3, terms 10
and 20, at the level of turn, window and session), by their vectors (Rocchio), scores of a question's clauses one by
one, steeper idf, other k1 and b, nearness in time to the question, digits for "how many", dates for "when", single
Chinese characters beside pairs, a penalty for short messages, a bonus for a user's words where the question says "I"
(BEAM R@10 -0.3, R@20 +0.7), vectors of a second model beside (USE: MemDaily +2, LoCoMo -1).

The weights of `whole` and `period` order sessions and no messages; they were chosen on LoCoMo's 1,982 questions with a
session (hit@1 76.9, without both 74.3); on LongMemEval's part and the set of coding work they change next to nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

WORDS, VECTOR, HYPOTHETICAL, DATES = "message words", "question vector", "hypothetical vector", "dates"
MEMORY_WORDS, TOPIC, RELATED = "memory words", "topic", "related words"
CHANNELS = (WORDS, VECTOR, HYPOTHETICAL, DATES, MEMORY_WORDS, TOPIC, RELATED)
"""The channels' names."""

LONG_FROM = 64
"""Terms from which a message is long."""

SMOOTHING = 60
"""Added to a rank before its reciprocal is taken (Cormack et al., 2009)."""

_BY_MEMORIES = MappingProxyType(
    {TOPIC: 2.0, MEMORY_WORDS: 1.0, VECTOR: 1.0, HYPOTHETICAL: 0.7, DATES: 1.0, RELATED: 0.5}
)
_BY_MESSAGES = MappingProxyType({WORDS: 1.0, VECTOR: 1.0, HYPOTHETICAL: 1.0, DATES: 2.0, RELATED: 0.5})


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The weights; the defaults are what `recall` uses, others measure what one of them is worth.

    Args:
        alone: of a message's BM25, as is each score that follows divided by its root mean square.
        three: of the BM25 of the window of ±1 messages.
        five: of the window of ±2 messages.
        session: of the session's BM25.
        covered: of the share of the question's weight that the message has.
        neighbour: of a neighbour's cosine beside the message's own.
        session_vector: of the best cosine in the session.
        long: what each doubling of the length from `LONG_FROM` terms on takes.
        first: of a message that opens its session.
        asks: what a message that ends with a question mark loses.
        named: of a message of the speaker whom the question names.
        whole: of a session's BM25 in the ranking of sessions, beside its messages' sums; see `recall.sessions`.
        period: there, of a session in a period that the question names.
        future: what a message loses that was said after the day that the question calls today.
        by_memories: of memories' reciprocal ranks, by channel.
        fit: power of a memory's relevance by which its reciprocal ranks are multiplied.
        by_messages: of what the channels add to a message's sum.
        messages: of a message's reciprocal rank: half for its words, one for its vector. Raw words count least of all.
        without: channels that are not asked.
    """

    alone: float = 0.3
    three: float = 0.3
    five: float = 0.4
    session: float = 0.25
    covered: float = 0.5
    neighbour: float = 0.3
    session_vector: float = 0.75
    long: float = 1.0
    first: float = 0.5
    asks: float = 0.5
    named: float = 2.5
    future: float = 2.0
    whole: float = 1.0
    period: float = 3.0
    by_memories: Mapping[str, float] = field(default_factory=lambda: _BY_MEMORIES)
    by_messages: Mapping[str, float] = field(default_factory=lambda: _BY_MESSAGES)
    fit: float = 1.0
    messages: float = 1.5
    without: frozenset[str] = frozenset()
