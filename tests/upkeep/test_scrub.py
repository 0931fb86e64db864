"""What was stored before a rule existed leaves every file, and the store stays whole.

`AGENTMEM_MOMENTS=10` kills at so many moments.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agentmem import Config, Memory, NotFound
from agentmem.redaction.redactor import Redactor
from agentmem.upkeep.selection import Wanted

TOKEN = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
PHRASE = "PROJECT-LUMINOUS-4711"
CONFIG = Config(embedder="fake", patience=20)
MOMENTS = int(os.environ.get("AGENTMEM_MOMENTS", "4"))


def holding(home: Path, text: str) -> list[str]:
    return [str(file) for file in sorted(home.rglob("*")) if file.is_file() and text.encode() in file.read_bytes()]


SAID = (
    ("user", f"Use pnpm, not npm. The deploy token is {TOKEN} and we call it {PHRASE}."),
    ("assistant", f"Noted: {TOKEN}"),
    ("tool", f"GITHUB_TOKEN={TOKEN}\nok"),
)


def turns(*said: tuple[str, str], session: str = "s1") -> list[dict[str, object]]:
    return [
        {"role": role, "content": content, "timestamp": f"2026-04-20T10:{minute:02}:00Z", "session_id": session}
        for minute, (role, content) in enumerate(said)
    ]


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A store as one that was written before there were rules."""
    home = tmp_path_factory.mktemp("original") / "agentmem"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Redactor, "__call__", lambda _self, text: text)
        memory = Memory.open(home, profile="project", config=CONFIG)
        memory.ingest(turns(*SAID))
        memory.ingest(turns(*[("user", f"Service {n} listens on port {n + 4000}.") for n in range(40)], session="s2"))
        memory.remember(f"Our release token is {TOKEN}", kind="fact", topic_key=f"release.{TOKEN.lower()}")
        old = memory.remember(f"{PHRASE} begins in May", kind="fact")
        memory.forget(old.id)
        memory.work()
    (home / "spool" / "failed").mkdir(parents=True)
    (home / "spool" / "failed" / "1.0.json").write_text(json.dumps({"cwd": f"/work/{TOKEN}", "said": PHRASE}))
    (home / "log").mkdir()
    (home / "log" / "worker.log").write_text(f"could not read {TOKEN} {PHRASE}\n")
    (home / "backups").mkdir(exist_ok=True)
    shutil.copy(home / "memory.duckdb", home / "backups" / "memory-1-20260101T000000.duckdb")
    return home


@pytest.fixture
def unredacted(original, own_home):
    home = own_home / "agentmem"
    shutil.copytree(original, home)
    return Memory.open(home, profile="project", config=CONFIG)


def test_new_rules_clean_every_file(unredacted, own_home):
    home, memory = own_home / "agentmem", unredacted
    before = memory.stats()
    assert len(holding(home, TOKEN)) >= 3
    seen = memory.scrub(dry_run=True)
    assert seen.secrets == {"github-pat": 2}  # the topic has it in small letters
    assert len(holding(home, TOKEN)) >= 3
    done = memory.scrub()
    assert (done.residue, done.unreadable) == ([], {})
    assert done.texts["messages"] == 3
    assert holding(home, TOKEN) == []
    assert holding(home, TOKEN.lower()) == []
    after = memory.stats()
    assert (after.counts.messages, after.counts.memories) == (before.counts.messages, before.counts.memories)
    assert all(check.state != "failed" for check in memory.doctor(deep=True))
    assert "[redacted:github-pat:" in memory.recall("release token").hits[0].content
    memory.work()
    assert memory.stats().counts.messages == before.counts.messages
    assert memory.scrub().texts == {}
    again = memory.ingest(turns(*SAID))
    assert (again.messages, again.known, again.memories) == (0, 3, 0)


def test_a_pattern_takes_out_only_what_it_matches(unredacted, own_home):
    home, memory = own_home / "agentmem", unredacted
    done = memory.scrub([r"PROJECT-[A-Z]+-\d+"])
    assert done.secrets == {"pattern": 1}
    assert done.residue == []
    assert holding(home, PHRASE) == []
    assert holding(home, TOKEN) != []
    assert "pnpm" in memory.recall("package manager?").hits[0].content


@pytest.mark.slow
def test_what_was_scrubbed_is_known_when_its_transcript_is_read_again(unredacted, own_home):
    unredacted.scrub()
    unredacted.scrub([rf"{PHRASE}\w*"])
    again = unredacted.ingest(turns(*SAID))
    assert (again.messages, again.known, again.memories) == (0, 3, 0)
    assert holding(own_home / "agentmem", PHRASE) == []


def test_a_secret_is_taken_out_where_nothing_gives_it_away_too(own_home, said, monkeypatch):
    home = own_home / "agentmem"
    memory = Memory.open(home, profile="project", config=CONFIG)
    with monkeypatch.context() as patched:
        patched.setattr(Redactor, "__call__", lambda _self, text: text)
        memory.ingest(said(("user", "db_password=Kraken-77-Otter"), ("user", "I typed Kraken-77-Otter twice today.")))
    memory.scrub()
    assert holding(home, "Kraken-77-Otter") == []


def until(true: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        time.sleep(0.002)


def run(home: Path, *arguments: str) -> subprocess.Popen:
    environment = {**os.environ, "AGENTMEM_HOME": str(home), "AGENTMEM_EMBEDDER": "fake"}
    return subprocess.Popen(
        [sys.executable, "-m", "agentmem", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


@pytest.mark.slow
def test_killed_at_any_moment_it_is_finished_by_the_next(original, own_home):
    home = own_home / "agentmem"
    killed = 0
    for moment in range(MOMENTS):
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(original, home)
        process = run(home, "scrub", "--yes")
        until(lambda process=process: (home / "scrub.owed").exists() or process.poll() is not None)
        time.sleep(moment * 1.2 / MOMENTS)
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        done = run(home, "scrub", "--yes", "--json")
        said_last = done.communicate()[0]
        assert done.returncode == 0, said_last
        assert json.loads(said_last)["residue"] == []
        assert holding(home, TOKEN) == []
        assert not (home / "scrub.owed").exists()
        memory = Memory.open(home, profile="project", config=CONFIG)
        assert all(check.state != "failed" for check in memory.doctor(deep=True))
    assert killed >= MOMENTS / 2


def two_profiles(home: Path) -> None:
    for name, word in (("alpha", "heron"), ("beta", "osprey")):
        memory = Memory.open(home, profile=name, config=CONFIG)
        memory.ingest(turns(*[("user", f"The {word} queue {n} has port {n + 7000} and a limit.") for n in range(30)]))
        memory.remember(f"The {word} queue is written in Elixir")
        memory.work()
    (home / "backups").mkdir(exist_ok=True)
    shutil.copy(home / "memory.duckdb", home / "backups" / "memory-1-20260101T000000.duckdb")


def test_a_profile_is_deleted_from_every_file_and_no_other_suffers(own_home):
    home = own_home / "agentmem"
    two_profiles(home)
    before = Memory.open(home, profile="beta", config=CONFIG).list()
    memory = Memory.open(home, profile="beta", config=CONFIG)
    with pytest.raises(NotFound, match="no profile 'alp'"):  # what is deleted is not named by a beginning
        memory.find_erasable("alp")
    with pytest.raises(NotFound, match="no profile 'alp'"):
        memory.purge(Wanted(profile="alp"))
    assert memory.find_erasable("alpha").name == "alpha"
    done = memory.delete_profile("alpha")
    assert (done.profile.messages, done.residue, done.unreadable) == (30, [], {})
    assert holding(home, "heron") == []
    assert holding(home, "alpha") == []
    beta = Memory.open(home, profile="beta", config=CONFIG)
    assert beta.list() == before
    assert beta.recall("osprey queue port 7003").hits
    assert [one.name for one in beta.profiles()] == ["beta"]
    assert all(check.state != "failed" for check in beta.doctor(deep=True))
    assert not (home / "scrub.owed").exists()


@pytest.mark.slow
def test_a_deletion_that_is_killed_is_finished_by_the_next(own_home):
    home, original = own_home / "agentmem", own_home / "original"
    two_profiles(original)
    before = Memory.open(original, profile="beta", config=CONFIG).list()
    killed = 0
    for moment in range(MOMENTS):
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(original, home)
        process = run(home, "profile", "delete", "alpha", "--yes")
        until(lambda process=process: (home / "scrub.owed").exists() or process.poll() is not None)
        time.sleep(moment * 1.2 / MOMENTS)
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        beta = Memory.open(home, profile="beta", config=CONFIG)
        assert beta.list() == before
        done = run(home, "profile", "delete", "alpha", "--yes")
        said_last = done.communicate()[0]
        if done.returncode:  # its rows were gone already: this run only cleaned the files
            assert b"an earlier run had deleted" in said_last, said_last
        assert holding(home, "heron") == []
        assert holding(home, "alpha") == []
        assert not (home / "scrub.owed").exists()
        assert all(check.state != "failed" for check in beta.doctor(deep=True))
        assert beta.recall("osprey queue port 7003").hits
    assert killed >= MOMENTS / 2
