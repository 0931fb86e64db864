"""Last touch before a candidate is stored: what its kind allows, how much it matters, when it expires."""

from dataclasses import replace
from datetime import timedelta

from agentmem.domain.memories import Candidate, MemoryKind
from agentmem.domain.messages import Trust

TASK_LIFE = timedelta(days=14)
GRACE = timedelta(days=1)  # a task with a later due date stays until the day after it

# What a text that is only half believed may weigh at most.
_CEILING = {Trust.HIGH: 1.0, Trust.MEDIUM: 0.5, Trust.LOW: 0.2}


def living(candidate: Candidate, days: float) -> Candidate:
    """The candidate with the life that the settings give a task, unless its words said when it expires.

    Args:
        candidate: after `classify`.
        days: that a task lives, instead of 14.
    """
    if candidate.kind is not MemoryKind.TASK or candidate.said_at is None or candidate.expires_at is None:
        return candidate
    due = [] if candidate.occurred_at is None else [candidate.occurred_at + GRACE]
    if candidate.expires_at != max([candidate.said_at + TASK_LIFE, *due]):
        return candidate
    return replace(candidate, expires_at=max([candidate.said_at + timedelta(days=days), *due]))


def classify(candidate: Candidate) -> Candidate:
    """The candidate in the shape that the store expects; applying it twice changes nothing.

    * Only facts and instructions carry a topic key: an event or a task never supersedes another.
    * Importance lies within 0 and 1, and within what the trust in its source allows.
    * A task without an expiry gets one: 14 days after it was said, or the day after its due date if that is later.
    """
    keyed = candidate.kind in (MemoryKind.FACT, MemoryKind.INSTRUCTION)
    expires_at = candidate.expires_at
    if candidate.kind is MemoryKind.TASK and expires_at is None and candidate.said_at is not None:
        expires_at = candidate.said_at + TASK_LIFE
        if candidate.occurred_at is not None:
            expires_at = max(expires_at, candidate.occurred_at + GRACE)
    return replace(
        candidate,
        topic_key=candidate.topic_key if keyed else None,
        importance=min(max(candidate.importance, 0.0), _CEILING[candidate.trust]),
        expires_at=expires_at,
    )
