"""English dates, as people write them in chat.

Weekdays: "last Tuesday" is the latest Tuesday before the reference's day, "next Tuesday" the first after it, "this
Tuesday" that of the current calendar week. A bare "Tuesday" is the latest one, today included; after by, until, till
or due it is the first one from today on. "Last week's Friday" is the Friday of the previous calendar week.
"Last week" (month, quarter, year) is the previous calendar one; "the past week" is the seven days up to today.
"""

import re
from datetime import date

from agentmem.domain import date_periods as periods
from agentmem.domain.date_periods import Found, Needs, Period, Place, Rule
from agentmem.domain.date_words import AMBIGUOUS_MONTHS, ENGLISH_DAYS, ENGLISH_NUMBER, MONTHS, WEEKDAYS, english_number
from agentmem.domain.late import Late

_START = r"(?<![a-z0-9_/.@#$\\\u00c0-\u024f-])"
_END = r"(?![a-z0-9_\u00c0-\u024f]|[-/.@][a-z0-9]|://)"
_UNIT = r"(?P<unit>day|week|fortnight|month|year)s?"
_WHICH = {"last": -1, "previous": -1, "past": -1, "this": 0, "current": 0, "next": 1, "coming": 1}
_YEAR = r"(?P<y>(?:19|20)[0-9]{2})(?![0-9]|[.,][0-9])"
_MONTH = f"(?P<month>{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
_FULL_DAYS = "|".join(name for name in WEEKDAYS if name.endswith("day"))
_SHORT_DAYS = "|".join(sorted((name for name in WEEKDAYS if not name.endswith("day")), key=len, reverse=True))
_UNIT_NAMES = ("day", "week", "weekend", "fortnight", "month", "quarter", "year")
_UNITS = Needs(_UNIT_NAMES, frozenset(_UNIT_NAMES + tuple(f"{name}s" for name in _UNIT_NAMES)))
_WEEKDAY_NAMES = Needs(("mon", "tue", "wed", "thu", "fri", "sat", "sun"), frozenset(WEEKDAYS))
_MONTH_NAMES = Needs(tuple({name[:3]: None for name in MONTHS}), frozenset(MONTHS))
_QUARTERS = Needs(("q1", "q2", "q3", "q4"))
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}


def _relative(span: tuple[int, int], period: Period, *, has_year: bool = False) -> Found:
    return Found(*span, *period, has_year=has_year)


def _day_word(place: Place) -> Found:
    match, today = place.match, place.today
    offset = ENGLISH_DAYS[" ".join(match[0].split())]
    return _relative(match.span(), periods.day(periods.shift(today, offset, "day")))


def _count(words: str, unit: str) -> tuple[int, str]:
    """The number and unit; half a year is six months, a fortnight two weeks."""
    if unit == "year" and words.startswith("half"):
        return 6, "month"
    return english_number(words) * (2 if unit == "fortnight" else 1), "week" if unit == "fortnight" else unit


def _ago(place: Place) -> Found:
    match, today = place.match, place.today
    count, unit = _count(match["n"], match["unit"] or "weekend")
    sign = -1 if match["way"] == "ago" else 1
    if match["weekend"]:
        return _relative(match.span(), periods.weekend(today, sign * count))
    return _relative(match.span(), periods.day(periods.shift(today, sign * count, unit)))


_PAST = Late(r"\b(?:[a-z]{2,}ed|built|done|made|wrote|took|did|got|ran|had|were|was|once|twice|times|came|sold)\b")
_FUTURE = Late(r"\b(?:will|going to|due|expires?|should|is|are|again|meet|see you|back)\b|'ll\b")


def _ahead(place: Place) -> Found | None:
    """`in 3 days`, unless the words before it tell how long something took ("we built it in 3 days")."""
    match, today, text = place.match, place.today, place.text
    before = re.split(r"[.!?;\n]", text[max(0, match.start() - 60) : match.start()].lower())[-1]
    if _PAST.regex.search(before) and not _FUTURE.regex.search(before):
        return None
    count, unit = _count(match["n"], match["unit"])
    return _relative(match.span(), periods.day(periods.shift(today, count, unit)))


def _window(place: Place) -> Found:
    match, today = place.match, place.today
    count, unit = _count(match["n"] or "one", match["unit"])
    make = periods.trailing if match["way"] in ("past", "last", "previous") else periods.coming
    return _relative(match.span(), make(today, count, unit))


def _period(place: Place) -> Found:
    match, today = place.match, place.today
    unit, offset = match["unit"] or match["before"], -2 if match["before"] else _WHICH[match["which"]]
    return _relative(match.span(), periods.around(today, offset, unit), has_year=unit == "year")


def _weekday(place: Place) -> Found | None:
    match, today = place.match, place.today
    prefix, number = " ".join((match["prefix"] or "").split()), WEEKDAYS[match["weekday"]]
    span = match.start("weekday") if prefix not in _WHICH else match.start(), match.end()
    week = match["week"] or match["weekof"]
    if week:
        return _relative((match.start(), match.end()), periods.weekday_in(today, number, _WHICH[week]))
    if prefix in ("last", "past", "previous"):
        return _relative(span, periods.weekday_before(today, number))
    if prefix in ("next", "coming"):
        return _relative(span, periods.weekday_after(today, number))
    if prefix == "this":
        return _relative(span, periods.weekday_in(today, number, 0))
    if prefix in ("by", "until", "till", "due", "due on"):
        return _relative(span, periods.weekday_after(today, number, with_today=True))
    return None if prefix else _relative(span, periods.weekday_before(today, number, with_today=True))


def _short_weekday(place: Place) -> Found | None:
    match, text = place.match, place.text
    return _weekday(place) if text[match.start("weekday")].isupper() else None


def _month(place: Place) -> Found | None:
    """A month with what follows it: a day, a year, both, or nothing."""
    match, today, text = place.match, place.today, place.text
    prefix = _MONTH_PREFIX.search(match.string, max(0, match.start() - 14), match.start())
    if prefix is None and match.start() and _GLUE.match(match.string, match.start() - 1):
        return None
    if match["d"] is None and match["y"] is None and match["relyear"] is None:
        return _month_alone(place, prefix[1] if prefix else "")
    name = match["month"]
    sure = bool(match["y"] or text[match.start()].isupper() or (prefix and prefix[1] in _SURE))
    if name in AMBIGUOUS_MONTHS and not sure:
        return None
    if match["d"] is None:
        period = periods.month(_year_of(match, today) or today.year, MONTHS[name])
        return Found(*match.span(), *period, True, match["y"] is None)
    if match["dot"] and (len(name) > 4 or name in ("may", "june", "july")):
        return None  # the end of a sentence, not of an abbreviation
    return _month_day(match, today)


def _day_month(place: Place) -> Found | None:
    match, today, text = place.match, place.today, place.text
    sure = match["y"] or match["sure"] or text[match.start("month")].isupper()
    return _month_day(match, today) if sure or match["month"] not in AMBIGUOUS_MONTHS else None


def _year_of(match: re.Match[str], today: date) -> int | None:
    if match["relyear"]:
        return today.year + _WHICH[match["relyear"]]
    return int(match["y"]) if match["y"] else None


def _month_day(match: re.Match[str], today: date) -> Found:
    year = _year_of(match, today)
    first, after = periods.month_day(today, MONTHS[match["month"]], int(match["d"]), year)
    if match["to"]:
        after = periods.day(first.replace(day=int(match["to"])))[1]
    return Found(*match.span(), first, after, year is not None, bool(match["relyear"]))


def _month_alone(place: Place, prefix: str) -> Found | None:
    """A month alone counts only after a word that leaves no doubt ("in April"), short and ambiguous ones with care."""
    match, today, text = place.match, place.today, place.text
    name, number = match["month"], MONTHS[match["month"]]
    short = len(name) < 4 and name != "may"
    if not prefix or _DIGIT_NEXT.match(match.string, match.end()) or (prefix == "the" and short):
        return None
    if not text[match.start()].isupper() and (short or (name in AMBIGUOUS_MONTHS and prefix != "in")):
        return None
    if prefix in ("last", "this", "next"):
        year = today.year
        if prefix == "last":
            year -= number >= today.month
        elif prefix == "next":
            year += number <= today.month
        return _relative((match.start() - len(prefix) - 1, match.end()), periods.month(year, number), has_year=True)
    return Found(*match.span(), *periods.whole_month(today, number, None), relative=False)


def _quarter(place: Place) -> Found | None:
    match, today, text = place.match, place.today, place.text
    if not match["y"] and not text[match.start("core")].isupper():
        return None
    number, year = match["q"], int(match["y"]) if match["y"] else None
    first, after = periods.whole_quarter(today, _ORDINALS.get(number) or int(number), year)
    return Found(match.start("core"), match.end("core"), first, after, year is not None, False)


def _year(place: Place) -> Found | None:
    """A number after `in` or `since` is a year if it is near the reference's, and no thing that it counts follows."""
    match, today = place.match, place.today
    number = int(match["y"])
    if not 1950 <= number <= today.year + 20:
        return None
    return Found(match.start("y"), match.end("y"), *periods.year(number), has_year=True, relative=False)


_TO = r"(?:\s?[-\u2013]\s?(?P<to>[0-9]{1,2})(?:st|nd|rd|th)?)?"
_REL_YEAR = r"(?P<relyear>last|this|next)\s+year"
_SURE = frozenset(("on", "since", "until", "till", "by", "before", "after", "from"))
_MONTH_PREFIX = re.compile(
    r"(?<![a-z0-9_])(in|on|since|until|till|by|during|from|before|after|of|early|mid|late|last|this|next|through|throughout"
    r"|between|starting|beginning|the)(?:\s|-)$"
)
_GLUE = re.compile(r"[a-z0-9_/.@#$\\\u00c0-\u024f-]")
_DIGIT_NEXT = re.compile(r"\s?[0-9]")
_MONTH_TAIL = rf"(?:(?:\s*,\s*|\.?\s+(?:of\s+)?|[-/]){_YEAR}|,?\s+(?:of\s+)?{_REL_YEAR})?{_END}"
_WEEKDAY_TAIL = r"(?:\s+(?:of\s+)?(?P<weekof>last|this|next)\s+week)?"
_WEEK_HEAD = r"(?P<week>last|this|next)\s+week(?:['\u2019]s|\s+on|,)?\s+"
_SKIP = r"every|each|any|good|black|cyber|ash|most|(?:week|weeks)\s+from"
# What may follow a bare year; a noun ("in 2000 files") may not.
_AFTER_YEAR = (
    r"(?=\s*(?:$|[,;:!?)\]\u3000-\u9fff\uac00-\ud7a3]|\.(?![0-9a-z])|\n|"
    r"\s(?:and|but|or|we|i|it|he|she|they|you|the|an?|our|my|his|her|their|was|were|is|are|had|has|have|did|when|where|"
    r"while|with|for|to|as|at|by|on|because|so|before|after|until|there|this|that|which|who|only|already|not)\b))"
)

RULES = (
    Rule(
        Needs(("day", "tomorrow", "night", "this morning", "this afternoon", "this evening")),
        rf"{_START}(?:(?:the\s+)?day\s+before\s+yesterday|(?:the\s+)?day\s+after\s+tomorrow|yesterday|today|tomorrow|tonight"
        rf"|last\s+night|this\s+(?:morning|afternoon|evening)){_END}",
        _day_word,
    ),
    Rule(
        _UNITS,
        rf"{_START}(?P<n>{ENGLISH_NUMBER})\s+(?:{_UNIT}|(?P<weekend>weekends?))\s+(?P<way>ago|from\s+(?:now|today)){_END}",
        _ago,
    ),
    Rule(
        _UNITS,
        rf"{_START}in\s+(?:about\s+)?(?P<n>{ENGLISH_NUMBER})\s+{_UNIT}(?:['\u2019]?\s+time)?{_END}"
        r"(?!['\u2019]|\s+(?:of|after|before|later|or|and|straight|flat|ago|a)\b)",
        _ahead,
    ),
    Rule(
        _UNITS,
        rf"{_START}(?:the\s+|these\s+)?(?:(?P<way>past|last|previous|next|coming)\s+(?P<n>{ENGLISH_NUMBER})\s+{_UNIT})"
        rf"{_END}",
        _window,
    ),
    Rule(
        _UNITS,
        rf"{_START}the\s+(?P<way>past)\s+(?P<n>){_UNIT}{_END}",
        _window,
    ),
    Rule(
        _UNITS,
        rf"{_START}(?:(?P<which>last|this|next|previous|current|coming)\s+(?P<unit>weekend|week|month|quarter|year)"
        rf"|the\s+(?P<before>week|month|quarter|year)\s+before\s+last){_END}(?!\s+of\b|\s+(?:and|or)\s+a\b)",
        _period,
    ),
    Rule(
        _UNITS,
        rf"{_START}(?P<core>(?P<q>first|second|third|fourth)\s+quarter\s+of\s+{_YEAR}){_END}",
        _quarter,
    ),
    Rule(
        _WEEKDAY_NAMES,
        rf"{_START}(?:{_WEEK_HEAD}|(?P<prefix>last|this|next|past|previous|coming|by|until|till|due(?:\s+on)?|{_SKIP})\s+)?"
        rf"(?P<weekday>{_FULL_DAYS}){_END}{_WEEKDAY_TAIL}",
        _weekday,
    ),
    Rule(
        _WEEKDAY_NAMES,
        rf"{_START}(?:{_WEEK_HEAD}|(?P<prefix>last|this|next|past|by|until|till)\s+)(?P<weekday>{_SHORT_DAYS}){_END}{_WEEKDAY_TAIL}",
        _short_weekday,
    ),
    Rule(
        # It begins with the month, not with what may stand before, because such a pattern is searched far faster.
        _MONTH_NAMES,
        rf"{_MONTH}(?![a-z])(?:(?P<dot>\.(?=\x20))?(?:\s{{1,2}}|-|/)(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?"
        rf"(?![0-9a-z%]|[.:,][0-9]){_TO})?{_MONTH_TAIL}",
        _month,
    ),
    Rule(
        _MONTH_NAMES,
        r"(?P<d>[0-9](?<![a-z0-9_/.@#$\\-][0-9])[0-9]?)(?P<to>)?(?:(?:st|nd|rd|th)?(?P<sure>\s+of)\s+"
        rf"|(?:st|nd|rd|th)\s+|\s{{1,2}}|-|/){_MONTH}(?![a-z]){_MONTH_TAIL}",
        _day_month,
    ),
    Rule(
        _QUARTERS,
        rf"{_START}(?P<core>q(?P<q>[1-4])(?:\s+(?:of\s+)?|[-/]){_YEAR}){_END}",
        _quarter,
    ),
    Rule(
        _QUARTERS,
        rf"{_START}(?P<core>(?P<y>(?:19|20)[0-9]{{2}})[\s-]?q(?P<q>[1-4])){_END}",
        _quarter,
    ),
    Rule(
        # Alone, Q4 is as likely a way to store numbers as a part of the year.
        _QUARTERS,
        rf"{_START}(?:in|by|during|since|until|before|after)\s+(?P<core>q(?P<q>[1-4]))(?P<y>\b){_END}(?!\s+(?:format|quant|weights|gguf|precision))",
        _quarter,
    ),
    Rule(
        Needs(("19", "20")),
        rf"{_START}(?:in|since|during|year|early|late|mid)[\s-](?:the\s+year\s+)?(?P<y>(?:19|20)[0-9]{{2}})(?![0-9a-z_%]){_AFTER_YEAR}",
        _year,
    ),
)
