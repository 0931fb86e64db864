"""What was forgotten, came back or was compacted, as JSON."""

from typing import Any

from agentmem.cli import results
from agentmem.domain.memories import MemoryItem
from agentmem.store.messages import StoredMessage
from agentmem.upkeep.compact import Compacted
from agentmem.upkeep.unforget import Unforgotten

Fields = dict[str, Any]


def forgotten_all(result: results.ForgottenAll) -> Fields:
    """What is hidden or deleted, or would be."""
    chosen = result.chosen
    return {
        "profile": chosen.profile,
        "purged": result.purged,
        "dry_run": result.dry,
        "memories": [_brief(item) for item in chosen.memories],
        "messages": [_brief(message) for message in chosen.messages],
    }


def unforgotten(done: Unforgotten) -> Fields:
    """What came back."""
    return {
        "memories": [{**_brief(item), "status": item.status.value} for item in done.memories],
        "messages": [_brief(message) for message in done.messages],
        "purged": done.purged,
    }


def compacted(done: Compacted) -> Fields:
    """What was done, or would be."""
    return {
        "dry_run": done.dry,
        "complete": done.complete,
        "expired": done.expired,
        "merged": done.merged,
        "clusters": [
            {"id": keeper.id, "content": keeper.content, "replaces": [_brief(item) for item in members]}
            for keeper, members in done.clusters
        ],
        "contradictions": {"found": done.found, "open": done.open},
        "trimmed": {
            "messages": done.trimmed_messages,
            "journal": done.trimmed_entries,
            "spool": done.trimmed_notes,
        },
        "postings_sorted": done.sorted,
        "purge_finished": done.purged,
        "vectors_tidied": done.vectors,
        "models": None
        if done.reworded is None
        else {
            "reworded": done.reworded.merged,
            "refused": done.reworded.refused,
            "note": done.reworded.note,
        },
    }


def _brief(item: MemoryItem | StoredMessage) -> Fields:
    return {"id": item.id, "content": item.content}
