import json
import os
import subprocess
import sys

import duckdb
import pytest

from agentmem.cli.door import door
from agentmem.errors import BadInput, NotFound, StoreBusy, UsageError
from tests.cli.conftest import process_environment


@pytest.mark.parametrize(
    ("error", "code", "name"),
    [
        (NotFound("gone", "look elsewhere"), 1, "not_found"),
        (UsageError("what?"), 2, "usage_error"),
        (StoreBusy("busy", "process 7 (python)"), 3, "store_busy"),
        (BadInput("unlike"), 4, "bad_input"),
    ],
)
def test_errors_have_words_a_code_and_a_shape(error, code, name, environment, capsys):
    for as_json in (False, True):
        with pytest.raises(SystemExit) as left, door(as_json=as_json):
            raise error
        assert left.value.code == code
        said = capsys.readouterr()
        assert said.out == ""
        if as_json:
            shape = {"code": name, "message": error.message, "hint": error.hint, "exit_code": code}
            assert json.loads(said.err) == {"version": 1, "error": shape}
        else:
            assert said.err.startswith(f"error: {error.message}\n")
            assert error.hint in said.err


def test_a_crash_is_written_down_for_the_owner_alone(call, home, monkeypatch):
    monkeypatch.setattr("agentmem.memory.Memory.stats", lambda _self: 1 / 0)
    crashed = call("stats")
    assert crashed.code == 1
    assert "error: unexpected ZeroDivisionError" in crashed.err
    [log] = (home / "log").glob("crash-*.log")
    assert str(log) in crashed.err
    assert log.stat().st_mode & 0o777 == 0o600
    assert log.parent.stat().st_mode & 0o777 == 0o700
    assert "Traceback" in log.read_text()
    assert "agentmem 0." in log.read_text()


def test_a_crash_that_cannot_be_written_down_is_shown(call, home, monkeypatch):
    monkeypatch.setattr("agentmem.memory.Memory.stats", lambda _self: 1 / 0)
    home.mkdir()
    (home / "log").write_text("a file where the folder should be")
    crashed = call("stats")
    assert crashed.code == 1
    assert "Traceback" in crashed.err
    assert "ZeroDivisionError" in crashed.err


def test_what_the_system_refuses_is_told_without_a_crash_log(call, home, dashboard):
    home.write_text("a file where the folder should be")
    refused = call("ingest", dashboard)
    assert refused.code == 1
    assert refused.err.startswith("error: ")
    assert str(home) in refused.err
    assert "Traceback" not in refused.err


def test_a_busy_store_is_told_with_its_holder(command, filled, home, dashboard):
    holder = duckdb.connect(str(home / "memory.duckdb"))
    try:
        busy = command("recall", "npm", "--json", AGENTMEM_PATIENCE="0.2")
    finally:
        holder.close()
    assert busy.code == 3
    error = json.loads(busy.err)["error"]
    assert error["code"] == "store_busy"
    assert f"process {os.getpid()}" in error["message"]


def test_ctrl_c_is_told(call, monkeypatch):
    def stop(_self):
        raise KeyboardInterrupt

    monkeypatch.setattr("agentmem.memory.Memory.stats", stop)
    stopped = call("stats")
    assert (stopped.code, stopped.err) == (130, "stopped; what was stored stays, run it again to go on\n")


def test_a_reader_that_has_seen_enough_is_no_error(filled, dashboard):
    for _ in range(3):
        filled("ingest", dashboard, "--session", "again")
    asking = subprocess.Popen(
        [sys.executable, "-m", "agentmem", "list", "--all", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=process_environment(),
    )
    asking.stdout.close()
    assert asking.stderr.read() == b""
    assert asking.wait(30) == 0


def test_head_of_a_batch(filled, tmp_path):
    questions = tmp_path / "q.jsonl"
    questions.write_text('{"query": "rate limit"}\n' * 50)
    shell = f'{sys.executable} -m agentmem recall --batch {questions} | head -1; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, env=process_environment())
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "0"


def test_output_is_utf_8_whatever_the_locale(command):
    said = command("remember", "部署用 pnpm — naïve", LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert said.code == 0
    assert "部署用 pnpm — naïve" in said.out


def test_arguments_that_are_no_utf_8_are_taken(environment):
    done = subprocess.run(
        [sys.executable, "-m", "agentmem", "recall", b"\xff\xfe what"], capture_output=True, env=process_environment()
    )
    assert done.returncode == 0
    assert b"Nothing relevant" in done.stdout


def test_a_broken_configuration_is_told(call, home):
    home.mkdir()
    (home / "config.toml").write_text("limit = [")
    told = call("list")
    assert told.code == 1
    assert "config.toml is not valid TOML" in told.err
    assert call("config", "path").out == f"{home / 'config.toml'}\n"
