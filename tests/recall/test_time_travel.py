"""What was true then, and what the store knew then: generated histories with a known truth."""

import random
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from agentmem import Memory
from agentmem.store import rows

START = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = ("billing", "search", "login", "mail", "report", "audit", "image", "cart", "stock", "chat")


@pytest.fixture
def clock(monkeypatch):
    """The clock of the store, to be set."""

    class Clock:
        at = START

        def __call__(self) -> datetime:
            return self.at

    one = Clock()
    for name, module in list(sys.modules.items()):
        if name.startswith("agentmem") and getattr(module, "now", None) is rows.now and module is not rows:
            monkeypatch.setattr(module, "now", one)
    monkeypatch.setattr(rows, "now", one)
    return one


@dataclass(frozen=True)
class Said:
    name: str
    port: int
    at: datetime
    stored: datetime

    @property
    def text(self) -> str:
        return f"The {self.name} API listens on port {self.port}."


@dataclass
class History:
    """Ports of services that change, told in sessions that are read late and in any order."""

    said: list[Said] = field(default_factory=list)
    forgotten: dict[tuple[str, int], datetime] = field(default_factory=dict)

    def truth(self, name: str, as_of: datetime | None, known_at: datetime | None) -> int | None:
        """The port that holds: said last by then, of what was read by then; none if that was forgotten."""
        claims = [
            one
            for one in self.said
            if one.name == name and (as_of is None or one.at <= as_of) and (known_at is None or one.stored <= known_at)
        ]
        if not claims:
            return None
        last = max(claims, key=lambda one: one.at)
        return None if (name, last.port) in self.forgotten else last.port


def written(memory: Memory, clock, rng: random.Random, changes: int) -> History:
    history = History()
    ports: dict[str, list[int]] = {name: rng.sample(range(2000, 9000), 4) for name in NAMES}
    times = sorted(rng.sample(range(1, 400), changes))
    for number, day in enumerate(times):
        name = rng.choice(NAMES)
        clock.at = START + timedelta(days=day, seconds=number)
        late = rng.choice((0, 0, 1, 30, 200))
        port = rng.choice(ports[name])
        one = Said(name, port, clock.at - timedelta(days=late, hours=1), clock.at)
        if any(other.name == name and other.port == port for other in history.said) and rng.random() < 0.5:
            continue
        memory.ingest(
            [{"role": "user", "content": one.text, "session_id": f"s{number}", "timestamp": one.at.isoformat()}]
        )
        history.said.append(one)
    clock.at = START + timedelta(days=420)
    return history


def answers(memory: Memory, name: str, **times) -> list[str]:
    """The memories that are found about a service, in their order."""
    hits = memory.recall(f"Which port does the {name} API listen on?", types=("memory",), k=20, **times).hits
    return [hit.content for hit in hits if name in hit.content]


@pytest.mark.parametrize(
    ("seed", "changes", "rounds"), [(0, 9, 3), *(pytest.param(n, 45, 40, marks=pytest.mark.slow) for n in range(4))]
)
def test_generated_questions_are_answered_exactly(memory: Memory, clock, seed: int, changes: int, rounds: int):
    rng = random.Random(seed)
    history = written(memory, clock, rng, changes)
    asked = 0
    for name in NAMES[: 2 + seed % 2]:  # some values are forgotten at the end, and with them never told
        holder = history.truth(name, None, None)
        item = next((one for one in memory.list() if str(holder) in one.content and name in one.content), None)
        if item is not None:
            memory.forget(item.id)
            history.forgotten[name, holder] = clock.at
    for _ in range(rounds):
        name = rng.choice(NAMES)
        then = START + timedelta(days=rng.randrange(-50, 420), hours=rng.randrange(24))
        known = START + timedelta(days=rng.randrange(0, 420), hours=rng.randrange(24))
        for times in ({"as_of": then}, {"known_at": known}, {"as_of": then, "known_at": known}):
            expected = history.truth(name, times.get("as_of"), times.get("known_at"))
            wanted = [f"The {name} API listens on port {expected}."] if expected else []
            assert answers(memory, name, **times) == wanted, (name, times)
            listed = [item.content for item in memory.list(**times) if f" {name} " in item.content]
            assert listed == wanted, (name, times)
            asked += 1
    assert asked == 3 * rounds


@pytest.mark.parametrize(
    ("seed", "changes", "rounds"), [(0, 6, 2), *(pytest.param(n, 30, 10, marks=pytest.mark.slow) for n in range(2))]
)
def test_messages_of_another_time(memory: Memory, clock, seed: int, changes: int, rounds: int):
    rng = random.Random(seed)
    history = written(memory, clock, rng, changes)
    for _ in range(rounds):
        name = rng.choice(history.said).name
        then, known = (START + timedelta(days=rng.randrange(0, 420)) for _ in range(2))
        for times in ({"as_of": then}, {"known_at": known}, {"as_of": then, "known_at": known}):
            hits = memory.recall(f"{name} API port", types=("message",), k=100, **times).hits
            found = sorted(hit.content for hit in hits if name in hit.content)
            expected = sorted(
                one.text
                for one in history.said
                if one.name == name
                and ("as_of" not in times or one.at <= then)
                and ("known_at" not in times or one.stored <= known)
            )
            assert found == expected, (name, times)


def test_a_day_means_its_end_and_a_distance_its_moment(memory: Memory, clock, said):
    clock.at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    memory.ingest(said(("user", "Use npm for installs."), day="2026-03-01", session="a"))
    clock.at = datetime(2026, 4, 1, 12, tzinfo=UTC)
    memory.ingest(said(("user", "Use pnpm, not npm."), day="2026-04-01", session="b"))
    found = {
        when: [item.content for item in memory.list(as_of=when)]
        for when in ("2026-02-28", "2026-03-01", "2026-04-01", "March 2026")
    }
    assert found["2026-02-28"] == []
    assert [one[-3:] for one in found["2026-03-01"]] == ["npm"] == [one[-3:] for one in found["March 2026"]]
    assert "pnpm" in found["2026-04-01"][0]


def test_pins_and_edits_do_not_change_the_past(memory: Memory, clock):
    clock.at = START
    first = memory.remember("The office is in Bern.")
    clock.at = START + timedelta(days=10)
    memory.pin(first.id)
    clock.at = START + timedelta(days=20)
    second = memory.edit(first.id, "The office is in Basel.")
    clock.at = START + timedelta(days=30)
    memory.reject(second.id, "we moved on")
    clock.at = START + timedelta(days=40)

    def at(day: int, how: str = "as_of") -> list[str]:
        return [item.content for item in memory.list(**{how: START + timedelta(days=day, hours=1)})]

    for how in ("as_of", "known_at"):
        assert at(-1, how) == []
        assert at(0, how) == ["The office is in Bern."] == at(15, how)
        assert at(25, how) == ["The office is in Basel."]
    assert at(35) == []
    (known,) = memory.list(known_at=START + timedelta(days=35))
    assert (known.status, known.reason) == ("rejected", "we moved on")
    (before,) = memory.list(known_at=START + timedelta(days=25))
    assert (before.status, before.reason) == ("active", None)


def test_a_person_is_not_overruled_in_the_past_either(memory: Memory, clock, said):
    clock.at = datetime(2026, 4, 1, 12, tzinfo=UTC)
    memory.ingest(said(("user", "Use pnpm, not npm."), ("assistant", "We switched from pnpm to yarn.")))
    (held,) = [item for item in memory.list(as_of="2026-05-01") if item.topic_key == "project.package_manager"]
    assert "pnpm" in held.content


def test_what_was_undone_was_never_known(memory: Memory, clock):
    memory.remember("An anchor.")
    clock.at = START + timedelta(days=1)
    memory.remember("A mistake.")
    memory.undo()
    clock.at = START + timedelta(days=2)
    assert [item.content for item in memory.list(known_at=START + timedelta(days=1, hours=1))] == ["An anchor."]
