"""The words that dates are written with, in four languages, and their numerals. Tables only, no rules."""

import re

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
            "august aug", "september sept sep", "october oct", "november nov", "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip

# English words too: they count as months only in company that leaves no doubt.
AMBIGUOUS_MONTHS = frozenset({"may", "march", "mar"})

WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday mon", "tuesday tues tue", "wednesday wed", "thursday thurs thur thu", "friday fri",
            "saturday sat", "sunday sun",
        )
    )
    for name in names.split()
}  # fmt: skip

# A weekday and nothing else, in any of the languages, lower-cased.
WEEKDAY_ALONE = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|週|星期|礼拜|禮拜)[^末]|.曜日?|.요일")

ENGLISH_DAYS = {
    "the day before yesterday": -2, "day before yesterday": -2, "yesterday": -1, "last night": -1,
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0,
    "tomorrow": 1, "the day after tomorrow": 2, "day after tomorrow": 2,
}  # fmt: skip

_ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES = {word: value for value, word in enumerate(_ONES + _TEENS, start=1)}
_VALUES |= {word: 10 * value for value, word in enumerate(_TENS, start=2)}
_VALUES |= {"a": 1, "an": 1}

# Longer alternatives first: the first one that fits wins.
ENGLISH_NUMBER = (
    r"(?<![0-9][.,])(?:[0-9]{1,3}|half\s+an?|a\s+couple(?:\s+of)?|couple\s+of|an?"
    rf"|(?:{'|'.join(_TENS)})(?:[\s-](?:{'|'.join(_ONES)}))?|{'|'.join(_TEENS)}|{'|'.join(_ONES)})"
)

# Days from today. Japanese and Chinese share characters and, here, meanings.
HAN_DAYS = {
    "大前天": -3, "さきおととい": -3, "前天": -2, "一昨日": -2, "おととい": -2, "昨天": -1, "昨日": -1, "きのう": -1,
    "昨晚": -1, "昨夜": -1, "昨晩": -1, "今天": 0, "今日": 0, "本日": 0, "今早": 0, "今晚": 0, "今朝": 0, "今晩": 0,
    "明天": 1, "明日": 1, "あした": 1, "后天": 2, "後天": 2, "明後日": 2, "あさって": 2, "大后天": 3, "大後天": 3,
    "しあさって": 3,
}  # fmt: skip
HAN_YEARS = {
    "一昨年": -2, "おととし": -2, "前年": -2, "去年": -1, "昨年": -1, "今年": 0, "本年": 0, "明年": 1, "来年": 1,
    "來年": 1, "再来年": 2, "后年": 2, "後年": 2,
}  # fmt: skip
HAN_WHICH = {
    "上上": -2, "先々": -2, "上一": -1, "上": -1, "先": -1, "这": 0, "這": 0, "本": 0, "今": 0, "下一": 1, "下": 1,
    "来": 1, "來": 1, "下下": 2, "再来": 2,
}  # fmt: skip
CHINESE_WEEKDAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
JAPANESE_WEEKDAYS = {"月": 0, "火": 1, "水": 2, "木": 3, "金": 4, "土": 5, "日": 6}
ERAS = {"令和": 2018, "平成": 1988}

KOREAN_DAYS = {
    "그끄저께": -3, "그저께": -2, "그제": -2, "엊저녁": -1, "어제": -1, "어젯밤": -1, "오늘": 0, "내일": 1,
    "모레": 2, "글피": 3,
}  # fmt: skip
KOREAN_YEARS = {"재작년": -2, "작년": -1, "지난해": -1, "지난 해": -1, "올해": 0, "금년": 0, "내년": 1, "내후년": 2}
KOREAN_WHICH = {"지지난": -2, "저저번": -2, "지난": -1, "저번": -1, "이번": 0, "다음": 1, "다다음": 2}
KOREAN_WEEKDAYS = {"월": 0, "화": 1, "수": 2, "목": 3, "금": 4, "토": 5, "일": 6}
KOREAN_DAY_COUNTS = {
    "하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "이레": 7, "여드레": 8, "아흐레": 9,
    "열흘": 10, "보름": 15,
}  # fmt: skip
_KOREAN_NATIVE = {
    "한": 1, "두": 2, "세": 3, "석": 3, "네": 4, "넉": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9,
    "열": 10, "열한": 11, "열두": 12,
}  # fmt: skip
KOREAN_NUMBER = r"(?:[0-9]{1,3}|[일이삼사오육칠팔구십백]{1,5}|열한|열두|다섯|여섯|일곱|여덟|아홉|[한두세석네넉열])"

HAN_NUMBER = "(?:[0-9]{1,3}|[〇零一二三四五六七八九十百两兩]{1,5})"

_DIGITS = {digit: value for value, digits in enumerate(("〇零영", "一일", "二两兩이", "三삼", "四사", "五오", "六육",
                                                      "七칠", "八팔", "九구")) for digit in digits}  # fmt: skip
_SCALES = {"十": 10, "십": 10, "百": 100, "백": 100}


def english_number(words: str) -> int:
    """The value of a text that `ENGLISH_NUMBER` matched; ValueError for halves."""
    if words.isdigit():
        return int(words)
    if words.startswith("half"):
        raise ValueError("not a whole number")
    if "couple" in words:
        return 2
    return sum(_VALUES[word] for word in words.replace("-", " ").split())


def east_asian_number(numeral: str) -> int:
    """The value of digits or of a Chinese, Japanese or Korean numeral below 1,000 (十二, 二十, 二〇二六, 십이, 두).

    Raises ValueError for what is no numeral (十十) or a vague one (两三天 is "two or three days", not 23).
    """
    if numeral.isdigit():
        return int(numeral)
    if numeral in _KOREAN_NATIVE:
        return _KOREAN_NATIVE[numeral]
    if not any(character in _SCALES for character in numeral):
        if len(numeral) in (2, 3) and not numeral.endswith(("〇", "零", "영")):
            raise ValueError(numeral)
        return int("".join(str(_DIGITS[character]) for character in numeral))
    total, pending, ceiling = 0, -1, 1000
    for character in numeral:
        scale = _SCALES.get(character)
        if scale is None:
            if pending > 0:
                raise ValueError(numeral)
            pending = _DIGITS[character]
        elif scale >= ceiling:
            raise ValueError(numeral)
        else:
            total, pending, ceiling = total + scale * (1 if pending < 0 else pending), -1, scale
    return total + max(pending, 0)
