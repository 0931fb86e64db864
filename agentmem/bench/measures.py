"""Measures of a ranking against the evidence of its question, and how sure their means are.

With E the evidence and r_1, r_2 … the ranks: R@k = |E ∩ first k| / |E|; hit@k = 1 if any of E is among the first k;
MRR = 1 / rank of the first of E; nDCG@10 = Σ 1/log2(1 + rank) over E's ranks up to 10, divided by the most it could be.
"""

import math
import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean

_RESAMPLES = 1_000


def recall_at(ranked: Sequence[str], evidence: Collection[str], k: int) -> float:
    """The share of the evidence among the first k."""
    return len(set(ranked[:k]) & set(evidence)) / len(evidence)


def hit_at(ranked: Sequence[str], evidence: Collection[str], k: int) -> float:
    """1 if any of the evidence is among the first k, else 0."""
    return float(not set(ranked[:k]).isdisjoint(evidence))


def reciprocal_rank(ranked: Sequence[str], evidence: Collection[str]) -> float:
    """1 / the rank of the first of the evidence; 0 if none is there."""
    return next((1 / rank for rank, one in enumerate(ranked, start=1) if one in evidence), 0.0)


def gain(ranked: Sequence[str], evidence: Collection[str], k: int = 10) -> float:
    """nDCG@k with gains of 0 and 1."""
    found = sum(1 / math.log2(1 + rank) for rank, one in enumerate(ranked[:k], start=1) if one in evidence)
    most = sum(1 / math.log2(1 + rank) for rank in range(1, min(len(evidence), k) + 1))
    return found / most


Measure = Callable[[Sequence[str], Collection[str]], float]
DEPTHS = (5, 10, 20)
"""The k of R@k that are told by default."""


def chosen(depths: Sequence[int] = DEPTHS) -> dict[str, Measure]:
    """The measures by name: R@k for each of some k, hit@1, hit@5, MRR and nDCG@10."""
    return {
        **{f"R@{k}": partial(recall_at, k=k) for k in depths},
        "hit@1": partial(hit_at, k=1),
        "hit@5": partial(hit_at, k=5),
        "MRR": reciprocal_rank,
        "nDCG@10": gain,
    }


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with the bounds of its 95% interval, by bootstrap over questions (1,000 resamples, fixed seed)."""

    value: float
    low: float
    high: float


def mean(values: Sequence[float]) -> Mean:
    """The mean of some values, and how sure it is."""
    chance = random.Random(0)  # noqa: S311 - resampling, not cryptography
    means = sorted(fmean(chance.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return Mean(fmean(values), means[int(0.025 * _RESAMPLES)], means[int(0.975 * _RESAMPLES)])


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which that share of the values lies."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]
