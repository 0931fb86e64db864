"""How far is a candidate to be believed, seen where it stands? What an attack says is data at best.

A message that tries to take command of a model gives no instructions and no tasks, whoever seems to have said it: an
agent repeats what it read, and a person pastes it. What else it states is kept with low trust, which is searched, and
never put into a briefing.
"""

from dataclasses import replace

from agentmem.domain.memories import Candidate, MemoryKind
from agentmem.domain.messages import Trust
from agentmem.domain.override import overrides

_ORDERS = frozenset({MemoryKind.INSTRUCTION, MemoryKind.TASK, MemoryKind.PATTERN})


def guard(candidate: Candidate, message_content: str) -> Candidate | None:
    """The candidate as far as it is believed, or None where it is not at all.

    Args:
        candidate: what was found.
        message_content: the whole message that it was found in.
    """
    if not overrides(message_content):
        return candidate
    if candidate.kind in _ORDERS:
        return None
    return replace(candidate, trust=Trust.LOW, importance=min(candidate.importance, 0.1))
