"""Stage: is a new memory really new? Its nearest stored ones tell.

Memories of one topic settle that among themselves (`supersede`). For all others the rule finds only what says the same
in the same words, or in other forms and another order of them (`agentmem.ingest.statements`); a model also finds what
says the same in others, what brings a stored memory up to date, and what contradicts it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentmem.domain.memories import MemoryItem
from agentmem.domain.text import chunks, fold
from agentmem.errors import BadReply
from agentmem.ingest.asking import Asker, Question
from agentmem.ingest.statements import read
from agentmem.models.language import ModelRole
from agentmem.prompts.load import load

NEW, SAME, UPDATES, CONTRADICTS = "new", "same", "updates", "contradicts"
_EMPTY = frozenset(  # never "not", never a number
    ["a", "an", "the", "is", "are", "was", "were", "be", "been", "it", "that", "this", "to", "of"]
)
_LONGEST_REASON = 300

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "pair": {"type": "integer"},
                    "verdict": {"enum": [NEW, SAME, UPDATES, CONTRADICTS]},
                    "reason": {"type": "string"},
                },
                "required": ["pair", "verdict"],
            },
        }
    },
    "required": ["verdicts"],
}
_ORDER = (SAME, UPDATES, CONTRADICTS, NEW)  # of several verdicts on one memory the first of these counts


@dataclass(frozen=True, slots=True)
class Judgement:
    """How a new memory stands to a stored one."""

    item: MemoryItem
    stored: MemoryItem
    verdict: str
    reason: str = ""


def judge(item: MemoryItem, nearest: Sequence[MemoryItem]) -> Judgement | None:
    """By rule: the stored memory that says the same, if one does: in the same words, or in other forms of them."""
    words = significant(item.content)
    for stored in nearest:
        if stored.id != item.id and words and significant(stored.content) == words:
            return Judgement(item, stored, SAME, "the same words")
    if not nearest:
        return None
    statement = read(item.content)
    for stored in nearest:
        if stored.id != item.id and statement.says_same(read(stored.content)):
            return Judgement(item, stored, SAME, "the same in other words")
    return None


def judge_by_model(
    asker: Asker, nearest: Sequence[tuple[MemoryItem, Sequence[MemoryItem]]]
) -> tuple[list[Judgement], BadReply | None]:
    """By a model, all in one question: at most one judgement for each new memory, none for what is simply new.

    Args:
        asker: asks the models.
        nearest: new memories with the stored ones that are nearest, the nearest first.

    Returns: the judgements, and the answer that was none; then those of the rule.

    Raises:
        ModelUnavailable: no model can be asked.
    """
    found: dict[str, Judgement] = {}
    for item, stored in nearest:
        if (ruled := judge(item, stored)) is not None:
            found[item.id] = ruled
    pairs = [(item, one) for item, stored in nearest if item.id not in found for one in stored]
    if not pairs:
        return list(found.values()), None
    told = "\n".join(
        f"{number}. new{_on(item)}: {item.content}\n   stored{_on(stored)}: {stored.content}"
        for number, (item, stored) in enumerate(pairs, 1)
    )
    try:
        reply = asker.ask(Question(ModelRole.MERGE, "judge", load("judge").fill(pairs=told), SCHEMA))
    except BadReply as error:
        return list(found.values()), error
    for said in sorted((reply.data or {})["verdicts"], key=lambda one: _ORDER.index(one["verdict"])):
        if said["verdict"] != NEW and 1 <= said["pair"] <= len(pairs):
            item, one = pairs[said["pair"] - 1]
            reason = " ".join(said.get("reason", "").split())[:_LONGEST_REASON]
            found.setdefault(item.id, Judgement(item, one, said["verdict"], reason))
    return list(found.values()), None


def significant(text: str) -> list[str]:
    """The words of a text in order, without articles and the like: what two texts must share to say the same."""
    return [word for word in map(fold, chunks(text)) if word not in _EMPTY]


def _on(item: MemoryItem) -> str:
    return f" ({item.valid_from:%Y-%m-%d})" if item.valid_from else ""
