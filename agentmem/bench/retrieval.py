"""Put a set's questions to a store that was filled from it, through the ordinary ingest and recall."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from agentmem.bench.datasets import Dataset, Question
from agentmem.bench.measures import MEASURES, Mean, mean, percentile
from agentmem.config import Config
from agentmem.domain.recall import MESSAGE
from agentmem.memory import Memory

DEPTH = 100
"""Hits that are asked for: enough for every measure, and for sessions behind many turns."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Level:
    """What was reached at one level (turns or sessions): measures over all questions, and by category."""

    questions: int
    overall: dict[str, Mean]
    categories: dict[str, dict[str, Mean]]


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one set.

    Args:
        dataset: its name.
        embedder: the embedding model, or `none`.
        messages: how many were stored.
        ingest_seconds: to store and index them.
        vector_seconds: to compute their vectors.
        store_bytes: of the database and the vectors.
        turns: measures against the turns that are evidence.
        sessions: measures against the sessions that are, ranked by their best turn.
        milliseconds: of an answer: `p50`, `p95`, `p99`.
        answered: share of questions with evidence that were not abstained from.
        abstained: share of questions without evidence that were abstained from; None where there are none.
        abstained_elsewhere: share of questions put to another conversation that were abstained from; None likewise.
    """

    dataset: str
    embedder: str
    messages: int
    ingest_seconds: float
    vector_seconds: float
    store_bytes: int
    turns: Level | None
    sessions: Level | None
    milliseconds: dict[str, float]
    answered: float
    abstained: float | None
    abstained_elsewhere: float | None


@dataclass(slots=True)
class _Asked:
    """What the questions gave, one value a question."""

    turns: list[tuple[Question, list[str]]] = field(default_factory=list)
    sessions: list[tuple[Question, list[str]]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    answered: list[bool] = field(default_factory=list)
    abstained: list[bool] = field(default_factory=list)
    elsewhere: list[bool] = field(default_factory=list)


def run(
    dataset: Dataset,
    home: Path,
    config: Config,
    *,
    limit: int | None = None,
    skip: Sequence[str] = (),
    progress: Progress = lambda _what, _done, _all: None,
) -> Result:
    """Fill a store from a set and put its questions to it.

    Args:
        dataset: the set.
        home: where the store is made; it should be empty.
        config: the settings, the embedder above all.
        limit: at most so many questions, drawn with a fixed seed; None: all.
        skip: categories whose evidence does not count, as LoCoMo's `adversarial`.
        progress: called with what is being done, how much of it is, and how much there is.
    """
    memories = {name: Memory.open(home, profile=_profile(name), config=config) for name in dataset.conversations}
    started = time.perf_counter()
    for number, (name, lines) in enumerate(dataset.conversations.items(), start=1):
        memories[name].ingest(lines, source=dataset.name)
        progress("conversations", number, len(memories))
    ingested = time.perf_counter()
    some = next(iter(memories.values()))
    some.work(progress=lambda done, whole: progress("vectors", done, whole))
    vectorized = time.perf_counter()
    questions = [q for q in dataset.questions if q.category not in skip]
    if limit is not None and limit < len(questions):
        questions = random.Random(0).sample(questions, limit)  # noqa: S311 - a sample, not a secret
    asked = _ask(memories, questions, progress)
    held = some.stats()
    return Result(
        dataset=dataset.name,
        embedder=held.model or "none",
        messages=held.counts.messages,
        ingest_seconds=ingested - started,
        vector_seconds=vectorized - ingested,
        store_bytes=held.database_bytes + held.vector_bytes,
        turns=_level(asked.turns, lambda question: question.turns),
        sessions=_level(asked.sessions, lambda question: question.sessions),
        milliseconds={
            name: 1000 * percentile(asked.seconds, share)
            for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
        },
        answered=_share(asked.answered) or 0.0,
        abstained=_share(asked.abstained),
        abstained_elsewhere=_share(asked.elsewhere),
    )


def _profile(conversation: str) -> str:
    return f"conversation {conversation}"


def _ask(memories: dict[str, Memory], questions: Sequence[Question], progress: Progress) -> _Asked:
    asked = _Asked()
    others = dict(zip(memories, [*list(memories)[1:], *list(memories)[:1]], strict=True))
    for number, question in enumerate(questions, start=1):
        started = time.perf_counter()
        answer = memories[question.conversation].recall(
            question.text, k=DEPTH, types=(MESSAGE,), reference_date=question.date
        )
        asked.seconds.append(time.perf_counter() - started)
        labelled = question.turns or question.sessions
        (asked.answered if labelled else asked.abstained).append(answer.abstained != bool(labelled))
        if question.turns:
            asked.turns.append((question, [hit.source_id or hit.id for hit in answer.hits]))
        if question.sessions:
            asked.sessions.append((question, list(dict.fromkeys(hit.session_id or "" for hit in answer.hits))))
        if len(memories) > 1 and number % 4 == 0:  # a quarter is enough to tell, and costs a fifth of the time
            foreign = memories[others[question.conversation]].recall(question.text, k=1)
            asked.elsewhere.append(foreign.abstained)
        progress("questions", number, len(questions))
    return asked


def _level(
    rankings: Sequence[tuple[Question, list[str]]], evidence: Callable[[Question], frozenset[str]]
) -> Level | None:
    if not rankings:
        return None
    names = sorted({question.category for question, _ in rankings})

    def measured(category: str | None) -> dict[str, Mean]:
        some = [(q, r) for q, r in rankings if category in (None, q.category)]
        return {name: mean([measure(r, evidence(q)) for q, r in some]) for name, measure in MEASURES.items()}

    return Level(len(rankings), measured(None), {name: measured(name) for name in names})


def _share(outcomes: Sequence[bool]) -> float | None:
    return sum(outcomes) / len(outcomes) if outcomes else None


def lexical(config: Config) -> Config:
    """The same settings without an embedding model."""
    return replace(config, embedder="none")
