"""Does the answer rest on what was found? A machine's check of a model's words, sentence by sentence.

A sentence stays if each record that it cites exists, if it has no number that stands nowhere in what the model was
given, and if it names no day that is none of those that it was given. At least one citation must be left in all.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from agentmem.domain.dates import find_dates

_LIST = r"\d{1,4}(?:\s*[,，、;–-]\s*\d{1,4})*"
_CITED = re.compile(rf"(?:\s*[\[［【]\s*{_LIST}\s*[\]］】])+(?:\s+(?=[.!?。！？]))?")
_LISTED = re.compile(_LIST)
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_GROUPED = re.compile(r"(?<=\d)[,，](?=\d{3}(?!\d))")
# A full stop inside 16.2 or pnpm.lock ends nothing, and a citation behind the stop belongs to the sentence.
_SENTENCE = re.compile(r".+?(?:(?:[.!?…](?=\s|$|[\[［【])|[。！？])(?:\s*[\[［【][^\]］】]*[\]］】])*|\n|$)", re.DOTALL)
_WIDE = {ord("０") + value: ord("0") + value for value in range(10)}


@dataclass(frozen=True, slots=True)
class Grounded:
    """What is left of an answer.

    Args:
        text: its sentences that stand, with citations as `[1]`; empty if none does.
        citations: the numbers of the records that it cites, in their order.
        dropped: how many sentences were taken out.
    """

    text: str
    citations: tuple[int, ...]
    dropped: int


def ground(answer: str, *, records: int, given: str, days: Collection[date], reference: datetime) -> Grounded:
    """Take out of an answer whatever does not rest on what the model was given.

    Args:
        answer: the model's words.
        records: how many records it was given, numbered from 1.
        given: all that it was given, as text.
        days: the days that were named in it, of every mention.
        reference: what "today" means.
    """
    numbers = set(_numbers(given))
    kept: list[str] = []
    cited: dict[int, None] = {}
    dropped = 0
    for match in _SENTENCE.finditer(answer.strip()):
        sentence = match[0].strip()
        if not sentence:
            continue
        own = _citations(sentence)
        bare = _CITED.sub(" ", sentence).strip()
        if not bare.strip(" .。"):  # a citation on a line of its own belongs to what stands before it
            if kept and own and all(1 <= one <= records for one in own):
                kept[-1] += _marks(own)
                cited |= dict.fromkeys(own)
            continue
        sure = all(1 <= one <= records for one in own)
        sure = sure and all(number in numbers for number in _numbers(_undated(bare, reference)))
        sure = sure and days_in(bare, reference) <= set(days)
        if not sure:
            dropped += 1
            continue
        kept.append(_CITED.sub(lambda found: _marks(_citations(found[0])), sentence))
        cited |= dict.fromkeys(own)
    if not cited:
        return Grounded("", (), dropped + len(kept))
    return Grounded(_joined(kept), tuple(cited), dropped)


def days_in(text: str, reference: datetime) -> set[date]:
    """The days that a text names, in the reference's zone; of a longer period its first and last."""
    zone = reference.tzinfo
    days = set()
    for mention in find_dates(text, reference):
        days.add(mention.start.astimezone(zone).date())
        days.add((mention.end.astimezone(zone) - timedelta(microseconds=1)).date())
    return days


def _undated(text: str, reference: datetime) -> str:
    """A text without the dates in it: April 10 may be told as 2026-04-10."""
    for mention in reversed(find_dates(text, reference)):
        text = text[: mention.span[0]] + " " + text[mention.span[1] :]
    return text


def _citations(text: str) -> list[int]:
    """The numbers in square brackets, ranges written out."""
    found: list[int] = []
    for listed in (listed for match in _CITED.finditer(text) for listed in _LISTED.findall(match[0])):
        for part in re.split(r"\s*[,，、;]\s*", listed):
            first, _, last = re.sub(r"\s*[–-]\s*", "-", part).partition("-")
            found += range(int(first), int(last or first) + 1) if int(last or first) - int(first) < 50 else (0,)
    return list(dict.fromkeys(found))


def _marks(numbers: Iterable[int]) -> str:
    return " " + "".join(f"[{number}]" for number in numbers)


def _numbers(text: str) -> Iterable[str]:
    """The numbers of a text; 10,000 and 10000 are one."""
    for match in _NUMBER.finditer(_GROUPED.sub("", text.translate(_WIDE))):
        yield match[0]
        yield from (part for part in re.split(r"[.,:/-]", match[0]) if part != match[0])


def _joined(sentences: Iterable[str]) -> str:
    text = ""
    for sentence in sentences:
        text += ("" if not text or text[-1] in "。！？" else " ") + sentence
    return text
