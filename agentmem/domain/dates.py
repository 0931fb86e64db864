"""Dates in text, by rule: English, Chinese, Japanese and Korean, absolute and relative.

Own rules, because the libraries were measured first on 59 sentences in four languages: `dateparser` read 27 of them as
meant (23 with the languages given; it takes "may", "sat", "8080" and "2.1.3" for dates and misses 三天前, おととい and
3일 전), at 2 ms a message and 130 ms of CPU to import; `python-dateutil` read 18, at most one date a text and of the
relative ones only a bare weekday. These rules read 58 (they take a bare "Friday" for the past one), at 10 to 50 µs.

Precision comes first: what may as well be a version, a count, a path or an ordinary word is left alone. Where a text
leaves a choice, these rules decide:

* `4/10/2026` is month first unless the first number is above 12 (`agentmem.domain.date_numeric`).
* Without a year, a date is the latest one that lies at most 60 days after the reference.
* Weeks start on Monday; "last week" and "last month" are calendar ones, "the past week" is seven days up to today.
* "N weeks (months, years) ago" is the one day at that distance; a month's last day where that month is shorter.
* The rules of weekdays stand with each language (`date_english`, `date_han`, `date_korean`).
* A weekday beside a date ("Friday, April 10") is no mention of its own.
* Times of day count only in ISO form; "yesterday at 3 pm" is the whole day.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

from agentmem.domain import date_english, date_han, date_korean, date_numeric
from agentmem.domain.date_periods import Found, apply, shift
from agentmem.domain.date_words import WEEKDAY_ALONE
from agentmem.errors import UsageError


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date that a text names.

    Args:
        span: where it stands, as a slice of the text.
        text: the words themselves: `text[span[0]:span[1]]` of what was searched.
        start: its first moment, in UTC.
        end: the first moment after it, in UTC. A day lasts from midnight to midnight in the reference's zone (so 23 or
            25 hours where the clocks change), a time written to the minute a minute, to the second a second.
        has_year: the text tells the year; otherwise it was chosen by the rule above.
        relative: it depends on the day of the reference ("yesterday", "last April").
    """

    span: tuple[int, int]
    text: str
    start: datetime
    end: datetime
    has_year: bool
    relative: bool


_HAN = re.compile("[年月日天周週曜季星礼禮昨今明前后後内內晚夜朝早あおきしさ]")
_LATIN = re.compile("[a-z][a-z1-4]")
_HANGUL = re.compile("[가-힣]")
_WIDE_DIGIT = re.compile("[０-９]")
_WIDE_DIGITS = {ord("０") + value: ord("0") + value for value in range(10)} | {ord("／"): "/", ord("－"): "-"}


def find_dates(text: str, reference: datetime) -> list[DateMention]:
    """All dates that a text names, in order, none overlapping another.

    Args:
        text: any text, of any length; the cost grows with its length alone.
        reference: what "today" means. Its zone is the zone of the days; without one it is UTC.
    """
    low = text.lower()
    if len(low) != len(text):  # İ becomes two characters; spans have to stay those of the text
        low = "".join(character.lower()[0] for character in text)
    if not low.isascii():
        if _WIDE_DIGIT.search(low):
            low = low.translate(_WIDE_DIGITS)
        if not (_HAN.search(low) or _HANGUL.search(low) or _may_be_western(low, text)):
            return []
    elif not _may_be_western(low, text):
        return []
    zone = reference.tzinfo or UTC
    found = sorted(_read(low, reference.date(), text), key=lambda one: (one.start, -one.end))
    mentions: list[DateMention] = []
    free = 0
    for one in found:
        if one.start < free:
            continue
        mention = _mention(one, text, zone)
        if mention is None:
            continue
        free = one.end
        if mentions and _BESIDE.fullmatch(text, mentions[-1].span[1], one.start):
            if _belongs(mention, mentions[-1]):
                continue
            if _belongs(mentions[-1], mention):
                mentions.pop()
        mentions.append(mention)
    return mentions


def parse_when(text: str, reference: datetime) -> tuple[datetime, datetime]:
    """What an option such as --since names, as a half-open interval in UTC.

    Reads ISO dates and times (without an offset: in the reference's zone), `2026-04`, `2026`, a distance back from the
    reference up to it (`36h`, `7d`, `2w`, `6m` for months, `1y`), and whatever `find_dates` reads if it is the whole
    text, apart from a word such as "since" before it.

    Raises:
        UsageError: the text is no date.
    """
    wanted = text.strip()
    zone = reference.tzinfo or UTC
    try:
        interval = _short(wanted, reference.replace(tzinfo=zone), zone)
    except (ValueError, OverflowError):
        interval = None
    if interval is not None:
        return interval
    core = re.sub(r"^(?:since|from|until|till|on|in|the)\s+", "", wanted, flags=re.IGNORECASE)
    for phrase in (wanted, core, f"in {core}", f"by {core}"):
        for mention in find_dates(phrase, reference):
            if len(mention.text) >= len(core) and mention.span[1] == len(phrase):
                return mention.start, mention.end
    raise UsageError(
        f"{text!r} is not a date that agentmem can read",
        "Try 2026-04-10, 2026-04-10T08:30, 7d, 36h, yesterday, 'last week' or 'April 10'.",
    )


def to_utc(moment: date, zone: tzinfo) -> datetime:
    """A day's midnight, or a time, as UTC; a time without an offset is one of `zone`."""
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day, tzinfo=zone)
    elif moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    return moment.astimezone(UTC)


def _may_be_western(low: str, text: str) -> bool:
    """Whether English or digits could name a date: a chain of substring tests, far cheaper than one pattern."""
    # fmt: off
    return (
        "day" in low or "week" in low or "month" in low or "year" in low or "tomorrow" in low or "quarter" in low
        or "night" in low or "morning" in low or "noon" in low or "evening" in low
        or "apr" in low or "jan" in low or "feb" in low or "mar" in low
        or "may" in low or "jun" in low or "jul" in low or "aug" in low or "sep" in low or "oct" in low
        or "nov" in low or "dec" in low or "1" in low or "2" in low or "3" in low or "4" in low or "5" in low
        or "6" in low or "7" in low or "8" in low or "9" in low or "Mon" in text or "Tue" in text or "Wed" in text
        or "Thu" in text or "Fri" in text or "Sat" in text or "Sun" in text
    )
    # fmt: on


def _read(low: str, today: date, text: str) -> Iterator[Found]:
    yield from apply(date_numeric.RULES, low, today, text)
    if _LATIN.search(low):
        yield from apply(date_english.RULES, low, today, text)
    if low.isascii():
        return
    if _HAN.search(low):
        yield from apply(date_han.RULES, low, today, text)
    if _HANGUL.search(low):
        yield from apply(date_korean.RULES, low, today, text)


_BESIDE = re.compile(r"[\s,，、(（]{0,3}")


def _belongs(weekday: DateMention, absolute: DateMention) -> bool:
    """Whether a weekday only tells more about the date that it stands beside ("Friday, April 10")."""
    return (
        weekday.relative
        and not absolute.relative
        and absolute.end - absolute.start < timedelta(hours=26)
        and WEEKDAY_ALONE.fullmatch(weekday.text.lower()) is not None
    )


def _mention(found: Found, text: str, zone: tzinfo) -> DateMention | None:
    try:
        start = to_utc(found.first, zone)
        # The length of a time is added in UTC: added to the wall clock it could jump back where the clocks change.
        end = start + (found.after - found.first) if isinstance(found.first, datetime) else to_utc(found.after, zone)
    except (ValueError, OverflowError):
        return None
    if start >= end:  # a day that a zone skipped
        return None
    words = text[found.start : found.end]
    return DateMention((found.start, found.end), words, start, end, found.has_year, found.relative)


def _short(text: str, reference: datetime, zone: tzinfo) -> tuple[datetime, datetime] | None:
    """The forms that only an option may use: distances, `2026`, `2026-04`, `20260410` and all of ISO 8601."""
    distance = re.fullmatch(r"([0-9]{1,4})\s?(h|d|w|m|y)", text.lower())
    if distance:
        count, unit = int(distance[1]), distance[2]
        if unit == "h":
            return (reference - timedelta(hours=count)).astimezone(UTC), reference.astimezone(UTC)
        first = shift(reference.date(), -count, {"d": "day", "w": "week", "m": "month", "y": "year"}[unit])
        start = datetime.combine(first, reference.timetz())
        return start.astimezone(UTC), reference.astimezone(UTC)
    bare = re.fullmatch(r"([12][0-9]{3})(?:-([0-9]{2}))?", text)
    if bare:
        first = date(int(bare[1]), int(bare[2] or 1), 1)
        return to_utc(first, zone), to_utc(shift(first, 1, "month" if bare[2] else "year"), zone)
    if not re.match(r"[0-9]{4}", text):
        return None
    moment = datetime.fromisoformat(text)
    start = to_utc(moment, zone)
    if re.search(r"[0-9][T ][0-9]", text, re.IGNORECASE):
        return start, start + timedelta(seconds=1 if text.count(":") > 1 else 60)
    return start, to_utc(moment.date() + timedelta(1), zone)
