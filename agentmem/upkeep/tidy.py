"""Upkeep of what a search reads."""

from agentmem.store import fulltext, recalled
from agentmem.store.store import Store


def note_recalled(store: Store) -> int:
    """Write into the store which memories were recalled since the last time; tells how many notes there were."""
    notes = recalled.notes(store.home)
    if not notes or not store.exists():
        return 0
    with store.writing() as connection:
        recalled.apply(connection, notes)
    recalled.remove(notes)
    return len(notes)


def tidy(store: Store) -> bool:
    """Sort the postings by term if enough came since the last time; tells whether it did."""
    with store.reading() as connection:
        if not fulltext.grown(connection):
            return False
    with store.writing() as connection:
        fulltext.sort_postings(connection)
    return True
