"""How many questions without an answer get nothing, against how many of those with one still get theirs."""

from collections.abc import Sequence
from dataclasses import dataclass

COVERAGES = (1.0, 0.99, 0.98, 0.95, 0.9, 0.8)
"""Shares of the questions with evidence that are to be answered."""


@dataclass(frozen=True, slots=True)
class Point:
    """One threshold of relevance, and what it would do.

    Args:
        threshold: answers below it would be withheld.
        answered: share of the questions with evidence that are answered.
        unanswerable: share of the questions without evidence that get nothing; None where there are none.
        elsewhere: share of the questions put to another conversation that get nothing; None likewise.
    """

    threshold: float
    answered: float
    unanswerable: float | None
    elsewhere: float | None


def curve(answerable: Sequence[float], unanswerable: Sequence[float], elsewhere: Sequence[float]) -> list[Point]:
    """The risk-coverage curve: for each of `COVERAGES` the highest threshold that answers so many.

    Args:
        answerable: the relevance of the answers to questions with evidence.
        unanswerable: to those without.
        elsewhere: to those put to another conversation.
    """
    if not answerable:
        return []
    ordered = sorted(answerable)
    points = []
    for coverage in COVERAGES:
        threshold = ordered[min(int(round(1 - coverage, 9) * len(ordered)), len(ordered) - 1)]
        points.append(
            Point(
                threshold,
                1 - (_below(answerable, threshold) or 0.0),
                _below(unanswerable, threshold),
                _below(elsewhere, threshold),
            )
        )
    return points


def _below(values: Sequence[float], threshold: float) -> float | None:
    return sum(value < threshold for value in values) / len(values) if values else None
