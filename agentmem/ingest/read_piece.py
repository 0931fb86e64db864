"""One piece of a session, read by the models from transcript to stored memories."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

from agentmem.domain.ids import memory_id
from agentmem.domain.memories import Candidate, MemoryKind
from agentmem.domain.text import normalise
from agentmem.errors import BadReply
from agentmem.ingest import stages
from agentmem.ingest.asking import Asker
from agentmem.ingest.extract_by_model import spoken
from agentmem.ingest.judge import CONTRADICTS, SAME, UPDATES, Judgement, significant
from agentmem.ingest.nearest import nearest
from agentmem.ingest.propose import proposal, propose
from agentmem.ingest.supersede import Plan, Proposal
from agentmem.ingest.transcript import DETAIL_FROM, OVERLAP, Line
from agentmem.ingest.verify_by_model import Checked
from agentmem.models.embedder import Embedder
from agentmem.models.language import ModelRole
from agentmem.prompts.load import load
from agentmem.store import contradictions, gathered, journal, memories, messages, verdicts, work
from agentmem.store.contradictions import Contradiction
from agentmem.store.fulltext import Terms
from agentmem.store.messages import StoredMessage, slot_of
from agentmem.store.store import Connection, Store
from agentmem.store.verdicts import Verdict
from agentmem.store.work import Job

_MOST_TOPICS = 60
_KEYED = (MemoryKind.FACT, MemoryKind.INSTRUCTION)


@dataclass(slots=True)
class Outcome:
    """What came of one or more pieces.

    Args:
        memories: new ones.
        same: found again in what was stored already.
        superseded: replaced by newer ones.
        contradictions: noted for review.
        refused: forgotten before.
        dropped: candidates left out, by reason.
        errors: answers of models that were no use, though others were.
    """

    memories: int = 0
    same: int = 0
    superseded: int = 0
    contradictions: int = 0
    refused: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    errors: list[BadReply] = field(default_factory=list)

    def add(self, other: "Outcome") -> None:
        """Count another one in."""
        self.memories += other.memories
        self.same += other.same
        self.superseded += other.superseded
        self.contradictions += other.contradictions
        self.refused += other.refused
        self.dropped.update(other.dropped)
        self.errors += other.errors


@dataclass(frozen=True, slots=True)
class Reader:
    """What reading a piece needs.

    Args:
        store: where from and where to.
        asker: asks the models.
        embedder: gives the embedding model, to find what is near.
        turn: held by the one that compares its finds with the store and adds them, so that two pieces which find the
            same see each other.
        terms: for the index; used in turn.
    """

    store: Store
    asker: Asker
    embedder: Callable[[], Embedder | None]
    turn: Lock = field(default_factory=Lock)
    terms: Terms = field(default_factory=Terms)


def read_piece(reader: Reader, job: Job) -> Outcome:
    """Extract, verify, classify, judge, store, and settle the job in the same transaction.

    Raises:
        ModelUnavailable: a model cannot be asked; nothing is stored.
        BadReply: extraction or verification gave nothing that could be used; nothing is stored.
        StoreBusy: another process holds the store.
    """
    outcome = Outcome()
    piece, many, topics = _load(reader.store, job)
    checked: list[Checked] = []
    candidates: list[Candidate] = []
    if any(spoken(line.message) and not line.before for line in piece):
        found = stages.EXTRACT.by_model(reader.asker, piece, project=job.profile, detail=many >= DETAIL_FROM)
        outcome.dropped.update(found.dropped)
        outcome.errors += found.errors
        checked = stages.VERIFY.by_model(reader.asker, piece, _without_echoes(found.candidates))
        outcome.dropped.update("did not pass its checks" for one in checked if one.candidate is None)
        kept = [one.candidate for one in checked if one.candidate is not None]
        candidates, error = stages.CLASSIFY.by_model(reader.asker, kept, topics)
        outcome.errors += [error] if error else []
    with reader.turn:
        _compare_and_store(reader, job, candidates, [one for one in checked if one.candidate is not None], outcome)
    return outcome


def _load(store: Store, job: Job) -> tuple[list[Line], int, list[str]]:
    """The lines of a piece with what stands before it, the number of the session's messages, the topics in use."""
    first = max(0, job.first_seq - OVERLAP)
    with store.reading() as connection:
        slots = range(slot_of(job.session_no, first), slot_of(job.session_no, job.last_seq) + 1)
        said = messages.by_slots(connection, slots)
        many = sum(spoken_line(line) for line in work.lines(connection, job.session_no, 0))
        topics = gathered.topics_in_use(connection, job.profile, _MOST_TOPICS)
    shown = [said[slot] for slot in sorted(said) if said[slot].forgotten_at is None]
    return [Line(n, message, message.seq < job.first_seq) for n, message in enumerate(shown, 1)], many, topics


def spoken_line(line: work.Line) -> bool:
    """Whether a person or an agent says it."""
    return line.kind == "text" and line.role in ("user", "assistant")


def _without_echoes(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates without those that say less than another one from the same words."""
    kept: list[Candidate] = []
    for candidate in candidates:
        words = set(significant(candidate.content))
        if not any(
            other.message_id == candidate.message_id
            and (candidate.quote in other.quote or other.quote in candidate.quote)
            and words <= set(significant(other.content))
            for other in kept
        ):
            kept.append(candidate)
    return kept


def _compare_and_store(
    reader: Reader, job: Job, candidates: Sequence[Candidate], checked: Sequence[Checked], outcome: Outcome
) -> None:
    offers = [proposal(job.profile, job.session_no, candidate) for candidate in candidates]
    offers, notes = _unique(offers, list(checked))
    holders = _holders(reader.store, job.profile, offers)
    # Memories of a topic that has one settle it among themselves.
    open_items = [offer.item for offer in offers if (offer.item.topic_key or "") not in holders]
    judgements: dict[str, Judgement] = {}
    if open_items:
        judged, error = stages.JUDGE.by_model(
            reader.asker, nearest(reader.store, reader.terms, reader.embedder, open_items)
        )
        outcome.errors += [error] if error else []
        judgements = {one.item.id: one for one in judged}
    final = [_settle(offer, judgements.get(offer.item.id), holders) for offer in offers]
    with reader.store.writing() as connection:
        if not work.settle(connection, job):
            return  # another process was faster, or the session is gone
        plan = propose(connection, final, reader.terms, actor="model")
        _note(connection, reader.asker, plan, final, notes)
        entries = [
            journal.Entry(
                "contradict", job.profile, offer.item.id, after={"with": found.stored.id, "reason": found.reason}
            )
            for offer, found in ((one, judgements.get(one.item.id)) for one in offers)
            if found is not None and found.verdict == CONTRADICTS and offer.item.id in plan.added
        ]
        journal.write(connection, "model", entries)
        contradictions.add(
            connection,
            [
                Contradiction(job.profile, entry.subject, judgements[entry.subject].stored.id, "judged")
                for entry in entries
            ],
        )
    outcome.memories += len(plan.added)
    outcome.same += sum(offer.item.id not in plan.added for offer in final) - plan.refused
    outcome.superseded += len(plan.changed)
    outcome.contradictions += len(entries)
    outcome.refused += plan.refused


def _unique(offers: Sequence[Proposal], checked: Sequence[Checked]) -> tuple[list[Proposal], list[Checked]]:
    """One offer for each topic and message: what two passes found in the same words is one thing."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for offer, one in zip(offers, checked, strict=True):
        place = (offer.item.topic_key or offer.item.id, offer.support.message_id if offer.support else "")
        if place not in seen:
            seen.add(place)
            kept.append((offer, one))
    return [offer for offer, _ in kept], [one for _, one in kept]


Holders = dict[str, tuple[str, bool]]
"""By topic key: the id of the memory that holds it, and the messages (as `key\\0message id`) that it rests on."""


def _holders(store: Store, profile: str, offers: Sequence[Proposal]) -> Holders:
    keys = [offer.item.topic_key for offer in offers if offer.item.topic_key]
    with store.reading() as connection:
        held = [item for _, item in memories.by_topics(connection, [profile], keys, active=True)]
        places = memories.places_of(connection, [item.id for item in held])
    found: Holders = {}
    for item in held:
        found[item.topic_key or ""] = (item.id, False)
        for _, message, _ in places.get(item.id, ()):
            found[f"{item.topic_key}\0{message}"] = (item.id, True)
    return found


def _settle(offer: Proposal, judgement: Judgement | None, holders: Holders) -> Proposal:
    """The proposal as it is to be put to the ledger."""
    message = offer.support.message_id if offer.support else ""
    restated = holders.get(f"{offer.item.topic_key}\0{message}") if offer.item.topic_key else None
    if restated is not None:  # the rules have read the same words, and found the same topic
        return replace(offer, item=replace(offer.item, id=restated[0]))
    if judgement is None or judgement.verdict == CONTRADICTS:
        return offer
    stored = judgement.stored
    if judgement.verdict == SAME:
        return replace(offer, item=stored)
    if judgement.verdict == UPDATES and stored.topic_key and offer.item.kind in _KEYED:
        key = stored.topic_key  # one topic, one key
        identity = memory_id(offer.item.profile, offer.item.kind, key, normalise(offer.item.content))
        return replace(offer, item=replace(offer.item, topic_key=key, id=identity))
    return replace(offer, replaces=stored.id)


def _note(
    connection: Connection, asker: Asker, plan: Plan, offers: Sequence[Proposal], checked: Sequence[Checked]
) -> None:
    model, version = asker.name_of(ModelRole.VERIFY), load("verify").label
    rows = []
    for offer, one in zip(offers, checked, strict=True):
        if offer.item.id in plan.added:
            rows.append(Verdict(offer.item.id, "all", one.verdict, one.reason, one.before, model, version))
            rows += [Verdict(offer.item.id, *problem, None, model, version) for problem in one.problems]
    verdicts.note_verdicts(connection, rows)


def session_lines(store: Store, job: Job) -> list[StoredMessage]:
    """What a person and an agent said in a session, in order."""
    with store.reading() as connection:
        slots = range(slot_of(job.session_no, job.first_seq), slot_of(job.session_no, job.last_seq) + 1)
        said = messages.by_slots(connection, slots)
    return [said[slot] for slot in sorted(said) if said[slot].forgotten_at is None and spoken(said[slot])]
