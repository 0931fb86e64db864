"""What was true at a time, worked out from who said what when. Pure.

A *claim* is a time at which a memory was said to be so: when it became true for the store, and each piece of evidence.
Of the memories of one topic that one is true at a time which was claimed last by then, unless somebody less trusted
said it: that is the rule of `agentmem.ingest.supersede`, in the order of time instead of the order of reading. A memory
without a topic is true from its first claim on until what replaced it became true.

A memory that was rejected was true until then, one that expired until it did. A forgotten one is never told, whatever
the time; the topic that it held is then without a value.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from agentmem.domain.memories import Status
from agentmem.domain.messages import Trust

_TRUST = {Trust.LOW: 0, Trust.MEDIUM: 1, Trust.HIGH: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A memory with all that decides when it was true.

    Args:
        no: its number; of two claims at the same time the higher number counts.
        identity: its id.
        topic: profile and topic key; None: it has no topic.
        trust: in who said it.
        status: as the store has it.
        changed_at: since when it has that status.
        claims: when it was said, in any order.
        replaced_at: since when what replaced it is true; None: nothing did.
        expires_at: when it stops to matter.
    """

    no: int
    identity: str
    topic: tuple[str, str] | None
    trust: Trust
    status: Status
    changed_at: datetime
    claims: Sequence[datetime]
    replaced_at: datetime | None = None
    expires_at: datetime | None = None


def true_at(records: Iterable[Record], at: datetime) -> Mapping[int, datetime]:
    """The numbers of the memories that were true at a time, each with since when."""
    found: dict[int, datetime] = {}
    topics: dict[tuple[str, str], list[tuple[datetime, int, Record]]] = defaultdict(list)
    for one in records:
        said = [claim for claim in one.claims if claim <= at]
        if one.topic is not None and said:
            topics[one.topic] += [(claim, one.no, one) for claim in said]
        elif said and (one.replaced_at is None or one.replaced_at > at) and _stands(one, at):
            found[one.no] = max(said)
    for claims in topics.values():
        holder, since = _holder(claims)
        if _stands(holder, at):
            found[holder.no] = since
    return found


def _holder(claims: list[tuple[datetime, int, Record]]) -> tuple[Record, datetime]:
    since, _, holder = min(claims, key=lambda one: one[:2])
    for at, _, one in sorted(claims, key=lambda one: one[:2]):
        if one.no == holder.no or _TRUST[one.trust] >= _TRUST[holder.trust]:
            holder, since = one, at
    return holder, since


def _stands(one: Record, at: datetime) -> bool:
    if one.status is Status.FORGOTTEN:
        return False
    if one.status in (Status.REJECTED, Status.EXPIRED) and one.changed_at <= at:
        return False
    return one.expires_at is None or one.expires_at > at
