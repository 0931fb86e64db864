"""From hits to an answer in words: within the time that is left, or not at all, with the reason."""

import time
from dataclasses import replace

from agentmem.domain.recall import Answer, Query
from agentmem.errors import BadReply, ModelUnavailable
from agentmem.models.language import LanguageModel
from agentmem.recall.aid import Aid
from agentmem.recall.synthesize import Synthesis, synthesize
from agentmem.recall.waiting import Pending


def in_words(query: Query, answer: Answer, aid: Aid, *, until: float) -> Answer:
    """The answer in a model's words, behind what the calendar says; else as it was, with what the trouble is.

    Args:
        query: the question.
        answer: the hits, and what the calendar says.
        aid: the model.
        until: when it has to be there, by `time.monotonic`.
    """
    if aid.writer is None or not answer.hits:
        return answer
    try:
        made = _made(query, answer, aid, aid.writer, until)
    except (ModelUnavailable, BadReply) as error:
        reason = f"no answer in words: {' '.join(filter(None, (error.message, error.hint and f'({error.hint})')))}"
        return replace(answer, trouble="; ".join(filter(None, (answer.trouble, reason))))
    if made.dropped:
        what = "1 sentence" if made.dropped == 1 else f"{made.dropped} sentences"
        answer = replace(answer, notes=(*answer.notes, f"{what} of {aid.writer.name} left out: not in what was found"))
    if answer.text and not made.citations:  # the calendar knows what the model does not
        return answer
    words = f"{answer.text}\n{made.text}" if answer.text else made.text
    return replace(answer, text=words, author=aid.writer.name, citations=made.citations)


def _made(query: Query, answer: Answer, aid: Aid, writer: LanguageModel, until: float) -> Synthesis:
    """What the model makes of the hits.

    Raises:
        ModelUnavailable: it cannot be reached, or not in time.
        BadReply: nothing of what it says can be used.
    """
    seconds = until - time.monotonic()
    if seconds <= 0:
        raise ModelUnavailable("no time is left")
    pending: Pending[Synthesis] = Pending(
        lambda: synthesize(aid.checked(writer), query, answer.hits, answer.text, seconds=seconds)
    )
    made = pending.result(until)
    if made is None:
        raise ModelUnavailable(f"{writer.name} took too long")
    if not made.text:
        raise BadReply(f"what {writer.name} said did not rest on what was found")
    return made
