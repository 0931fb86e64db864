"""One memory or message with all that belongs to it, and the versions that a memory had."""

from dataclasses import dataclass

from agentmem.domain.memories import Evidence, MemoryItem
from agentmem.errors import NotFound, UsageError
from agentmem.store import anchors, journal, memories, messages
from agentmem.store.anchors import Anchor
from agentmem.store.journal import Written
from agentmem.store.messages import StoredMessage
from agentmem.store.store import Connection
from agentmem.store.verdicts import Verdict, verdicts_of

_SHORTEST = 4
_REACH = 2  # messages before and after, as context


@dataclass(frozen=True, slots=True)
class Shown:
    """What `show` gives.

    Args:
        memory: the memory that is meant, if it is one.
        message: the message that is meant, if it is one; at its first occurrence.
        occurrences: every time that the message was said.
        evidence: the words that support the memory.
        queries: the questions that the memory answers.
        context: the messages around it, or around its newest evidence.
        verdicts: what a model said when it checked the memory.
        anchors: what the memory names of its project's code.
        code: whether that is `fresh`, `drifted` or `orphaned`, in words; empty where git cannot tell.
    """

    memory: MemoryItem | None = None
    message: StoredMessage | None = None
    occurrences: tuple[StoredMessage, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    queries: tuple[str, ...] = ()
    context: tuple[StoredMessage, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    code: str = ""


@dataclass(frozen=True, slots=True)
class Version:
    """One value that a topic had: the memory, its evidence, and what happened to it."""

    memory: MemoryItem
    evidence: tuple[Evidence, ...]
    journal: tuple[Written, ...]


def find(connection: Connection, start: str) -> MemoryItem | list[StoredMessage]:
    """The memory, or the occurrences of the message, whose id begins so.

    Raises:
        NotFound: there is none.
        UsageError: there are several, or fewer than four digits were given.
    """
    start = start.strip().lower()
    if len(start) < _SHORTEST:
        raise UsageError(f"{start!r} is too short for an id", f"Give at least {_SHORTEST} of its digits.")
    items = memories.by_prefix(connection, start)
    said = messages.by_id(connection, start)
    meant = {item.id for item in items} | {(message.profile, message.id) for message in said}
    if not meant:
        raise NotFound(f"No memory or message has an id that begins with {start!r}", "`agentmem list` shows ids.")
    if len(meant) > 1:
        some = ", ".join(sorted(entry if isinstance(entry, str) else entry[1] for entry in meant)[:6])
        raise UsageError(f"{len(meant)} ids begin with {start!r}", f"Give more digits: {some}.")
    return items[0] if items else said


def show(connection: Connection, start: str) -> Shown:
    """A memory or message with all that belongs to it."""
    found = find(connection, start)
    if isinstance(found, MemoryItem):
        evidence = memories.evidence_of(connection, [found.id]).get(found.id, [])
        context: list[StoredMessage] = []
        if evidence:
            at = [m for m in messages.by_id(connection, evidence[-1].message_id) if m.profile == found.profile]
            context = messages.around(connection, at[-1].slot, _REACH) if at else []
        return Shown(
            memory=found,
            evidence=tuple(evidence),
            queries=tuple(memories.queries_of(connection, [found.id]).get(found.id, ())),
            context=tuple(context),
            verdicts=tuple(verdicts_of(connection, found.id)),
            anchors=tuple(anchors.of(connection, [found.id]).get(found.id, ())),
        )
    context = messages.around(connection, found[0].slot, _REACH)
    return Shown(message=found[0], occurrences=tuple(found), context=tuple(context))


def history(connection: Connection, start: str) -> tuple[Version, ...]:
    """All versions of a memory, the oldest first."""
    found = find(connection, start)
    if not isinstance(found, MemoryItem):
        raise UsageError(f"{start} is a message; only memories have versions", f"`agentmem show {start}` shows it.")
    chain = [found]
    if found.topic_key:
        chain = [item for _, item in memories.by_topics(connection, [found.profile], [found.topic_key], active=False)]
    ids = [item.id for item in chain]
    evidence = memories.evidence_of(connection, ids)
    entries = journal.about(connection, ids)
    return tuple(
        Version(item, tuple(evidence.get(item.id, ())), tuple(e for e in entries if e.subject == item.id))
        for item in reversed(chain)
    )
