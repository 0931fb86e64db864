"""What a person says about a memory: other words for it, that it stays, that it holds, that it did not prove right.

Each is one action of the journal. The functions run inside a writing transaction.
"""

from dataclasses import replace
from datetime import timedelta

from agentmem.domain.ids import memory_id
from agentmem.domain.memories import MemoryItem, MemoryKind, Status
from agentmem.domain.messages import Trust
from agentmem.domain.text import clean, normalise
from agentmem.errors import UsageError
from agentmem.store import memories, states, tombstones
from agentmem.store.fulltext import Terms
from agentmem.store.rows import now
from agentmem.store.store import Connection
from agentmem.upkeep.inspect import find

EXTRACTOR = "edited/1"
LONGEST = 10_000  # characters of a memory, as `remember` has it
_ACTOR = "user"


def memory_called(connection: Connection, start: str) -> MemoryItem:
    """The memory whose id begins so.

    Raises:
        NotFound: there is none.
        UsageError: several are meant, or a message is.
    """
    found = find(connection, start)
    if not isinstance(found, MemoryItem):
        raise UsageError(f"{start} is a message, which stays as it was said", "`agentmem list` shows memories.")
    return found


def edit(connection: Connection, start: str, text: str, terms: Terms) -> MemoryItem:
    """Supersede a memory by one in other words; a person's words, whoever said the first ones."""
    old = memory_called(connection, start)
    _counts(old, "edited")
    text = clean(text).strip()
    if not text or len(text) > LONGEST:
        raise UsageError(f"A memory has from 1 to {LONGEST:,} characters, not {len(text):,}", "")
    identity = memory_id(old.profile, old.kind, old.topic_key, normalise(text))
    if identity == old.id:
        raise UsageError("That is what it says already", "Case, blanks and a full stop make no difference.")
    at = now()
    queries = memories.queries_of(connection, [old.id]).get(old.id, [])
    new = replace(
        old,
        id=identity,
        content=text,
        valid_from=at,
        created_at=at,
        confirmed_at=None,
        last_recalled_at=None,
        recalled=0,
        trust=Trust.HIGH,
        extractor=EXTRACTOR,
        superseded_by=None,
    )
    with states.recorded(connection, _ACTOR, "edit", [old.id, identity]):
        tombstones.unbury(connection, old.profile, text)
        gone = replace(old, status=Status.SUPERSEDED, superseded_by=identity)
        memories.change(connection, gone, _index(gone, queries, terms))
        known = memories.by_ids(connection, [identity]).get(identity)
        if known is None:
            memories.add(connection, [new], [_index(new, queries, terms)])
            memories.add_queries(connection, [(identity, query) for query in queries])
        else:
            new = replace(known, status=Status.ACTIVE, superseded_by=None, valid_from=at, trust=Trust.HIGH, reason=None)
            own = memories.queries_of(connection, [identity]).get(identity, [])
            memories.change(connection, new, _index(new, own, terms))
    return new


def pin(connection: Connection, start: str, *, pinned: bool) -> MemoryItem:
    """Keep a memory from ageing, or let it age again."""
    item = memory_called(connection, start)
    if pinned:
        _counts(item, "pinned")
    with states.recorded(connection, _ACTOR, "pin" if pinned else "unpin", [item.id]):
        return memories.change(connection, replace(item, pinned=pinned))


def confirm(connection: Connection, start: str, terms: Terms, task_days: float) -> MemoryItem:
    """Note that a memory still holds. One that was rejected or has expired counts again; a task gets more time."""
    item = memory_called(connection, start)
    if item.status not in (Status.ACTIVE, Status.EXPIRED, Status.REJECTED):
        raise _counts_no_more(item, "confirmed")
    at = now()
    expires = item.expires_at
    if expires is not None and expires < at + timedelta(days=task_days):
        expires = at + timedelta(days=task_days) if item.kind is MemoryKind.TASK else None
    held = replace(item, status=Status.ACTIVE, reason=None, confirmed_at=at, expires_at=expires)
    with states.recorded(connection, _ACTOR, "confirm", [item.id]):
        queries = memories.queries_of(connection, [item.id]).get(item.id, [])
        memories.change(connection, held, None if item.status is Status.ACTIVE else _index(held, queries, terms))
    rival = states.rival(connection, [item.id])
    if rival is not None:
        raise UsageError(
            f"Memory {rival[:8]} holds the topic {item.topic_key} now",
            f"`agentmem reject {rival[:8]} --why …` or `agentmem forget {rival[:8]}` first.",
        )
    return held


def reject(connection: Connection, start: str, why: str, terms: Terms) -> MemoryItem:
    """Note that a memory did not prove right, and why; it is found as something that was tried and rejected."""
    item = memory_called(connection, start)
    why = " ".join(clean(why).split())
    if not why:
        raise UsageError("A rejection needs its reason", "Say it with --why, so that nobody tries it again.")
    if item.status is not Status.REJECTED:
        _counts(item, "rejected")
    refused = replace(item, status=Status.REJECTED, reason=why, pinned=False)
    with states.recorded(connection, _ACTOR, "reject", [item.id]):
        queries = memories.queries_of(connection, [item.id]).get(item.id, [])
        return memories.change(connection, refused, _index(refused, queries, terms))


def _index(item: MemoryItem, queries: list[str], terms: Terms) -> list[int]:
    return terms.of(memories.search_text(item, queries))


def _counts(item: MemoryItem, what: str) -> None:
    if item.status not in (Status.ACTIVE, Status.EXPIRED):
        raise _counts_no_more(item, what)


def _counts_no_more(item: MemoryItem, what: str) -> UsageError:
    by = f" by {item.superseded_by[:8]}" if item.superseded_by else ""
    hint = {
        Status.SUPERSEDED: f"`agentmem history {item.id[:8]}` shows what replaced it.",
        Status.FORGOTTEN: "`agentmem remember` brings its value back.",
        Status.REJECTED: f"`agentmem confirm {item.id[:8]}` takes the rejection back.",
    }.get(item.status, "")
    return UsageError(f"Memory {item.id[:8]} is {item.status}{by} and cannot be {what}", hint)
