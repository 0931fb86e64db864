"""Forgetting taken back: what was hidden is there again, and what was purged may come back when it is said again."""

from dataclasses import dataclass, replace

from agentmem.domain.memories import MemoryItem, Status
from agentmem.errors import NotFound
from agentmem.ingest import statements
from agentmem.store import journal, memories, messages, purging, states, tombstones, withdraw
from agentmem.store.fulltext import Terms
from agentmem.store.messages import StoredMessage
from agentmem.store.store import Connection
from agentmem.upkeep.selection import Selection, Wanted, select


@dataclass(frozen=True, slots=True)
class Unforgotten:
    """What came back.

    Args:
        memories: that count again, or would if nothing newer did.
        messages: that are found again.
        lifted: tombstones taken away.
        purged: things that were really deleted: they come back only if they are said or read again.
    """

    memories: tuple[MemoryItem, ...] = ()
    messages: tuple[StoredMessage, ...] = ()
    lifted: int = 0
    purged: int = 0


def unforget(connection: Connection, wanted: Wanted, here: str, terms: Terms) -> Unforgotten:
    """Take forgetting back, inside a writing transaction.

    Raises:
        NotFound: nothing of the kind was forgotten.
    """
    graves = tombstones.graves_of(connection, wanted.id.strip().lower()) if wanted.id else {}
    purged = [grave for grave, one in graves.items() if one.purged]
    phrase = statements.phrase(here, wanted.query) if wanted.query else None
    if phrase:
        purged += [one.id for one in tombstones.buried(connection, [phrase[0]]).values() if one.purged and one.id]
    chosen = Selection()
    try:
        chosen = select(connection, wanted, here, echoes=False)
    except NotFound:
        if not purged:
            raise
    forgotten = [item for item in chosen.memories if item.status is Status.FORGOTTEN]
    said = [message for message in chosen.messages if message.forgotten_at is not None and message.content]
    action = journal.Action()
    with states.recorded(connection, "user", "unforget", [item.id for item in forgotten], action=action):
        items = [_back(connection, item, terms) for item in forgotten]
        graves_open = [*(item.id for item in items), *purged, *([phrase[0]] if phrase else [])]
        lifted = tombstones.lift(connection, graves_open)
    for message in said:
        _unhide(connection, message, terms, action)
    if not items and not said and not lifted:
        raise NotFound("Nothing of that was forgotten", "`agentmem list --all` shows what is, with its status.")
    again = tuple(replace(message, forgotten_at=None) for message in said)
    return Unforgotten(tuple(items), again, lifted, purging.unblank(connection, purged) + len(purged))


def _unhide(connection: Connection, message: StoredMessage, terms: Terms, action: journal.Action) -> None:
    no = message.slot // messages.SESSION_STEP
    withdraw.unhide(connection, no, message.id, terms)
    place = {"session": message.session_id, "session_no": no}
    entry = journal.Entry(
        "unforget",
        message.profile,
        message.id,
        before={**place, "forgotten": True},
        after={**place, "forgotten": False},
        about=journal.MESSAGE,
    )
    journal.write(connection, "user", [entry], action)


def _back(connection: Connection, item: MemoryItem, terms: Terms) -> MemoryItem:
    """A forgotten memory as it was before; if its topic has another value meanwhile, that one has replaced it."""
    status, successor = _before(connection, item)
    if item.topic_key and status is Status.ACTIVE:
        for _, other in memories.by_topics(connection, [item.profile], [item.topic_key], active=True):
            status, successor = Status.SUPERSEDED, other.id
    tombstones.unbury(connection, item.profile, item.content)
    queries = memories.queries_of(connection, [item.id]).get(item.id, ())
    return memories.set_status(
        connection, item, status=status, terms=terms.of(memories.search_text(item, queries)), superseded_by=successor
    )


def _before(connection: Connection, item: MemoryItem) -> tuple[Status, str | None]:
    for entry in reversed(journal.about(connection, [item.id])):
        if entry.operation == "forget" and entry.before:
            return Status(entry.before.get("status", Status.ACTIVE)), entry.before.get("superseded_by")
    return Status.ACTIVE, None
