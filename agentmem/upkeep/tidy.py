"""Upkeep of what a search reads."""

from agentmem.store import fulltext
from agentmem.store.store import Store


def tidy(store: Store) -> bool:
    """Sort the postings by term if enough came since the last time; tells whether it did."""
    with store.reading() as connection:
        if not fulltext.grown(connection):
            return False
    with store.writing() as connection:
        fulltext.sort_postings(connection)
    return True
