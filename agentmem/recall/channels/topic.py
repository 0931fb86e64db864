"""Channel: memories with exactly the topic key that the question asks about."""

from agentmem.domain.recall import MEMORY, Query
from agentmem.recall.ranking import Ranking, nothing
from agentmem.store import memories
from agentmem.store.store import Connection

NAME = "topic"


def search(connection: Connection, query: Query) -> Ranking:
    """Memories by topic, with the weight of the topic as score; the newest first among equals."""
    import numpy as np

    if MEMORY not in query.types or not query.topics:
        return nothing(NAME, "" if query.topics else "the question names no topic that the rules know")
    weights = dict(query.topics)
    found = memories.by_topics(connection, query.profiles, list(weights), active=not query.everything)
    if not found:
        return nothing(NAME)
    slots = np.array([-no for no, _ in found], dtype=np.int64)
    scores = np.array([weights[item.topic_key or ""] for _, item in found])
    return Ranking(NAME, slots, scores, scores, scores)
