"""What a run did: counted while it runs, shown by the command line."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Tally:
    """What a reader counts while it reads one stream.

    Args:
        lines: lines or entries looked at.
        messages: messages handed on.
        skipped: entries that could not be used, by reason (`not JSON`, `line too long` …).
        unknown: entry types that the reader does not know, by type.
        ignored: entries that are no conversation by design (tool bookkeeping, thinking), by type.
        consumed: bytes up to the end of the last complete line.
    """

    lines: int = 0
    messages: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    ignored: Counter[str] = field(default_factory=Counter)
    consumed: int = 0
