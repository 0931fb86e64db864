"""The outcome of `bench` as text."""

from collections.abc import Mapping

from agentmem.bench.abstention import Point
from agentmem.bench.measures import Mean
from agentmem.bench.own import Own
from agentmem.bench.retrieval import Level, Result
from agentmem.cli import results
from agentmem.cli.progress import amount
from agentmem.cli.screen import Screen


def benched(outcome: results.Benched, screen: Screen) -> None:
    """Print the outcome of each set."""
    for one in outcome.sets:
        screen.say((one.dataset, "strong"), f": {one.messages:,} messages, embedder {one.embedder}")
        times = ", ".join(f"{name} {value:.0f} ms" for name, value in one.milliseconds.items())
        screen.say(
            f"ingest {one.ingest_seconds:.1f} s, vectors {one.vector_seconds:.0f} s, "
            f"{amount(one.store_bytes, 'bytes')}; an answer: {times}",
            indent=2,
        )
        for label, level in (("turns", one.turns), ("sessions", one.sessions)):
            if level is not None:
                _level(label, level, screen)
        _abstention(one, screen)
    if outcome.compared:
        screen.say("against the earlier run (* the 95% intervals do not overlap)")
        screen.table(
            ["set", "level", "measure", "then", "now", "difference"],
            [
                [one.dataset, one.level, one.measure, *_then_and_now(one.before, one.after, time=one.level == _TIME)]
                + (["*"] if one.sure else [])
                for one in outcome.compared
            ],
            indent=2,
        )


_TIME = "milliseconds"


def _then_and_now(before: float, after: float, *, time: bool) -> list[str]:
    factor = 1 if time else 100
    return [f"{factor * before:.1f}", f"{factor * after:.1f}", f"{factor * (after - before):+.1f}"]


def ablated(outcome: results.Ablated, screen: Screen) -> None:
    """Print what each ranking reached, and what it lost or won against the whole one."""
    for one in outcome.sets:
        screen.say((one.dataset, "strong"), f": {one.questions:,} questions, embedder {one.embedder}, percent")
        whole = one.variants[0]
        screen.table(
            ["ranking", "R@10", "R@20", "", "", "p50 ms"],
            [
                [
                    variant.name,
                    f"{100 * variant.r10:.1f}",
                    f"{100 * variant.r20:.1f}",
                    "" if variant is whole else f"{100 * (variant.r10 - whole.r10):+.1f}",
                    "" if variant is whole else f"{100 * (variant.r20 - whole.r20):+.1f}",
                    f"{variant.p50:.0f}",
                ]
                for variant in one.variants
            ],
            indent=2,
        )


def scaled(outcome: results.Scaled, screen: Screen) -> None:
    """Print how long an answer takes at each size."""
    screen.table(
        ["messages", "searched by", "p50 ms", "p95 ms", "p99 ms", "ingest s", "store"],
        [
            [
                f"{one.messages:,}",
                "words" if one.embedder == "none" else f"words and {one.embedder}",
                *(f"{one.milliseconds[name]:.0f}" for name in ("p50", "p95", "p99")),
                f"{one.ingest_seconds:.0f}",
                amount(one.store_bytes, "bytes"),
            ]
            for one in outcome.sizes
        ],
    )


def own(outcome: Own, screen: Screen) -> None:
    """Print whether the store finds its own memories by their questions."""
    times = ", ".join(f"{name} {value:.0f} ms" for name, value in outcome.milliseconds.items())
    screen.say(
        (outcome.profile, "strong"),
        f": {amount(outcome.questions, 'questions')} of {amount(outcome.memories, 'memories')}; an answer: {times}",
    )
    rows: list[tuple[str, Mapping[str, Mean]]] = [("all channels", outcome.measures)]
    if outcome.vector_alone:
        rows.append(("vectors alone", outcome.vector_alone))
    screen.table(["", *outcome.measures], [[name, *map(_percent, means.values())] for name, means in rows], indent=2)
    for identity, query in outcome.missed[:_MOST_MISSED]:
        screen.say(f"not found: {identity[:8]} by {query!r}", indent=2)
    if len(outcome.missed) > _MOST_MISSED:
        screen.say(f"… and {len(outcome.missed) - _MOST_MISSED:,} more", indent=2)


_MOST_MISSED = 10


def _level(label: str, level: Level, screen: Screen) -> None:
    rows = [("all", level.overall)]
    if len(level.categories) > 1:
        rows.extend(level.categories.items())
    screen.say(f"{label} ({level.questions:,} questions), percent ± half of the 95% interval of the mean", indent=2)
    screen.table(
        ["category", *level.overall],
        [[category, *map(_percent, means.values())] for category, means in rows],
        indent=2,
    )


def _percent(mean: Mean) -> str:
    return f"{100 * mean.value:.1f} ±{50 * (mean.high - mean.low):.1f}"


def _abstention(one: Result, screen: Screen) -> None:
    screen.say(f"answered {100 * one.answered:.1f}% of the questions that have evidence", indent=2)
    for label, share in (("without evidence", one.abstained), ("put to another conversation", one.abstained_elsewhere)):
        if share is not None:
            screen.say(f"nothing given to {100 * share:.1f}% of the questions {label}", indent=2)
    if one.curve and (one.abstained is not None or one.abstained_elsewhere is not None):
        screen.say("what other thresholds of relevance would do", indent=2)
        screen.table(
            ["threshold", "answered", "nothing given: without evidence", "put to another conversation"],
            [_point(point) for point in one.curve],
            indent=2,
        )


def _point(point: Point) -> list[str]:
    shares = (point.answered, point.unanswerable, point.elsewhere)
    return [f"{point.threshold:.3f}", *("" if share is None else f"{100 * share:.1f}%" for share in shares)]
