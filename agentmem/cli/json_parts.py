"""Shapes in JSON that several results share."""

from datetime import UTC, datetime
from typing import Any

from agentmem.domain.memories import MemoryItem
from agentmem.store.journal import Written

Fields = dict[str, Any]


def memory(item: MemoryItem) -> Fields:
    """A memory."""
    return {
        "id": item.id,
        "profile": item.profile,
        "kind": item.kind.value,
        "content": item.content,
        "topic_key": item.topic_key,
        "status": item.status.value,
        "superseded_by": item.superseded_by,
        "importance": item.importance,
        "trust": item.trust.value,
        "extractor": item.extractor,
        "occurred_at": moment(item.occurred_at),
        "valid_from": moment(item.valid_from),
        "created_at": moment(item.created_at),
        "expires_at": moment(item.expires_at),
        "pinned": item.pinned,
        "confirmed_at": moment(item.confirmed_at),
        "last_recalled_at": moment(item.last_recalled_at),
        "recalled": item.recalled,
        "reason": item.reason,
    }


def moment(at: datetime | None) -> str | None:
    """A time in UTC with a Z; the fraction of a second only where there is one."""
    return None if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def entry(one: Written) -> Fields:
    """An entry of the journal."""
    return {
        "no": one.no,
        "at": moment(one.at),
        "actor": one.actor,
        "operation": one.operation,
        "before": one.before,
        "after": one.after,
    }
