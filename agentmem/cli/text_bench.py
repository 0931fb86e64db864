"""The outcome of `bench` as text."""

from agentmem.bench.measures import Mean
from agentmem.bench.models import ModelCost, Use
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


def metered(outcome: results.Metered, screen: Screen) -> None:
    """Print what the models of each set cost."""
    for one in outcome.sets:
        screen.say((one.dataset, "strong"), f": {one.messages:,} messages in {one.seconds:.1f} s")
        screen.say(f"for 1,000 messages; {one.memories:,} memories added to those of the rules", indent=2)
        rows = [(role, use) for role, use in one.uses.items()]
        screen.table(
            ["role", "model", "calls", "failed", "tokens read", "tokens written", "seconds"],
            [_use(role, use, one) for role, use in [*rows, ("all", one.total)]],
            indent=2,
        )
        if one.owed:
            screen.say((f"{one.owed:,} pieces of work are left. {one.note}".rstrip(), "warning"), indent=2)


def _use(role: str, use: Use, one: ModelCost) -> list[str]:
    counts = (use.calls, use.failed, use.prompt_tokens, use.reply_tokens)
    return [
        role,
        use.model,
        *(f"{one.per_thousand(count):,.0f}" for count in counts),
        f"{one.per_thousand(use.seconds):,.1f}",
    ]


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
