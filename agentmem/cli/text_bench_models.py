"""The outcome of `bench models`, as text and as JSON."""

from dataclasses import asdict
from typing import Any

from agentmem.bench.models import ModelCost, ModelCosts, Use
from agentmem.cli.screen import Screen

_AMOUNTS = ("calls", "failed", "prompt_tokens", "reply_tokens", "seconds")


def metered(outcome: ModelCosts, screen: Screen) -> None:
    """Print what the models of each set cost."""
    for one in outcome.sets:
        screen.say((one.dataset, "strong"), f": {one.messages:,} messages in {one.seconds:.1f} s")
        screen.say(f"for 1,000 messages; {one.memories:,} memories added to those of the rules", indent=2)
        screen.table(
            ["role", "model", "calls", "failed", "tokens read", "tokens written", "seconds"],
            [_row(role, use, one) for role, use in (*one.uses.items(), ("all", one.total))],
            indent=2,
        )
        if one.owed:
            screen.say((f"{one.owed:,} pieces of work are left. {one.note}".rstrip(), "warning"), indent=2)


def _row(role: str, use: Use, one: ModelCost) -> list[str]:
    counts = (use.calls, use.failed, use.prompt_tokens, use.reply_tokens)
    amounts = [f"{one.per_thousand(count):,.0f}" for count in counts]
    return [role, use.model, *amounts, f"{one.per_thousand(use.seconds):,.1f}"]


def metered_json(outcome: ModelCosts) -> dict[str, Any]:
    """The same in its published shape."""
    return {"sets": [_fields(one) for one in outcome.sets]}


def _fields(one: ModelCost) -> dict[str, Any]:
    whole = one.total
    return {
        "dataset": one.dataset,
        "messages": one.messages,
        "seconds": one.seconds,
        "memories": one.memories,
        "owed": one.owed,
        "note": one.note or None,
        "roles": {role: asdict(use) for role, use in one.uses.items()},
        "per_1000_messages": {name: one.per_thousand(getattr(whole, name)) for name in _AMOUNTS},
    }
