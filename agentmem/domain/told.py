"""What another tool remembered, before it becomes a memory here."""

from dataclasses import dataclass
from datetime import datetime

from agentmem.domain.memories import MemoryKind
from agentmem.domain.messages import Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One statement of another tool.

    Args:
        text: the statement, word for word.
        kind: what it says; None: the words tell.
        topic_key: what it is about; None: the words tell, if nothing else in the same place is about that.
        importance: 0 to 1; None: the words tell.
        at: since when it is true; None: now.
        trust: high for what a person wrote, medium for what an agent did.
        queries: words under which it is found besides its own: the headings above it.
    """

    text: str
    kind: MemoryKind | None = None
    topic_key: str | None = None
    importance: float | None = None
    at: datetime | None = None
    trust: Trust = Trust.HIGH
    queries: tuple[str, ...] = ()
