import time
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmem.domain.dates import find_dates, parse_when
from agentmem.errors import UsageError

NOW = datetime(2026, 4, 15, 12, tzinfo=UTC)  # a Wednesday


def days(text, reference=NOW):
    """The mentions of a text: `2026-04-10` for one day, `2026-04-06/2026-04-13` for longer ones."""
    found = []
    for mention in find_dates(text, reference):
        start, end = (moment.astimezone(reference.tzinfo).date() for moment in (mention.start, mention.end))
        found.append(str(start) if end - start == timedelta(1) else f"{start}/{end}")
    return found


ENGLISH = [
    ("the April 10 incident broke prod", ["2026-04-10"]),
    ("we met on 10 April 2026 at noon", ["2026-04-10"]),
    ("Apr 10th, 2026 was the deploy", ["2026-04-10"]),
    ("on the 10th of April, 2025", ["2025-04-10"]),
    ("from April 10-12, 2026", ["2026-04-10/2026-04-13"]),
    ("Fri, 10 Apr 2026 10:00:00 GMT", ["2026-04-10"]),
    ("Friday, April 10, we met", ["2026-04-10"]),
    ("Friday and April 9", ["2026-04-10", "2026-04-09"]),
    ("10/Apr/2026:13:55:36 GET /", ["2026-04-10"]),
    ("released on 2026-04-10, by Ann", ["2026-04-10"]),
    ("on 4/10/2026 it failed", ["2026-04-10"]),
    ("on 25/3/2026 it failed", ["2026-03-25"]),
    ("12/31/25 was calm", ["2025-12-31"]),
    ("seit 10.04.2026", ["2026-04-10"]),
    ("in April we shipped", ["2026-04-01/2026-05-01"]),
    ("in April 2025", ["2025-04-01/2025-05-01"]),
    ("April last year", ["2025-04-01/2025-05-01"]),
    ("last April", ["2025-04-01/2025-05-01"]),
    ("next June", ["2026-06-01/2026-07-01"]),
    ("in 2025 it was slower", ["2025-01-01/2026-01-01"]),
    ("Q3 2026 goal", ["2026-07-01/2026-10-01"]),
    ("the third quarter of 2026", ["2026-07-01/2026-10-01"]),
    ("last quarter", ["2026-01-01/2026-04-01"]),
    ("December 25", ["2025-12-25"]),  # 254 days ahead: last year's
    ("June 1", ["2026-06-01"]),  # 47 days ahead: this year's
    ("February 29", ["2024-02-29"]),
    ("deployed yesterday", ["2026-04-14"]),
    ("today and tomorrow", ["2026-04-15", "2026-04-16"]),
    ("fixed it the day before yesterday", ["2026-04-13"]),
    ("the day after tomorrow", ["2026-04-17"]),
    ("last night", ["2026-04-14"]),
    ("three days ago I moved", ["2026-04-12"]),
    ("thirty-one days ago", ["2026-03-15"]),
    ("a couple of weeks ago", ["2026-04-01"]),
    ("half a year ago", ["2025-10-15"]),
    ("two weekends ago", ["2026-04-04/2026-04-06"]),
    ("see you in 5 days", ["2026-04-20"]),
    ("a week from now", ["2026-04-22"]),
    ("the past 3 days", ["2026-04-12/2026-04-16"]),
    ("the past week", ["2026-04-08/2026-04-16"]),
    ("last week we shipped", ["2026-04-06/2026-04-13"]),
    ("the week before last", ["2026-03-30/2026-04-06"]),
    ("this weekend", ["2026-04-18/2026-04-20"]),
    ("next month we launch", ["2026-05-01/2026-06-01"]),
    ("what did we decide last Tuesday?", ["2026-04-14"]),
    ("last Wednesday", ["2026-04-08"]),
    ("on Wednesday", ["2026-04-15"]),
    ("next Wednesday", ["2026-04-22"]),
    ("this Friday", ["2026-04-17"]),
    ("by Friday", ["2026-04-17"]),
    ("since Monday", ["2026-04-13"]),
    ("last week's Friday", ["2026-04-10"]),
    ("Friday last week", ["2026-04-10"]),
    ("Last Tues we met", ["2026-04-14"]),
]

EAST_ASIAN = [
    ("我们在2026年4月10日部署了", ["2026-04-10"]),
    ("4月10日的事故", ["2026-04-10"]),
    ("4月10日(周五)部署", ["2026-04-10"]),
    ("二〇二六年四月十日", ["2026-04-10"]),
    ("2026年4月发布", ["2026-04-01/2026-05-01"]),
    ("2025年很慢", ["2025-01-01/2026-01-01"]),
    ("2026年第三季度", ["2026-07-01/2026-10-01"]),
    ("去年四月", ["2025-04-01/2025-05-01"]),
    ("上个月15号", ["2026-03-15"]),
    ("昨天部署了什么", ["2026-04-14"]),
    ("大前天", ["2026-04-12"]),
    ("三天前我们决定用pnpm", ["2026-04-12"]),
    ("十二天前坏了", ["2026-04-03"]),
    ("兩週前部署", ["2026-04-01"]),
    ("一个月前", ["2026-03-15"]),
    ("三天后上线", ["2026-04-18"]),
    ("部署三天后崩溃", []),  # counts from the deployment
    ("最近三天", ["2026-04-12/2026-04-16"]),
    ("上周五部署了什么", ["2026-04-10"]),
    ("上週五部署了什麼?", ["2026-04-10"]),
    ("上个星期二", ["2026-04-07"]),
    ("上上个星期五", ["2026-04-03"]),
    ("下周一开会", ["2026-04-20"]),
    ("周五之前完成", ["2026-04-17"]),
    ("周五", ["2026-04-10"]),
    ("下个月", ["2026-05-01/2026-06-01"]),
    ("２０２６年４月１０日", ["2026-04-10"]),
    ("昨日デプロイした", ["2026-04-14"]),
    ("おととい直した", ["2026-04-13"]),
    ("三日前に決めた", ["2026-04-12"]),
    ("3日前に決めた", ["2026-04-12"]),
    ("二週間前", ["2026-04-01"]),
    ("1ヶ月前", ["2026-03-15"]),
    ("先週の金曜日にリリース", ["2026-04-10"]),
    ("来週の月曜日", ["2026-04-20"]),
    ("金曜日までに直す", ["2026-04-17"]),
    ("月曜から始めた", ["2026-04-13"]),
    ("先月始めた", ["2026-03-01/2026-04-01"]),
    ("先月10日", ["2026-03-10"]),
    ("令和8年4月10日", ["2026-04-10"]),
    ("3日以内に返信する", ["2026-04-15/2026-04-19"]),
    ("3日以内に決めたこと", ["2026-04-12/2026-04-16"]),
    ("어제 배포했다", ["2026-04-14"]),
    ("그저께 고쳤다", ["2026-04-13"]),
    ("3일 전에 뭘 결정했지?", ["2026-04-12"]),
    ("사흘 전에 배포", ["2026-04-12"]),
    ("한 달 전에", ["2026-03-15"]),
    ("지난주 금요일에 배포", ["2026-04-10"]),
    ("지난 금요일에 배포", ["2026-04-10"]),
    ("다음 주 월요일", ["2026-04-20"]),
    ("2026년 4월 10일에 배포", ["2026-04-10"]),
    ("4월 10일 금요일 사고", ["2026-04-10"]),
    ("4월 10일 사고", ["2026-04-10"]),
    ("작년 4월 10일", ["2025-04-10"]),
    ("다음 달 출시", ["2026-05-01/2026-06-01"]),
    ("최근 3일간", ["2026-04-12/2026-04-16"]),
    ("2026. 4. 10. 회의", ["2026-04-10"]),
]


@pytest.mark.parametrize(("text", "expected"), ENGLISH + EAST_ASIAN)
def test_dates_of_a_wednesday(text, expected):
    assert days(text) == expected


NONE = """upgrade to version 2.1.3 now
it may break and march on in a second
you may 5; of the 10 may fail; the 10th may pass
limit is 10,000 req/s on port 8080
server 192.168.1.10 at 10:30
call 555-123-4567 or +1 (555) 123-4567
1.2026 and 4.10.2026 and v2026.4.10
2026-02-30, 2026-13-01 and April 31
use pnpm, not npm
see the 404 page on line 12
go to the sun, sat down, and wed
the ratio is 3/4 of 12, or 1/2/3
in 2000 files, in 2048 bits, port 2025
we built it in 3 days
2.5 years ago, 1,000 days ago
every Monday, on Fridays, Black Friday, Monday.com
notes/yesterday.md and path/2026-04-10/x
a Q4 quantized model, q4_k_m
throughout the plan for April.\n3. Final
decided in December_2 or maybe
版本2.1.3有10个问题
一周三次, 上周期, 每周五
两三天前
目前天气不错
バージョン3.11を使う
毎週金曜日
3月間
버전 3.11을 쓴다
매주 금요일
오늘날 그제야
3일 전체
배포 3일 후""".splitlines()


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_date(text):
    assert days(text) == []


@pytest.mark.parametrize(
    ("reference", "text", "expected"),
    [
        ("2026-01-31", "in one month we launch", ["2026-02-28"]),
        ("2028-01-31", "in one month we launch", ["2028-02-29"]),
        ("2026-03-31", "a month ago", ["2026-02-28"]),
        ("2026-05-31", "三个月前", ["2026-02-28"]),
        ("2028-02-29", "a year ago", ["2027-02-28"]),
        ("2028-02-29", "four years ago", ["2024-02-29"]),
        ("2028-03-01", "昨日", ["2028-02-29"]),
        ("2026-03-01", "어제", ["2026-02-28"]),
        ("2026-01-01", "yesterday", ["2025-12-31"]),
        ("2026-01-01", "last week", ["2025-12-22/2025-12-29"]),
        ("2026-01-10", "last month", ["2025-12-01/2026-01-01"]),
        ("2026-12-20", "January 5", ["2027-01-05"]),
        ("2026-01-05", "December 28", ["2025-12-28"]),
        ("2026-04-12", "last week's Friday", ["2026-04-03"]),  # a Sunday belongs to the week that ends
        ("2026-04-13", "上周五", ["2026-04-10"]),  # on Monday a new one has begun
        ("2026-04-13", "last Monday", ["2026-04-06"]),
        ("2026-04-12", "last weekend", ["2026-04-04/2026-04-06"]),
        ("2026-11-20", "next quarter", ["2027-01-01/2027-04-01"]),
    ],
)
def test_borders_of_months_weeks_and_years(reference, text, expected):
    assert days(text, datetime.fromisoformat(reference).replace(hour=9, tzinfo=UTC)) == expected


def test_a_day_is_one_of_the_references_zone():
    seoul = datetime(2026, 4, 15, 0, 30, tzinfo=ZoneInfo("Asia/Seoul"))  # still the 14th in UTC
    mention = find_dates("어제", seoul)[0]
    assert (mention.start, mention.end) == (
        datetime(2026, 4, 13, 15, tzinfo=UTC),
        datetime(2026, 4, 14, 15, tzinfo=UTC),
    )
    evening = datetime(2026, 4, 14, 23, tzinfo=ZoneInfo("America/Los_Angeles"))
    assert find_dates("today", evening)[0].start == datetime(2026, 4, 14, 7, tzinfo=UTC)


def test_a_day_on_which_the_clocks_change():
    mention = find_dates("yesterday", datetime(2026, 3, 30, 9, tzinfo=ZoneInfo("Europe/Berlin")))[0]
    assert mention.end - mention.start == timedelta(hours=23)


def test_times_of_day_in_iso_form():
    moments = [
        (mention.start.isoformat(), (mention.end - mention.start).seconds)
        for mention in find_dates(
            "2026-04-10T08:30:00Z, 2026-04-10 08:30 and 2026-04-10T08:30:15+09:00",
            NOW.astimezone(timezone(timedelta(hours=2))),
        )
    ]
    assert moments == [
        ("2026-04-10T08:30:00+00:00", 1),
        ("2026-04-10T06:30:00+00:00", 60),
        ("2026-04-09T23:30:15+00:00", 1),
    ]


def test_what_a_mention_tells():
    text = "İ: since Monday; April 10 or 10 April 2025"
    found = find_dates(text, NOW)
    assert [(m.text, m.has_year, m.relative) for m in found] == [
        ("Monday", False, True),
        ("April 10", False, False),
        ("10 April 2025", True, False),
    ]
    assert all(text[slice(*m.span)] == m.text for m in found)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026-04-10", "2026-04-10T00:00", "2026-04-11T00:00"),
        ("2026-04-10T08:30", "2026-04-10T08:30", "2026-04-10T08:31"),
        ("2026-04-10 08:30:05+02:00", "2026-04-10T06:30:05", "2026-04-10T06:30:06"),
        ("20260410", "2026-04-10T00:00", "2026-04-11T00:00"),
        ("2026-04", "2026-04-01T00:00", "2026-05-01T00:00"),
        ("2025", "2025-01-01T00:00", "2026-01-01T00:00"),
        ("7d", "2026-04-08T12:00", "2026-04-15T12:00"),
        ("36h", "2026-04-14T00:00", "2026-04-15T12:00"),
        ("2w", "2026-04-01T12:00", "2026-04-15T12:00"),
        ("1m", "2026-03-15T12:00", "2026-04-15T12:00"),
        (" Yesterday ", "2026-04-14T00:00", "2026-04-15T00:00"),
        ("april", "2026-04-01T00:00", "2026-05-01T00:00"),
        ("since last week", "2026-04-06T00:00", "2026-04-13T00:00"),
        ("先週の金曜日", "2026-04-10T00:00", "2026-04-11T00:00"),
        ("3일 전", "2026-04-12T00:00", "2026-04-13T00:00"),
    ],
)
def test_options(text, start, end):
    expected = tuple(datetime.fromisoformat(moment).replace(tzinfo=UTC) for moment in (start, end))
    assert parse_when(text, NOW) == expected


@pytest.mark.parametrize(
    "text", ["", "soon", "2026-02-30", "99999y", "yesterday or so", "9999-12-31", "2026-04-10x", "7"]
)
def test_an_option_that_is_no_date(text):
    with pytest.raises(UsageError) as caught:
        parse_when(text, NOW)
    assert caught.value.hint


REFERENCES = st.datetimes(timezones=st.none() | st.timezones())
PIECES = (
    "last next this week friday in 3 days ago April 10 , 2026 the past may Q3 2026-04-10 12/31/25 上 周 五 三 天 前 年 月 日"
    " 以内 先週 の 金曜日 지난 주 금요일 전 후 한 달 9999 年 half a year 0 . - / T08:30 +25:99"
)
WORDS = st.sampled_from(PIECES.split())
TEXTS = st.text() | st.lists(WORDS | st.text(max_size=3), max_size=12).map(" ".join) | st.lists(WORDS).map("".join)


@given(TEXTS, REFERENCES)
@settings(max_examples=400, deadline=None)
def test_never_raises_and_spans_fit(text, reference):
    free = 0
    for mention in find_dates(text, reference):
        begin, stop = mention.span
        assert free <= begin < stop
        assert text[begin:stop] == mention.text
        assert mention.start < mention.end
        assert mention.start.utcoffset() == timedelta(0)
        free = stop
    try:
        start, end = parse_when(text, reference)
        assert start <= end
    except UsageError:
        pass


@given(st.dates(date(1900, 1, 1), date(2999, 12, 31)), st.sampled_from(["UTC", "Asia/Seoul", "America/New_York"]))
@settings(deadline=None)
def test_iso_dates_come_back(day, zone):
    reference = NOW.astimezone(ZoneInfo(zone))
    mentions = find_dates(f"On {day.isoformat()}, it broke", reference)
    assert [m.start.astimezone(reference.tzinfo).date() for m in mentions] == [day]
    assert parse_when(day.isoformat(), reference) == (mentions[0].start, mentions[0].end)


def test_a_long_text_costs_no_more_than_its_length():
    began = time.process_time()
    for piece in ("1", "mar ", "one day ", "月", "上周", "일", "2026-04-10 ", "the \n "):
        find_dates(piece * (200_000 // len(piece)), NOW)
    assert time.process_time() - began < 10
