"""Forgetting: things are hidden, and their values do not come back by reading a transcript again."""

from agentmem.domain.memories import MemoryItem, Status
from agentmem.ingest import statements
from agentmem.store import journal, memories, messages, states, tombstones
from agentmem.store.messages import SESSION_STEP, StoredMessage
from agentmem.store.store import Connection
from agentmem.upkeep.inspect import find
from agentmem.upkeep.selection import Selection


def forget(connection: Connection, start: str) -> MemoryItem | StoredMessage:
    """Forget a memory or a message, inside a writing transaction.

    A memory leaves tombstones on its value. A message leaves the index; its row stays, so that reading the
    transcript again finds it known.

    Raises:
        NotFound: there is none whose id begins so.
        UsageError: there are several.
    """
    found = find(connection, start)
    if isinstance(found, MemoryItem):
        with states.recorded(connection, "user", "forget", [found.id]):
            return _forget_memory(connection, found)
    return _forget_message(connection, found[0], journal.Action())


def forget_all(connection: Connection, chosen: Selection) -> Selection:
    """Forget all that was chosen and is not forgotten yet, inside a writing transaction; gives what changed.

    A phrase leaves a tombstone of its own: what is said later and contains it is hidden at once.
    """
    items = [item for item in chosen.memories if item.status is not Status.FORGOTTEN]
    said = [message for message in chosen.messages if message.forgotten_at is None]
    action = journal.Action()
    with states.recorded(connection, "user", "forget", [item.id for item in items], action=action):
        for item in items:
            _forget_memory(connection, item)
        if chosen.phrase is not None and (phrase := statements.phrase(chosen.profile, chosen.phrase)):
            digest, words = phrase
            tombstones.bury(connection, chosen.profile, digest, [digest], purged=False, words=words)
    for message in said:
        _forget_message(connection, message, action)
    return Selection(tuple(items), tuple(said), chosen.profile, chosen.phrase, chosen.session)


def _forget_memory(connection: Connection, item: MemoryItem) -> MemoryItem:
    buried = statements.digests(item.profile, item.topic_key, item.content)
    tombstones.bury(connection, item.profile, item.id, buried, purged=False)
    return memories.set_status(connection, item, status=Status.FORGOTTEN)


def _forget_message(connection: Connection, message: StoredMessage, action: journal.Action) -> StoredMessage:
    messages.forget(connection, message.slot // SESSION_STEP, message.id)
    place = {"session": message.session_id, "session_no": message.slot // SESSION_STEP}
    entry = journal.Entry(
        "forget",
        message.profile,
        message.id,
        before={**place, "forgotten": message.forgotten_at is not None},
        after={**place, "forgotten": True},
        about=journal.MESSAGE,
    )
    journal.write(connection, "user", [entry], action)
    return messages.by_slots(connection, [message.slot])[message.slot]
