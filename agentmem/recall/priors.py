"""What speaks for or against a message apart from its words: who said it, when, where in its session, and how."""

import re
from collections.abc import Mapping

from agentmem.domain.recall import Query
from agentmem.domain.text import fold
from agentmem.store.fulltext import SESSION_STEP
from agentmem.store.messages import Traits

Priors = Mapping[int, Mapping[str, float]]
"""By message, and by name, what is added to its sum."""


def priors(query: Query, found: Mapping[int, Traits]) -> Priors:
    """The priors of the messages that have any.

    Args:
        query: the question.
        found: the candidates' traits.
    """
    by, text = query.weights, fold(query.text)
    speakers = {one.speaker for one in found.values() if one.speaker}
    named = [speaker for speaker in speakers if _names(text, fold(speaker))]
    result = {}
    for slot, one in found.items():
        given = {}
        if slot % SESSION_STEP == 0:
            given["first of its session"] = by.first
        if one.asks:
            given["asks a question"] = -by.asks
        if len(named) == 1 and one.speaker == named[0]:
            given["speaker named"] = by.named
        if one.at is not None and one.at > query.reference:
            given["said later than asked"] = -by.future
        if given:
            result[slot] = given
    return result


def _names(text: str, speaker: str) -> bool:
    if speaker.isascii():
        return re.search(rf"\b{re.escape(speaker)}\b", text) is not None
    return speaker in text
