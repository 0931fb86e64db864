"""Channel: other words for what is asked, as a language model suggests them.

A document that has one of them is a guess. The share that counts for its relevance is a quarter at most, whatever the
number of words: alone it is enough where there are no vectors, and with them only together with a near vector.
"""

from agentmem.domain.recall import MEMORY, MESSAGE, Query
from agentmem.recall.ranking import Ranking, nothing, standardise
from agentmem.store import fulltext, windows
from agentmem.store.store import Connection

NAME = "related words"
MOST_SURE = 0.25


def search(connection: Connection, query: Query) -> Ranking:
    """BM25 of every document that has one of the words."""
    import numpy as np

    if not query.related:
        return nothing(NAME)
    found = [
        search_some(connection, query.profiles, query.related)
        for kind, search_some in ((MEMORY, fulltext.search_memories), (MESSAGE, windows.search))
        if kind in query.types
    ]
    slots = np.concatenate([one.slots for one in found])
    scores = np.concatenate([one.scores for one in found])
    standard = np.concatenate([standardise(one.scores, one.population) for one in found])
    lengths = np.concatenate([one.lengths for one in found])
    covered = np.concatenate([one.covered for one in found])
    has = scores > 0  # messages beside such a one come with nothing
    sure = np.minimum(MOST_SURE, MOST_SURE * len(query.related) * covered)
    return Ranking(NAME, slots[has], scores[has], standard[has], sure[has], lengths[has])
