"""Questions about elapsed time, answered by calendar arithmetic and never by a model.

`ask` takes a question apart ("how many days after the April 10 incident was the limit raised?") into a unit and the
phrases for one or two happenings. A phrase that names a date is dated by rule; for any other the caller looks up a
memory. `say` puts the count and both dates into one sentence in the question's language.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from agentmem.domain.date_periods import add_months
from agentmem.domain.date_words import WEEKDAY_ALONE
from agentmem.domain.dates import DateMention, find_dates, to_utc
from agentmem.recall.elapsed_forms import FORMS, TRADITIONAL, UNITS

_LONGEST = 300  # characters; a longer text is no question
_SENTENCE_END = re.compile(r"(?<=[。！!?？])\s*(?=.)|(?<=[a-z가-힣]{2}\.)\s")
_YEAR_AHEAD = timedelta(days=304)  # with the 60 days that a date without a year may lie ahead, one day short of a year


class Direction(StrEnum):
    """What is counted."""

    BETWEEN = "between"  # whichever of the two came first
    AFTER = "after"  # from the first to the second, which came later
    BEFORE = "before"  # from the second, which came earlier, to the first
    SINCE = "since"  # from the first to the reference
    UNTIL = "until"  # from the reference to the first
    WHEN = "when"  # only the date of the first


@dataclass(frozen=True, slots=True)
class ElapsedQuestion:
    """A question about elapsed time, taken apart.

    Args:
        unit: `day`, `week`, `month` or `year`.
        first: the phrase for the first happening.
        second: the phrase for the other one; None means the reference.
        direction: what is counted.
        language: `en`, `zh-Hans`, `zh-Hant`, `ja` or `ko`.
    """

    unit: str
    first: str
    second: str | None
    direction: Direction
    language: str


def ask(text: str) -> ElapsedQuestion | None:
    """The elapsed-time question that a text asks, or None if it asks none."""
    question = " ".join(text.split())
    if not question or len(question) > _LONGEST:
        return None
    for sentence in reversed(_SENTENCE_END.split(question)):
        asked = _take_apart(
            sentence.strip(" ?？。.!！'\"「」“”").removeprefix("请问").removeprefix("請問").strip(" ,，")
        )
        if asked is not None:
            return asked
    return None


def date_of(phrase: str, reference: datetime) -> DateMention | None:
    """The first date that a phrase names, or None."""
    mentions = find_dates(phrase, reference)
    return mentions[0] if mentions else None


def elapsed(start: datetime, end: datetime, unit: str) -> int:
    """Whole days, weeks, months or years from the calendar day of `start` to that of `end`; negative if it is earlier.

    Both are seen in the zone of `start`. A month is over on the same day of the next one, or on its last day where
    that month is shorter: from 31 January to 28 February is one month.
    """
    if end.tzinfo is not None and start.tzinfo is not None:
        end = end.astimezone(start.tzinfo)
    first, last = start.date(), end.date()
    days = (last - first).days
    if unit == "day":
        return days
    if unit == "week":
        return -(-days // 7) if days < 0 else days // 7
    if days < 0:
        return -elapsed(end, start, unit)
    months = (last.year - first.year) * 12 + last.month - first.month
    if add_months(first, months) > last:
        months -= 1
    return months if unit == "month" else months // 12


def say(question: ElapsedQuestion, start: datetime, end: datetime) -> str:
    """The answer in the question's language, with the count and both dates.

    Args:
        question: from `ask`.
        start: when the question's first happening was.
        end: when the second was; the reference if there is none. The dates are shown in the zone of `start`.
    """
    if question.direction is Direction.WHEN:
        return _say_when(question.language, start, end)
    backwards = question.direction in (Direction.BEFORE, Direction.UNTIL)
    earlier, later = (end, start) if backwards else (start, end)
    days = elapsed(earlier, later, "day")
    against = days < 0 and question.direction is not Direction.BETWEEN
    if days < 0:
        earlier, later = later, earlier
    count = abs(elapsed(earlier, later, question.unit))
    words = _amount(count, question.unit, question.language)
    rest = _amount(abs(days), "day", question.language)
    if question.unit != "day":
        words = f"{words} ({rest})" if question.language in ("en", "ko") else f"{words}({rest})"
    zone = start.tzinfo
    since, until = (moment.astimezone(zone).date().isoformat() if zone else moment.date().isoformat()
                    for moment in (earlier, later))  # fmt: skip
    sentence = _SENTENCES[question.language].format(words=words, since=since, until=until)
    return sentence + (_AGAINST[question.language] if against else "")


def answer(text: str, reference: datetime, lookup: Callable[[str], datetime | None]) -> str | None:
    """The sentence that answers an elapsed-time question, or None: no such question, or a happening without a date.

    Args:
        text: what was asked.
        reference: what "now" means; its zone is that of the dates shown.
        lookup: tells when the happening that a phrase describes was; asked only for phrases without a date.
    """
    question = ask(text)
    if question is None:
        return None
    reference = reference if reference.tzinfo else reference.replace(tzinfo=UTC)
    first = _mention(question, question.first, reference)
    second = date_of(question.second, reference) if question.second else None
    try:
        if first and second:
            first, second = _same_year(question, first, second)
        start = first.start if first else lookup(question.first)
        end = (second.start if second else lookup(question.second)) if question.second else reference
        if start is None or end is None:
            return None
        zone = reference.tzinfo or UTC
        return say(question, to_utc(start, zone).astimezone(zone), to_utc(end, zone).astimezone(zone))
    except OverflowError:
        return None


def _take_apart(sentence: str) -> ElapsedQuestion | None:
    low = sentence.lower()
    for form in FORMS:
        match = form.expression.search(sentence) if any(need in low for need in form.needs) else None
        if match is None:
            continue
        groups = match.groupdict()
        # In 限流是什么时候提高的 and 한도를 언제 올렸어 the happening stands on both sides of the question word.
        joint = "" if form.language == "zh" else " "
        first = _phrase(groups["x"].strip() + joint + (groups.get("tail") or "").strip())
        second = _phrase(groups.get("y") or "") or None
        if not first or (form.two and second is None):
            continue
        language = form.language
        if language == "zh":
            language = "zh-Hant" if TRADITIONAL.search(sentence) else "zh-Hans"
        unit = UNITS[(groups.get("unit") or "day").lower().replace(" ", "")]
        return ElapsedQuestion(unit, first, second, Direction(form.direction), language)
    return None


def _phrase(words: str) -> str:
    return words.strip(" ,，、的の:：'\"「」“”")


def _mention(question: ElapsedQuestion, phrase: str, reference: datetime) -> DateMention | None:
    """The date of a phrase; one that is asked for with "until" lies ahead where the text leaves the choice."""
    mention = date_of(phrase, reference)
    if mention is None or question.direction is not Direction.UNTIL or mention.end > reference:
        return mention
    if not mention.relative and not mention.has_year:
        return _again(phrase, reference, _YEAR_AHEAD) or mention
    if (
        mention.relative
        and reference - mention.start < timedelta(days=8)
        and WEEKDAY_ALONE.fullmatch(mention.text.lower())
    ):
        return _again(phrase, reference, timedelta(days=7)) or mention
    return mention


def _again(phrase: str, reference: datetime, later: timedelta) -> DateMention | None:
    try:
        return date_of(phrase, reference + later)
    except OverflowError:
        return None


def _same_year(question: ElapsedQuestion, first: DateMention, second: DateMention) -> tuple[DateMention, DateMention]:
    """Of two dates, one with a year dates the other: "between April 10, 2024 and May 2" is May 2024."""
    back = question.direction is Direction.BEFORE
    if first.has_year and not second.has_year and not second.relative:
        anchor = first.start if back else first.start + _YEAR_AHEAD
        return first, date_of(second.text, anchor - timedelta(days=60) if back else anchor) or second
    if second.has_year and not first.has_year and not first.relative:
        anchor = second.start + _YEAR_AHEAD if back else second.start - timedelta(days=60)
        return date_of(first.text, anchor) or first, second
    return first, second


_NAMES = {
    "en": {"day": "day", "week": "week", "month": "month", "year": "year"},
    "zh-Hans": {"day": "天", "week": "周", "month": "个月", "year": "年"},
    "zh-Hant": {"day": "天", "week": "週", "month": "個月", "year": "年"},
    "ja": {"day": "日間", "week": "週間", "month": "か月", "year": "年"},
    "ko": {"day": "일", "week": "주", "month": "개월", "year": "년"},
}
_SENTENCES = {
    "en": "{words}: from {since} to {until}.",
    "zh-Hans": "{words}：从{since}到{until}。",
    "zh-Hant": "{words}：從{since}到{until}。",
    "ja": "{words}：{since}から{until}まで。",
    "ko": "{words}: {since}부터 {until}까지.",
}
# Added where the happenings came in the other order than the question takes for granted.
_AGAINST = {
    "en": " The order is the other way round than asked.",
    "zh-Hans": "先后顺序与问题相反。",
    "zh-Hant": "先後順序與問題相反。",
    "ja": "順序は質問と逆です。",
    "ko": " 순서는 질문과 반대입니다.",
}
_WHEN = {
    "en": ("{date}, today.", "{date}, {words} ago.", "{date}, in {words}."),
    "zh-Hans": ("{date}，今天。", "{date}，{words}前。", "{date}，{words}后。"),
    "zh-Hant": ("{date}，今天。", "{date}，{words}前。", "{date}，{words}後。"),
    "ja": ("{date}、今日です。", "{date}、{words}前です。", "{date}、{words}後です。"),
    "ko": ("{date}, 오늘입니다.", "{date}, {words} 전입니다.", "{date}, {words} 후입니다."),
}


def _amount(count: int, unit: str, language: str) -> str:
    name = _NAMES[language][unit]
    return f"{count} {name}{'' if count == 1 else 's'}" if language == "en" else f"{count}{name}"


def _say_when(language: str, start: datetime, end: datetime) -> str:
    days = elapsed(start, end, "day")
    words = _amount(abs(days), "day", language).removesuffix("間")
    form = _WHEN[language][0 if days == 0 else 1 if days > 0 else 2]
    return form.format(date=start.date().isoformat(), words=words)
