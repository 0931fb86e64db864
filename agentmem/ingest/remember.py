"""Stage for what a person, or an agent, tells agentmem directly: one text becomes one memory."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from agentmem.domain.ids import memory_id
from agentmem.domain.memories import Candidate, MemoryItem, MemoryKind, Status
from agentmem.domain.messages import Message, Role, Trust
from agentmem.domain.text import clean, normalise
from agentmem.errors import UsageError
from agentmem.ingest.anchoring import Anchoring
from agentmem.ingest.classify import living
from agentmem.ingest.extract import extract
from agentmem.ingest.forgotten import find_graves
from agentmem.ingest.propose import propose
from agentmem.ingest.supersede import Proposal
from agentmem.projects import identify
from agentmem.store import anchors, journal, memories, sessions, states, tombstones
from agentmem.store.fulltext import Terms
from agentmem.store.rows import now
from agentmem.store.store import Store

EXTRACTOR = "told/1"
LONGEST = 10_000
"""Characters of a memory."""


def remember(
    store: Store,
    terms: Terms,
    text: str,
    *,
    profile: str,
    kind: MemoryKind | None = None,
    topic_key: str | None = None,
    importance: float | None = None,
    trust: Trust = Trust.HIGH,
    folder: str | None = None,
) -> MemoryItem:
    """Store a memory as it was told.

    Private parts and secrets are taken out.
    Kind, topic key, date and search queries are those that the rules would give, unless they are said. A value that was
    forgotten before may come back this way: telling it again is a decision. What it names of the code in `folder` is
    tied to the commit that is checked out there.

    Raises:
        UsageError: the text is empty or longer than 10,000 characters.
    """
    text = store.redact(clean(text)).strip()
    if not text:
        raise UsageError("There is nothing to remember", 'Say it as in `agentmem remember "Use pnpm, not npm."`.')
    if len(text) > LONGEST:
        raise UsageError(
            f"A memory has at most {LONGEST:,} characters; this text has {len(text):,}",
            "Long texts belong into `agentmem ingest`, which keeps them word for word.",
        )
    at = now()
    guess = guessed(text, at)
    kind = kind or guess.kind
    life = at + timedelta(days=store.config.task_days)
    key = (topic_key and store.redact(topic_key)) or guess.topic_key
    item = MemoryItem(
        id=memory_id(profile, kind, key, normalise(text)),
        profile=profile,
        kind=kind,
        content=text,
        topic_key=key,
        importance=guess.importance if importance is None else importance,
        occurred_at=guess.occurred_at,
        valid_from=at,
        created_at=at,
        expires_at=(living(guess, store.config.task_days).expires_at or life) if kind is MemoryKind.TASK else None,
        trust=trust,
        extractor=EXTRACTOR,
    )
    anchoring = Anchoring()
    anchoring.look(folder, [replace(guess, content=text, said_at=at)])
    actor = "told" if trust is Trust.HIGH else "agent"
    project = identify(folder) if folder else None
    identity = project.identity if project and project.name == profile else None
    with store.writing() as connection:
        sessions.ensure_profile(connection, profile, identity)
        action = journal.Action()
        with states.recorded(connection, actor, "reinstate", [item.id], action=action):
            tombstones.unbury(connection, profile, text)
            graves = find_graves(connection, [(profile, key, text)])
            tombstones.lift(connection, [grave.id for grave in graves if grave is not None and grave.id])
            stored = memories.by_ids(connection, [item.id]).get(item.id)
            if stored is not None and stored.status in (Status.FORGOTTEN, Status.REJECTED):
                hidden = replace(stored, status=Status.SUPERSEDED, reason=None)
                memories.change(connection, hidden, terms.of(memories.search_text(hidden, guess.search_queries)))
        proposal = Proposal(item=item, said_at=at, search_queries=guess.search_queries)
        propose(connection, [proposal], terms, actor=actor, action=action)
        if stored is None:
            anchors.add(connection, anchoring.anchors([item]))
        return memories.by_ids(connection, [item.id])[item.id]


def guessed(text: str, at: datetime) -> Candidate:
    """What the rules make of a text that is told as a whole: kind, topic, dates and search queries."""
    return _best(extract([Message(session_id="told", role=Role.USER, content=text, at=at)]), text, at)


def _best(candidates: Sequence[Candidate], text: str, at: datetime) -> Candidate:
    """The candidate that covers most of the text, else a plain fact."""
    plain = Candidate(
        kind=MemoryKind.FACT, content=text, quote=text, session_id="told", message_id="", said_at=at, importance=0.7
    )
    best = max(candidates, key=lambda candidate: len(candidate.quote), default=plain)
    return replace(best, importance=max(best.importance, plain.importance))
