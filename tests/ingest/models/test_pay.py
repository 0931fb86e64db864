"""What is owed to models is paid once, whatever happens on the way."""

import threading
import time

import pytest

from agentmem.config import Config
from agentmem.ingest.pay import BUDGET_SPENT
from agentmem.memory import Memory
from agentmem.store import work
from tests.ingest.models.scripted import (
    DETAIL,
    EXTRACT,
    SUMMARY,
    VERIFY,
    Said,
    Script,
    active,
    long_session,
    remembering,
)


def test_what_a_session_costs(memory, server):
    """60 messages of 667 characters: five pieces of at most 14, each with its context in windows of seven."""
    assert sum(len(one["content"]) for one in long_session()) == 40_020
    server.delay = 0.02
    memory.ingest(long_session())
    assert memory.stats().work.owed == {"extract": 5}
    paid = memory.pay()
    assert (paid.pieces, paid.failed, paid.owed) == (5, 0, 0)
    assert len(server.asked(EXTRACT)) == 5
    assert len(server.asked(DETAIL)) == 3 + 3 * 3 + 1
    assert len(server.asked(VERIFY)) == 0  # nothing was found
    assert server.most_open == 4
    assert paid.calls == len(server.requests) == 5 + 13 + len(server.asked(SUMMARY))


def test_reading_again_costs_nothing_and_more_costs_what_is_new(memory, server):
    memory.ingest(long_session())
    memory.pay()
    before = len(server.requests)
    memory.ingest(long_session())
    assert memory.pay().calls == 0
    assert len(server.requests) == before
    memory.ingest(long_session(5, start=60))
    paid = memory.pay()
    new = [prompt for prompt in server.prompts[before:] if prompt.startswith((EXTRACT, DETAIL))]
    assert paid.pieces == 1
    assert [prompt.startswith(EXTRACT) for prompt in new].count(True) == 1
    assert all("Note 57:" not in prompt for prompt in new)
    assert "(before): Note 58:" in new[0] + new[-1] and "Note 64:" in "".join(new)


def test_a_piece_that_nobody_tried_grows_with_its_session(memory, server):
    for place in range(0, 6, 2):
        memory.ingest(long_session(2, start=place))
    assert memory.stats().work.owed == {"extract": 1}
    assert memory.pay().pieces == 1
    assert len(server.asked(EXTRACT)) == 1


def test_sessions_read_without_a_model_are_owed_once_there_is_one(own_home, server):
    without = Memory.open(own_home / "agentmem", profile="project", config=Config(embedder="none"))
    without.ingest(long_session(4))
    assert without.stats().work.owed == {}
    assert without.pay().calls == 0
    assert remembering(own_home, server).pay().pieces == 1


def test_a_server_that_is_down_leaves_all_owed(memory, server):
    port = server.stop()
    memory.ingest(long_session(4))
    paid = memory.pay()
    assert (paid.pieces, paid.failed, paid.owed) == (0, 0, 1)
    assert "ollama serve" in paid.note
    checks = {check.name: check for check in memory.doctor()}
    assert checks["language models"].state == "warning"
    assert "cannot be reached" in checks["model work"].detail
    server.start(port)
    assert memory.pay().pieces == 1
    assert {check.name: check.state for check in memory.doctor()}["model work"] == "ok"


@pytest.mark.slow
def test_a_server_that_dies_on_the_way(memory, script, server):
    """Nothing is lost and nothing is there twice, wherever it stops."""
    script.said = [
        Said(f"Note {place}: the importer", f"Note {place} is about the importer.", kind="event") for place in range(60)
    ]
    port = None

    def dying(prompt, request):
        if len(server.requests) == 14:
            threading.Thread(target=server.stop).start()
        return 503 if len(server.requests) >= 14 else script(prompt, request)

    server.answer = dying
    memory.ingest(long_session())
    port = int(server.url.rsplit(":", 1)[1])
    first = memory.pay()
    assert first.owed > 0 and first.failed == 0 and first.note
    server.answer = script
    server.start(port)
    second = memory.pay()
    assert second.owed == 0 and second.failed == 0
    found = [item.content for item in active(memory)]
    assert sorted(found) == sorted({f"Note {place} is about the importer." for place in range(60)})
    evidence = [one for item in active(memory) for one in memory.show(item.id).evidence]
    assert len(evidence) == 60


def test_one_bad_piece_does_not_keep_the_others(memory, script, server):
    def answer(prompt, request):
        first = request["messages"][0]["content"]
        return "no json" if "USER 2026-04-10 08:00: Note 0:" in first else script(prompt, request)

    server.answer = answer
    memory.ingest(long_session(30))
    paid = memory.pay()
    # Of the first piece the full pass and one window say nothing; two windows do. The summary says nothing.
    assert (paid.failed, paid.pieces, len(paid.found.errors), paid.owed) == (1, 3, 2, 0)
    assert memory.stats().work.failures == 3


def test_a_piece_whose_answers_are_no_use_is_left_alone_until_asked(memory, server):
    server.answer = lambda _prompt, _request: "no json"
    memory.ingest(long_session(2))
    assert memory.pay().failed == 1
    before = len(server.requests)
    assert (memory.pay().failed, len(server.requests)) == (0, before)
    check = next(one for one in memory.doctor() if one.name == "model work")
    assert check.state == "warning" and "1 pieces" in check.detail and "--retry" in check.hint
    server.answer = Script()
    assert memory.retry() == 1
    assert memory.pay().pieces == 1


def test_the_budget_of_a_day(own_home, server):
    memory = remembering(own_home, server, budget_minutes_per_day=0.001)
    server.delay = 0.1
    memory.ingest(long_session())
    paid = memory.pay()
    assert paid.note == BUDGET_SPENT
    assert 0 < paid.pieces < 5 and paid.owed == 5 - paid.pieces
    again = memory.pay()
    assert (again.calls, again.note) == (0, BUDGET_SPENT)
    assert remembering(own_home, server, budget_minutes_per_day=0.0).pay().owed == 0


def test_the_newest_session_comes_first(own_home, server):
    memory = remembering(own_home, server)
    for day, session in (("2026-04-20", "new"), ("2026-04-10", "old")):
        memory.ingest(
            [
                {**one, "timestamp": one["timestamp"].replace("2026-04-10", day)}
                for one in long_session(14, session=session)
            ]
        )
    with memory._store.reading() as connection:
        jobs = work.owed(connection, work.EXTRACT, 9)
        names = dict(connection.execute("SELECT no, id FROM sessions").fetchall())
    assert [names[job.session_no] for job in jobs] == ["new", "old"]


def test_redo_makes_it_owed_again(memory, server):
    memory.ingest(long_session(4))
    memory.pay()
    assert memory.redo("extract") == 1
    assert memory.pay().pieces == 1
    assert len(server.asked(EXTRACT)) == 2


def test_the_background_leaves_what_may_still_grow(memory, server):
    memory.ingest(long_session(4))
    memory.drain(seconds=0)
    assert server.requests == []
    memory.ingest(long_session(26, start=4))
    memory.drain(seconds=0)
    assert len(server.asked(EXTRACT)) == 2  # two pieces of 14 are full, the third is not


def test_uses_are_counted(memory, server):
    server.delay = 0.05
    memory.ingest(long_session(30))
    began = time.monotonic()
    paid = memory.pay()
    took = time.monotonic() - began
    backlog = memory.stats().work
    assert backlog.calls == len(server.requests) == paid.calls
    assert backlog.prompt_tokens > 1_000
    assert 0.05 < backlog.seconds == backlog.seconds_today < took  # though four were asked at once


def test_two_at_once_do_not_pay_twice(own_home, server):
    memory = remembering(own_home, server)
    server.delay = 0.2
    memory.ingest(long_session(30))
    other = remembering(own_home, server)
    results = []
    thread = threading.Thread(target=lambda: results.append(memory.pay()))
    thread.start()
    time.sleep(0.3)
    assert "Another process" in other.pay().note
    thread.join()
    assert results[0].owed == 0
