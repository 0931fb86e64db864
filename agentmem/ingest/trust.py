"""How far what was found may be believed, and what it may become: orders that no person gave are nobody's."""

from dataclasses import replace

from agentmem.domain.memories import Candidate, MemoryKind
from agentmem.domain.messages import Trust
from agentmem.rules.prose import BLOT, blot, lines
from agentmem.rules.suspicion import suspicious


def trust_of_quote(trust: Trust, text: str, quote: str, content: str) -> Trust:
    """The trust of a message, less where the words are not the speaker's own, or give orders to the reader.

    Args:
        trust: that of the message.
        text: the message.
        quote: the words in it.
        content: what is made of them.
    """
    if suspicious(content) or suspicious(_around(text, quote)):
        return Trust.LOW
    if trust is Trust.HIGH and not _own_words(text, quote):
        return Trust.LOW
    return trust


def settled(candidate: Candidate) -> Candidate | None:
    """The candidate with a kind that its trust permits; None where there is none.

    Only a person gives instructions. What an agent says it will always do is a fact about it, with its trust; an order
    that stands in a tool's output or a file is nobody's, and left out.
    """
    if candidate.kind not in (MemoryKind.INSTRUCTION, MemoryKind.TASK) or candidate.trust is Trust.HIGH:
        return candidate
    if candidate.trust is Trust.LOW:
        return None
    return replace(candidate, kind=MemoryKind.FACT) if candidate.kind is MemoryKind.INSTRUCTION else candidate


def _around(text: str, quote: str) -> str:
    """The quote with some of what stands beside it."""
    at = text.find(quote)
    return text[max(0, at - 160) : at + len(quote) + 160] if at >= 0 else quote


def _own_words(text: str, quote: str) -> bool:
    """Whether a quote is what the writer says, and not what they paste or quote."""
    at = text.find(quote)
    if at < 0:
        return False
    end = at + len(quote)
    for start, stop in lines(text):
        if start < end and at < stop:  # the quote may reach over several lines: one of the writer's own is enough
            mine = blot(text[start:stop])[max(0, at - start) : end - start]
            if mine.count(BLOT) * 2 <= len(mine):
                return True
    return False


def guarded(candidate: Candidate, text: str) -> Candidate | None:
    """A candidate of the rules, which read a person's own prose only; less trusted beside orders to the reader."""
    if not suspicious(candidate.content) and not suspicious(_around(text, candidate.quote)):
        return candidate
    return settled(replace(candidate, trust=Trust.LOW, topic_key=None, importance=min(candidate.importance, 0.2)))
