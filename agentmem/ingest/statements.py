"""What a sentence says apart from how it says it: its content words, its numbers and names, and whether it denies.

Two sentences can only say the same if their *marks* are the same (numbers, versions, paths, identifiers: what must be
right to the letter) and both deny or neither does. How alike their other words must be is for whoever compares to say.

From the same parts come the digests that a forgotten value leaves behind: of its words to the letter, of its content
words in any order, and of its topic with its value. A value that comes back in slightly other words is known by one
of them.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from agentmem.domain.ids import digest
from agentmem.domain.text import SINGLE, chunks, fold, normalise, terms_of
from agentmem.rules.words import function_words
from agentmem.store import tombstones

_DENIES = frozenset([
    "not", "no", "never", "cannot", "can't", "don't", "doesn't", "didn't", "isn't", "aren't", "wasn't", "weren't",
    "won't", "without", "neither", "nor", "shouldn't", "mustn't", "avoid", "stop", "nobody", "nothing", "none",
])  # fmt: skip
_DENIES_UNSPACED = re.compile(r"不要|不用|不再|不是|不能|没有|沒有|禁止|[别別](?=[用再])|ない|ません|않|말고|말아|금지")
_CONTRAST = re.compile(
    r"\(\s*(?:not|instead of|rather than)\b[^)]*\)|[（(]\s*(?:不用|不要|代わり)[^）)]*[）)]"
    r"|,?\s+(?:instead of|rather than)\s+[^,.;:]+|,\s*not\s+[^,.;:]+",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^\W\d]{2,}[_./\\:@-]+[^\W\d]{2,}|_")
_LONG_NUMBER = re.compile(r"\d{4}")  # may be written with commas
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
_ORDER = frozenset(["before", "after", "above", "below", "over", "under", "from", "except", "unless", "until", "only"])
"""Words that carry no subject, yet turn what a sentence says into something else."""

_LIGHT = frozenset([
    "us", "util", "keep", "kept", "store", "live", "hold", "held", "goe", "go", "went", "send", "sent", "come",
    "came", "provid", "run", "ran", "host", "get", "got", "happen", "put", "place", "locat", "found", "need",
    "make", "made", "set", "want", "take", "taken", "took", "give", "given", "gave", "have", "rememb", "note",
    "now", "current", "reli", "execut", "perform", "occur", "reside", "resid", "alwai", "everi", "each",
])  # fmt: skip
"""Stems that join subjects and say little themselves: "is kept in", "lives in" and "goes to" are one."""

_IRREGULAR = {
    "written": "write", "wrote": "write", "built": "build", "rebuilt": "rebuild", "chosen": "choos", "chose":
    "choos", "driven": "drive", "drove": "drive", "led": "lead", "bought": "bui", "sold": "sell", "began": "begin",
    "held": "hold", "begun": "begin", "broken": "break", "taught": "teach", "shown": "show", "spoken": "speak",
}  # fmt: skip

_SAYS_NOTHING = _LIGHT | frozenset([
    "prefer", "work", "listen", "new", "choos", "pick", "decid", "switch", "move", "chang", "updat", "default",
    "replac",
])  # fmt: skip
"""Stems that say of a topic's value only that it has one; left out where topic and value are compared."""

MOST_PHRASE = 12
"""Words of a phrase that is looked for in what comes in; of a longer one the first twelve."""


LEAST = 2
"""Words and marks that a statement must have to be compared with others."""

_DERIVED = frozenset([*_IRREGULAR.values()])
_PIECE = 2  # letters of the shortest piece


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence taken apart.

    Args:
        words: the stems of its content words, without the light ones ("is kept in", "goes to").
        marks: its numbers, versions, paths and identifiers, folded.
        denies: whether it denies something.
        order: its words and marks in their order, and the frame that they stand in.
    """

    words: frozenset[str]
    marks: frozenset[str]
    denies: bool
    order: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @property
    def size(self) -> int:
        """How many things it is made of."""
        return len(self.words) + len(self.marks)

    def says_same(self, other: "Statement") -> bool:
        """Whether the two say the same apart from how they say it. Of one word alone nobody knows what is said."""
        return (
            self.size >= LEAST
            and (self.words, self.marks, self.denies) == (other.words, other.marks, other.denies)
            and not self.only_swapped(other)
        )

    def only_swapped(self, other: "Statement") -> bool:
        """Whether the two are one frame with its words exchanged: "A calls B" and "B calls A" do not say the same."""
        (mine, frame), (theirs, its) = self.order, other.order
        return frame == its and mine != theirs and sorted(mine) == sorted(theirs)


@cache
def _stem() -> Callable[[str], str]:
    import Stemmer  # late: only what writes memories needs it

    stem: Callable[[str], str] = Stemmer.Stemmer("porter").stemWord
    return stem


@lru_cache(maxsize=4_096)
def read(text: str) -> Statement:
    """Take a sentence apart. What a contrast names ("pnpm, not npm") is no part of what it says."""
    bare = _CONTRAST.sub(" ", text)
    words: list[str] = []
    order: list[str] = []
    marks: set[str] = set()
    frame: list[str] = []
    denies = _DENIES_UNSPACED.search(bare) is not None
    for chunk in chunks(bare.replace("’", "'")):
        whole = fold(chunk)
        denies = denies or whole in _DENIES
        if whole in _DENIES or (whole in function_words() and whole not in _ORDER):
            frame.append(whole)
        elif any(character.isdigit() for character in whole) or _NAME.search(whole):
            mark = _THOUSANDS.sub("", whole).strip("_")
            mark = mark[1:] if mark[:1] == "v" and mark[1:2].isdigit() else mark
            marks.add(mark)
            order.append(mark)
            frame.append("#")
        else:
            found = [_stemmed(term) for term in terms_of(chunk) if not term.startswith(SINGLE)]
            heavy = [stem for stem in found if stem not in _LIGHT]
            words += heavy
            order += heavy
            frame.append("" if heavy else found[0] if found else "")
    return Statement(frozenset(words), frozenset(marks), denies, (tuple(order), tuple(frame)))


def _stemmed(term: str) -> str:
    if len(term) <= 2 or not (term.isascii() and term.isalpha()):
        return term
    return _IRREGULAR.get(term) or _stem()(term)


def pieces(statement: Statement, most: int) -> tuple[str, ...]:
    """The longest pieces of words that a text must contain, in lower case, to say the same; none where that is unsure.

    A stem is no piece where it is made otherwise than by cutting an ending off.
    """
    if statement.size < LEAST:
        return ()
    plain = {_cut(word) for word in statement.words - _DERIVED}
    plain |= {mark for mark in statement.marks if not _LONG_NUMBER.search(mark)}
    return tuple(sorted((one for one in plain if len(one) >= _PIECE), key=lambda one: (-len(one), one))[:most])


def _cut(stem: str) -> str:
    """A stem without the vowel that Porter puts at its end in place of another ("company": compani, "filing": file)."""
    return stem[:-1] if stem.isascii() and stem[-1:] in ("e", "i") else stem


def value_of(topic_key: str, statement: Statement) -> tuple[str, ...]:
    """What a statement says of its topic: its marks, else the words that are not the topic's own; may be empty."""
    if statement.marks:
        return tuple(sorted(statement.marks))
    topic = {_stem()(part) for part in re.split(r"[._]", topic_key) if part}
    return tuple(sorted(statement.words - topic - _SAYS_NOTHING))


def digests(profile: str, topic_key: str | None, content: str) -> tuple[str, ...]:
    """What a forgotten value leaves behind, and what is compared with it: the first is of its words to the letter."""
    statement = read(content)
    kinds = [tombstones.of_value(profile, content)]
    polarity = "no" if statement.denies else "yes"
    if statement.size > 1:
        kinds.append(digest(profile, "words", polarity, *sorted(statement.words), *sorted(statement.marks)))
    if topic_key and (value := value_of(topic_key, statement)):
        kinds.append(digest(profile, "value", topic_key, polarity, *value))
    return tuple(kinds)


def words_of(text: str) -> list[str]:
    """The words of a text as phrases are compared by: folded, without punctuation; a script without spaces by
    characters.
    """
    words: list[str] = []
    for chunk in chunks(normalise(text)):
        words += list(chunk) if terms_of(chunk)[:1] and not chunk[0].isascii() and len(chunk) > 1 else [chunk]
    return words


def phrase(profile: str, text: str) -> tuple[str, int] | None:
    """The digest of a phrase and how many words it has; None for one without words."""
    words = words_of(text)[:MOST_PHRASE]
    return (digest(profile, "phrase", *words), len(words)) if words else None


def phrases(profile: str, text: str, lengths: Sequence[int]) -> set[str]:
    """The digests of all runs of so many words of a text."""
    words = words_of(text)
    return {
        digest(profile, "phrase", *words[start : start + length])
        for length in lengths
        for start in range(len(words) - length + 1)
    }
