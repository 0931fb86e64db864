"""Every weight of the ranking, and the experiment that set it.

A raw message's sum, in standard deviations, is

    sum = Σ WINDOWS · bm25 + SESSION · bm25(session) + COVERED · covered          its words
        + 1 · cosine + SESSION_VECTOR · best cosine of its session                 its vector
        + 2 if it was said in a period that the question names
        - LONG · log2(terms / 64), from 64 terms on
        + FIRST if it opens its session - ASKS if it ends with a question mark
        + NAMED if the question names its speaker, and no other one
        + OWN if the user says "I" in the question, and said the message to an assistant
        - FUTURE if it was said after the day that the question calls today

Set on LoCoMo (1,536 questions of the four answerable categories), BEAM-100K dev (179) and MemDaily's Chinese pool (300)
together, by coordinate ascent from hand-set values on the mean of turn-level R@10 and R@20, with and without
vectors; the same for every store. R@10 / R@20 with vectors are 78.0 / 84.2, 63.5 / 70.8 and 39.7 / 52.7. Set on two
of the three sets, what the third reaches: LoCoMo 76.6 / 83.5, BEAM 63.7 / 70.1, MemDaily 39.0 / 51.4. (LONG, OWN and
FUTURE each show on one of the sets only, NAMED and ASKS mostly on LoCoMo: those had nothing to be set by elsewhere.)
What each is worth stands in the README's table of ablations.

Tried and left out, worth less than half a point over all: expansion by the words of the best messages (RM3, terms 10
and 20, at the level of turn, window and session), by their vectors (Rocchio), scores of a question's clauses one by
one, steeper idf, other k1 and b, nearness in time to the question, digits for "how many", dates for "when", single
Chinese characters beside pairs, a penalty for short messages.
"""

WINDOWS = (0.3, 0.3, 0.4)
"""BM25 of the message alone, of ±1 and of ±2 messages, each divided by its root mean square."""

SESSION = 0.25
COVERED = 0.5
SESSION_VECTOR = 0.75
LONG = 1.0
LONG_FROM = 64
FIRST = 0.5
ASKS = 0.5
NAMED = 2.5
OWN = 1.5
FUTURE = 2.0

MEMORY_WEIGHTS = {
    "topic": 2.0,
    "memory words": 1.0,
    "question vector": 1.0,
    "hypothetical vector": 0.7,
    "dates": 1.0,
}
"""Of memories' reciprocal ranks, by channel."""

MESSAGE_WEIGHT = 1.5
"""Of a message's reciprocal rank: half for its words, one for its vector. Raw words count least of all."""

MESSAGE_WEIGHTS = {"message words": 1.0, "question vector": 1.0, "hypothetical vector": 1.0, "dates": 2.0}
"""Of what the channels add to a message's sum."""

SMOOTHING = 60
"""Added to a rank before its reciprocal is taken (Cormack et al., 2009)."""
