"""Text as search sees it: cut into terms, in every script.

A text is brought to NFKC, cut into chunks (words, numbers, identifiers, paths, runs of a script that is written
without spaces), and each chunk gives its terms:

* a word: itself, case-folded, accents of Latin letters removed, ready for the stemmer;
* an identifier (`snake_case`, `camelCase`, `a/b/c.py`, `v2.1.3`, `E1234`, `user@host`): the whole *and* its parts;
* a number with thousands separators: the bare digits, so that `10,000` and `10000` are one term;
* Han, Hiragana, Katakana, Hangul, Thai, Lao, Khmer, Burmese: overlapping pairs of characters, because a word
  may begin anywhere, and single characters (marked) that only one-character questions use.

The rules are those of UAX 29 where they matter here (letters, digits and marks hold together, an apostrophe inside
a word does not break it) and leave it where code needs more: UAX 29 breaks `a/b.py` and `max_retries=3` in
a way that loses the whole, and gives one term for a Chinese clause.
"""

import re
import unicodedata
from collections.abc import Iterator

from agentmem.domain.late import Late

# Scripts without spaces between words; Hangul has spaces, but glues particles to the word.
UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Burmese
    "\u1780-\u17ff"  # Khmer
    "\u3005\u3007\u3040-\u30ff\u31f0-\u31ff"  # 々〇, Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\u1100-\u11ff\uac00-\ud7af"  # Hangul
    "\U00020000-\U0003ffff"  # Han, supplementary planes
)
_WORD = rf"[^\W_{UNSPACED}]"
_CHUNK = Late(
    rf"[{UNSPACED}]+"
    r"|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])"
    rf"|{_WORD}+(?:['’]{_WORD}+|[_./\\:@=#&?%+~-]{{1,3}}{_WORD}+)*(?:\+\+|\#)?"
)
_UNSPACED_RUN = Late(rf"[{UNSPACED}]+")
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_CONTRACTION = re.compile(r"['’](?:s$)?")
_SURROGATES = re.compile("[\ud800-\udfff]")
_SPACES = re.compile(r"\s+")
_LONGEST_TERM = 120  # longer chunks are data, not names: only their parts are kept
_MOST_PARTS = 64  # a chunk with more parts is data as well

BRIEFING_TOKENS = 2_000
"""What a text for the start of a session may cost at most: Codex cuts what is longer than about 2,500."""

SINGLE = "\x01"
"""Prefix of a single character of an unspaced script, which only one-character questions look for."""


def clean(text: str) -> str:
    """The text without what a database or UTF-8 cannot hold: NUL removed, lone surrogates replaced by U+FFFD."""
    if "\x00" in text:
        text = text.replace("\x00", "")
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def fold(text: str) -> str:
    """NFKC, case folded, Latin accents removed: `Ｃafé` and `CAFE` are one."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    if folded.isascii():
        return folded
    bare = "".join(c for c in unicodedata.normalize("NFD", folded) if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", bare)


def normalise(text: str) -> str:
    """The form in which two contents are the same: folded, white space as one blank, no closing punctuation."""
    return _SPACES.sub(" ", fold(text)).strip().rstrip(".!?;,。！？；，．｡ ")


def chunks(text: str) -> Iterator[str]:
    """The pieces of a text that `terms_of` turns into terms, in order."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return (match.group() for match in _CHUNK.regex.finditer(text))


def terms_of(chunk: str, *, asking: bool = False) -> list[str]:
    """The terms of one chunk, unstemmed.

    Args:
        chunk: a piece given by `chunks`.
        asking: True for a question, which needs no single characters of a longer run.
    """
    if chunk.isalpha() and (chunk.isascii() or not _UNSPACED_RUN.regex.match(chunk)):
        whole = fold(chunk)
        if chunk.islower() or chunk.isupper() or chunk[1:].islower():
            return [whole]
        return _identifier(chunk, whole)
    if _UNSPACED_RUN.regex.match(chunk):
        return _pairs(fold(chunk), asking=asking)
    if chunk[0].isdigit() and "," in chunk:
        return [chunk.replace(",", "")]
    if "'" in chunk or "’" in chunk:
        chunk = _CONTRACTION.sub("", chunk)
        if chunk.isalpha():
            return [fold(chunk)]
    return _identifier(chunk, fold(chunk).strip("_"))


def _pairs(run: str, *, asking: bool) -> list[str]:
    if len(run) == 1:
        return [SINGLE + run]
    pairs = [run[i : i + 2] for i in range(len(run) - 1)]
    return pairs if asking else pairs + [SINGLE + character for character in run]


def _identifier(chunk: str, whole: str) -> list[str]:
    parts = [fold(part) for part in _PARTS.findall(chunk)]
    terms = [whole] if len(whole) <= _LONGEST_TERM else []
    if len(whole) > 2 and whole[0] == "v" and whole[1].isdigit():
        terms.append(whole[1:])
    if "/" in whole or "\\" in whole:
        name = re.split(r"[/\\]", whole)[-1]
        if name and name not in parts:
            terms.append(name)
    # A lone letter says nothing ("E" of E1234); a digit may ("2" of v2.1.3).
    terms.extend(part for part in parts[:_MOST_PARTS] if part != whole and (len(part) > 1 or part.isdigit()))
    return terms
