"""Channel: full-text search over raw messages, each scored in its neighbourhood.

The answer to a question often stands next to the words of the question. So a message is scored alone, as the middle of
a window of three and as that of a window of five, and the three standardised scores are added with the weights below.
On LoCoMo (1,536 questions, turn-level R@10) the message alone reaches 61.0, the window of three 64.2, this mix 71.5;
on MemDaily (Chinese, 300 questions) 32.1 alone and 35.2 mixed.
"""

from agentmem.domain.recall import MESSAGE, Query
from agentmem.recall.ranking import Ranking, nothing, standardise
from agentmem.store import fulltext
from agentmem.store.store import Connection

NAME = "message words"
WINDOWS = (1.0, 1.5, 1.0)
"""Weights of the message alone, of ±1 and of ±2 messages."""


def search(connection: Connection, query: Query) -> Ranking:
    """The mixed score of every message near a word of the question; signal: the share of its weight found there."""
    if MESSAGE not in query.types or not query.terms:
        return nothing(NAME)
    found = fulltext.search_messages(connection, query.profiles, query.terms)
    mixed = WINDOWS[0] * standardise(found.scores, found.population)
    for weight, scores in zip(WINDOWS[1:], found.windows, strict=True):
        mixed = mixed + weight * standardise(scores, found.population)
    return Ranking(NAME, found.slots, mixed, standardise(mixed, found.population), found.covered, found.lengths)
