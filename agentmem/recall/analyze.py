"""Stage: from a question's text to a `Query`: its content words, the topics and dates it asks about."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache

from agentmem.domain.dates import DateMention, find_dates
from agentmem.domain.recall import TYPES, Query
from agentmem.domain.text import clean
from agentmem.domain.weights import Weights
from agentmem.recall import elapsed
from agentmem.rules.topics import tasks_asked, topics_asked
from agentmem.rules.words import function_words
from agentmem.store.fulltext import Terms

_ANYTHING = (
    "what happened, what was going on, what occurred", "发生了什么事情", "發生了什麼事情",
    "に何がありましたか", "には何があった", "に何が起きましたか", "に何が起きた", "に何が起こった",
    "무슨 일이 있었어", "무슨 일이 있었나요", "무슨 일이 있었지",
)  # fmt: skip
_LONGEST = 20_000  # characters of a question that are looked at; somebody may pipe a whole log in


def analyze(
    text: str,
    terms: Terms,
    *,
    profiles: Sequence[str],
    reference: datetime,
    types: Sequence[str] = TYPES,
    kinds: Sequence[str] = (),
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 10,
    sessions: int = 0,
    everything: bool = False,
    weights: Weights | None = None,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
) -> Query:
    """Analyse a question by rule.

    Words that carry no content ("what", "is", 什么, 뭐) are left out of the search, unless there are no others. A
    relative date ("last Tuesday") says when, not what, and is left out as well; an absolute one may stand in the text.
    """
    text = clean(text[:_LONGEST])
    dates = tuple(find_dates(text, reference))
    searched = _searched(text, dates)
    asked = terms.asked(searched)
    filler = _filler(terms)
    content = tuple(term for term in asked if term not in filler)
    if (
        dates
        and not elapsed.ask(text)
        and filler.union(_happening(terms)).issuperset(terms.asked(_undated(text, dates)))
    ):
        content = ()  # "what happened on April 10": all of that day is meant, and not what has those words
    elif not content and not dates:
        content = tuple(asked)
    return Query(
        text=text,
        reference=reference,
        profiles=tuple(profiles),
        terms=content,
        topics=tuple(topics_asked(text)),
        tasks=tasks_asked(text),
        dates=dates,
        types=tuple(types),
        kinds=tuple(kinds),
        since=since,
        until=until,
        limit=limit,
        sessions=sessions,
        everything=everything,
        weights=weights or Weights(),
        as_of=as_of,
        known_at=known_at,
    )


def _searched(text: str, dates: Sequence[DateMention]) -> str:
    """The part of a question that names what is looked for: no relative dates, of "how many days after X" only X."""
    elapsed_question = elapsed.ask(text)
    if elapsed_question is not None:
        return f"{elapsed_question.first} {elapsed_question.second or ''}"
    return _undated(text, [mention for mention in dates if mention.relative])


def _undated(text: str, dates: Sequence[DateMention]) -> str:
    for mention in reversed(dates):
        text = text[: mention.span[0]] + " " + text[mention.span[1] :]
    return text


@cache
def _happening(terms: Terms) -> frozenset[int]:
    """The terms of questions that ask for all there was."""
    return frozenset(term for words in _ANYTHING for term in terms.asked(words))


@cache
def _filler(terms: Terms) -> frozenset[int]:
    """The terms of function words in all languages."""
    return frozenset(term for word in function_words() for term in terms.asked(word))
