"""Forgetting: the thing is hidden, and its value does not come back by reading a transcript again."""

from agentmem.domain.memories import MemoryItem, Status
from agentmem.store import journal, memories, messages, states
from agentmem.store.messages import SESSION_STEP, StoredMessage
from agentmem.store.store import Connection
from agentmem.upkeep.inspect import find


def forget(connection: Connection, start: str) -> MemoryItem | StoredMessage:
    """Forget a memory or a message, inside a writing transaction.

    A memory leaves a tombstone on its value. A message leaves the index; its row stays, so that reading the
    transcript again finds it known.

    Raises:
        NotFound: there is none whose id begins so.
        UsageError: there are several.
    """
    found = find(connection, start)
    if isinstance(found, MemoryItem):
        with states.recorded(connection, "user", "forget", [found.id]):
            memories.bury(connection, found.profile, [found.content])
            return memories.set_status(connection, found, status=Status.FORGOTTEN)
    message = found[0]
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
    journal.write(connection, "user", [entry])
    return messages.by_slots(connection, [message.slot])[message.slot]
