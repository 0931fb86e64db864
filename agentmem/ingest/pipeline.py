"""The way of a message into the store: the only list of the stages.

    source → redact → prepare (ids, terms) → extract → store raw → verify → judge → supersede → journal → (vectorize)

Where a language model is configured, what it owes is noted in the same transaction and paid later (`pay`), by the
models' own stages: extract → verify → classify → judge → supersede → journal. `agentmem.ingest.stages` has them all.

Everything that takes time happens before the database is opened: a batch of messages is read, addressed, cut into terms
and searched for memories; then one short transaction writes all of it or nothing. A process that is killed
leaves whole batches, and reading the transcript again adds the rest.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from agentmem.domain.ids import message_id
from agentmem.domain.memories import Candidate
from agentmem.domain.messages import Message
from agentmem.ingest import stages
from agentmem.ingest.anchoring import Anchoring
from agentmem.ingest.batches import Gathered, Held, batches, by_session
from agentmem.ingest.classify import living
from agentmem.ingest.forgotten import strike
from agentmem.ingest.owe import owe
from agentmem.ingest.propose import proposal, propose
from agentmem.ingest.restated import restated
from agentmem.ingest.trust import guarded
from agentmem.projects import Project, identify
from agentmem.store import anchors, hiding, journal, scrubbing, sessions
from agentmem.store import messages as message_store
from agentmem.store.fulltext import Terms
from agentmem.store.messages import Incoming
from agentmem.store.store import Connection, Store


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

    def add(self, more: "Ingested") -> None:
        """Count what another run, or a part of one, stored."""
        self.messages += more.messages
        self.known += more.known
        self.memories += more.memories
        self.superseded += more.superseded
        self.refused += more.refused
        self.redacted += more.redacted
        self.sessions |= more.sessions
        self.skipped += more.skipped


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
        actor: who does it, for the journal.
    """

    def __init__(
        self, store: Store, *, profile: str | None, fallback: tuple[str, str | None], actor: str = "ingest"
    ) -> None:
        self._store = store
        self._actor = actor
        self._action = journal.Action()
        self._profile = profile
        self._fallback = fallback
        self._terms = Terms()
        self._anchoring = Anchoring()
        self._projects: dict[str, Project] = {}
        self._bare: dict[str, int] = defaultdict(int)
        self._bare_before: dict[tuple[str, str], int] = {}
        self._gathered: Gathered[_Prepared] = Gathered(self._settle)
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
        taken = 0
        for batch in self._batches(messages, source):
            for _, error in self.flush():
                raise error
            taken += len(batch)
            progress(taken)

    def gather(self, messages: Iterable[Message], *, source: str) -> list[tuple[str, Exception]]:
        """Take a stream of messages, and store it with others at one go: a transaction for each of many short ones
        would take longer than all else. `flush` stores what is left.

        Returns:
            The sources of which something could not be stored, and why.
        """
        failed = []
        for _ in self._batches(messages, source):
            if self._gathered.is_full:
                failed += self.flush()
        return failed

    def then(self, write: Callable[[Connection], None], *, source: str) -> None:
        """Write something together with what was gathered of a source, after it; or not at all if that fails."""
        self._gathered.hold(Held(source, then=write))

    def flush(self) -> list[tuple[str, Exception]]:
        """Store what was gathered; see `agentmem.ingest.batches.Gathered.flush`."""
        return self._gathered.flush()

    def _batches(self, messages: Iterable[Message], source: str) -> Iterator[list[Message]]:
        """Prepare a stream batch by batch, and hold the batches for the next transaction."""
        self._bare.clear()
        begins = True
        for batch in batches(self._redacted(messages)):
            prepared = [self._prepare(session) for session in by_session(batch)]
            self._gathered.hold(Held(source, prepared, begins), batch)
            begins = False
            yield batch

    def _settle(self, held: Sequence[Held[_Prepared]]) -> None:
        """Write in one transaction; what was counted counts only if all of it was written."""
        counted, self.done = self.done, Ingested()
        try:
            with self._store.writing() as connection:
                for one in held:
                    if one.begins:
                        self._bare_before.clear()
                    if one.prepared:
                        self._write(connection, one.prepared, one.source)
                    one.then(connection)
            counted.add(self.done)
        finally:
            self.done = counted

    def _redacted(self, messages: Iterable[Message]) -> Iterator[Message]:
        """The messages without private parts and secrets, before anything is made of them, their ids included."""
        redact = self._store.redact
        with self._store.reading() as connection:
            scrubbed = scrubbing.scrubbed(connection)
        for message in messages:
            content = redact(message.content)
            if message.speaker and (speaker := redact(message.speaker)) is not message.speaker:
                message = replace(message, speaker=speaker)  # noqa: PLW2901 - the same message, without a secret
            if scrubbed:
                identity = message_id(message.session_id, message.role, content)
                _, content = scrubbed.get(scrubbing.hashed(redact.key, identity), ("", content))
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
            text = message_store.indexed(message.speaker, message.content)
            identity = message_id(message.session_id, message.role, message.content)
            incoming.append(Incoming(message, identity, self._terms.of(text), bare))
        candidates: dict[str, list[Candidate]] = defaultdict(list)
        for candidate in stages.EXTRACT.by_rule(session):
            candidates[candidate.message_id].append(living(candidate, self._store.config.task_days))
        folder = next((message.cwd for message in reversed(session) if message.cwd), None)
        self._anchoring.look(folder, (one for found in candidates.values() for one in found))
        return _Prepared(incoming, candidates)

    def _write(self, connection: Connection, prepared: Sequence[_Prepared], source: str) -> None:
        known, arrivals = self._arrivals(connection, prepared, source)
        before = sessions.spans(connection, known)
        arrivals, struck = strike(connection, arrivals, [one.candidates for one in prepared])
        added = message_store.add(connection, arrivals)
        hiding.hide(connection, struck)
        entries = []
        proposals = []
        grown = {}
        for arrival, one, into in zip(arrivals, prepared, added, strict=True):
            new = into.new
            session_id = one.incoming[0].message.session_id
            self.done.sessions.add((arrival.profile, session_id))
            self.done.messages += len(new)
            self.done.known += len(one.incoming) - len(new)
            if new or into.moved or into.elsewhere:
                # A fork's span and folder are those of its whole transcript, whichever session keeps the lines.
                grown[arrival.place.no] = [incoming.message for incoming in one.incoming]
            if not new and not into.moved:
                continue
            place = arrival.place
            after = {
                "messages": len(new) + len(into.moved),
                "source": source,
                "session_no": place.no,
                "first": place.next_seq,
            }
            entries.append(
                journal.Entry("ingest", arrival.profile, session_id, before.get(place.no), after, journal.SESSION)
            )
            entries += journal.moves(arrival.profile, place.no, into.moves)
            proposals += [
                proposal(arrival.profile, arrival.place.no, replace(candidate, said_at=incoming.message.at))
                for incoming in new
                for raw in one.candidates.get(incoming.id, ())
                if (candidate := _checked(raw, incoming.message.content)) is not None
            ]
        if grown:
            sessions.extend(connection, grown)
            owe(connection, self._store.config, list(grown))
        journal.write(connection, self._actor, entries, self._action)
        proposals = restated(connection, proposals)
        plan = propose(connection, proposals, self._terms, actor=self._actor, action=self._action)
        anchors.add(connection, self._anchoring.anchors(item for item, _ in plan.added.values()))
        self.done.memories += len(plan.added)
        self.done.superseded += len(plan.changed)
        self.done.refused += plan.refused

    def _arrivals(
        self, connection: Connection, prepared: Sequence[_Prepared], source: str
    ) -> tuple[list[int], list[message_store.Arrival]]:
        """The numbers of the sessions that were there before, and what arrives."""
        firsts = [one.incoming[0].message for one in prepared]
        profiles = self._profiles(connection, prepared)
        keys = [(profile, first.session_id) for profile, first in zip(profiles, firsts, strict=True)]
        places = sessions.places(connection, keys)
        known = [place.no for place in places.values()]
        missing = [(key[0], first) for key, first in zip(keys, firsts, strict=True) if key not in places]
        if missing:
            places |= sessions.create(connection, missing, source)
        return known, [
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


def _checked(candidate: Candidate, text: str) -> Candidate | None:
    verified = stages.VERIFY.by_rule(candidate, text)
    return None if verified is None else guarded(verified, text)
