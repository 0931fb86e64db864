"""Whether the user's own store finds what it holds: each memory's questions are put to it, and should bring it back."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from agentmem.bench.measures import Mean, gain, hit_at, mean, reciprocal_rank
from agentmem.bench.retrieval import milliseconds
from agentmem.domain.recall import MEMORY
from agentmem.domain.weights import MEMORY_WORDS, TOPIC, Weights
from agentmem.errors import NotFound
from agentmem.memory import Memory

_DEPTH = 20


@dataclass(frozen=True, slots=True)
class Own:
    """What came of it.

    Args:
        profile: the one looked at.
        memories: how many have questions.
        questions: how many were put.
        measures: of where the memory that a question is about was ranked.
        vector_alone: the same by vectors alone, where there are any: the questions are part of the words indexed.
        milliseconds: of an answer: `p50`, `p95`, `p99`.
        missed: questions whose memory was not among the first 20, with its id.
    """

    profile: str
    memories: int
    questions: int
    measures: dict[str, Mean]
    vector_alone: dict[str, Mean] | None
    milliseconds: dict[str, float]
    missed: tuple[tuple[str, str], ...]


def own(
    memory: Memory, limit: int | None = None, progress: Callable[[int, int], None] = lambda _done, _all: None
) -> Own:
    """Put the search queries of a profile's memories to it; nothing is written.

    Args:
        memory: the store, seen from the profile.
        limit: at most so many questions, drawn with a fixed seed; None: all.
        progress: called with the questions put and how many there are.

    Raises:
        NotFound: no memory has a question.
    """
    asked = [(item.id, query) for item, queries in memory.questioned() for query in queries]
    if not asked:
        raise NotFound(
            f"No memory of the profile {memory.profile} has a question of its own", "`agentmem list` shows what it has."
        )
    known = len({identity for identity, _ in asked})
    if limit is not None and limit < len(asked):
        asked = random.Random(0).sample(asked, limit)  # noqa: S311 - a sample, not a secret
    seconds: list[float] = []
    whole = Weights()
    alone = replace(whole, without=frozenset({MEMORY_WORDS, TOPIC}))
    dense = memory.stats().model is not None
    ranked: list[tuple[list[str], str]] = []
    near: list[tuple[list[str], str]] = []
    for number, (identity, query) in enumerate(asked, start=1):
        started = time.perf_counter()
        ranked.append((_ids(memory, query, whole), identity))
        seconds.append(time.perf_counter() - started)
        if dense:
            near.append((_ids(memory, query, alone), identity))
        progress(number, len(asked))
    return Own(
        profile=memory.profile,
        memories=known,
        questions=len(asked),
        measures=_measured(ranked),
        vector_alone=_measured(near) if near else None,
        milliseconds=milliseconds(seconds),
        missed=tuple((i, query) for (ids, i), (_, query) in zip(ranked, asked, strict=True) if i not in ids),
    )


def _ids(memory: Memory, query: str, weights: Weights) -> list[str]:
    return [hit.id for hit in memory.recall(query, k=_DEPTH, types=(MEMORY,), weights=weights).hits]


def _measured(ranked: list[tuple[list[str], str]]) -> dict[str, Mean]:
    return {
        "hit@1": mean([hit_at(ids, {wanted}, 1) for ids, wanted in ranked]),
        "hit@5": mean([hit_at(ids, {wanted}, 5) for ids, wanted in ranked]),
        "MRR": mean([reciprocal_rank(ids, {wanted}) for ids, wanted in ranked]),
        "nDCG@10": mean([gain(ids, {wanted}) for ids, wanted in ranked]),
    }
