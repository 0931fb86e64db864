"""Stage: kind, topic key, search queries, importance and dates of candidates, by a model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from agentmem.domain.memories import Candidate, MemoryKind
from agentmem.domain.messages import Trust
from agentmem.domain.text import clean
from agentmem.domain.topic_keys import normalised_key
from agentmem.errors import BadReply
from agentmem.ingest.asking import Asker, Question
from agentmem.ingest.classify import classify
from agentmem.ingest.extract_by_model import KINDS
from agentmem.ingest.trust import settled
from agentmem.models.language import ModelRole
from agentmem.prompts.load import load

MOST_QUERIES = 5
_LONGEST_QUERY = 200

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "memories": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "memory": {"type": "integer"},
                    "kind": {"enum": KINDS},
                    "topic": {"type": "string"},
                    "queries": {"type": "array", "items": {"type": "string"}},
                    "importance": {"type": "number"},
                    "occurred": {"type": "string"},
                    "expires": {"type": "string"},
                },
                "required": ["memory", "kind", "topic", "queries", "importance"],
            },
        }
    },
    "required": ["memories"],
}


def classify_by_model(
    asker: Asker, candidates: Sequence[Candidate], topics: Sequence[str]
) -> tuple[list[Candidate], BadReply | None]:
    """The candidates with what the model says of them, in the shape that the store expects.

    What it passes over, or all where its answer is no use, is classified by the rules, which keep the kind that
    extraction guessed. A kind that the trust of a candidate does not permit is not taken.

    Args:
        asker: asks the models.
        candidates: what passed its checks.
        topics: the topic keys in use, so that keys converge.

    Returns: the candidates in order, and the answer that was none.

    Raises:
        ModelUnavailable: no model can be asked.
    """
    if not candidates:
        return [], None
    memories = "\n".join(
        f"{number}. {candidate.content}" + (f" (said on {candidate.said_at:%Y-%m-%d})" if candidate.said_at else "")
        for number, candidate in enumerate(candidates, 1)
    )
    prompt = load("classify").fill(topics=", ".join(topics) or "(none yet)", memories=memories)
    try:
        reply = asker.ask(Question(ModelRole.CLASSIFY, "classify", prompt, SCHEMA))
    except BadReply as error:
        return [classify(candidate) for candidate in candidates], error
    said: dict[int, Mapping[str, Any]] = {}
    for one in (reply.data or {})["memories"]:
        said.setdefault(one["memory"], one)
    return [_classified(candidate, said.get(number)) for number, candidate in enumerate(candidates, 1)], None


def _classified(candidate: Candidate, said: Mapping[str, Any] | None) -> Candidate:
    if said is None:
        return classify(candidate)
    wanted = replace(candidate, kind=MemoryKind(said["kind"]))
    kind = (settled(wanted) or candidate).kind
    queries = dict.fromkeys(" ".join(clean(query).split()) for query in said["queries"])
    importance = float(said["importance"])
    return classify(
        replace(
            candidate,
            kind=kind,
            # A topic makes a memory replace another; what is hardly believed must not.
            topic_key=normalised_key(said["topic"]) if candidate.trust is not Trust.LOW else None,
            search_queries=tuple(query for query in queries if 0 < len(query) <= _LONGEST_QUERY)[:MOST_QUERIES],
            importance=importance if importance == importance else 0.5,  # noqa: PLR0124 - NaN
            occurred_at=_day(said.get("occurred", "")),
            expires_at=_after(said.get("expires", ""), candidate) if kind is MemoryKind.TASK else None,
        )
    )


def _day(text: str) -> datetime | None:
    try:
        day = date.fromisoformat(text.strip())
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    except ValueError:
        return None


def _after(text: str, candidate: Candidate) -> datetime | None:
    """The end of the day that is named, unless that was before the thing was said."""
    try:
        day = _day(text)
        end = day + timedelta(days=1) if day else None
    except OverflowError:
        return None
    return None if end is None or (candidate.said_at and end < candidate.said_at) else end
