"""The worker: what hooks noted down gets into the store, whatever happens to whom."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentmem import Memory
from agentmem.hook.ignored import FILE
from agentmem.upkeep import notes
from agentmem.upkeep.drain import drain
from agentmem.upkeep.places import Machine
from tests.upkeep.conftest import environment, processes, run, stop, until, waiting
from tests.upkeep.generated import sessions, turns

pytestmark = pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes in /proc")


@pytest.fixture
def lone(home: Path):
    """Leaves notes without starting a worker."""
    import fcntl

    home.mkdir(mode=0o700, exist_ok=True)

    def note(given: dict[str, object], agent: str = "claude", *arguments: str) -> None:
        with (home / "worker.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            assert run("hook", agent, *arguments, given=given).returncode == 0

    return note


def _stored(memory: Memory) -> dict[str, int]:
    """Prompts per session in the store."""
    with memory._store.reading() as connection:
        rows = connection.execute(
            "SELECT s.id, count(*) FROM occurrences o JOIN sessions s ON s.no = o.session_no JOIN messages m "
            "ON m.session_no = o.session_no AND m.id = o.message_id WHERE m.role = 'user' GROUP BY s.id"
        ).fetchall()
    return dict(rows)


def _drain(memory: Memory, own_home: Path):
    return drain(memory._store, lambda: None, seconds=0, machine=Machine(home=own_home, variables={}))


def test_a_hook_is_enough(home: Path, memory: Memory, tmp_path: Path):
    (file,) = sessions(tmp_path, 1, 200_000)
    assert run("hook", "claude", given=stop(file)).returncode == 0
    until(lambda: not waiting(home) and not processes(home))
    assert _stored(memory) == {file.stem: turns(file)}
    assert memory.stats().owed == 0
    heard = notes.recall(memory.home)
    assert set(heard.events) == {"claude"}
    assert set(heard.events["claude"]) == {"turn"}
    assert heard.last_error == ""
    for path in home.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_notes_are_taken_together_and_a_session_is_read_once(lone, home, memory, own_home, tmp_path):
    (file,) = sessions(tmp_path, 1, 100_000)
    for _ in range(3):
        lone(stop(file))
    assert len(waiting(home)) == 3
    done = _drain(memory, own_home)
    assert (done.notes, done.read) == (3, 1)
    assert waiting(home) == []


def test_a_transcript_that_comes_late_is_waited_for(lone, home, memory, own_home, tmp_path):
    file = tmp_path / "late.jsonl"
    lone(stop(file))
    (ready,) = sessions(tmp_path, 1, 50_000)
    code = f"import time, shutil; time.sleep(1); shutil.copy({str(ready)!r}, {str(file)!r})"
    with subprocess.Popen([sys.executable, "-c", code]):
        done = _drain(memory, own_home)
    assert (done.notes, done.read) == (1, 1)


def test_a_transcript_that_never_comes_is_counted_and_holds_nobody_up(lone, home, memory, own_home, tmp_path):
    lone(stop(tmp_path / "gone.jsonl"))
    (file,) = sessions(tmp_path, 1, 50_000)
    lone(stop(file))
    done = _drain(memory, own_home)
    assert (done.notes, done.read) == (1, 1)
    assert waiting(home) == []
    assert len(list((home / "spool/failed").iterdir())) == 1
    assert notes.recall(memory.home).failed == 1
    assert "there is no transcript" in (home / "log/worker.log").read_text()


def test_a_session_is_found_where_its_payload_does_not_say(lone, home, memory, own_home, tmp_path):
    root = own_home / ".claude/projects"
    (file,) = sessions(root, 1, 50_000)
    lone({**stop(file), "transcript_path": "/wrong/worktree.jsonl"})
    assert _drain(memory, own_home).read == 1


def test_a_session_start_sweeps_what_no_hook_told_of(lone, home, memory, own_home, tmp_path):
    files = sessions(own_home / ".claude/projects", 3, 50_000)
    lone({**stop(files[0]), "hook_event_name": "SessionStart", "source": "startup", "transcript_path": str(files[0])})
    done = _drain(memory, own_home)
    assert done.read == 3
    assert set(_stored(memory)) == {file.stem for file in files}


def test_what_is_no_note_is_put_aside(home, memory, own_home):
    (home / "spool").mkdir(parents=True)
    for name, text in {
        "1-1.0.json": "{",
        "2-1.0.json": "[]",
        "3-1.0.json": '{"agent": "x"}',
        "junk.json": "{}",
    }.items():
        (home / "spool" / name).write_text(text)
    _drain(memory, own_home)
    assert waiting(home) == []
    assert notes.recall(memory.home).failed == 4


def test_a_note_at_which_workers_die_goes_behind_the_others(lone, home, memory, tmp_path):
    lone(stop(tmp_path / "a.jsonl"))
    lone(stop(tmp_path / "b.jsonl"))
    first, second = notes.waiting(memory.home)
    notes.take_up(first)
    assert [note.transcript for note in notes.waiting(memory.home)] == [second.transcript, first.transcript]


def test_a_project_that_became_kept_out_is_kept_out(lone, home, memory, own_home, tmp_path):
    file = tmp_path / "s.jsonl"
    project = tmp_path / "project"
    project.mkdir()
    file.write_text(
        json.dumps(
            {
                "type": "user",
                "uuid": "u",
                "sessionId": "s",
                "cwd": str(project),
                "message": {"role": "user", "content": "hi"},
            }
        )
        + "\n"
    )
    lone(stop(file))
    (project / FILE).touch()
    _drain(memory, own_home)
    assert _stored(memory) == {}


def test_switched_off_it_does_nothing(lone, home, memory, own_home, tmp_path, monkeypatch):
    (file,) = sessions(tmp_path, 1, 50_000)
    lone(stop(file))
    monkeypatch.setenv("AGENTMEM_DISABLE", "1")
    _drain(memory, own_home)
    assert len(waiting(home)) == 1


def test_a_second_worker_leaves_at_once(lone, home, memory, own_home, tmp_path):
    import fcntl

    (file,) = sessions(tmp_path, 1, 50_000)
    lone(stop(file))
    with (home / "worker.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert _drain(memory, own_home).notes == 0
    assert _drain(memory, own_home).notes == 1


def test_an_error_is_written_down_and_the_notes_stay(lone, home, memory, own_home, tmp_path):
    (file,) = sessions(tmp_path, 1, 50_000)
    lone(stop(file))
    (home / "memory.duckdb").write_bytes(b"no database" * 1000)
    _drain(memory, own_home)
    assert len(waiting(home)) == 1
    assert "cannot be opened" in notes.recall(memory.home).last_error


@pytest.mark.slow
def test_a_held_database_is_waited_for(home: Path, memory: Memory, tmp_path: Path):
    memory.remember("we use bun")
    code = (
        f"import duckdb, time; c = duckdb.connect({str(home / 'memory.duckdb')!r}); print(1, flush=True); time.sleep(6)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        (file,) = sessions(tmp_path, 1, 50_000)
        began = time.monotonic()
        run("hook", "claude", given=stop(file))
        assert time.monotonic() - began < 2
        holder.wait()
    until(lambda: not waiting(home) and not processes(home))
    assert _stored(memory) == {file.stem: turns(file)}


def test_the_terminal_closes(home: Path, memory: Memory, tmp_path: Path):
    """The shell that ran the hook, and its whole process group, are hung up on."""
    import fcntl
    import pty
    import termios

    (file,) = sessions(tmp_path, 1, 300_000)
    (tmp_path / "payload").write_text(json.dumps(stop(file)))
    master, slave = pty.openpty()
    script = f"{sys.executable} -m agentmem hook claude <{tmp_path}/payload; touch {tmp_path}/ran; sleep 60"

    def terminal() -> None:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    shell = subprocess.Popen(
        ["bash", "-c", script],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment(),
        preexec_fn=terminal,  # noqa: PLW1509 - no threads here
    )
    os.close(slave)
    until((tmp_path / "ran").exists)
    os.close(master)
    assert shell.wait(timeout=10) == -signal.SIGHUP
    until(lambda: not waiting(home) and not processes(home))
    assert _stored(memory) == {file.stem: turns(file)}


@pytest.mark.parametrize("when", [pytest.param("after", marks=pytest.mark.slow), "during"])
def test_the_group_is_killed(home: Path, memory: Memory, tmp_path: Path, when, own_home: Path):
    """As Codex does with a hook that takes too long, and with all that it started."""
    (file,) = sessions(tmp_path, 1, 300_000)
    (tmp_path / "payload").write_text(json.dumps(stop(file)))
    script = f"{sys.executable} -m agentmem hook codex <{tmp_path}/payload; touch {tmp_path}/ran; sleep 60"
    shell = subprocess.Popen(["bash", "-c", script], env=environment(), start_new_session=True)
    until((tmp_path / "ran").exists if when == "after" else lambda: waiting(home) or (tmp_path / "ran").exists())
    os.killpg(shell.pid, signal.SIGKILL)
    shell.wait()
    if when == "during":  # it may not have come to starting the worker; then the next hook does
        run("hook", "codex", given={**stop(file), "hook_event_name": "SessionEnd"})
    until(lambda: not waiting(home) and not processes(home))
    assert _stored(memory) == {file.stem: turns(file)}


@pytest.mark.slow
def test_twenty_hooks_at_once(home: Path, memory: Memory, tmp_path: Path):
    files = sessions(tmp_path, 20, 60_000)
    running = []
    for file in files:
        one = subprocess.Popen(
            [sys.executable, "-m", "agentmem", "hook", "claude"], stdin=subprocess.PIPE, env=environment()
        )
        one.stdin.write(json.dumps(stop(file)).encode())
        one.stdin.close()
        running.append(one)
    assert {one.wait(timeout=60) for one in running} == {0}
    assert len(processes(home)) <= 1
    until(lambda: not waiting(home) and not processes(home))
    assert _stored(memory) == {file.stem: turns(file) for file in files}
    assert not (home / "spool/failed").exists()


@pytest.mark.slow
def test_the_worker_is_killed_again_and_again(lone, home: Path, memory: Memory, tmp_path: Path):
    files = sessions(tmp_path, 12, 1_500_000)
    for file in files:
        lone(stop(file))
    pick = random.Random(7)
    for _ in range(15):
        worker = subprocess.Popen(
            [sys.executable, "-m", "agentmem", "work", "--drain"], env=environment(), stdout=subprocess.DEVNULL
        )
        time.sleep(pick.uniform(0.3, 1.6))
        worker.kill()
        worker.wait()
    assert run("work", "--drain").returncode == 0
    assert waiting(home) == []
    assert _stored(memory) == {file.stem: turns(file) for file in files}
    assert all(check.state != "failed" for check in memory.doctor(deep=True))
    assert not (home / "spool/failed").exists()


HELD = 50  # seconds, so that the test takes less than a minute; with 60 it passes as well


@pytest.mark.slow
def test_a_database_that_is_held_for_a_minute_makes_no_difference_to_hooks(home: Path, memory: Memory, tmp_path: Path):
    memory.remember("we use bun")
    code = f"import duckdb, time; c = duckdb.connect({str(home / 'memory.duckdb')!r}); print(1, flush=True); time.sleep({HELD})"
    files = sessions(tmp_path, 10, 50_000)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        for file in files:
            began = time.monotonic()
            run("hook", "claude", given=stop(file))
            assert time.monotonic() - began < 2
            time.sleep(4)
        holder.wait()
    until(lambda: not waiting(home) and not processes(home))
    assert _stored(memory) == {file.stem: turns(file) for file in files}
