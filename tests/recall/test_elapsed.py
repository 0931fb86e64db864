from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmem.recall.elapsed import Direction, answer, ask, date_of, elapsed

NOW = datetime(2026, 4, 30, 12, tzinfo=UTC)  # a Thursday
RAISED = datetime(2026, 4, 22, 9, tzinfo=UTC)


def never(phrase):
    raise AssertionError(phrase)


ASKED = [
    ("How many days between April 10 and April 22?", "between", "day", "April 10", "April 22"),
    ("how many weeks are there between the outage and the fix", "between", "week", "the outage", "the fix"),
    ("How long did it take from the incident to the fix?", "between", "day", "the incident", "the fix"),
    ("Tell me: how many days after the April 10 incident was the limit raised?", "after", "day", "the April 10 incident", "the limit raised"),
    ("How many months after the release did we switch to bun?", "after", "month", "the release", "we switch to bun"),
    ("How many days before the launch did we start?", "before", "day", "the launch", "we start"),
    ("How long ago was the incident?", "since", "day", "the incident", None),
    ("How many years ago did we move to uv?", "since", "year", "we move to uv", None),
    ("How many days since the April 10 incident? Answer shortly.", "since", "day", "the April 10 incident", None),
    ("How many weeks has it been since January 1?", "since", "week", "January 1", None),
    ("How many days are left until the launch?", "until", "day", "the launch", None),
    ("When was the limit raised?", "when", "day", "the limit raised", None),
    ("We use pnpm now. When did we switch?", "when", "day", "we switch", None),
    ("4月10日和4月22日之间隔了几天?", "between", "day", "4月10日", "4月22日"),
    ("4月10日的事故和限流提高之間隔了幾週?", "between", "week", "4月10日的事故", "限流提高"),
    ("从事故到修复用了多少天？", "between", "day", "事故", "修复"),
    ("事故之后几天提高了限流?", "after", "day", "事故", "提高了限流"),
    ("限流提高是在事故后几天?", "after", "day", "事故", "限流提高"),
    ("距离发布还有几天?", "until", "day", "发布", None),
    ("离事故已经过了几个月了?", "since", "month", "事故", None),
    ("事故是几天前的事?", "since", "day", "事故", None),
    ("限流是什么时候提高的?", "when", "day", "限流提高", None),
    ("4月10日から4月22日まで何日?", "between", "day", "4月10日", "4月22日"),
    ("障害と復旧の間は何日?", "between", "day", "障害", "復旧"),
    ("障害の何日後に制限を引き上げましたか", "after", "day", "障害", "制限を引き上げましたか"),
    ("リリースから何週間経ちましたか?", "since", "week", "リリース", None),
    ("リリースまであと何日?", "until", "day", "リリース", None),
    ("障害は何日前?", "since", "day", "障害", None),
    ("制限を引き上げたのはいつですか?", "when", "day", "制限を引き上げた", None),
    ("4월 10일부터 4월 22일까지 며칠이야?", "between", "day", "4월 10일", "4월 22일"),
    ("사고와 한도 인상 사이에 며칠이 지났어?", "between", "day", "사고", "한도 인상"),
    ("사고 후 며칠 만에 한도를 올렸지?", "after", "day", "사고", "한도를 올렸지"),
    ("출시까지 며칠 남았어?", "until", "day", "출시", None),
    ("배포는 몇 주 전에 했지?", "since", "week", "배포", None),
    ("한도를 언제 올렸어?", "when", "day", "한도 올렸어", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "direction", "unit", "first", "second"), ASKED)
def test_questions(text, direction, unit, first, second):
    question = ask(text)
    assert question is not None
    assert (question.direction, question.unit, question.first, question.second) == (direction, unit, first, second)


@pytest.mark.parametrize(
    "text",
    [
        "", "How many users are there between A and B?", "How long is the timeout?", "How many days of retention do we keep?",
        "When deploying, use pnpm.", "When to use a mutex?", "What did we decide last Tuesday?", "几天内完成?", "有几个问题?",
        "上週五部署了什麼?", "バージョンは何?", "3일 전에 뭘 결정했지?", "word " * 500,
    ],
)  # fmt: skip
def test_other_questions(text):
    assert ask(text) is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("How many days between April 10 and April 22?", "12 days: from 2026-04-10 to 2026-04-22."),
        ("How many days between April 22 and April 10?", "12 days: from 2026-04-10 to 2026-04-22."),
        ("How many weeks between April 10, 2024 and May 2?", "3 weeks (22 days): from 2024-04-10 to 2024-05-02."),
        ("How many days after the April 10 incident was the limit raised?", "12 days: from 2026-04-10 to 2026-04-22."),
        ("How many days before the April 23 launch was the limit raised?", "1 day: from 2026-04-22 to 2026-04-23."),
        ("How many days after April 23 was the limit raised?", "1 day: from 2026-04-22 to 2026-04-23. The order is the other way round than asked."),
        ("How many days until December 25?", "239 days: from 2026-04-30 to 2026-12-25."),
        ("How many days are left until Friday?", "1 day: from 2026-04-30 to 2026-05-01."),
        ("How many years from 2024-02-29 to 2026-02-28?", "2 years (730 days): from 2024-02-29 to 2026-02-28."),
        ("When was the limit raised?", "2026-04-22, 8 days ago."),
        ("4月10日事故之后几天提高了限流?", "12天：从2026-04-10到2026-04-22。"),
        ("4月10日事故發生後幾天提高了限流?", "12天：從2026-04-10到2026-04-22。"),
        ("4月10日の障害から制限引き上げまで何日でしたか?", "12日間：2026-04-10から2026-04-22まで。"),
        ("4월 10일 사고 후 며칠 만에 한도를 올렸지?", "12일: 2026-04-10부터 2026-04-22까지."),
        ("배포는 몇 주 전에 했지?", "1주 (8일): 2026-04-22부터 2026-04-30까지."),
    ],
)  # fmt: skip
def test_answers(text, sentence):
    assert answer(text, NOW, lambda phrase: RAISED) == sentence


def test_dates_in_a_question_need_no_memory():
    assert (
        answer("How many days between April 10 and yesterday?", NOW, never) == "19 days: from 2026-04-10 to 2026-04-29."
    )


def test_no_answer_without_a_date():
    assert answer("How many days after the release was the limit raised?", NOW, lambda phrase: None) is None
    assert answer("Which package manager?", NOW, never) is None


def test_dates_are_those_of_the_references_zone():
    seoul = NOW.astimezone(ZoneInfo("Asia/Seoul"))
    late = datetime(2026, 4, 22, 20, tzinfo=UTC)  # the 23rd in Seoul
    assert answer("How many days after April 10 was the limit raised?", seoul, lambda phrase: late) == (
        "13 days: from 2026-04-10 to 2026-04-23."
    )


def test_a_phrase_with_a_date():
    mention = date_of("the April 10 incident", NOW)
    assert mention is not None
    assert mention.start == datetime(2026, 4, 10, tzinfo=UTC)
    assert date_of("the incident", NOW) is None


@pytest.mark.parametrize(
    ("start", "end", "unit", "count"),
    [
        ("2026-01-31", "2026-02-28", "month", 1),
        ("2028-01-31", "2028-02-28", "month", 0),
        ("2028-01-31", "2028-02-29", "month", 1),
        ("2026-04-10", "2026-05-09", "month", 0),
        ("2026-05-10", "2026-04-10", "month", -1),
        ("2024-02-29", "2025-02-28", "year", 1),
        ("2026-04-10", "2026-04-23", "week", 1),
        ("2026-04-23", "2026-04-10", "week", -1),
        ("2026-04-22", "2026-04-10", "day", -12),
        ("0001-01-01", "9999-12-31", "year", 9998),
    ],
)
def test_elapsed(start, end, unit, count):
    assert elapsed(datetime.fromisoformat(start), datetime.fromisoformat(end), unit) == count


MOMENTS = st.datetimes(timezones=st.just(UTC))
PIECES = st.sampled_from([text for text, *_ in ASKED]) | st.text(max_size=20)


@given(st.lists(PIECES, max_size=3).map("".join), st.datetimes(timezones=st.none() | st.timezones()), MOMENTS)
@settings(max_examples=300, deadline=None)
def test_never_raises(text, reference, moment):
    question = ask(text)
    assert question is None or question.direction in Direction
    sentence = answer(text, reference, lambda phrase: moment)
    assert sentence is None or sentence


@given(MOMENTS, MOMENTS, st.sampled_from(["day", "week", "month", "year"]))
def test_elapsed_is_the_same_backwards(start, end, unit):
    assert elapsed(start, end, unit) == -elapsed(end, start, unit)
    if unit == "day":
        assert start.date() + timedelta(elapsed(start, end, unit)) == end.date()
