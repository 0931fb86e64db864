"""What came of a scripted year, as text."""

from agentmem.bench.year import Year
from agentmem.cli.screen import Screen


def lived(year: Year, screen: Screen) -> None:
    """What held and what did not."""
    screen.say((f"{year.messages:,} messages, {year.memories:,} memories, embedder {year.embedder}", "strong"))
    kept = year.duplicates - year.duplicates_left
    rows = [
        ("a replaced value above the present one", f"{year.outdated_above:,} of {year.questions:,} questions"),
        ("the present value found", f"{year.answered:,} of {year.questions:,} questions"),
        ("a forgotten value found anywhere", f"{year.forgotten_found:,} of {year.forgotten:,} values"),
        ("said twice in other words, now one", f"{kept:,} of {year.duplicates:,}"),
        ("contradictions reported", f"{year.contradictions - year.unreported:,} of {year.contradictions:,}"),
        ("contradictions reported in all", f"{year.reported:,}"),
        ("tasks expired, overdue", f"{year.expired:,}, {year.tasks_overdue:,}"),
        ("a second compaction", "changes something" if year.second_changes else "changes nothing"),
        ("ingest, compaction", f"{year.ingest_seconds:.0f} s, {year.compact_seconds:.1f} s"),
        ("an answer", f"{year.milliseconds:.0f} ms"),
    ]
    screen.table(("", ""), rows, indent=2)
    for failure in year.failures:
        screen.say((failure, "muted"), indent=2)
    screen.say(("All holds that must.", "good") if year.good else ("Something does not hold that must.", "bad"))
