"""Step after fusion: which sessions a question is about. Pure.

A session's score is told by its messages and by all of its words:

    score = ln Σ_messages exp(sum) + whole · bm25(session) + period, if it has a message of a period that is named

with each message's sum of `domain.weights`. The soft maximum lets a session with two good messages stand above one with
one: on LoCoMo (1,982 questions) the first session is right for 76.9% of the questions, with maxima alone for 74.0%.
"""

from collections.abc import Sequence
from math import exp, log

from agentmem.domain.weights import DATES, WORDS, Weights
from agentmem.recall.fuse import Candidates
from agentmem.recall.priors import Priors
from agentmem.recall.ranking import Ranking
from agentmem.store.fulltext import SESSION_STEP


def foremost(
    rankings: Sequence[Ranking], found: Candidates, priors: Priors, most: int, by: Weights
) -> list[tuple[int, float]]:
    """The best message of each session and the session's score, the best session first; ties go to the newer.

    Args:
        rankings: of the channels.
        found: what `fuse.candidates` gave for them.
        priors: of those candidates.
        most: how many sessions.
        by: the weights.
    """
    sums: dict[int, list[tuple[float, int]]] = {}
    named: set[int] = set()
    for slot, own in zip(found.slots, found.sums, strict=True):
        whole = sum(own.values()) + sum(priors.get(slot, {}).values())
        sums.setdefault(slot // SESSION_STEP, []).append((whole, slot))
        if own.get(DATES):
            named.add(slot // SESSION_STEP)
    words = _words(rankings)
    scored = []
    for session, messages in sums.items():
        best, slot = max(messages)
        soft = best + log(sum(exp(one - best) for one, _ in messages))
        score = soft + by.whole * words.get(session, 0.0) + by.period * (session in named)
        scored.append((slot, score))
    return sorted(scored, key=lambda one: (-one[1], -one[0]))[:most]


def _words(rankings: Sequence[Ranking]) -> dict[int, float]:
    """The standardised BM25 of each session that has a word of the question."""
    for ranking in rankings:
        if ranking.channel == WORDS and ranking.sessions is not None:
            return dict(zip((ranking.slots // SESSION_STEP).tolist(), ranking.sessions.tolist(), strict=True))
    return {}
