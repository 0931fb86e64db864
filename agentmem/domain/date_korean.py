"""Korean dates.

지난주 금요일 is the Friday of the previous calendar week, 지난 금요일 the latest Friday before today, 다음 금요일 the
first after it. A bare 금요일 is the latest one, today included; with 까지 the first one from today on. 3일 후 counts
from the reference only where a clause begins, because 배포 3일 후 counts from the deployment.
"""

import re

from agentmem.domain import date_periods as periods
from agentmem.domain.date_periods import Found, Needs, Period, Place, Rule
from agentmem.domain.date_words import (
    KOREAN_DAY_COUNTS,
    KOREAN_DAYS,
    KOREAN_NUMBER,
    KOREAN_WEEKDAYS,
    KOREAN_WHICH,
    KOREAN_YEARS,
    east_asian_number,
)

_START = r"(?<![0-9가-힣.,/-])"
_YEAR_WORD = "|".join(sorted(KOREAN_YEARS, key=len, reverse=True))
_WHICH = rf"(?P<which>{'|'.join(sorted(KOREAN_WHICH, key=len, reverse=True))})"
_UNIT = r"(?P<unit>일|주일?|개월|달|년)"
_UNIT_NAMES = {"일": "day", "주": "week", "주일": "week", "개월": "month", "달": "month", "년": "year"}
_COUNT = rf"(?:(?P<word>{'|'.join(KOREAN_DAY_COUNTS)})|(?P<half>반년)|(?P<n>{KOREAN_NUMBER})\s?{_UNIT})"
_CLAUSE = re.compile(r"(?:^|[,.;:!?\n(]\s?|[은는이가을를에]\s)$")
_PAST_TENSE = re.compile(r"[^.!?\n]{0,24}?[았었했됐갔왔났혔졌]")


def _relative(match: re.Match[str], period: Period, *, has_year: bool = False) -> Found:
    return Found(*match.span(), *period, has_year=has_year)


def _date(place: Place) -> Found:
    match, today = place.match, place.today
    year, word = periods.full_year(match["y"]) if match["y"] else None, match["word"]
    if word:
        year = today.year + KOREAN_YEARS[word]
    number = int(match["m"])
    if match["d"]:
        period = periods.month_day(today, number, int(match["d"]), year)
    else:
        period = periods.whole_month(today, number, year)
    return Found(*match.span(), *period, year is not None, bool(word))


def _year(place: Place) -> Found:
    match = place.match
    return Found(*match.span(), *periods.year(int(match["y"])), True, False)


def _quarter(place: Place) -> Found:
    match, today = place.match, place.today
    year = int(match["y"]) if match["y"] else None
    return Found(*match.span(), *periods.whole_quarter(today, int(match["q"]), year), year is not None, False)


def _year_word(place: Place) -> Found:
    match, today = place.match, place.today
    return _relative(match, periods.around(today, KOREAN_YEARS[match[0]], "year"), has_year=True)


def _period(place: Place) -> Found:
    match, today = place.match, place.today
    unit, offset = match["unit"], KOREAN_WHICH[match["which"]]
    if unit == "주말":
        return _relative(match, periods.weekend(today, offset))
    if unit == "분기":
        return _relative(match, periods.around(today, offset, "quarter"))
    if unit == "달":
        first, after = periods.month_from(today, offset)
        if match["d"]:
            first, after = periods.day(first.replace(day=int(match["d"])))
        return _relative(match, (first, after))
    if match["weekday"]:
        return _relative(match, periods.weekday_in(today, KOREAN_WEEKDAYS[match["weekday"]], offset))
    return _relative(match, periods.week(today, offset))


def _weekday(place: Place) -> Found:
    match, today = place.match, place.today
    number, which = KOREAN_WEEKDAYS[match["weekday"]], match["which"]
    span = match.start(), match.end("name")
    if which:
        offset = KOREAN_WHICH[which]
        if offset == 0:
            return Found(*span, *periods.weekday_in(today, number, 0))
        return Found(*span, *(periods.weekday_before if offset < 0 else periods.weekday_after)(today, number))
    choose = periods.weekday_after if match["until"] else periods.weekday_before
    return Found(*span, *choose(today, number, with_today=True))


def _weekend(place: Place) -> Found:
    match, today = place.match, place.today
    return _relative(match, periods.past_weekend(today))


def _day_word(place: Place) -> Found:
    match, today = place.match, place.today
    return _relative(match, periods.day(periods.shift(today, KOREAN_DAYS[match[0]], "day")))


def _count(match: re.Match[str]) -> tuple[int, str]:
    if match["half"]:
        return 6, "month"
    if match["word"]:
        return KOREAN_DAY_COUNTS[match["word"]], "day"
    return east_asian_number(match["n"]), _UNIT_NAMES[match["unit"]]


def _distance(place: Place) -> Found | None:
    match, today, text = place.match, place.today, place.text
    count, unit = _count(match)
    ahead = match["way"] != "전"
    if ahead and not _CLAUSE.search(text[max(0, match.start() - 3) : match.start()]):
        return None
    return _relative(match, periods.day(periods.shift(today, count if ahead else -count, unit)))


def _window(place: Place) -> Found | None:
    match, today, text = place.match, place.today, place.text
    past = match["past"] is not None
    if not past and match["within"] is None:
        return None
    count, unit = _count(match)
    past = past or _PAST_TENSE.match(text, match.end()) is not None
    return _relative(match, (periods.trailing if past else periods.coming)(today, count, unit))


RULES = (
    Rule(
        Needs(("월",)),
        rf"{_START}(?:(?:(?P<y>[12][0-9]{{3}}|[0-9]{{2}})년|(?P<word>{_YEAR_WORD}))\s?)?(?<![0-9.,/])(?P<m>[0-9]{{1,2}})월"
        r"(?:\s?(?P<d>[0-9]{1,2})일|(?![가-힣]*[급간세식]))",
        _date,
    ),
    Rule(Needs(("년",)), rf"{_START}(?P<y>(?:19|20)[0-9]{{2}})년(?!\s?(?:전|간|후|뒤|대|째|만|동안|[0-9]))", _year),
    Rule(
        Needs(("분기",)),
        rf"{_START}(?:(?P<y>(?:19|20)[0-9]{{2}})년\s?)?(?P<q>[1-4])\s?분기(?![가-힣]*[점별])",
        _quarter,
    ),
    Rule(Needs(tuple(KOREAN_YEARS)), rf"(?<![가-힣])(?:{_YEAR_WORD})", _year_word),
    Rule(
        Needs(tuple(KOREAN_WHICH)),
        rf"(?<![가-힣]){_WHICH}\s?(?:(?P<unit>주말|주|분기|달)(?![제소장식머년])(?:(?<=주)\s?(?P<weekday>[월화수목금토일])요일"
        r"|(?<=달)\s?(?P<d>[0-9]{1,2})일)?)",
        _period,
    ),
    Rule(
        Needs(("요일",)),
        rf"(?<![가-힣])(?:{_WHICH}\s?)?(?<!매주\s)(?<!마다\s)(?P<name>(?P<weekday>[월화수목금토일])요일)(?!마다)(?P<until>까지|\s전까지)?",
        _weekday,
    ),
    Rule(Needs(("주말",)), r"(?<![가-힣])(?<!매\s)(?<!매주\s)주말(?!마다)", _weekend),
    Rule(
        Needs(tuple(KOREAN_DAYS)),
        rf"(?<![가-힣])(?:{'|'.join(sorted(KOREAN_DAYS, key=len, reverse=True))})(?![날야서]|[가-힣]?네)",
        _day_word,
    ),
    Rule(
        Needs(("전", "후", "뒤")),
        rf"{_START}{_COUNT}\s?(?P<way>전|후|뒤)(?!체|부(?!터)|문|용|후|혀|달|국|기|화|송|원|환|략|보|속|자|담)",
        _distance,
    ),
    Rule(
        Needs(("최근", "지난", "이내", "안에", "내에")),
        rf"{_START}(?P<past>(?:최근|지난)\s?)?(?:(?<=[\s근난])|(?<![가-힣])){_COUNT}(?:\s?(?P<within>이내|안에|내에)|간|동안)?(?![요말])",
        _window,
    ),
)
