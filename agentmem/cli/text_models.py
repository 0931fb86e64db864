"""What language models did, in words and as JSON."""

from typing import Any

from agentmem.cli.screen import Screen
from agentmem.ingest.pay import Paid
from agentmem.store.verdicts import Verdict
from agentmem.store.work import Backlog


def models_text(paid: Paid | None, screen: Screen, *, indent: int = 0) -> None:
    """What the models did, and why they stopped."""
    if paid is None:
        return
    found = paid.found
    if paid.pieces or paid.summaries or paid.failed:
        screen.say(
            f"Models read {paid.pieces:,} pieces in {paid.calls:,} calls and {paid.seconds:,.0f} s: "
            f"{found.memories:,} new memories, {found.same:,} known, {found.superseded:,} superseded.",
            indent=indent,
        )
    if found.dropped:
        why = ", ".join(f"{many:,} {reason}" for reason, many in found.dropped.most_common())
        screen.say(f"Left out: {why}.", indent=indent)
    if found.contradictions:
        screen.say(f"{found.contradictions:,} contradict what is stored; both were kept.", indent=indent)
    if paid.failed or found.errors:
        several = paid.failed + len(found.errors)
        screen.say((f"{several:,} answers were no use: `agentmem doctor` tells more.", "warning"), indent=indent)
    if paid.note:
        screen.say((paid.note, "warning"), indent=indent)
    if paid.owed:
        screen.say(f"{paid.owed:,} pieces of sessions wait for a model: `agentmem work` goes on.", indent=indent)


def models_json(paid: Paid | None) -> dict[str, Any] | None:
    """The same as JSON."""
    if paid is None:
        return None
    return {
        "pieces": paid.pieces,
        "failed": paid.failed,
        "summaries": paid.summaries,
        "memories": paid.found.memories,
        "same": paid.found.same,
        "superseded": paid.found.superseded,
        "contradictions": paid.found.contradictions,
        "refused": paid.found.refused,
        "dropped": dict(paid.found.dropped),
        "bad_answers": len(paid.found.errors),
        "calls": paid.calls,
        "seconds": round(paid.seconds, 3),
        "owed": paid.owed,
        "note": paid.note or None,
    }


def backlog_json(found: Backlog) -> dict[str, Any]:
    """How the work stands, as JSON."""
    return {
        "owed": dict(found.owed),
        "failed": found.failed,
        "errors": list(found.errors),
        "seconds_today": round(found.seconds_today, 3),
        "calls": found.calls,
        "failures": found.failures,
        "prompt_tokens": found.prompt_tokens,
        "reply_tokens": found.reply_tokens,
        "seconds": round(found.seconds, 3),
    }


def backlog_pairs(found: Backlog) -> list[tuple[str, str]]:
    """How the work stands, in lines; none where no model ever had any."""
    owed = sum(found.owed.values())
    if not (owed or found.failed or found.calls):
        return []
    return [
        ("model work", f"{owed:,} owed, {found.failed:,} failed"),
        ("model calls", f"{found.calls:,} ({found.failures:,} failed), {found.seconds:,.0f} s"),
        ("model tokens", f"{found.prompt_tokens:,} read, {found.reply_tokens:,} written"),
    ]


def verdicts_text(verdicts: tuple[Verdict, ...], screen: Screen) -> None:
    """What a model said of a memory."""
    if not verdicts:
        return
    screen.say()
    for one in verdicts:
        if one.check == "all":
            said = "corrected" if one.verdict == "correct" else "passed"
            screen.say(f"Checked by {one.model} ({one.version}): {said}. ", (one.reason, "muted"))
            if one.before:
                screen.say("before: ", (one.before, "muted"), indent=2)
        else:
            screen.say(f"{one.check}: {one.verdict}. ", (one.reason, "muted"), indent=2)


def verdict_json(one: Verdict) -> dict[str, Any]:
    """A verdict as JSON."""
    return {
        "check": one.check,
        "verdict": one.verdict,
        "reason": one.reason,
        "before": one.before,
        "model": one.model,
        "prompt": one.version,
    }
