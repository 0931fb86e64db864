"""Stage, by rule: what is stored already and is said again in other words is evidence, and no second memory.

Only what the rule is sure of (`agentmem.ingest.statements`): the same content words, numbers and names, both denying or
neither. A new memory without a topic may say what one of any topic says; one with a topic only what one of the same
topic says. Nothing is taken for the same as a less trusted memory, or as an event of another day.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from agentmem.domain.memories import MemoryItem, MemoryKind
from agentmem.ingest import stages, statements
from agentmem.ingest.supersede import STRENGTH, Proposal
from agentmem.store import wordings
from agentmem.store.rows import now
from agentmem.store.store import Connection
from agentmem.store.wordings import MOST_PIECES, Sought


def restated(connection: Connection, proposals: Sequence[Proposal]) -> list[Proposal]:
    """The proposals, each that says what a stored memory or an earlier one says as support of that one.

    Args:
        connection: to look for stored ones.
        proposals: in the order in which they were said.
    """
    if not proposals:
        return []
    told = [statements.read(one.item.content) for one in proposals]
    sought = [
        Sought(one.item, statements.pieces(statement, MOST_PIECES))
        for one, statement in zip(proposals, told, strict=True)
    ]
    stored = wordings.find(connection, sought, now())
    earlier: dict[object, list[MemoryItem]] = {}
    settled = []
    for one, statement in zip(proposals, told, strict=True):
        item = one.item
        before = earlier.setdefault((item.profile, item.kind, statement.words, statement.marks), [])
        same = stages.JUDGE.by_rule(
            item, [other for other in (*stored.get(item.id, ()), *before) if _may_stand_for(other, item)]
        )
        if same is None:
            before.append(item)
        settled.append(one if same is None else replace(one, item=same.stored))
    return settled


def _may_stand_for(known: MemoryItem, new: MemoryItem) -> bool:
    return (
        new.topic_key in (None, known.topic_key)
        and STRENGTH[known.trust] >= STRENGTH[new.trust]
        and (new.kind is not MemoryKind.EVENT or _day(known) == _day(new))
    )


def _day(item: MemoryItem) -> date | None:
    return None if item.occurred_at is None else item.occurred_at.date()
