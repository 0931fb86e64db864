"""Questions about dates, put to a store: four languages, month ends, leap years, time zones; all by rule."""

import time

import pytest

from agentmem import Config, Memory
from tests.recall.date_cases import CASES, SAID, Case


@pytest.fixture(scope="module")
def memories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Memory]:
    home = tmp_path_factory.mktemp("dates")
    found = {}
    for profile, sessions in SAID.items():
        found[profile] = Memory.open(home, profile=profile, config=Config(embedder="none"))
        found[profile].ingest(
            {"role": "user", "content": what, "timestamp": when.replace("Z", ":00Z"), "session_id": f"{profile}-{n}"}
            for n, (when, what) in enumerate(sessions)
        )
    return found


@pytest.mark.parametrize("case", CASES, ids=[f"{case.question} {case.today}" for case in CASES])
def test_a_date_question_is_answered_by_rule(memories: dict[str, Memory], case: Case):
    answer = memories[case.profile].recall(case.question, reference_date=case.today, k=3)
    assert not answer.abstained
    if case.answer:
        assert (answer.text, answer.author) == (case.answer, "rule")
    else:
        assert case.hit in answer.hits[0].content


@pytest.mark.parametrize(
    ("zone", "days"), [("Asia/Taipei", 0), ("UTC", 1), ("America/Los_Angeles", 1), ("Pacific/Kiritimati", 0)]
)
def test_today_is_a_day_of_the_users_zone(memories, monkeypatch, zone, days):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        answer = memories["en"].recall(
            "How many days ago did we decide to buy a second firewall?", reference_date="2026-04-30"
        )
        assert answer.text == f"{days} day{'' if days == 1 else 's'}: from 2026-04-{30 - days} to 2026-04-30."
        hits = memories["en"].recall("What did we decide today?", reference_date="2026-04-29", k=1).hits
        assert ("firewall" in hits[0].content) == bool(days)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_the_table_is_large_enough():
    assert len({(case.question, case.today) for case in CASES}) >= 60
    assert {case.profile for case in CASES} == {"en", "zh-Hant", "zh-Hans", "ja", "ko"}
