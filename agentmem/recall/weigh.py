"""What weighs a memory beside how well it fits the question: age, importance, use. Pure.

A memory's weight is `importance / ½ · exp(-λ · days)`, λ by kind (settings `fact_decay` …), days since it became true
or was last confirmed; a pinned one does not age. How well a memory fits comes first, and the scores of fusion lie
close together (the first of a channel has 1/61, the tenth 1/70), so they are multiplied by `weight ** STRENGTH` only:

    score · (importance / ½) ** STRENGTH · exp(-STRENGTH · λ · days) · use · standing

With the usual λ a fact of a year ago keeps 86% of its score, an instruction 93%, an event 69%, a task of two weeks ago
93%. What was recalled lately gets up to a tenth more, half of that after a week. A memory that nobody recalled or
confirmed for long is *unconfirmed* and keeps four fifths, and so does one that was rejected: what holds goes before.
Messages are what was said, and do not age.

Each factor shows in `--explain` as a part whose share is what it adds to the score; shares still add up to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import exp

from agentmem.domain.memories import MemoryItem, MemoryKind, Status
from agentmem.domain.recall import Part
from agentmem.recall.fuse import Fused

STRENGTH = 0.1
MOST_WEIGHED = 500
"""Memories of a ranking that are weighed; those behind them stay behind."""

_USUAL_IMPORTANCE = 0.5
_LEAST_IMPORTANCE = 0.05
_LIFT = 0.1
_LIFT_HALVES = 7.0  # days
_LESS = 0.8
_DAY = 86_400.0

UNCONFIRMED = "unconfirmed"
"""The mark of a memory that was neither recalled nor confirmed for long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """How memories age.

    Args:
        decay: λ per day by kind.
        unconfirmed_days: days until one is unconfirmed; 0: never.
    """

    decay: Mapping[str, float]
    unconfirmed_days: float


def is_unconfirmed(item: MemoryItem, last_said: datetime | None, now: datetime, days: float) -> bool:
    """Whether a memory was neither said, recalled nor confirmed for so many days. Tasks expire instead; pins hold.

    Days count from when it was stored at the earliest: before, nobody could recall it.

    Args:
        item: the memory.
        last_said: when the newest of its evidence was said.
        now: the present.
        days: how long that takes; 0: for ever.
    """
    if days <= 0 or item.pinned or item.kind is MemoryKind.TASK or item.status is not Status.ACTIVE:
        return False
    times = [item.valid_from, item.created_at, item.confirmed_at, item.last_recalled_at, last_said]
    latest = max((at for at in times if at is not None), default=None)
    return latest is not None and now - latest > timedelta(days=days)


def weigh(
    fused: Sequence[Fused],
    items: Mapping[int, MemoryItem],
    last_said: Mapping[str, datetime],
    now: datetime,
    rates: Rates,
) -> list[Fused]:
    """The ranking with the memories weighed, best first.

    Args:
        fused: all documents, best first.
        items: the memories to weigh, by slot.
        last_said: when the newest evidence of each was said, by id.
        now: the present, as the question means it.
        rates: how memories age.
    """
    weighed = [
        _weighed(one, items[one.slot], last_said.get(items[one.slot].id), now, rates) if one.slot in items else one
        for one in fused
    ]
    return sorted(weighed, key=lambda one: (-one.score, -abs(one.slot)))


def _weighed(one: Fused, item: MemoryItem, last_said: datetime | None, now: datetime, rates: Rates) -> Fused:
    score = one.score
    parts = list(one.parts)
    for name, factor in _factors(item, last_said, now, rates):
        if abs(factor - 1) > 1e-9:
            parts.append(Part(name, 0, factor, score * (factor - 1)))
            score *= factor
    return replace(one, score=score, parts=tuple(parts))


def _factors(item: MemoryItem, last_said: datetime | None, now: datetime, rates: Rates) -> list[tuple[str, float]]:
    fresh = max((at for at in (item.valid_from or item.created_at, item.confirmed_at) if at is not None), default=now)
    days = 0.0 if item.pinned else _days(fresh, now)
    factors = [
        ("importance", (max(item.importance, _LEAST_IMPORTANCE) / _USUAL_IMPORTANCE) ** STRENGTH),
        ("age", exp(-STRENGTH * rates.decay.get(item.kind, 0.0) * days)),
    ]
    if item.last_recalled_at is not None and item.last_recalled_at <= now:
        factors.append(("recalled", 1 + _LIFT * 2 ** (-_days(item.last_recalled_at, now) / _LIFT_HALVES)))
    if is_unconfirmed(item, last_said, now, rates.unconfirmed_days):
        factors.append((UNCONFIRMED, _LESS))
    if item.status is Status.REJECTED:
        factors.append(("rejected", _LESS))
    return factors


def _days(since: datetime, now: datetime) -> float:
    """Whole days, so that the same question has the same answer all day."""
    return float(max(0, int((now - since).total_seconds() // _DAY)))
