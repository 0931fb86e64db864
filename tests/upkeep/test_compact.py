"""Compaction: duplicates, contradictions, expiry, trims; a second run does nothing; killed and run again."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from agentmem import Memory, NotFound
from agentmem.ingest.statements import read

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _each_wording_has_its_row(monkeypatch):
    """As by imports, by what is told directly, and in stores of earlier versions: ingest itself merges at once."""
    monkeypatch.setattr("agentmem.ingest.pipeline.restated", lambda _connection, proposals: list(proposals))


def tell(memory: Memory, said, *contents: str, session: str = "s1", day: str = "2026-04-20") -> None:
    memory.ingest(said(*[("user", f"Remember: {content}") for content in contents], session=session, day=day))


def dump(memory: Memory) -> dict[str, list[str]]:
    """All rows of all tables, without when something was done."""
    with memory._store.reading() as connection:
        names = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        rows = {}
        for name in names:
            columns = [row[0] for row in connection.execute(f'DESCRIBE "{name}"').fetchall()]
            kept = [
                c
                for c in columns
                if c
                not in (
                    "written_at",
                    "found_at",
                    "created_at",
                    "ingested_at",
                    "done_at",
                    "ran_at",
                    "read_at",
                    "known_from",
                    "stored_at",
                    "buried_at",
                )
            ]
            if name in ("journal", "versions"):
                kept = [c for c in kept if c not in ("no", "action")]
            rows[name] = sorted(map(repr, connection.execute(f'SELECT {", ".join(kept)} FROM "{name}"').fetchall()))
    return rows


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The billing service is owned by Alice", "Alice owns the billing service"),
        ("Logs are shipped to Loki", "We ship the logs to Loki."),
        ("The limit is 10,000 requests", "Limit: 10000 requests"),
        ("Secrets are kept in Vault", "Vault keeps the secrets"),
    ],
)
def test_rewordings_say_the_same(one: str, other: str):
    a, b = read(one), read(other)
    assert (a.words, a.marks, a.denies) == (b.words, b.marks, b.denies) and not a.only_swapped(b)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The billing service is owned by Alice", "The billing service is owned by Bob"),
        ("We use Redis for the cache", "We don't use Redis for the cache"),
        ("The port is 8443", "The port is 8444"),
        ("Orders are archived after the audit", "Orders are archived before the audit"),
        ("The gateway retries requests to the ledger", "The ledger retries requests to the gateway"),
        ("Migrate from 3.1 to 3.2", "Migrate from 3.2 to 3.1"),
    ],
)
def test_other_things_do_not(one: str, other: str):
    a, b = read(one), read(other)
    assert (a.words, a.marks, a.denies) != (b.words, b.marks, b.denies) or a.only_swapped(b)


def test_duplicates_become_one_with_all_evidence(memory: Memory, said):
    tell(memory, said, "The reports folder is cleaned by the janitor job.")
    tell(memory, said, "The janitor job cleans the reports folder.", session="s2", day="2026-04-21")
    tell(memory, said, "The janitor job cleans the reports folder!", session="s3", day="2026-04-22")
    tell(memory, said, "The janitor job cleans the logs folder.", session="s4", day="2026-04-22")
    memory.work()
    before = [item for item in memory.list() if "reports" in item.content]
    assert len(before) == 2
    done = memory.compact()
    (kept,) = [item for item in memory.list() if "reports" in item.content]
    assert done.merged == 1 and done.complete
    assert "janitor job cleans" in kept.content  # said twice
    assert {evidence.session_id for evidence in memory.show(kept.id).evidence} == {"s1", "s2", "s3"}
    assert memory.recall("who cleans the reports folder?", types=["memory"]).hits[0].id == kept.id
    tell(memory, said, "The reports folder is cleaned by the janitor job.", session="s5", day="2026-05-30")
    assert len([item for item in memory.list() if "reports" in item.content]) == 1
    assert "s5" in {evidence.session_id for evidence in memory.show(kept.id).evidence}
    assert [check.detail for check in memory.doctor(deep=True) if check.state == "failed"] == []


def test_a_merge_is_undone_as_one(memory: Memory, said):
    tell(memory, said, "Logs are shipped to Loki.", "We ship the logs to Loki.")
    tell(memory, said, "Secrets are kept in Vault.", "Vault keeps the secrets.", session="s2")
    before = {item.id: item.status for item in memory.list(everything=True)}
    evidence = {identity: memory.show(identity).evidence for identity in before}
    assert memory.compact().merged == 2
    memory.undo()
    assert {item.id: item.status for item in memory.list(everything=True)} == before
    assert {identity: memory.show(identity).evidence for identity in before} == evidence
    assert memory.compact().merged == 2


def test_a_second_run_changes_nothing(memory: Memory, said):
    tell(memory, said, "Logs are shipped to Loki.", "We ship the logs to Loki.", "We don't ship logs to Loki.")
    memory.work()
    assert memory.compact().merged == 1
    before = dump(memory)
    again = memory.compact()
    assert (again.merged, again.expired, again.found) == (0, 0, 0) and again.open == 1
    assert dump(memory) == before


def test_a_dry_run_tells_and_changes_nothing(memory: Memory, said):
    tell(memory, said, "Logs are shipped to Loki.", "We ship the logs to Loki.", "We never ship logs to Loki.")
    before = dump(memory)
    dry = memory.compact(dry_run=True)
    assert (dry.merged, dry.found) == (1, 1)
    assert dump(memory) == before
    real = memory.compact()
    assert (real.merged, real.found) == (1, 1)


def test_contradictions_are_reported_until_one_side_is_gone(memory: Memory, said):
    tell(memory, said, "Nightly exports contain 40 columns.", "The crawler visits archived pages.")
    tell(
        memory,
        said,
        "Nightly exports contain 42 columns.",
        "The crawler never visits archived pages.",
        session="s2",
        day="2026-05-01",
    )
    memory.compact()
    found = {one.reason: (one.newer, one.older) for one in memory.contradictions()}
    assert set(found) == {"value", "negation"}
    assert "42" in found["value"][0].content
    memory.forget(found["value"][1].id)
    assert [one.reason for one in memory.contradictions()] == ["negation"]
    assert memory.contradictions(["elsewhere"]) == ()
    settled = memory.settle(memory.contradictions()[0].id[:8])
    assert "never" in settled.newer.content
    assert memory.contradictions() == ()
    with pytest.raises(NotFound):
        memory.settle(settled.id)
    memory.compact()
    assert memory.contradictions() == ()


def test_two_values_of_a_topic_said_at_once_are_a_contradiction(memory: Memory, said):
    for session, port in (("s1", 8443), ("s2", 9000)):
        memory.ingest(said(("user", f"Remember: the staging API listens on port {port}."), session=session))
    memory.compact()
    assert [one.reason for one in memory.contradictions()] == ["topic"]


def test_tasks_expire(memory: Memory, said):
    memory.ingest(said(("user", "TODO: rotate the signing keys."), day="2025-01-10"))
    memory.remember("TODO: buy new cables", kind="task")
    done = memory.compact()
    assert done.expired == 1
    statuses = {item.content: item.status.value for item in memory.list(kinds=["task"], everything=True)}
    assert sorted(statuses.values()) == ["active", "expired"]


def test_old_messages_are_trimmed_only_by_policy_and_their_quotes_stay(memory: Memory, said):
    tell(memory, said, "Logs are shipped to Loki.", day="2024-04-20")
    tell(memory, said, "Alerts go to the pager.", session="s2", day="2026-11-01")
    assert memory.compact().trimmed_messages == 0
    strict = Memory(memory.home, replace(memory.config, message_days=365.0), "project")
    assert strict.compact(dry_run=True).trimmed_messages == 1
    assert strict.compact().trimmed_messages == 1
    (item,) = [item for item in memory.list() if "Loki" in item.content]
    (evidence,) = memory.show(item.id).evidence
    assert "Loki" in evidence.quote and evidence.at is not None
    tell(memory, said, "Logs are shipped to Loki.", day="2024-04-20")
    assert memory.recall("Loki", types=["message"]).hits == ()
    assert strict.compact().trimmed_messages == 0


def test_time_that_is_up_leaves_the_rest_to_the_next_run(memory: Memory, said):
    tell(memory, said, "Logs are shipped to Loki.", "We ship the logs to Loki.")
    assert not memory.compact(seconds=0).complete
    done = memory.compact()
    assert done.complete and done.merged == 1


REWORDED = ("The {0} job cleans folder {1}.", "Folder {1} is cleaned by the {0} job.")


def fill(memory: Memory, count: int) -> None:
    lines = [
        {
            "role": "user",
            "content": "Remember: " + form.format(f"janitor{n % 7}x", f"area{n}"),
            "session_id": f"s{n % 5}{place}",
            "timestamp": f"2026-0{1 + place}-10T10:{n % 60:02}:00Z",
        }
        for n in range(count)
        for place, form in enumerate(REWORDED)
    ]
    memory.ingest(lines)


@pytest.mark.slow
def test_killed_at_twenty_moments_it_comes_to_the_same_end(own_home: Path, monkeypatch: pytest.MonkeyPatch):
    from agentmem import Config

    monkeypatch.setattr("agentmem.upkeep.compact._BATCH", 5)
    config = Config(embedder="fake", patience=30)
    calm = Memory.open(own_home / "calm", profile="project", config=config)
    fill(calm, 150)
    calm.work()
    calm.compact()
    shaken = Memory.open(own_home / "shaken", profile="project", config=config)
    fill(shaken, 150)
    shaken.work()
    program = (
        "import sys\nfrom agentmem import Config, Memory\nimport agentmem.upkeep.compact as c\nc._BATCH = 5\n"
        f"m = Memory.open({str(own_home / 'shaken')!r}, profile='project', config=Config(embedder='fake', patience=30))\n"
        "print('go', flush=True)\nm.compact()\nprint('end', flush=True)\n"
    )
    sent = 0
    for moment in range(20):
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert process.stdout.readline().strip() == "go"
        time.sleep(0.02 + 0.11 * (moment * 7 % 20) / 2)
        line = {
            "role": "user",
            "content": f"Aside {moment}, said meanwhile.",
            "session_id": "live",
            "timestamp": f"2026-07-01T10:{moment:02}:00Z",
        }
        calm.ingest([line])
        sent += shaken.ingest([line]).messages
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert sent == 20
    shaken.compact()
    calm.work(), shaken.work()
    left, right = dump(calm), dump(shaken)
    for each in (left, right):
        for name in ("journal", "versions"):  # written in other batches, and by other actions
            each.pop(name)
    assert left == right
    assert json.dumps(shaken.stats().counts.memories) == json.dumps(calm.stats().counts.memories)
    assert shaken.compact().merged == 0
