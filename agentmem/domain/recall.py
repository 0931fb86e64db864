"""A question on its way in, and what is found on its way out."""

from dataclasses import dataclass, field
from datetime import datetime

from agentmem.domain.dates import DateMention
from agentmem.domain.memories import Evidence

MEMORY = "memory"
MESSAGE = "message"
TYPES = (MEMORY, MESSAGE)
"""The two types of hits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question after its analysis.

    Args:
        text: as it was asked.
        terms: the hashed terms of its content words.
        topics: (topic key, weight) that it asks about, best first.
        dates: the dates and periods in it.
        reference: what "today" means.
        profiles: where to look.
        types: which types of hits are wanted.
        kinds: which kinds of memories; empty: all.
        since: nothing older.
        until: nothing as new as this.
        limit: how many hits.
        everything: also superseded, expired and forgotten memories.
        as_of: only what was true then; None: now.
        known_at: only what the store knew then; None: all that it knows.
    """

    text: str
    reference: datetime
    profiles: tuple[str, ...]
    terms: tuple[int, ...] = ()
    topics: tuple[tuple[str, float], ...] = ()
    dates: tuple[DateMention, ...] = ()
    types: tuple[str, ...] = TYPES
    kinds: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    limit: int = 10
    everything: bool = False
    as_of: datetime | None = None
    known_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """What one channel says of a hit.

    Args:
        channel: its name.
        rank: the hit's place in it, from 1; 0 for what weighs a hit wherever it stands, as its age.
        score: the channel's own score (BM25, cosine, weight of a topic), or the factor of what weighs it.
        share: what it adds to the hit's final score.
    """

    channel: str
    rank: int
    score: float
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One thing found.

    `at` is when a message was said or a memory became true; `occurred_at` when the thing itself happened. `marks` are
    words that tell a reader how far to believe it, as "unconfirmed"; `reason` says why it was rejected.
    """

    rank: int
    type: str
    id: str
    content: str
    score: float
    profile: str
    source_id: str | None = None
    session_id: str | None = None
    kind: str | None = None
    role: str | None = None
    speaker: str | None = None
    at: datetime | None = None
    occurred_at: datetime | None = None
    topic_key: str | None = None
    status: str | None = None
    trust: str | None = None
    evidence: tuple[Evidence, ...] = ()
    parts: tuple[Part, ...] = ()
    marks: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What `recall` gives back.

    Args:
        query: the question.
        profile: the profile asked.
        text: an answer in words, where a rule can give one (date arithmetic); else None.
        abstained: nothing relevant is known; then there are no hits.
        hits: best first.
        notes: what a person should know about how the search went, as "no language model: no HyDE".
    """

    query: str
    profile: str
    text: str | None = None
    abstained: bool = False
    hits: tuple[Hit, ...] = field(default=())
    notes: tuple[str, ...] = ()
