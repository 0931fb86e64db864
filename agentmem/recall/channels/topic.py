"""Channel: memories with exactly the topic key that the question asks about; open tasks, if it asks for those."""

from agentmem.domain.memories import MemoryKind, Status
from agentmem.domain.recall import MEMORY, Query
from agentmem.recall.ranking import Ranking, nothing
from agentmem.store import memories
from agentmem.store.store import Connection

NAME = "topic"


def search(connection: Connection, query: Query) -> Ranking:
    """Memories by topic, with the weight of the topic as score; the newest first among equals."""
    import numpy as np

    if MEMORY not in query.types or not (query.topics or query.tasks):
        return nothing(NAME, "" if query.topics else "the question names no topic that the rules know")
    weights = dict(query.topics)
    found = memories.by_topics(connection, query.profiles, list(weights), active=not query.everything)
    scores = {-no: weights[item.topic_key or ""] for no, item in found}
    if query.tasks:
        statuses = () if query.everything else (Status.ACTIVE.value,)
        wanted = memories.Filter(profiles=query.profiles, kinds=(MemoryKind.TASK.value,), statuses=statuses)
        scores |= dict.fromkeys((-no for no in memories.numbers(connection, wanted)), 1.0)
    if not scores:
        return nothing(NAME)
    slots, values = np.array(list(scores), dtype=np.int64), np.array(list(scores.values()))
    return Ranking(NAME, slots, values, values, values)
