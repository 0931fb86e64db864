"""Channel: full-text search over raw messages, each scored in its neighbourhood.

The answer to a question often stands next to the words of the question. So a message is scored alone, as the middle of
a window of three and as that of a window of five, and with its session; the standardised scores, and the share of the
question's weight that the message itself has, are added with the weights of `domain.weights`.
"""

from agentmem.domain.recall import MESSAGE, Query
from agentmem.recall.ranking import Ranking, nothing, standardise
from agentmem.store import windows
from agentmem.store.store import Connection

NAME = "message words"


def search(connection: Connection, query: Query) -> Ranking:
    """The mixed score of every message near a word of the question; signal: the share of its weight found there."""
    if MESSAGE not in query.types or not query.terms:
        return nothing(NAME)
    found = windows.search(connection, query.profiles, query.terms)
    if not len(found.slots):
        return nothing(NAME)
    by = query.weights
    mixed = by.covered * found.own
    for weight, scores in ((by.alone, found.scores), (by.three, found.three), (by.five, found.five)):
        mixed = mixed + weight * standardise(scores, found.population)
    sessions = standardise(found.sessions, found.population, found.session_squares)
    mixed = mixed + by.session * sessions
    return Ranking(NAME, found.slots, mixed, mixed, found.covered, found.lengths, sessions)
