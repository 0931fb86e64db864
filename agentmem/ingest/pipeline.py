"""The way of a message into the store: the only list of the stages.

    source → redact → prepare (ids, terms) → extract → store raw → verify → supersede → journal → (later) vectorize

Where a language model is configured, what it owes is noted in the same transaction and paid later (`pay`), by the
models' own stages: extract → verify → classify → judge → supersede → journal. `agentmem.ingest.stages` has them all.

Everything that takes time happens before the database is opened: a batch of messages is read, addressed, cut into terms
and searched for memories; then one short transaction writes all of it or nothing. A process that is killed
leaves whole batches, and reading the transcript again adds the rest.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from agentmem.domain.ids import memory_id, message_id
from agentmem.domain.memories import Candidate, MemoryItem
from agentmem.domain.messages import Message
from agentmem.domain.text import normalise
from agentmem.ingest import stages
from agentmem.ingest.owe import owe
from agentmem.ingest.supersede import Known, Plan, Proposal, Words, supersede
from agentmem.ingest.trust import guarded
from agentmem.projects import Project, identify
from agentmem.store import journal, memories, sessions
from agentmem.store import messages as message_store
from agentmem.store.fulltext import Terms
from agentmem.store.messages import Incoming
from agentmem.store.rows import now
from agentmem.store.store import Connection, Store

_BATCH_MESSAGES = 4_000
_BATCH_CHARACTERS = 4_000_000
_INDEXED = 50_000
"""Characters of one message that full-text search looks at; what is longer is data that somebody pasted."""


@dataclass(slots=True)
class Ingested:
    """What a run stored.

    Args:
        messages: new messages, or known ones said again.
        known: messages that were stored before.
        memories: new memories.
        superseded: memories that a newer one replaced, or that came back in its place.
        refused: memories whose value was forgotten before.
        redacted: messages out of which a secret or something private was taken.
        sessions: (profile, session id) of all that were touched.
        skipped: entries that could not be used, by reason.
    """

    messages: int = 0
    known: int = 0
    memories: int = 0
    superseded: int = 0
    refused: int = 0
    redacted: int = 0
    sessions: set[tuple[str, str]] = field(default_factory=set)
    skipped: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Prepared:
    incoming: list[Incoming]
    candidates: dict[str, list[Candidate]]


class Ingestion:
    """One run over one or more streams.

    Args:
        store: where to.
        profile: the profile of everything; None: each session's project, by the folder that it names.
        fallback: the profile of sessions that name no folder, and its identity where it has one.
    """

    def __init__(self, store: Store, *, profile: str | None, fallback: tuple[str, str | None]) -> None:
        self._store = store
        self._profile = profile
        self._fallback = fallback
        self._terms = Terms()
        self._projects: dict[str, Project] = {}
        self._bare: dict[str, int] = defaultdict(int)
        self._bare_before: dict[tuple[str, str], int] = {}
        self.done = Ingested()

    def take(
        self, messages: Iterable[Message], *, source: str, progress: Callable[[int], None] = lambda _count: None
    ) -> None:
        """Store a stream of messages, batch by batch.

        Args:
            messages: in order; may be endless as far as memory is concerned.
            source: where they come from, for the record.
            progress: called after each batch with the messages taken so far from this stream.
        """
        self._bare.clear()
        self._bare_before.clear()
        taken = 0
        for batch in _batches(self._redacted(messages)):
            prepared = [self._prepare(session) for session in _by_session(batch)]
            with self._store.writing() as connection:
                self._write(connection, prepared, source)
            taken += len(batch)
            progress(taken)

    def _redacted(self, messages: Iterable[Message]) -> Iterator[Message]:
        """The messages without private parts and secrets, before anything is made of them, their ids included."""
        redact = self._store.redact
        for message in messages:
            content = redact(message.content)
            if content is message.content:
                yield message
                continue
            self.done.redacted += 1
            if content.strip():
                yield replace(message, content=content)

    def _prepare(self, session: Sequence[Message]) -> _Prepared:
        incoming = []
        for message in session:
            bare = 0
            if message.at is None and message.source_id is None:
                bare = self._bare[message.session_id]
                self._bare[message.session_id] += 1
            text = f"{message.speaker}: {message.content}" if message.speaker else message.content
            identity = message_id(message.session_id, message.role, message.content)
            incoming.append(Incoming(message, identity, self._terms.of(text[:_INDEXED]), bare))
        candidates: dict[str, list[Candidate]] = defaultdict(list)
        for candidate in stages.EXTRACT.by_rule(session):
            candidates[candidate.message_id].append(candidate)
        return _Prepared(incoming, candidates)

    def _write(self, connection: Connection, prepared: Sequence[_Prepared], source: str) -> None:
        arrivals = self._arrivals(connection, prepared, source)
        fresh = message_store.add(connection, arrivals)
        entries = []
        proposals = []
        grown = {}
        for arrival, one, new in zip(arrivals, prepared, fresh, strict=True):
            session_id = one.incoming[0].message.session_id
            self.done.sessions.add((arrival.profile, session_id))
            self.done.messages += len(new)
            self.done.known += len(one.incoming) - len(new)
            if not new:
                continue
            grown[arrival.place.no] = [incoming.message for incoming in new]
            after = {"messages": len(new), "source": source}
            entries.append(journal.Entry("ingest", arrival.profile, session_id, after=after))
            proposals += [
                proposal(arrival.profile, arrival.place.no, replace(candidate, said_at=incoming.message.at))
                for incoming in new
                for raw in one.candidates.get(incoming.id, ())
                if (candidate := _checked(raw, incoming.message.content)) is not None
            ]
        if grown:
            sessions.extend(connection, grown)
            owe(connection, self._store.config, list(grown))
        journal.write(connection, "ingest", entries)
        plan = propose(connection, proposals, self._terms, actor="ingest")
        self.done.memories += len(plan.added)
        self.done.superseded += len(plan.changed)
        self.done.refused += plan.refused

    def _arrivals(
        self, connection: Connection, prepared: Sequence[_Prepared], source: str
    ) -> list[message_store.Arrival]:
        firsts = [one.incoming[0].message for one in prepared]
        profiles = self._profiles(connection, prepared)
        keys = [(profile, first.session_id) for profile, first in zip(profiles, firsts, strict=True)]
        places = sessions.places(connection, keys)
        missing = [(key[0], first) for key, first in zip(keys, firsts, strict=True) if key not in places]
        if missing:
            places |= sessions.create(connection, missing, source)
        return [
            message_store.Arrival(
                key[0], places[key], self._bare_before.setdefault(key, places[key].bare), one.incoming
            )
            for key, one in zip(keys, prepared, strict=True)
        ]

    def _profiles(self, connection: Connection, prepared: Sequence[_Prepared]) -> list[str]:
        """The profile of each session: the one asked for, the one it has, that of its folder, or the fallback."""
        wanted: dict[str, str | None] = {}
        chosen = []
        stored = sessions.profiles_of(connection, [one.incoming[0].message.session_id for one in prepared])
        for one in prepared:
            # The first folder may be the launcher's; the last one that was worked in is right.
            folders = [incoming.message.cwd for incoming in one.incoming if incoming.message.cwd]
            known = self._profile or stored.get(one.incoming[0].message.session_id)
            if known is None and folders:
                project = self._project(folders[-1])
                wanted[project.name] = project.identity
                chosen.append(project.name)
            else:
                name, identity = (known, None) if known else self._fallback
                chosen.append(name)
                wanted.setdefault(name, identity)
        for name, identity in wanted.items():
            sessions.ensure_profile(connection, name, identity)
        return chosen

    def _project(self, folder: str) -> Project:
        if folder not in self._projects:
            self._projects[folder] = identify(folder)
        return self._projects[folder]


def propose(connection: Connection, proposals: Sequence[Proposal], terms: Terms, *, actor: str) -> Plan:
    """Settle proposals against what is stored, and write the outcome with its journal.

    Args:
        connection: inside a writing transaction.
        proposals: in the order in which they were said.
        terms: for the index.
        actor: who does it, for the journal.
    """
    if not proposals:
        return Plan()
    graves = [memories.tombstone(p.item.profile, p.item.content) for p in proposals]
    buried = memories.buried(connection, graves)
    marked = [replace(p, buried=grave in buried) for p, grave in zip(proposals, graves, strict=True)]
    plan = supersede(_known(connection, marked), marked)
    _apply(connection, plan, terms, actor)
    return plan


def _known(connection: Connection, proposals: Sequence[Proposal]) -> list[Known]:
    replaced = [p.replaces for p in proposals if p.replaces is not None]
    items = memories.by_ids(connection, [*(p.item.id for p in proposals), *replaced])
    profiles = list({p.item.profile for p in proposals})
    keys = list({p.item.topic_key for p in proposals if p.item.topic_key})
    for _, item in memories.by_topics(connection, profiles, keys, active=True):
        items[item.id] = item
    places = memories.places_of(connection, list(items))
    known = []
    for key, item in items.items():
        times = [at for _, _, at in places.get(key, ()) if at is not None]
        known.append(
            Known(item, max([*times, item.valid_from or datetime.min.replace(tzinfo=UTC)]), places.get(key, ()))
        )
    return known


def _apply(connection: Connection, plan: Plan, terms: Terms, actor: str) -> None:
    added = list(plan.added.values())
    memories.add(connection, [item for item, _ in added], [terms.of(memories.search_text(i, q)) for i, q in added])
    memories.add_queries(connection, [(item.id, query) for item, queries in added for query in queries])
    memories.add_support(
        connection,
        [
            memories.Support(
                memory_id=key, session_no=words.session_no, message_id=words.message_id, quote=words.quote, at=words.at
            )
            for key, words in plan.supports
        ],
    )
    queries_of = memories.queries_of(connection, list(plan.changed))
    for key, (before, after) in plan.changed.items():
        words = terms.of(memories.search_text(after, queries_of.get(key, ())))
        memories.set_status(
            connection,
            before,
            status=after.status,
            terms=words,
            superseded_by=after.superseded_by,
            valid_from=after.valid_from,
        )
    journal.write(connection, actor, [*_entries(plan)])


def _entries(plan: Plan) -> Iterator[journal.Entry]:
    for item, _ in plan.added.values():
        yield journal.Entry("remember", item.profile, item.id, after=_shown(item))
    for key, words in plan.supports:
        if key not in plan.added:
            yield journal.Entry("evidence", "", key, after={"message": words.message_id, "at": words.at})
    for before, after in plan.changed.values():
        operation = "supersede" if after.superseded_by else "reinstate"
        yield journal.Entry(operation, after.profile, after.id, before=_shown(before), after=_shown(after))


def _shown(item: MemoryItem) -> dict[str, object]:
    return {
        "status": item.status.value,
        "kind": item.kind.value,
        "topic_key": item.topic_key,
        "content": item.content,
        "valid_from": item.valid_from,
        "superseded_by": item.superseded_by,
    }


def _checked(candidate: Candidate, text: str) -> Candidate | None:
    verified = stages.VERIFY.by_rule(candidate, text)
    return None if verified is None else guarded(verified, text)


def proposal(profile: str, session_no: int, candidate: Candidate) -> Proposal:
    """A candidate as the memory that it would become in a profile, with its support."""
    said_at = candidate.said_at or now()
    item = MemoryItem(
        id=memory_id(profile, candidate.kind, candidate.topic_key, normalise(candidate.content)),
        profile=profile,
        kind=candidate.kind,
        content=candidate.content,
        topic_key=candidate.topic_key,
        importance=candidate.importance,
        occurred_at=candidate.occurred_at,
        valid_from=said_at,
        created_at=now(),
        expires_at=candidate.expires_at,
        trust=candidate.trust,
        extractor=candidate.extractor,
    )
    words = Words(session_no, candidate.message_id, candidate.quote, candidate.said_at)
    return Proposal(item=item, said_at=said_at, support=words, search_queries=candidate.search_queries)


def _batches(messages: Iterable[Message]) -> Iterator[list[Message]]:
    batch: list[Message] = []
    size = 0
    for message in messages:
        batch.append(message)
        size += len(message.content)
        if len(batch) >= _BATCH_MESSAGES or size >= _BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _by_session(batch: Sequence[Message]) -> Iterator[list[Message]]:
    """The batch split by session, each in its order."""
    found: dict[str, list[Message]] = defaultdict(list)
    for message in batch:
        found[message.session_id].append(message)
    return iter(found.values())
