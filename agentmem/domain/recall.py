"""A question on its way in, and what is found on its way out."""

from dataclasses import dataclass, field
from datetime import datetime

from agentmem.domain.dates import DateMention
from agentmem.domain.memories import Evidence
from agentmem.domain.weights import Weights

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
        tasks: it asks for what is still to be done.
        dates: the dates and periods in it.
        reference: what "today" means.
        profiles: where to look.
        types: which types of hits are wanted.
        kinds: which kinds of memories; empty: all.
        since: nothing older.
        until: nothing as new as this.
        limit: how many hits.
        everything: also superseded, expired and forgotten memories.
        sessions: how many sessions are wanted beside the hits.
        related: the hashed terms of other words for what is asked, suggested by a model.
        hypothesis: a sentence that might answer, written by a model; empty without one.
        as_of: only what was true then; None: now.
        known_at: only what the store knew then; None: all that it knows.
        weights: of the ranking.
    """

    text: str
    reference: datetime
    profiles: tuple[str, ...]
    terms: tuple[int, ...] = ()
    topics: tuple[tuple[str, float], ...] = ()
    tasks: bool = False
    dates: tuple[DateMention, ...] = ()
    types: tuple[str, ...] = TYPES
    kinds: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    limit: int = 10
    everything: bool = False
    sessions: int = 0
    related: tuple[int, ...] = ()
    hypothesis: str = ""
    as_of: datetime | None = None
    known_at: datetime | None = None
    weights: Weights = field(default_factory=Weights)


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
class SessionHit:
    """A session that a question is about; `score` orders sessions only.

    `message` is the one in it that fits best; None where that states what was forgotten.
    """

    rank: int
    session_id: str
    profile: str
    score: float
    message: Hit | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What `recall` gives back.

    Args:
        query: the question.
        profile: the profile asked.
        text: an answer in words, where a rule can give one (date arithmetic), or a language model; else None.
        author: who put it into words: `rule`, or the model's name; None where there is no text.
        citations: the ranks of the hits that a model's answer cites; all of them exist.
        abstained: nothing relevant is known; then there are no hits.
        hits: best first.
        sessions: the sessions that the question is about, best first, where they were asked for.
        relevance: of what was found, the greatest chance (0 to 1) that it has to do with the question; too small a
            one is why there are no hits.
        notes: what a person should know about how the search went, as "no language model: no HyDE".
        trouble: why a language model that the settings name gave nothing; empty if all went well.
    """

    query: str
    profile: str
    text: str | None = None
    abstained: bool = False
    hits: tuple[Hit, ...] = field(default=())
    sessions: tuple[SessionHit, ...] = ()
    relevance: float = 0.0
    notes: tuple[str, ...] = ()
    author: str | None = None
    citations: tuple[int, ...] = ()
    trouble: str = ""
