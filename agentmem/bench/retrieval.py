"""Put a set's questions to a store that was filled from it, through the ordinary ingest and recall."""

import random
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agentmem.bench.abstention import Point, curve
from agentmem.bench.datasets import Dataset, Question
from agentmem.bench.measures import DEPTHS, Mean, chosen, mean, percentile
from agentmem.config import Config
from agentmem.domain.recall import MESSAGE
from agentmem.domain.weights import CHANNELS, Weights
from agentmem.errors import UsageError
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
        sessions: measures against the sessions that are, as recall ranks them.
        milliseconds: of an answer: `p50`, `p95`, `p99`.
        answered: share of questions with evidence that were not abstained from.
        abstained: share of questions without evidence that were abstained from; None where there are none.
        abstained_elsewhere: share of questions put to another conversation that were abstained from; None likewise.
        curve: what other thresholds of relevance would do.
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
    curve: list[Point]


@dataclass(frozen=True, slots=True)
class Filled:
    """A store that was filled from a set.

    Args:
        dataset: the set.
        memories: each conversation's view of the store.
        ingest_seconds: to store and index the messages.
        vector_seconds: to compute their vectors.
    """

    dataset: Dataset
    memories: Mapping[str, Memory]
    ingest_seconds: float
    vector_seconds: float


@dataclass(slots=True)
class Asked:
    """What the questions gave, one value a question; `relevance` by whether it could be answered."""

    turns: list[tuple[Question, list[str]]] = field(default_factory=list)
    sessions: list[tuple[Question, list[str]]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    answered: list[bool] = field(default_factory=list)
    abstained: list[bool] = field(default_factory=list)
    elsewhere: list[bool] = field(default_factory=list)
    relevance: dict[str, list[float]] = field(default_factory=lambda: {"own": [], "unanswerable": [], "elsewhere": []})


def only(channels: Sequence[str]) -> Weights:
    """Weights with which some channels alone are asked; none named: all.

    Raises:
        UsageError: there is no such channel.
    """
    names = [name.strip().replace("-", " ") for name in channels]
    unknown = [name for name in names if name not in CHANNELS]
    if unknown:
        raise UsageError(f"There is no channel {unknown[0]!r}", f"Channels are {', '.join(CHANNELS)}.")
    return Weights(without=frozenset(CHANNELS) - set(names)) if names else Weights()


def run(
    dataset: Dataset,
    home: Path,
    config: Config,
    *,
    limit: int | None = None,
    skip: Sequence[str] = (),
    weights: Weights | None = None,
    depths: Sequence[int] = DEPTHS,
    progress: Progress = lambda _what, _done, _all: None,
) -> Result:
    """Fill a store from a set and put its questions to it.

    Args:
        dataset: the set.
        home: where the store is made; it should be empty.
        config: the settings, the embedder above all.
        limit: at most so many questions, drawn with a fixed seed; None: all.
        skip: categories whose evidence does not count, as LoCoMo's `adversarial`.
        weights: of the ranking; None: the measured ones.
        depths: the k of R@k.
        progress: called with what is being done, how much of it is, and how much there is.
    """
    filled = fill(dataset, home, config, progress)
    asked = ask(filled, drawn(dataset, limit, skip), weights or Weights(), progress)
    held = next(iter(filled.memories.values())).stats()
    return Result(
        dataset=dataset.name,
        embedder=held.model or "none",
        messages=held.counts.messages,
        ingest_seconds=filled.ingest_seconds,
        vector_seconds=filled.vector_seconds,
        store_bytes=held.database_bytes + held.vector_bytes,
        turns=_level(asked.turns, lambda question: question.turns, depths),
        sessions=_level(asked.sessions, lambda question: question.sessions, depths),
        milliseconds=milliseconds(asked.seconds),
        answered=_share(asked.answered) or 0.0,
        abstained=_share(asked.abstained),
        abstained_elsewhere=_share(asked.elsewhere),
        curve=curve(asked.relevance["own"], asked.relevance["unanswerable"], asked.relevance["elsewhere"]),
    )


def milliseconds(seconds: Sequence[float]) -> dict[str, float]:
    """The median and the tails of some times."""
    shares = (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
    return {name: 1000 * percentile(seconds, share) for name, share in shares}


def fill(dataset: Dataset, home: Path, config: Config, progress: Progress) -> Filled:
    """Store a set's conversations, each in a profile of its own, and compute their vectors."""
    memories = {
        name: Memory.open(home, profile=f"conversation {name}", config=config) for name in dataset.conversations
    }
    started = time.perf_counter()
    for number, (name, lines) in enumerate(dataset.conversations.items(), start=1):
        memories[name].ingest(lines, source=dataset.name)
        progress("conversations", number, len(memories))
    ingested = time.perf_counter()
    next(iter(memories.values())).work(progress=lambda done, whole: progress("vectors", done, whole))
    return Filled(dataset, memories, ingested - started, time.perf_counter() - ingested)


def drawn(dataset: Dataset, limit: int | None, skip: Sequence[str]) -> list[Question]:
    """The questions that are put: all but some categories, or so many of them, always the same."""
    questions = [q for q in dataset.questions if q.category not in skip]
    if limit is not None and limit < len(questions):
        questions = random.Random(0).sample(questions, limit)  # noqa: S311 - a sample, not a secret
    return questions


def ask(filled: Filled, questions: Sequence[Question], weights: Weights, progress: Progress) -> Asked:
    """Put questions to the conversation that they are about, and every fourth to the next one as well."""
    asked = Asked()
    memories = filled.memories
    others = dict(zip(memories, [*list(memories)[1:], *list(memories)[:1]], strict=True))
    for number, question in enumerate(questions, start=1):
        started = time.perf_counter()
        answer = memories[question.conversation].recall(
            question.text,
            k=DEPTH,
            types=(MESSAGE,),
            reference_date=question.date,
            weights=weights,
            sessions=DEPTH if question.sessions else 0,
        )
        asked.seconds.append(time.perf_counter() - started)
        labelled = question.turns or question.sessions
        (asked.answered if labelled else asked.abstained).append(answer.abstained != bool(labelled))
        asked.relevance["own" if labelled else "unanswerable"].append(answer.relevance)
        if question.turns:
            asked.turns.append((question, [hit.source_id or hit.id for hit in answer.hits]))
        if question.sessions:
            asked.sessions.append((question, [one.session_id for one in answer.sessions]))
        if len(memories) > 1 and number % 4 == 0:  # a quarter is enough to tell, and costs a fifth of the time
            foreign = memories[others[question.conversation]].recall(question.text, k=1, weights=weights)
            asked.elsewhere.append(foreign.abstained)
            asked.relevance["elsewhere"].append(foreign.relevance)
        progress("questions", number, len(questions))
    return asked


def _level(
    rankings: Sequence[tuple[Question, list[str]]],
    evidence: Callable[[Question], Collection[str]],
    depths: Sequence[int],
) -> Level | None:
    if not rankings:
        return None
    names = sorted({question.category for question, _ in rankings})

    def measured(category: str | None) -> dict[str, Mean]:
        some = [(q, r) for q, r in rankings if category in (None, q.category)]
        return {name: mean([measure(r, evidence(q)) for q, r in some]) for name, measure in chosen(depths).items()}

    return Level(len(rankings), measured(None), {name: measured(name) for name in names})


def _share(outcomes: Sequence[bool]) -> float | None:
    return sum(outcomes) / len(outcomes) if outcomes else None
