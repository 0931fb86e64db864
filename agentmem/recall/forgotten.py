"""Whether a text says again what a forgotten memory said, in these or nearly these words."""

from collections.abc import Sequence

from agentmem.domain.text import chunks, fold
from agentmem.rules.words import function_words
from agentmem.store import stated
from agentmem.store.store import Connection

LONGEST = 2_000
"""Characters of a text that are looked at."""

_MOST_FORGOTTEN = 1_000  # values that texts are compared with


def tells_forgotten(connection: Connection, profiles: Sequence[str], texts: Sequence[str]) -> list[bool]:
    """Of some texts, whether each says what a forgotten memory said, by its words."""
    contents = stated.forgotten_contents(connection, profiles, _MOST_FORGOTTEN)
    if not contents:
        return [False] * len(texts)
    values = [words_of(content) for content in contents]
    return [any(_says_again(words, value) for value in values) for words in map(words_of, texts)]


def _says_again(words: frozenset[str], value: frozenset[str]) -> bool:
    """Whether words have all numbers of a value and some of the rest; all of it where there are no numbers."""
    marks = numbers_in(value)
    return (marks <= words and bool(words & (value - marks))) if marks else bool(value) and value <= words


def numbers_in(words: frozenset[str]) -> frozenset[str]:
    """Those with a digit."""
    return frozenset(word for word in words if any(character.isdigit() for character in word))


def words_of(text: str) -> frozenset[str]:
    """The content words of a text, as far as it is looked at."""
    return frozenset(fold(chunk).replace(",", "") for chunk in chunks(text[:LONGEST])) - function_words()
