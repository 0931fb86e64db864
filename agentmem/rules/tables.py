"""The concept lexicon as the program reads it: `lexicon.json`, written by `agentmem.rules.build` from the TOML files.

People edit TOML; reading it costs about 30 ms, which a search command does not have. The JSON holds the same words
indexed for look-up and loads in 4 ms. (Named tuples, not dataclasses, for the same reason.) A test keeps the two equal.

Phrases are found by look-up, not by regular expression, so neither the first call nor a long text is slow: Latin
words by n-grams of `TOKEN`, other scripts (no spaces to rely on) by the longest entry at each position.
"""

import json
import re
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

LEXICON = Path(__file__).with_name("lexicon.json")

# One word of Latin script as people write tools and versions: `node.js`, `c++`, `ci/cd`, `user's`, `snake_case`.
TOKEN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9@#+_]|[.'/:-](?=[A-Za-z0-9]))*")

# Full-width forms become ASCII and typographic quotes straight, one character for one, so that offsets stay true.
PLAIN = {0xFF01 + i: 0x21 + i for i in range(94)} | {0x3000: 0x20, 0x2018: 0x27, 0x2019: 0x27, 0xA0: 0x20}

NAME, WEAK, VALUE, FORM, CUE, ASK = "name", "weak", "value", "form", "cue", "ask"


class Topic(NamedTuple):
    """One thing that memories can be about.

    `key` ends a topic of its own (`project.linter`) or begins with `*.` where the scope is an entity of the text;
    `default` is the scope when the text names none. `labels` maps `en zh hant ja ko` to the name shown.
    """

    key: str
    labels: dict[str, str]
    default: str
    value: str
    keyed: bool
    free: bool


class Mark(NamedTuple):
    """A phrase of the lexicon found in a text.

    `senses` are (role, topic number, canonical value or "") with role one of NAME WEAK VALUE FORM CUE ASK.
    """

    start: int
    end: int
    phrase: str
    senses: tuple[tuple[str, int, str], ...]

    def topics(self, *roles: str) -> list[int]:
        """Numbers of the topics for which this phrase plays one of the roles, in lexicon order."""
        return list(dict.fromkeys(topic for role, topic, _ in self.senses if role in roles))


class Lexicon(NamedTuple):
    """Everything `lexicon.json` holds, ready for look-up."""

    topics: tuple[Topic, ...]
    latin: dict[str, list[list[str | int]]]
    latin_longest: dict[str, int]
    other: dict[str, list[list[str | int]]]
    other_longest: dict[str, int]
    entities: dict[str, str]
    entities_longest: int
    common: frozenset[str]
    function_words: frozenset[str]
    asking_words: frozenset[str]
    tasks: tuple[str, ...]
    tasks_beside: tuple[str, ...]
    environments: dict[str, str]
    fold: dict[int, int]


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The lexicon; read once per process."""
    data = json.loads(LEXICON.read_bytes())
    return Lexicon(
        topics=tuple(Topic(**topic) for topic in data["topics"]),
        latin=data["latin"],
        latin_longest=data["latin_longest"],
        other=data["other"],
        other_longest=data["other_longest"],
        entities=data["entities"],
        entities_longest=max(map(len, data["entities"])),
        common=frozenset(data["common"]),
        function_words=frozenset(data["function_words"]),
        asking_words=frozenset(data["asking_words"]),
        tasks=tuple(data["tasks"]),
        tasks_beside=tuple(data["tasks_beside"]),
        environments=data["environments"],
        fold={ord(old): ord(new) for old, new in data["fold"]},
    )


def plain(text: str) -> str:
    """The text with full-width forms, odd spaces and typographic apostrophes made ASCII; the length is unchanged."""
    return text if text.isascii() else text.translate(PLAIN)


def has_kana(text: str) -> bool:
    """Whether the text holds Japanese syllables."""
    return any("\u3040" <= char <= "\u30ff" for char in text)


def fold(text: str) -> str:
    """Chinese text with traditional characters made simplified, one for one; Japanese text is left alone."""
    if text.isascii() or has_kana(text):
        return text
    return text.translate(lexicon().fold)


def _senses(entry: list[list[str | int]]) -> tuple[tuple[str, int, str], ...]:
    return tuple((str(role), int(topic), str(value)) for role, topic, value in entry)


def find_marks(text: str, tokens: list[re.Match[str]] | None = None) -> list[Mark]:
    """The phrases of the lexicon in a text (`plain` and `fold` applied), longest first at each place, in order.

    Marks do not overlap. A plural `s` or possessive on the last word does not hide a phrase.
    """
    words = lexicon()
    marks: list[Mark] = []
    if not text.isascii():
        lowered = "".join(char.lower() if char.isascii() else char for char in text)
        place, size = 0, len(text)
        while place < size:
            longest = words.other_longest.get(lowered[place], 0)
            for length in range(min(longest, size - place), 0, -1):
                entry = words.other.get(lowered[place : place + length])
                if entry is not None:
                    marks.append(Mark(place, place + length, lowered[place : place + length], _senses(entry)))
                    place += length - 1
                    break
            place += 1
    taken = [(mark.start, mark.end) for mark in marks]
    tokens = list(TOKEN.finditer(text)) if tokens is None else tokens
    lower = [token.group().lower() for token in tokens]
    number, count = 0, len(tokens)
    while number < count:
        longest = words.latin_longest.get(lower[number]) or words.latin_longest.get(_singular(lower[number]), 0)
        for length in range(min(longest, count - number), 0, -1):
            phrase = " ".join(lower[number : number + length])
            entry = words.latin.get(phrase) or words.latin.get(_singular(phrase))
            if entry is None:
                continue
            start, end = tokens[number].start(), tokens[number + length - 1].end()
            # Words of one phrase stand side by side: "use npm. Run it" holds no phrase "npm run".
            if length > 1 and not _side_by_side(text, tokens[number : number + length]):
                continue
            if not any(start < stop and end > begin for begin, stop in taken):
                marks.append(Mark(start, end, phrase, _senses(entry)))
            number += length - 1
            break
        number += 1
    marks.sort(key=lambda mark: mark.start)
    return marks


def _singular(phrase: str) -> str:
    if phrase.endswith("'s"):
        return phrase[:-2]
    return phrase[:-1] if phrase.endswith("s") and len(phrase) > 3 else phrase


def _side_by_side(text: str, tokens: list[re.Match[str]]) -> bool:
    return all(
        text[left.end() : right.start()] in (" ", "-", "/", "  ", " + ", "_") for left, right in pairwise(tokens)
    )


def entity_at_end(text: str, start: int = 0) -> tuple[str, int] | None:
    """The known entity that ends a text without Latin words (`测试环境`), and where it begins."""
    known = lexicon()
    for begin in range(max(start, len(text) - known.entities_longest), len(text)):
        found = known.entities.get(text[begin:].lower())
        if found is not None:
            return found, begin
    return None
