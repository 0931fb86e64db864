"""Calendar arithmetic below the date rules: days, weeks, months and the rules that choose among them.

Everything here works on plain `date` values of the reference's time zone; `agentmem.domain.dates` turns the result
into UTC. A period is a pair `(first, after)`: the first day of it and the first day that no longer belongs to it.
Functions raise ValueError or OverflowError for days that the calendar does not have.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import NamedTuple

Period = tuple[date, date]

# A date without a year may lie this many days after the reference; one further ahead is taken for last year's.
# Two months: people name deadlines of the coming weeks without a year, and happenings of the past year likewise.
AHEAD = 60

# How far a rule's match may reach to both sides of what it needs; no date is written longer.
_BEFORE, _AFTER = 32, 48
_LATIN_WORD = re.compile(r"[a-z]{1,10}(?![a-z])")


class Found(NamedTuple):
    """What a rule read: where in the text, and which days (`datetime` values where the text tells the time)."""

    start: int
    end: int
    first: date
    after: date
    has_year: bool = False
    relative: bool = True


class Place(NamedTuple):
    """Where a rule's pattern fits: the match in the lower-cased text, the reference's day, the text as written."""

    match: re.Match[str]
    today: date
    text: str


@dataclass(frozen=True)
class Needs:
    """What a text must contain for a rule to be tried, and near which the rule is tried: every match contains one.

    Args:
        stems: the pieces of text to look for, in lower case; a substring search costs far less than a pattern.
        words: if given, the Latin word that begins with the stem must be one of these ("mar" is no need in "market").
    """

    stems: tuple[str, ...]
    words: frozenset[str] = frozenset()

    def windows(self, low: str) -> list[tuple[int, int]]:
        """The parts of a text that are worth a rule's pattern, in order, none touching the next."""
        places: list[int] = []
        for stem in self.stems:
            place = low.find(stem)
            while place >= 0:
                if not self.words or self._is_word(low, place):
                    places.append(place)
                place = low.find(stem, place + len(stem))
        places.sort()
        windows: list[tuple[int, int]] = []
        for place in places:
            begin, stop = max(0, place - _BEFORE), place + _AFTER
            if windows and begin <= windows[-1][1]:
                begin = windows.pop()[0]
            windows.append((begin, stop))
        return windows

    def _is_word(self, low: str, place: int) -> bool:
        if place and "a" <= low[place - 1] <= "z":
            return False
        word = _LATIN_WORD.match(low, place)
        return word is not None and word[0] in self.words


@dataclass(frozen=True)
class Rule:
    """One way of writing a date.

    Args:
        needs: what the text must contain.
        pattern: the regular expression, compiled at first use, over the lower-cased text.
        read: makes a `Found` of a match; None, ValueError and OverflowError mean: not a date after all.
    """

    needs: Needs
    pattern: str
    read: Callable[[Place], Found | None]

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.pattern)


def apply(rules: tuple[Rule, ...], low: str, today: date, text: str) -> Iterator[Found]:
    """All readings of some rules in a text; `low` is the text in lower case, character for character."""
    needs: Needs | None = None
    windows: list[tuple[int, int]] = []
    for rule in rules:
        if rule.needs is not needs:  # neighbours in a table share theirs
            needs = rule.needs
            windows = needs.windows(low)
        for begin, stop in windows:
            for match in rule.expression.finditer(low, begin, stop):
                try:
                    found = rule.read(Place(match, today, text))
                except (ValueError, OverflowError):
                    continue
                if found is not None:
                    yield found


def day(first: date) -> Period:
    """One day."""
    return first, first + timedelta(1)


def week(today: date, offset: int = 0) -> Period:
    """The calendar week, Monday to Sunday, `offset` weeks from that of `today`."""
    monday = today - timedelta(today.weekday()) + timedelta(7 * offset)
    return monday, monday + timedelta(7)


def weekend(today: date, offset: int = 0) -> Period:
    """Saturday and Sunday of the calendar week `offset` weeks from that of `today`."""
    after = week(today, offset)[1]
    return after - timedelta(2), after


def past_weekend(today: date) -> Period:
    """The latest weekend that has begun by `today`."""
    return weekend(today, 0 if today.weekday() >= 5 else -1)


def month(year: int, number: int) -> Period:
    """One calendar month."""
    first = date(year, number, 1)
    return first, add_months(first, 1)


def month_from(today: date, offset: int) -> Period:
    """The calendar month `offset` months from that of `today`."""
    first = add_months(today.replace(day=1), offset)
    return first, add_months(first, 1)


def quarter(year: int, number: int) -> Period:
    """One calendar quarter; the first starts in January."""
    first = date(year, 3 * number - 2, 1)
    return first, add_months(first, 3)


def quarter_from(today: date, offset: int) -> Period:
    """The calendar quarter `offset` quarters from that of `today`."""
    first = add_months(date(today.year, today.month - (today.month - 1) % 3, 1), 3 * offset)
    return first, add_months(first, 3)


def year(number: int) -> Period:
    """One calendar year."""
    return date(number, 1, 1), date(number + 1, 1, 1)


def add_months(start: date, count: int) -> date:
    """The same day `count` months on, or the month's last where it is shorter: 31 January + 1 is 28 or 29 February."""
    years, index = divmod(start.year * 12 + start.month - 1 + count, 12)
    for number in range(start.day, 27, -1):
        try:
            return date(years, index + 1, number)
        except ValueError:
            if number <= 28:
                raise
    return date(years, index + 1, start.day)


def shift(start: date, count: int, unit: str) -> date:
    """The day `count` units on; unit is `day`, `week`, `month` or `year`."""
    if unit == "day":
        return start + timedelta(count)
    if unit == "week":
        return start + timedelta(7 * count)
    return add_months(start, count if unit == "month" else 12 * count)


def around(today: date, offset: int, unit: str) -> Period:
    """The calendar `week`, `month`, `quarter`, `year` or `weekend` that lies `offset` of them from today's."""
    if unit == "week":
        return week(today, offset)
    if unit == "weekend":
        return weekend(today, offset)
    if unit == "month":
        return month_from(today, offset)
    return quarter_from(today, offset) if unit == "quarter" else year(today.year + offset)


def trailing(today: date, count: int, unit: str) -> Period:
    """The past `count` units up to and with today."""
    return shift(today, -count, unit), today + timedelta(1)


def coming(today: date, count: int, unit: str) -> Period:
    """Today and the `count` units after it."""
    return today, shift(today, count, unit) + timedelta(1)


def latest(today: date, make: Callable[[int], Period]) -> Period:
    """The latest yearly period (`make` takes the year) that starts at most `AHEAD` days after `today`.

    29 February exists every fourth year, and not in 2100: eight years back are enough.
    """
    for number in range(today.year + 1, today.year - 8, -1):
        try:
            period = make(number)
        except ValueError:
            continue
        if (period[0] - today).days <= AHEAD:
            return period
    raise ValueError("no such day")


def month_day(today: date, number: int, day_of_month: int, year_number: int | None) -> Period:
    """A day of a month; without a year the one that `latest` chooses."""
    if year_number is not None:
        return day(date(year_number, number, day_of_month))
    return latest(today, lambda chosen: day(date(chosen, number, day_of_month)))


def whole_month(today: date, number: int, year_number: int | None) -> Period:
    """A month; without a year the one that `latest` chooses."""
    if year_number is not None:
        return month(year_number, number)
    return latest(today, lambda chosen: month(chosen, number))


def whole_quarter(today: date, number: int, year_number: int | None) -> Period:
    """A quarter; without a year the one that `latest` chooses."""
    if year_number is not None:
        return quarter(year_number, number)
    return latest(today, lambda chosen: quarter(chosen, number))


def weekday_in(today: date, number: int, offset: int) -> Period:
    """A weekday (Monday is 0) of the calendar week `offset` weeks from today's."""
    return day(week(today, offset)[0] + timedelta(number))


def weekday_before(today: date, number: int, *, with_today: bool = False) -> Period:
    """The latest such weekday before `today`, or on it where `with_today` allows."""
    back = (today.weekday() - number) % 7
    return day(today - timedelta(back or (0 if with_today else 7)))


def weekday_after(today: date, number: int, *, with_today: bool = False) -> Period:
    """The first such weekday after `today`, or on it where `with_today` allows."""
    ahead = (number - today.weekday()) % 7
    return day(today + timedelta(ahead or (0 if with_today else 7)))


def full_year(digits: str) -> int:
    """A year of four digits, or of two (26 is 2026, 98 is 1998)."""
    number = int(digits)
    return number if len(digits) > 2 else number + (2000 if number < 70 else 1900)
