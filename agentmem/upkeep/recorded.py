"""What compaction does to memories, as the journal keeps it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from agentmem.domain.memories import MemoryItem
from agentmem.store import journal, memories
from agentmem.store.store import Connection


@contextmanager
def recorded(connection: Connection, operation: str, ids: Sequence[str], action: journal.Action) -> Iterator[None]:
    """Write into the journal what happens to memories while the context lasts, as part of one action."""
    before = memories.by_ids(connection, ids)
    yield
    after = memories.by_ids(connection, ids)
    entries = [
        journal.Entry(operation, after[key].profile, key, before=_shown(old), after=_shown(after[key]))
        for key, old in before.items()
        if after[key] != old
    ]
    journal.write(connection, "compact", entries, action)


def _shown(item: MemoryItem) -> dict[str, object]:
    return {"status": item.status.value, "superseded_by": item.superseded_by, "importance": item.importance}
