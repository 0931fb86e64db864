"""Backfill and sweep: everything on the machine, once."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from agentmem import Config, Memory
from agentmem.errors import UsageError
from agentmem.upkeep.backfill import catch_up
from agentmem.upkeep.capture import examine_capture
from agentmem.upkeep.places import PLACES, SUB_AGENT, Machine, find, of_session
from tests.upkeep.conftest import environment, run
from tests.upkeep.generated import sessions, turns


def _touch(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("{}")


EXAMPLES = {
    "claude": (".claude/projects/-p/a.jsonl", ".config/Claude/local-agent-mode-sessions/o/a/local_1/.claude/projects/-p/b.jsonl"),
    "codex": (".codex/sessions/2026/11/29/rollout-2026-11-29T21-01a2.jsonl", ".codex/archived_sessions/rollout-x.jsonl.zst"),
    "gemini": (".gemini/tmp/p/chats/session-2026-11-29T21-45-da77.jsonl", ".gemini/tmp/q/chats/session-x.json"),
    "cursor": (".cursor/projects/p/agent-transcripts/7d/7d.jsonl", ".cursor/projects/p/agent-transcripts/8.jsonl"),
    "opencode": (".local/share/opencode/opencode.db", ".local/share/opencode/storage/session/p/ses_1.json"),
    "copilot": (".copilot/session-state/c0/events.jsonl",),
    "pi": (".pi/agent/sessions/--p--/1_2.jsonl",),
    "qwen": (".qwen/projects/-p/q.jsonl", ".qwen/projects/-p/chats/r.jsonl"),
    "aider": ("repo/.aider.chat.history.md",),
    "cline": (".cline/data/sessions/1/1.messages.json", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json"),
}  # fmt: skip


@pytest.mark.parametrize("agent", PLACES)
def test_every_agents_transcripts_are_found(agent, tmp_path: Path):
    _touch(tmp_path, *EXAMPLES[agent])
    machine = Machine(home=tmp_path, variables={}, platform="linux", projects=(str(tmp_path / "repo"),))
    assert {str(one.path.relative_to(tmp_path)) for one in find(agent, machine)} == set(EXAMPLES[agent])


@pytest.mark.parametrize(
    ("agent", "variable", "value", "below"),
    [
        ("claude", "CLAUDE_CONFIG_DIR", "moved", "projects/-p/a.jsonl"),
        ("codex", "CODEX_HOME", "moved", "sessions/2026/rollout-x.jsonl"),
        ("gemini", "GEMINI_CLI_HOME", "moved", ".gemini/tmp/p/chats/session-x.jsonl"),
        ("copilot", "COPILOT_HOME", "moved", "session-state/c0/events.jsonl"),
        ("opencode", "XDG_DATA_HOME", "moved", "opencode/opencode.db"),
        ("opencode", "OPENCODE_DB", "moved/other.db", ""),
        ("pi", "PI_CODING_AGENT_DIR", "moved", "sessions/--p--/1.jsonl"),
        ("aider", "AIDER_CHAT_HISTORY_FILE", "moved/chat.md", ""),
    ],
)
def test_a_variable_moves_it(agent, variable, value, below, tmp_path: Path):
    _touch(tmp_path, EXAMPLES[agent][0])
    wanted = tmp_path / value / below
    _touch(tmp_path, str(wanted.relative_to(tmp_path)))
    machine = Machine(home=tmp_path, variables={variable: str(tmp_path / value)}, platform="linux")
    assert [one.path for one in find(agent, machine)] == [wanted]


def test_aiders_hidden_history_is_found_in_known_projects(tmp_path: Path, memory: Memory):
    repo, folder = tmp_path / "repo", tmp_path / "plain"
    for place in (repo, folder):
        place.mkdir()
        (place / ".aider.chat.history.md").write_text(
            f"\n# aider chat started at 2026-11-20 10:00:00\n\n#### The {place.name} port is 8080.\n\nNoted.\n"
        )
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    for place in (repo, folder):
        Memory.open(memory.stats().home, folder=str(place), config=Config(embedder="none")).remember("Something.")
    done = catch_up(memory._store, Machine(home=tmp_path, variables={}), agents=["aider"])
    assert (done.read, done.stored.sessions and len(done.stored.sessions)) == (2, 2)


def test_sub_agents_are_left_out_and_counted(tmp_path: Path):
    _touch(
        tmp_path,
        ".claude/projects/-p/a.jsonl", ".claude/projects/-p/agent-1.jsonl", ".claude/projects/-p/a/subagents/agent-2.jsonl",
        ".claude/projects/-p/a/subagents/workflows/w/agent-3.jsonl", ".claude/projects/-p/a/tool-results/x.txt",
        ".gemini/tmp/p/chats/session-x.jsonl", ".gemini/tmp/p/chats/parent/y.jsonl",
    )  # fmt: skip
    left_out: Counter[str] = Counter()
    machine = Machine(home=tmp_path, variables={})
    assert [one.path.name for one in find("claude", machine, left_out)] == ["a.jsonl"]
    assert left_out == {SUB_AGENT: 3}
    assert [one.path.name for one in find("gemini", machine, left_out)] == ["session-x.jsonl"]
    assert left_out == {SUB_AGENT: 4}


def test_folders_that_only_the_place_tells(tmp_path: Path):
    project = tmp_path / "my.work" / "shop-front"
    project.mkdir(parents=True)
    slug = "".join(letter if letter.isalnum() else "-" for letter in str(project)).strip("-")
    _touch(tmp_path, f".cursor/projects/{slug}/agent-transcripts/7/7.jsonl", ".gemini/tmp/p/chats/session-x.jsonl")
    (tmp_path / ".gemini/tmp/p/.project_root").write_text("/home/sam/shop\n")
    machine = Machine(home=tmp_path, variables={})
    assert [one.cwd for one in find("cursor", machine)] == [str(project)]
    assert [one.cwd for one in find("gemini", machine)] == ["/home/sam/shop"]


def test_a_session_is_found_by_its_id(tmp_path: Path):
    _touch(
        tmp_path, ".copilot/session-state/c0ffee00-0000/events.jsonl", ".gemini/tmp/p/chats/session-2026-da77ba8d.jsonl"
    )
    machine = Machine(home=tmp_path, variables={})
    assert of_session("copilot", "c0ffee00-0000", machine).path.name == "events.jsonl"
    assert of_session("gemini", "da77ba8d-c9eb-4e11", machine).path.name == "session-2026-da77ba8d.jsonl"
    assert of_session("copilot", "c0ffee00-0001", machine) is None
    assert of_session("nobody", "c0ffee00-0000", machine) is None


@pytest.fixture
def machine(own_home: Path) -> Machine:
    return Machine(home=own_home, variables={})


def test_newest_first_and_only_once(machine: Machine, memory: Memory, own_home: Path):
    files = sessions(own_home / ".claude/projects", 5, 80_000)
    for number, file in enumerate(files):
        os.utime(file, (1_790_000_000 + number, 1_790_000_000 + number))
    dry = catch_up(memory._store, machine, dry_run=True)
    assert (dry.found[0].files, dry.found[0].due, dry.stored.messages) == (5, 5, 0)
    steps: list[tuple[int, int]] = []
    done = catch_up(memory._store, machine, progress=lambda *step: steps.append(step))
    size = sum(file.stat().st_size for file in files)
    assert (done.read, done.bytes) == (5, size)
    assert steps[-1] == (size, size)
    assert steps == sorted(steps)
    with memory._store.reading() as connection:
        order = [name for (name,) in connection.execute("SELECT id FROM sessions ORDER BY no").fetchall()]
    assert order == [file.stem for file in reversed(files)]
    again = catch_up(memory._store, machine)
    assert (again.read, again.bytes, again.found[0].due) == (0, 0, 0)
    with files[2].open("a") as out:
        out.write(files[2].read_text().splitlines()[0].replace('"uuid": "', '"uuid": "x') + "\n")
    grown = catch_up(memory._store, machine)
    assert (grown.read, grown.stored.messages) == (1, 1)
    assert grown.bytes < 80_000


def test_agents_and_since(machine: Machine, memory: Memory, own_home: Path):
    files = sessions(own_home / ".claude/projects", 3, 20_000)
    os.utime(files[0], (1_000_000_000, 1_000_000_000))
    assert catch_up(memory._store, machine, agents=["codex"]).found == ()
    done = catch_up(memory._store, machine, agents=["claude"], since=time.time() - 3600)
    assert done.read == 2
    assert done.left_out["claude: not written to since then"] == 1
    with pytest.raises(UsageError):
        catch_up(memory._store, machine, agents=["nobody"])


def test_what_cannot_be_read_is_told(machine: Machine, memory: Memory, own_home: Path):
    sessions(own_home / ".claude/projects", 1, 20_000)
    (own_home / ".claude/projects/-p").mkdir()
    (own_home / ".claude/projects/-p/broken.jsonl").write_text("User: hello\nAssistant: good day\n")
    done = catch_up(memory._store, machine)
    assert (done.read, done.unread_count) == (1, 1)
    assert done.unread[0].path.endswith("broken.jsonl")


def test_the_command_shows_what_it_found_and_what_it_did(own_home: Path, memory: Memory):
    files = sessions(own_home / ".claude/projects", 3, 40_000)
    (files[0].parent / "agent-1.jsonl").write_text("{}")
    dry = run("backfill", "--dry-run").stdout.decode()
    assert "claude\t3\t" in dry
    assert "1 claude: sub-agent's transcript" in dry
    assert memory.stats().counts.messages == 0
    done = run("backfill", "claude", "--since", "2020", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["version"], told["transcripts"]) == (0, 1, 3)
    assert told["agents"][0]["due"] == 3
    assert told["left_out"] == {"claude: sub-agent's transcript": 1}
    assert "0 new messages" in run("ingest", "--sweep").stdout.decode()
    assert run("backfill", "nobody").returncode == 2
    assert run("ingest", "--sweep", "x.jsonl").returncode == 2


def test_doctor_tells_what_is_missing(machine: Machine, memory: Memory, own_home: Path):
    sessions(own_home / ".claude/projects", 2, 20_000)
    catch_up(memory._store, machine)
    sessions(own_home / ".claude/projects", 1, 20_000, first=5)
    checks = {check.name: check for check in examine_capture(memory._store, machine)}
    assert checks["capture"].state == "ok"
    assert checks["claude"].state == "warning"
    assert checks["claude"].detail == "3 sessions on disk, 1 of them not (wholly) in the store; no event was ever seen"
    catch_up(memory._store, machine)
    spool = memory.home.spool
    spool.mkdir(exist_ok=True)
    (spool / "1-1.0.json").write_text("{}")
    os.utime(spool / "1-1.0.json", (time.time() - 7200, time.time() - 7200))
    checks = {check.name: check for check in examine_capture(memory._store, machine)}
    assert checks["claude"].state == "ok"
    assert checks["capture"].state == "warning"
    assert "1 notes wait, the oldest for 2 hours" in checks["capture"].detail


SESSIONS, SIZE = 100, 2_500_000
"""A twentieth of what is promised: 2,000 sessions, 5 GB. With 2,000 here the test takes about ten minutes."""

MOST_MEMORY = 500_000  # kB


def _peak(running: subprocess.Popen[bytes], until: Callable[[], bool] = lambda: False) -> int:
    """Watch a process until it ends or something holds; the most memory that it had, in kB; 0 where that cannot be told.

    What `wait4` tells would be the memory of this process, if that has more: a child begins with its parent's peak.
    """
    peak = 0
    while running.poll() is None and not until():
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{running.pid}/status").read_text(encoding="utf-8")
            peak = max(peak, *map(int, re.findall(r"^VmHWM:\s+(\d+)", status, re.MULTILINE)), 0)
        time.sleep(0.05)
    return peak


def _due() -> tuple[int, int]:
    """How many transcripts, and bytes of them, are to be read."""
    (claude,) = json.loads(run("backfill", "--dry-run", "--json").stdout)["agents"]
    return claude["due"], claude["due_size"]


@pytest.mark.slow
def test_a_backfill_that_is_killed_goes_on_where_it_was(own_home: Path, memory: Memory, tmp_path: Path):
    files = sessions(own_home / ".claude/projects", SESSIONS, SIZE)
    size = sum(file.stat().st_size for file in files)
    assert _due() == (SESSIONS, size)
    running = subprocess.Popen(
        [sys.executable, "-m", "agentmem", "backfill"], env=environment(), stdout=subprocess.DEVNULL
    )
    deadline = time.monotonic() + SESSIONS
    half = SESSIONS // 2
    assert _peak(running, lambda: memory.stats().counts.sessions >= half or time.monotonic() > deadline) < MOST_MEMORY
    running.send_signal(signal.SIGKILL)
    running.wait()
    left, left_size = _due()
    assert 0 < left <= SESSIONS // 2 + 1
    with (tmp_path / "told.json").open("wb+") as out:
        running = subprocess.Popen(
            [sys.executable, "-m", "agentmem", "backfill", "--json"], env=environment(), stdout=out
        )
        assert _peak(running) < MOST_MEMORY
        out.seek(0)
        done = json.load(out)
    # Of what the store has nothing is read again.
    assert (running.returncode, done["transcripts"], done["bytes"]) == (0, left, left_size)
    assert memory.stats().counts.sessions == SESSIONS
    with memory._store.reading() as connection:
        (prompts,) = connection.execute(
            "SELECT count(*) FROM occurrences o JOIN messages m ON m.session_no = o.session_no AND m.id = o.message_id "
            "WHERE m.role = 'user'"
        ).fetchone()
    assert prompts == sum(map(turns, files))
    assert _due() == (0, 0)
    assert run("doctor", "--deep").returncode == 0
