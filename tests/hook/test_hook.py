"""The hook as a process: what it leaves behind, what it prints, how long it takes, and what it never does."""

import json
import re
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentmem import Memory
from agentmem.hook.briefing import DEADLINE, brief
from agentmem.hook.call import Call
from agentmem.hook.place import place
from agentmem.hook.spool import is_briefed
from agentmem.recall.injection import Briefed
from tests.hook.conftest import Hook, environment, notes

STOP = {
    "session_id": "3f0c2a1e", "transcript_path": "/nowhere/3f0c2a1e.jsonl", "cwd": "/p", "hook_event_name": "Stop",
    "last_assistant_message": "my password is hunter2",
}  # fmt: skip


def test_a_capture_leaves_a_note_and_says_nothing(hook: Hook, idle: Path):
    ran = hook("claude", {**STOP, "prompt": "my password is hunter2"})
    assert (ran.code, ran.out, ran.err) == (0, b"", b"")
    (note,) = notes(idle)
    assert abs(note.pop("at") - time.time()) < 30
    assert note == {
        "version": 1, "agent": "claude", "event": "turn", "name": "Stop", "session": "3f0c2a1e",
        "transcript": "/nowhere/3f0c2a1e.jsonl", "cwd": "/p",
    }  # fmt: skip
    for path in (idle, *idle.rglob("*")):
        if path.name != "worker.lock":
            assert path.stat().st_mode & 0o077 == 0, path
    assert not any(b"hunter2" in file.read_bytes() for file in idle.rglob("*") if file.is_file())


@pytest.mark.parametrize("name", ["AGENTMEM_DISABLE", "AGENTMEM_IN_HOOK"])
def test_switched_off_it_does_nothing(hook: Hook, home: Path, name):
    assert hook("claude", STOP, **{name: "1"}).code == 0
    assert not home.exists()


@pytest.mark.parametrize(
    "payload",
    [b"", b"   \n", b"{", b'{"session_id": "x", "hook_ev', b"null", b"[1]", b"\xff\xfe", b"\0" * 100, b"[" * 100_000,
     b'{"a":' * 50_000, b'"\\ud800"'],
)  # fmt: skip
def test_what_is_no_object_is_nobodys_business(hook: Hook, home: Path, payload):
    ran = hook("claude", payload)
    assert (ran.code, ran.out, ran.err) == (0, b"", b"")
    assert ran.seconds < 1.2
    assert not list(home.rglob("*.json"))


@pytest.mark.parametrize(
    "encoded",
    [
        b"\xef\xbb\xbf" + json.dumps(STOP).encode(),
        b"\xff\xfe" + json.dumps(STOP).encode("utf-16-le"),
        json.dumps(STOP).encode() + b"\r\n",
        json.dumps({**STOP, "cwd": "/caf\u00e9/\u65e5\u672c", "x": "\ud800"}).encode(),
    ],
)
def test_byte_order_marks_and_odd_endings(hook: Hook, idle: Path, encoded):
    ran = hook("claude", encoded)
    assert ran.code == 0
    assert ran.seconds < 1.2
    assert len(notes(idle)) == 1


@pytest.mark.parametrize(("sent", "captured"), [(json.dumps(STOP), 1), (json.dumps(STOP)[:-9], 0), ("", 0)])
def test_a_pipe_that_stays_open_does_not_hold_it(idle: Path, sent, captured):
    began = time.monotonic()
    running = subprocess.Popen(
        [sys.executable, "-m", "agentmem", "hook", "claude"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert running.stdin is not None
    running.stdin.write(sent.encode())
    running.stdin.flush()
    assert running.wait(timeout=10) == 0
    assert time.monotonic() - began < (1.2 if captured == 0 else 0.8)
    assert running.stdout is not None
    assert running.stdout.read() == b""
    running.stdin.close()
    assert len(notes(idle)) == captured


def test_a_large_payload_is_read_to_its_end(hook: Hook, idle: Path):
    ran = hook("claude", {**STOP, "last_assistant_message": "}" * 10_000_000})
    assert ran.code == 0
    assert len(notes(idle)) == 1


def test_without_standard_input(idle: Path):
    script = f"exec {sys.executable} -m agentmem hook claude <&-"
    assert subprocess.run(["bash", "-c", script], env=environment(), timeout=10).returncode == 0


def test_a_disk_that_refuses_is_written_down_nowhere_and_hurts_nobody(hook: Hook, tmp_path: Path):
    (tmp_path / "file").touch()
    ran = hook("claude", STOP, AGENTMEM_HOME=str(tmp_path / "file" / "home"))
    assert (ran.code, ran.out, ran.err) == (0, b"", b"")


def test_a_failure_leaves_a_line_in_the_log_without_what_it_was_about(hook: Hook, home: Path):
    home.mkdir()
    (home / "spool").touch()
    assert hook("claude", STOP).code == 0
    assert re.fullmatch(r"\w+Error at \w+\.py:\d+ \([A-Za-z ]+\)\n", (home / "log/hook.log").read_text())


def test_the_second_of_two_equal_calls_is_dropped(hook: Hook, idle: Path):
    end = {"session_id": "g", "transcript_path": "/h/.gemini/x", "cwd": "/p", "hook_event_name": "SessionEnd"}
    for second in range(2):
        hook("gemini", {**end, "reason": "exit", "timestamp": f"2026-11-29T21:45:0{second}.777Z"})
    assert len(notes(idle)) == 1
    hook("gemini", {**end, "session_id": "other", "reason": "exit"})
    hook("claude", STOP)
    hook("claude", {**STOP, "last_assistant_message": "another turn"})
    assert len(notes(idle)) == 4


CURSOR = {
    "conversation_id": "7d1f", "session_id": "7d1f", "cursor_version": "3.20.17", "workspace_roots": ["/p"],
    "hook_event_name": "Stop", "transcript_path": None,
}  # fmt: skip


def test_cursor_runs_claudes_hook_beside_its_own(hook: Hook, idle: Path, own_home: Path):
    hook("claude", CURSOR)
    hook("cursor", {**CURSOR, "hook_event_name": "stop"})
    assert [note["agent"] for note in notes(idle)] == ["cursor"]
    (own_home / ".cursor").mkdir()
    (own_home / ".cursor/hooks.json").write_text('{"hooks": {"stop": [{"command": "agentmem hook cursor"}]}}')
    hook("claude", {**CURSOR, "session_id": "8"})
    assert len(notes(idle)) == 1
    hook("cursor", {**CURSOR, "session_id": "8"})
    assert len(notes(idle)) == 2


def test_vs_code_runs_claudes_hook_beside_its_own(hook: Hook, idle: Path):
    stop = {"sessionId": "vs-1", "hookEventName": "Stop", "cwd": "/p", "timestamp": "2026-11-20T10:00:00.000Z"}
    hook("claude", stop)
    hook("vscode", stop)
    assert [note["agent"] for note in notes(idle)] == ["vscode"]


def test_a_plugin_that_says_all_on_the_command_line(hook: Hook, idle: Path):
    hook("opencode", b"", "--event", "session.idle", "--session=ses_1", "--cwd", "/p")
    hook("codex", b"", json.dumps({"type": "agent-turn-complete", "thread-id": "01a2", "cwd": "/p"}))
    hook("aider", b"")
    assert [(note["agent"], note["event"], note["session"]) for note in notes(idle)] == [
        ("opencode", "turn", "ses_1"), ("codex", "turn", "01a2"), ("aider", "turn", ""),
    ]  # fmt: skip


def test_unknown_agents_are_told_by_their_payload_or_left_alone(hook: Hook, idle: Path):
    assert hook("nobody", STOP).code == 0
    assert notes(idle) == []


def test_help_is_the_command_lines(hook: Hook):
    ran = hook("--help", b"")
    assert b"Take note of what an agent did" in ran.out


def test_a_briefing_that_is_late_or_broken_is_not_printed(hook: Hook, idle: Path):
    start = {**STOP, "hook_event_name": "SessionStart", "source": "startup"}
    (idle / "memory.duckdb").write_bytes(b"no database")
    ran = hook("claude", start)
    assert (ran.code, ran.out, ran.err) == (0, b"", b"")
    assert len(notes(idle)) == 1


def test_a_briefing_that_waits_for_the_store_is_given_up_in_time(hook: Hook, idle: Path, memory):
    memory.seen_from("user").remember("Always use pnpm")
    start = {**STOP, "hook_event_name": "SessionStart", "source": "startup"}
    program = f"import duckdb; c = duckdb.connect({str(idle / 'memory.duckdb')!r}); print(1, flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"1\n"
        ran = hook("claude", start)
        holder.communicate(b"\n")
    assert (ran.code, ran.out, ran.err) == (0, b"", b"")
    assert len(notes(idle)) == 1


def test_a_briefing_that_takes_longer_than_its_time_is_nothing(home: Path, tmp_path: Path, monkeypatch):
    """As on a machine that has much else to do."""
    slow = tmp_path / "python"
    slow.write_text("#!/bin/sh\nsleep 5\necho '{\"hookSpecificOutput\": {}}'\n")
    slow.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(slow))
    call = Call("claude", "start", "SessionStart", "s", "", str(tmp_path), bridged=False, source="startup", said="")
    began = time.monotonic()
    assert brief(place(), call) == b""
    assert DEADLINE <= time.monotonic() - began < DEADLINE + 2


def test_a_briefing_is_one_object_of_the_agents_shape(hook: Hook, idle: Path, memory, tmp_path: Path):
    memory.seen_from("user").remember("Always use pnpm")
    start = {**STOP, "hook_event_name": "SessionStart", "source": "startup", "cwd": str(tmp_path)}
    ran = hook("claude", start)
    assert ran.seconds < 5
    if ran.out:  # a slow machine may not make it in time; then nothing is right
        given = json.loads(ran.out)
        assert given.keys() == {"hookSpecificOutput"}
        assert given["hookSpecificOutput"].keys() == {"hookEventName", "additionalContext"}
        assert given["hookSpecificOutput"]["hookEventName"] == "SessionStart"
        assert "pnpm" in given["hookSpecificOutput"]["additionalContext"]
    assert hook("claude", {**start, "hook_event_name": "PreCompact"}).out == b""


def test_the_mark_of_a_briefed_session_is_the_one_that_recall_makes(home: Path):
    call = Call("gemini", "prompt", "BeforeAgent", "s\u00e9ssion", "", "/p", bridged=False, source="", said="")
    assert not is_briefed(place(), call)
    assert Briefed(home / "state/briefed").due("gemini", "s\u00e9ssion", "BeforeAgent", None)
    assert is_briefed(place(), call)


@pytest.mark.parametrize("escaped", [False, True])
def test_a_copied_session_that_holds_a_briefing_had_its_own(home: Path, memory: Memory, tmp_path: Path, escaped):
    memory.remember("Use pnpm, not npm.")
    text = memory.context().text
    shown = text.replace("<", "&lt;").replace(">", "&gt;") if escaped else text
    copied, other = tmp_path / "copied.jsonl", tmp_path / "other.jsonl"
    copied.write_text(json.dumps({"type": "user", "content": [{"text": "Hello"}, {"text": shown}]}, ensure_ascii=False))
    other.write_text(json.dumps({"type": "user", "content": "What is an <agentmem-memory> block?"}))
    told = [
        is_briefed(place(), Call("gemini", "prompt", "BeforeAgent", "s", str(file), "/p", bridged=False, source="", said=""))
        for file in (copied, other, tmp_path / "none.jsonl")
    ]  # fmt: skip
    assert told == [True, False, False]


def test_nothing_but_the_standard_library_is_imported(idle: Path):
    code = (
        "import sys, os, json; before = set(sys.modules); os._exit = lambda _code: print(*sys.modules);"
        "sys.argv = ['agentmem', 'hook', 'claude']; import agentmem.__main__ as m; m.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(STOP).encode(), capture_output=True, env=environment()
    )
    loaded = done.stdout.decode().split()
    assert len(notes(idle)) == 1
    ours = {name for name in loaded if name.partition(".")[0] == "agentmem"}
    assert {name.rpartition(".")[0] for name in ours} <= {"", "agentmem", "agentmem.hook"}
    foreign = {name.partition(".")[0] for name in loaded} - set(sys.stdlib_module_names) - {"agentmem", "__mp_main__"}
    assert {name for name in foreign if not name.startswith(("_", "sitecustomize", "usercustomize"))} == set()
    assert not {"subprocess", "pathlib", "dataclasses", "threading", "tomllib"} & set(loaded)


def _cost(arguments: list[str], payload: bytes, count: int) -> float:
    """The median of the processor seconds that a command takes."""

    def once(number: int) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        given = payload.replace(b"NUMBER", str(number).encode())
        subprocess.run([sys.executable, *arguments], input=given, stdout=subprocess.DEVNULL, env=environment())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    once(-1)
    return statistics.median(once(number) for number in range(count))


@pytest.mark.parametrize("held", [False, True])
def test_a_capture_costs_less_than_three_imports(home: Path, held, tmp_path: Path):
    """From exec to exit, worker started and all; also with the database held by another process."""
    holder = None
    if held:
        home.mkdir()
        code = f"import duckdb, time; c = duckdb.connect({str(home / 'memory.duckdb')!r}); print(1, flush=True); time.sleep(60)"
        holder = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        assert holder.stdout is not None
        holder.stdout.readline()
    try:
        payload = json.dumps({**STOP, "last_assistant_message": "NUMBER"}).encode()
        mine = _cost(["-m", "agentmem", "hook", "claude"], payload, 15)
        theirs = _cost(["-c", "import json, subprocess"], b"", 15)
        assert mine < 3 * theirs
    finally:
        if holder is not None:
            holder.kill()
            holder.communicate()


@pytest.mark.parametrize("home_variable", ["absolute", "relative", "none"])
def test_the_home_is_the_one_that_paths_finds(home_variable, own_home: Path, monkeypatch):
    from agentmem import paths

    monkeypatch.chdir(own_home)
    monkeypatch.delenv("AGENTMEM_HOME")
    if home_variable != "none":
        monkeypatch.setenv("AGENTMEM_HOME", "~/x" if home_variable == "absolute" else "y/../z")
    for variables in ({}, {"XDG_DATA_HOME": "/data", "XDG_CONFIG_HOME": "/config"}, {"XDG_DATA_HOME": "relative"}):
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        found = paths.home()
        assert (place().data, place().settings) == (str(found.data), str(found.settings))
        assert place().spool == str(found.spool)
        assert place().log == str(found.log)
