"""Patterns: what recurs over at least three sessions of a profile, with the evidence of all that it rests on."""

from collections.abc import Mapping
from typing import Any

from agentmem.config import Config
from agentmem.domain.ids import digest, memory_id
from agentmem.domain.memories import MemoryItem, MemoryKind, Status
from agentmem.domain.messages import Trust
from agentmem.domain.text import clean, normalise
from agentmem.ingest.asking import Question
from agentmem.ingest.propose import propose
from agentmem.ingest.read_piece import Outcome, Reader
from agentmem.ingest.supersede import Proposal, Words
from agentmem.models.language import ModelRole
from agentmem.prompts.load import load
from agentmem.rules.suspicion import suspicious
from agentmem.store import gathered, memories, work
from agentmem.store.rows import now
from agentmem.store.store import Connection
from agentmem.store.work import Job

LEAST_SESSIONS = 3
_MOST = 60  # memories that are shown
_MOST_PATTERNS = 10
_LONGEST = 600
_KINDS = (MemoryKind.FACT, MemoryKind.EVENT, MemoryKind.INSTRUCTION, MemoryKind.TASK)

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "patterns": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "content": {"type": "string"},
                    "memories": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["content", "memories"],
            },
        }
    },
    "required": ["patterns"],
}


def owe_patterns(connection: Connection, config: Config) -> int:
    """Note the profiles that have three sessions more than when they were mined last; tells how many.

    Inside a writing transaction.
    """
    jobs = [
        Job(
            stage=work.PATTERNS,
            key=digest(work.PATTERNS, profile, str(sessions)),
            version=load("patterns").label,
            model=config.model_merge,
            profile=profile,
            last_seq=sessions,
        )
        for profile, sessions in work.unmined(connection, LEAST_SESSIONS)
    ]
    work.owe(connection, jobs)
    return len(jobs)


def mine(reader: Reader, job: Job) -> Outcome:
    """Find patterns in a profile's memories.

    Raises:
        ModelUnavailable, BadReply: as the model says.
    """
    outcome = Outcome()
    with reader.store.reading() as connection:
        wanted = memories.Filter(profiles=(job.profile,), kinds=_KINDS, statuses=(Status.ACTIVE.value,))
        items = [item for item in memories.select(connection, wanted, 4 * _MOST) if item.trust is not Trust.LOW][:_MOST]
        places = gathered.words_of(connection, [item.id for item in items])
    shown = [(item, places[item.id]) for item in items if places.get(item.id)]
    offers: list[Proposal] = []
    if len({place.session_no for _, found in shown for place in found}) >= LEAST_SESSIONS:
        told = "\n".join(
            f"{number}. (session {', '.join(sorted({str(place.session_no) for place in found}))}) {item.content}"
            for number, (item, found) in enumerate(shown, 1)
        )
        prompt = load("patterns").fill(memories=told)
        reply = reader.asker.ask(Question(ModelRole.MERGE, "patterns", prompt, SCHEMA))
        for raw in (reply.data or {})["patterns"][:_MOST_PATTERNS]:
            offers += _offers(job, raw, shown, outcome)
    with reader.turn, reader.store.writing() as connection:
        if work.settle(connection, job):
            plan = propose(connection, offers, reader.terms, actor="model")
            outcome.memories += len(plan.added)
            outcome.refused += plan.refused
    return outcome


def _offers(
    job: Job, raw: Mapping[str, Any], shown: list[tuple[MemoryItem, list[memories.Support]]], outcome: Outcome
) -> list[Proposal]:
    """The pattern, once for each piece of its evidence; none where it does not rest on enough sessions."""
    content = " ".join(clean(raw["content"]).split())
    numbers = dict.fromkeys(number for number in raw["memories"] if 1 <= number <= len(shown))
    found = [place for number in numbers for place in shown[number - 1][1]]
    if not content or len(content) > _LONGEST or suspicious(content):
        outcome.dropped["no sentence"] += 1
        return []
    if len({place.session_no for place in found}) < LEAST_SESSIONS:
        outcome.dropped["a pattern of too few sessions"] += 1
        return []
    said_at = max((place.at for place in found if place.at), default=now())
    item = MemoryItem(
        id=memory_id(job.profile, MemoryKind.PATTERN, None, normalise(content)),
        profile=job.profile,
        kind=MemoryKind.PATTERN,
        content=content,
        importance=0.6,
        valid_from=said_at,
        created_at=now(),
        trust=Trust.MEDIUM,
        extractor=job.version,
    )
    return [
        Proposal(item=item, said_at=said_at, support=Words(place.session_no, place.message_id, place.quote, place.at))
        for place in found
    ]
