"""One memory that sums a session up, once it is over. A session that goes on gets another, which replaces it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from agentmem.config import Config
from agentmem.domain.ids import digest, memory_id
from agentmem.domain.memories import Candidate, MemoryItem, MemoryKind
from agentmem.domain.messages import Trust
from agentmem.domain.text import clean, normalise
from agentmem.errors import BadReply
from agentmem.ingest.asking import Question
from agentmem.ingest.propose import propose
from agentmem.ingest.read_piece import Outcome, Reader, session_lines
from agentmem.ingest.supersede import Proposal, Words
from agentmem.ingest.transcript import CHUNK, Line, day_of, render, room_of
from agentmem.ingest.verify import verify
from agentmem.models.language import ModelRole
from agentmem.prompts.load import load
from agentmem.rules.suspicion import suspicious
from agentmem.store import work
from agentmem.store.messages import StoredMessage
from agentmem.store.rows import now
from agentmem.store.store import Connection
from agentmem.store.work import Job

LEAST = 4  # messages of a person and an agent; a shorter session says it all itself
_LONGEST = 2_000
_HEAD = 3  # parts in ten of the transcript that are its beginning, where it is too long as a whole

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "summary": {"type": "string"},
        "quote": {"type": "string"},
        "lines": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["summary", "quote", "lines"],
}


def owe_summaries(connection: Connection, config: Config, over_since: datetime, ended: Sequence[str]) -> int:
    """Note the summaries of sessions that are over, inside a writing transaction; tells how many."""
    jobs = [
        Job(
            stage=work.SUMMARY,
            key=digest(work.SUMMARY, profile, str(session_no), str(last)),
            version=load("summary").label,
            model=config.model_merge,
            profile=profile,
            session_no=session_no,
            last_seq=last,
        )
        for session_no, profile, last in work.complete(connection, over_since, ended, LEAST)
    ]
    work.owe(connection, jobs)
    return len(jobs)


def summarise(reader: Reader, job: Job) -> Outcome:
    """Sum a session up, with a quote that a machine has found in it.

    Raises:
        ModelUnavailable: the model cannot be asked.
        BadReply: no summary, or a quote that nobody said.
    """
    said = session_lines(reader.store, job)
    outcome = Outcome()
    offers: list[Proposal] = []
    if said:
        lines = _extract(said)
        prompt = load("summary").fill(date=day_of(lines), project=job.profile, transcript=render(lines))
        reply = reader.asker.ask(Question(ModelRole.MERGE, "summary", prompt, SCHEMA))
        offers = [_offer(job, lines, reply.data or {})]
    with reader.turn, reader.store.writing() as connection:
        if work.settle(connection, job) and offers:
            plan = propose(connection, offers, reader.terms, actor="model")
            outcome.memories += len(plan.added)
            outcome.superseded += len(plan.changed)
            outcome.refused += plan.refused
    return outcome


def _extract(said: Sequence[StoredMessage]) -> list[Line]:
    """The session as far as a piece has room for it: from its beginning and, more of it, from its end."""
    lines = [Line(number, message) for number, message in enumerate(said, 1)]
    if sum(room_of(line.message.kind, len(line.message.content)) for line in lines) <= CHUNK:
        return lines
    head = _until(lines, CHUNK * _HEAD // 10)
    tail = _until(lines[::-1], CHUNK * (10 - _HEAD) // 10)[::-1]
    return [*head, *(line for line in tail if line not in head)]


def _until(lines: Sequence[Line], room: int) -> list[Line]:
    kept: list[Line] = []
    for line in lines:
        room -= room_of(line.message.kind, len(line.message.content))
        if room < 0 and kept:
            break
        kept.append(line)
    return kept


def _offer(job: Job, lines: Sequence[Line], data: Mapping[str, Any]) -> Proposal:
    content = " ".join(clean(data["summary"]).split())
    if not content or len(content) > _LONGEST:
        raise BadReply("The summary of a session was empty or far too long")
    for line in sorted(lines, key=lambda one: one.number not in data["lines"]):
        empty = Candidate(kind=MemoryKind.SUMMARY, content="-", quote=data["quote"], session_id="", message_id="")
        found = verify(empty, line.message.content)
        if found is not None:
            break
    else:
        raise BadReply("The summary of a session rests on words that nobody said")
    key = f"session.s{digest(job.profile, str(job.session_no))[:12]}"
    said_at = max((one.message.at for one in lines if one.message.at), default=now())
    item = MemoryItem(
        id=memory_id(job.profile, MemoryKind.SUMMARY, key, normalise(content)),
        profile=job.profile,
        kind=MemoryKind.SUMMARY,
        content=content,
        topic_key=key,
        importance=0.4,
        occurred_at=min((one.message.at for one in lines if one.message.at), default=None),
        valid_from=said_at,
        created_at=now(),
        # A model's words about what was said; the person's own carry more.
        trust=Trust.LOW if suspicious(content) else Trust.MEDIUM,
        extractor=job.version,
    )
    words = Words(job.session_no, line.message.id, found.quote, line.message.at)
    return Proposal(item=item, said_at=said_at, support=words)
