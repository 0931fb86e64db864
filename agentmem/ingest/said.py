"""What is said in a session, as extraction goes through it: its sentences, and what earlier ones tell of later ones."""

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from agentmem.domain.dates import DateMention, find_dates
from agentmem.domain.memories import Candidate
from agentmem.domain.messages import Message, Role
from agentmem.rules.grammar import Grammar
from agentmem.rules.topics import entity_scope

# Without a timestamp only dates that carry their year are believed; the reference is then of no importance.
_NO_REFERENCE = datetime(2000, 1, 1, tzinfo=UTC)
_SOON = 3  # turns after which what was named is no longer corrected by its value alone
_NUMBER = re.compile(r"\d[\d.,]*")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: as written, as patterns read it (same length), and where it comes from."""

    original: str
    text: str
    words: frozenset[str]
    grammar: Grammar
    message: Message

    @property
    def quote(self) -> str:
        """The words of the message, without a comma that a cut has left behind."""
        return self.original.rstrip(" ,;:、，—–-")

    @property
    def assistant(self) -> bool:
        """Whether the agent said it."""
        return self.message.role is Role.ASSISTANT

    def dates(self) -> list[DateMention]:
        """The dates it names, as far as the message's timestamp can tell them."""
        if self.message.at is None:
            return [date for date in find_dates(self.original, _NO_REFERENCE) if date.has_year and not date.relative]
        return find_dates(self.original, self.message.at)


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate, and what it tells about later messages of the session: its topic, whose it is, and the value."""

    candidate: Candidate
    topic: int | None = None
    entity: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class _Named:
    """A value that a person named: when, in which sentence, and of which topic."""

    turn: int
    sentence: Sentence
    value: str
    key: str | None


@dataclass(slots=True)
class Session:
    """What earlier messages of the session tell about later ones.

    Args:
        recent: the topics that were spoken of, the latest first.
        entities: attribute topic -> the one entity that was named for it; "" where there were several.
        turn: the number of the message.
    """

    recent: list[int] = field(default_factory=list)
    entities: dict[int, str] = field(default_factory=dict)
    turn: int = 0
    _named: _Named | None = None

    def note(self, sentence: Sentence, found: Found) -> None:
        """Remember what a sentence gave."""
        if found.value and not sentence.assistant:
            self._named = _Named(self.turn, sentence, found.value, found.candidate.topic_key)
        if found.topic is None:
            return
        self.recent.insert(0, found.topic)
        if found.entity:
            known = self.entities.get(found.topic)
            same = known is None or entity_scope(known) == entity_scope(found.entity)
            self.entities[found.topic] = found.entity if same else ""

    def corrected(self, sentence: Sentence) -> tuple[Sentence, str | None, str] | None:
        """The sentence in which a person named a value, with the one that they now say they meant ("Sorry, 4000").

        Returns:
            That sentence as one of the message that corrects it, the topic key and the value that it must give; None
            where nothing is corrected.
        """
        named, match = self._named, sentence.grammar.correction.search(sentence.text)
        if match is None or named is None or sentence.assistant or self.turn - named.turn > _SOON:
            return None
        start = named.sentence.original.find(named.value)
        value = sentence.original[slice(*match.span("value"))]
        old = named.value
        if _NUMBER.fullmatch(value) and (number := _NUMBER.match(old)):  # the unit stays
            old = number[0]
        if start < 0 or value == old:
            return None
        end = start + len(old)
        before, now = named.sentence, match["value"]
        meant = replace(
            before,
            original=before.original[:start] + value + before.original[end:],
            text=before.text[:start] + now + before.text[end:],
            message=sentence.message,
        )
        return meant, named.key, value + named.value[len(old) :]
