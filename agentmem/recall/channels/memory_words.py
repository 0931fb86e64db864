"""Channel: full-text search over memories (their content, topic and search queries)."""

from agentmem.domain.recall import MEMORY, Query
from agentmem.recall.ranking import Ranking, nothing, standardise
from agentmem.store import fulltext
from agentmem.store.store import Connection

NAME = "memory words"


def search(connection: Connection, query: Query) -> Ranking:
    """BM25 of every memory that has a word of the question; signal: the share of the question's weight that it has."""
    if MEMORY not in query.types or not query.terms:
        return nothing(NAME)
    found = fulltext.search_memories(connection, query.profiles, query.terms)
    return Ranking(NAME, found.slots, found.scores, standardise(found.scores, found.population), found.covered)
