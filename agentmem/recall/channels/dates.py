"""Channel: what was said, or happened, in the period that the question names ("last Tuesday", "in April 2026")."""

from agentmem.domain.recall import Query
from agentmem.recall.ranking import Ranking, nothing
from agentmem.store import memories, messages
from agentmem.store.store import Connection

NAME = "dates"


def search(connection: Connection, query: Query) -> Ranking:
    """All documents of the periods, the newest first."""
    import numpy as np

    slots: list[int] = []
    for mention in query.dates:
        slots += [-no for no in memories.dated(connection, query.profiles, mention.start, mention.end)]
        slots += messages.slots_between(connection, query.profiles, mention.start, mention.end)
    if not slots:
        return nothing(NAME)
    unique = np.array(list(dict.fromkeys(slots)), dtype=np.int64)
    ones = np.ones(len(unique))
    return Ranking(NAME, unique, ones, ones, ones)
