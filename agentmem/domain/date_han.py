"""Chinese (both scripts) and Japanese dates: they share characters, so one set of rules reads both.

上週五, 上个星期五 and 先週の金曜日 are the Friday of the previous calendar week. A bare 周五 or 金曜日 is the latest
one, today included; before 前, 之前 or までに it is the first one from today on. 三天后 and 3日後 count from the
reference only where a clause begins, because 部署三天后 counts from the deployment. 3日以内 and 三天内 are the past
three days where the clause is in the past tense, else the coming ones.
"""

import re
from datetime import date

from agentmem.domain import date_periods as periods
from agentmem.domain.date_periods import Found, Needs, Period, Place, Rule
from agentmem.domain.date_words import (
    CHINESE_WEEKDAYS,
    ERAS,
    HAN_DAYS,
    HAN_NUMBER,
    HAN_WHICH,
    HAN_YEARS,
    JAPANESE_WEEKDAYS,
    east_asian_number,
)

_NOT_IN_NUMBER = r"(?<![0-9.〇零一二三四五六七八九十百千万萬数數几幾第点點/-])"
_MONTH = r"(?P<m>[0-9]{1,2}|十[一二]|[一二三四五六七八九十])\x20?月"
_DAY = r"(?P<d>[0-9]{1,2}|[一二三四五六七八九十]{1,3})\x20?(?:日|号|號)"
_YEAR_WORD = "|".join(sorted(HAN_YEARS, key=len, reverse=True))
_YEAR = r"(?P<y>[12][0-9]{3}|[〇零一二三四五六七八九]{4})\x20?年"
_UNIT = r"(?P<unit>[个個ヶか月カヵケ箇]月|天|日|周|週|[个個]?(?:星期|礼拜|禮拜)|年)"
_UNIT_NAMES = {
    "天": "day",
    "日": "day",
    "周": "week",
    "週": "week",
    "期": "week",
    "拜": "week",
    "月": "month",
    "年": "year",
}
_WHICH_WEEK = (
    r"(?:(?P<which>上上|上一|上|这|這|本|下下|下一|下)[个個]?(?:周|週|星期|礼拜|禮拜)|(?P<which2>先々|先|今|来|再来)週)"
)
_WHICH_MONTH = r"(?P<which>上上|上|这|這|本|下下|下|先々|先|今|来|再来)[个個]?月"
_WEEK_WORD = r"(?:周|週|星期|礼拜|禮拜)"
# What begins a clause, or may stand between a clause's subject and the time that it tells.
_CLAUSE = re.compile(r"(?:^|[\s,，.。、;；:：!！?？「『(（はがも]|请|請|在|将|將|我们|我們|你|我|再|会|會)$")
_PAST_TENSE = re.compile(
    r"[^。.!！?？\s]{0,24}?(?:[しいっえめけれきべせぎりちん][ただ](?![いらくがり])|[了过過](?!滤|濾|期|程|去))"
)


def _relative(match: re.Match[str], period: Period, *, has_year: bool = False) -> Found:
    return Found(*match.span(), *period, has_year=has_year)


def _date(place: Place) -> Found:
    match, today = place.match, place.today
    year: int | None = None
    word = match["word"]
    if match["era"]:
        year = ERAS[match["era"]] + int(match["ey"])
    elif match["y"]:
        year = (
            periods.full_year(str(east_asian_number(match["y"])))
            if match["y"].isdigit()
            else east_asian_number(match["y"])
        )
    elif word:
        year = today.year + HAN_YEARS[word]
    number = east_asian_number(match["m"])
    if match["d"]:
        period = periods.month_day(today, number, east_asian_number(match["d"]), year)
    else:
        period = periods.whole_month(today, number, year)
    return Found(*match.span(), *period, year is not None, bool(word))


def _quarter(place: Place) -> Found:
    match, today = place.match, place.today
    year = int(match["y"]) if match["y"] else None
    if match["word"]:
        year = today.year + HAN_YEARS[match["word"]]
    number = east_asian_number(match["q"] or match["q2"])
    return Found(*match.span(), *periods.whole_quarter(today, number, year), year is not None, bool(match["word"]))


def _year(place: Place) -> Found | None:
    match = place.match
    number = east_asian_number(match["y"])
    return Found(*match.span(), *periods.year(number), True, False) if 1900 <= number < 2200 else None


def _year_word(place: Place) -> Found:
    match, today = place.match, place.today
    return _relative(match, periods.around(today, HAN_YEARS[match[0]], "year"), has_year=True)


def _month(place: Place) -> Found:
    match, today = place.match, place.today
    first, after = periods.month_from(today, HAN_WHICH[match["which"]])
    if match["d"]:
        first, after = periods.day(first.replace(day=east_asian_number(match["d"])))
    return _relative(match, (first, after))


def _which_quarter(place: Place) -> Found:
    match, today = place.match, place.today
    return _relative(match, periods.around(today, HAN_WHICH[match["which"]], "quarter"))


def _week(place: Place) -> Found:
    match, today = place.match, place.today
    offset = HAN_WHICH[match["which"] or match["which2"]]
    if match["end"]:
        return _relative(match, periods.weekend(today, offset))
    if match["chinese"]:
        return _relative(match, periods.weekday_in(today, CHINESE_WEEKDAYS[match["chinese"]], offset))
    if match["japanese"]:
        return _relative(match, periods.weekday_in(today, JAPANESE_WEEKDAYS[match["japanese"]], offset))
    return _relative(match, periods.week(today, offset))


def _weekday(place: Place) -> Found:
    match, today = place.match, place.today
    if match["day"] == "末":
        return _relative(match, periods.past_weekend(today))
    number = CHINESE_WEEKDAYS[match["day"]]
    return _bare_weekday(match, today, number)


def _bare_weekday(match: re.Match[str], today: date, number: int) -> Found:
    choose = periods.weekday_after if match["until"] is not None else periods.weekday_before
    return Found(match.start(), match.end("word"), *choose(today, number, with_today=True))


def _japanese_weekday(place: Place) -> Found:
    match, today = place.match, place.today
    number, prefix = JAPANESE_WEEKDAYS[match["day"]], match["prefix"] or ""
    if prefix.startswith(("次", "今度")):
        return Found(match.start(), match.end("word"), *periods.weekday_after(today, number))
    if prefix:
        return Found(match.start(), match.end("word"), *periods.weekday_before(today, number))
    return _bare_weekday(match, today, number)


def _day_word(place: Place) -> Found:
    match, today = place.match, place.today
    return _relative(match, periods.day(periods.shift(today, HAN_DAYS[match[0]], "day")))


def _count(match: re.Match[str]) -> tuple[int, str]:
    """The number and unit of 三天, 2週間, 半年 or 半个月."""
    if match["half"]:
        return (6, "month") if match["half"].endswith("年") else (15, "day")
    return east_asian_number(match["n"]), _UNIT_NAMES[match["unit"][-1]]


def _distance(place: Place) -> Found | None:
    match, today, text = place.match, place.today, place.text
    count, unit = _count(match)
    ahead = match["way"] != "前"
    if ahead and not _CLAUSE.search(text[max(0, match.start() - 4) : match.start()]):
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


_WEEKS = Needs(("周", "週", "星期", "礼拜", "禮拜"))
_MONTHS = Needs(("月",))
_COUNT = rf"(?:{_NOT_IN_NUMBER}(?P<n>{HAN_NUMBER})\x20?{_UNIT}(?:間|间)?|(?P<half>半年|半[个個]月))"

RULES = (
    Rule(
        _MONTHS,
        rf"{_NOT_IN_NUMBER}(?:(?:(?P<era>令和|平成)(?P<ey>[0-9]{{1,2}})年|(?P<y>[12][0-9]{{3}}|[0-9]{{2}}|[〇零一二三四五六七八九]{{4}})"
        rf"\x20?年|(?P<word>{_YEAR_WORD}))の?\x20?)?{_NOT_IN_NUMBER}{_MONTH}"
        rf"(?:の?\x20?{_DAY}(?![本館馆间間])|份|(?![間间刊額额薪票給给号號天球亮台曜]))",
        _date,
    ),
    Rule(
        Needs(("季度", "四半期", "年q", "年第", "年 q")),
        rf"(?:{_NOT_IN_NUMBER}(?:(?P<y>(?:19|20)[0-9]{{2}})年|(?P<word>{_YEAR_WORD}))の?)?"
        r"(?:第(?P<q>[1-4一二三四])(?:季度|四半期)|(?<=年)\x20?q(?P<q2>[1-4])(?![0-9a-z_]))",
        _quarter,
    ),
    Rule(Needs(("年",)), rf"{_NOT_IN_NUMBER}{_YEAR}度?(?![代間间後后物生]|\x20?[0-9]{{1,2}}\x20?月)", _year),
    Rule(Needs(tuple(HAN_YEARS)), rf"(?<![目以之0-9])(?:{_YEAR_WORD})(?![前後后])", _year_word),
    Rule(_MONTHS, rf"(?<![以之路马馬零])(?<!の){_WHICH_MONTH}(?:[的の]?{_DAY})?(?![球亮台経])", _month),
    Rule(Needs(("季度", "四半期")), r"(?P<which>上上|上|这|這|本|下|先|今|来)[个個]?(?:季度|四半期)", _which_quarter),
    Rule(
        _WEEKS,
        rf"(?<![以年]){_WHICH_WEEK}(?:(?:の\x20?(?=[月火水木金土日]曜))?(?P<japanese>[月火水木金土日])曜日?|の?(?P<end>末)"
        rf"|的?{_WEEK_WORD}?(?P<chinese>[一二三四五六日天])(?![次个個天本十]))?(?![期年边邊围圍刊报報间間])",
        _week,
    ),
    Rule(
        _WEEKS,
        rf"(?<![上下本这這个個每各一二三四五六七八九十两兩几幾单單双雙\d先今来毎])(?P<word>{_WEEK_WORD}(?P<day>[一二三四五六日天末]))"
        r"(?![一二三四五六七八九十\d次回个個天期年岁歲到至\-~本])(?P<until>(?:之|以)?前|までに?)?",
        _weekday,
    ),
    Rule(
        Needs(("曜",)),
        r"(?<![毎先今来]週)(?<![毎先今来]週の)(?P<prefix>この前の|前の|次の|今度の)?(?P<word>(?P<day>[月火水木金土日])曜日?)"
        r"(?![日〜~ご毎])(?P<until>までに?)?",
        _japanese_weekday,
    ),
    Rule(
        Needs(tuple(HAN_DAYS)),
        rf"(?<![0-9目以之])(?:{'|'.join(sorted(HAN_DAYS, key=len, reverse=True))})(?![气氣赋賦])",
        _day_word,
    ),
    Rule(Needs(("前", "后", "後")), rf"{_COUNT}[之以の]?(?P<way>前|后|後)(?![置端面者缀綴])", _distance),
    Rule(
        Needs(("内", "內", "最近", "过去", "過去", "近", "ここ")),
        rf"(?P<past>(?:最近|过去|過去|直近|近|ここ)[の这這]?\x20?)?{_COUNT}(?P<within>以内|以內|之内|之內|内|內)?(?![容存部外])",
        _window,
    ),
)
