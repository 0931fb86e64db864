"""What each channel and each part of the ranking is worth: the same questions without it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from agentmem.bench.datasets import Dataset
from agentmem.bench.measures import percentile, recall_at
from agentmem.bench.retrieval import Progress, ask, drawn, fill
from agentmem.config import Config
from agentmem.domain.weights import VECTOR, WORDS, Weights

_ALL = Weights()
VARIANTS = {
    "everything": _ALL,
    "without message words": replace(_ALL, without=frozenset({WORDS})),
    "without question vector": replace(_ALL, without=frozenset({VECTOR})),
    "without windows of messages": replace(_ALL, alone=1.0, three=0.0, five=0.0),
    "without the session's words": replace(_ALL, session=0.0),
    "without the share covered": replace(_ALL, covered=0.0),
    "without the neighbours' vectors": replace(_ALL, neighbour=0.0),
    "without the session's vector": replace(_ALL, session_vector=0.0),
    "without the length": replace(_ALL, long=0.0),
    "without the session's first": replace(_ALL, first=0.0),
    "without who asks": replace(_ALL, asks=0.0),
    "without the speaker named": replace(_ALL, named=0.0),
    "without the date of the question": replace(_ALL, future=0.0),
}
"""Rankings that are compared, by name."""


@dataclass(frozen=True, slots=True)
class Variant:
    """What one ranking reached: R@10 and R@20 of turns, or of sessions where turns are not labelled."""

    name: str
    r10: float
    r20: float
    p50: float


@dataclass(frozen=True, slots=True)
class Ablation:
    """What the rankings reached on one set, the whole one first."""

    dataset: str
    embedder: str
    questions: int
    variants: tuple[Variant, ...]


def ablate(
    dataset: Dataset,
    home: Path,
    config: Config,
    *,
    limit: int | None = None,
    skip: Sequence[str] = (),
    progress: Progress = lambda _what, _done, _all: None,
) -> Ablation:
    """Fill a store from a set once and put its questions to it with each of `VARIANTS`.

    Args:
        dataset: the set.
        home: where the store is made; it should be empty.
        config: the settings, the embedder above all.
        limit: at most so many questions, drawn with a fixed seed; None: all.
        skip: categories to leave out.
        progress: called with what is being done, how much of it is, and how much there is.
    """
    filled = fill(dataset, home, config, progress)
    questions = [q for q in drawn(dataset, limit, skip) if q.turns or q.sessions]
    model = next(iter(filled.memories.values())).stats().model
    variants = []
    for number, (name, weights) in enumerate(VARIANTS.items()):
        if model is None and (name == "without message words" or "vector" in name):
            continue  # words alone are searched: there is nothing to leave out
        asked = ask(filled, questions, weights, lambda _what, _done, _all: None)
        ranked = [(r, q.turns) for q, r in asked.turns] or [(r, q.sessions) for q, r in asked.sessions]
        r10, r20 = (fmean([recall_at(r, evidence, k) for r, evidence in ranked] or [0.0]) for k in (10, 20))
        variants.append(Variant(name, r10, r20, 1000 * percentile(asked.seconds or [0.0], 0.5)))
        progress("variants", number + 1, len(VARIANTS))
    return Ablation(dataset.name, model or "none", len(questions), tuple(variants))
