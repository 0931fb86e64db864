"""`agentmem install`, `uninstall` and `status` as they are called."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agentmem.cli.app import app
from tests.integrations.conftest import Desk

ROOT = Path(__file__).parents[2]


@pytest.fixture
def here(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The desk as this process's own home."""
    monkeypatch.setenv("HOME", str(desk.root))
    monkeypatch.setenv("AGENTMEM_HOME", str(desk.home.data))
    monkeypatch.setenv("PATH", desk.machine.variables["PATH"])
    for name in (
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "GEMINI_CLI_HOME",
        "COPILOT_HOME",
        "VIRTUAL_ENV",
    ):
        monkeypatch.delenv(name, raising=False)
    return desk


def call(*arguments: str):
    result = CliRunner().invoke(app, list(arguments), prog_name="agentmem")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_there_and_back(here):
    here.write(".claude/settings.json", '{\n  "model": "opus"\n}\n')
    before = here.files()
    shown = call("install", "--all", "--dry-run")
    assert shown.exit_code == 0
    assert '+    "agentmem hook claude"' in shown.stdout or '"command": "agentmem hook claude"' in shown.stdout
    assert "12 files would be changed." in shown.stdout
    assert here.files() == before
    assert call("install", "--all", "--yes").exit_code == 0
    assert "Nothing had to be changed." in call("install", "--all").stdout
    assert "claude\there\tin place\tin place" in call("status").stdout
    assert call("uninstall", "--all", "--yes").exit_code == 0
    assert here.files() == before


def test_a_script_has_to_say_yes(here):
    before = here.files()
    refused = call("install", "claude")
    assert refused.exit_code == 2
    assert "--yes" in refused.stderr
    assert call("install", "claude", "--json").exit_code == 2
    assert call("install").exit_code == 2
    assert call("uninstall").exit_code == 2
    assert call("status", "emacs").exit_code == 2
    assert here.files() == before


def test_shapes(here):
    done = json.loads(call("install", "claude", "pi", "--yes", "--json").stdout)
    assert list(done) == ["version", "written", "agents", "changes", "refusals", "notes", "status"]
    assert (done["version"], done["written"], done["agents"]) == (1, True, ["claude", "pi"])
    assert [set(change) for change in done["changes"]] == [{"path", "agents", "action", "diff"}] * 2
    assert [change["action"] for change in done["changes"]] == ["create", "create"]
    assert done["notes"][0]["agent"] == "pi"
    here.write(".cursor/hooks.json", "{")
    failed = call("install", "cursor", "--yes", "--json")
    assert failed.exit_code == 1
    assert set(json.loads(failed.stdout)["refusals"][0]) == {"path", "agents", "reason", "hint"}
    status = json.loads(call("status", "claude", "--json").stdout)
    assert list(status) == ["version", "agents"]
    assert list(status["agents"][0]) == ["agent", "title", "present", "hooks", "mcp", "files", "findings"]


def test_a_person_is_asked(here):
    """On a terminal: the changes are shown, and "n" leaves everything as it was."""
    pty = pytest.importorskip("pty")
    before = here.files()
    for answer, exit_code, written in ((b"n\n", 0, False), (b"y\n", 0, True)):
        master, slave = pty.openpty()
        running = subprocess.Popen(
            [sys.executable, "-m", "agentmem", "install", "codex"],
            stdin=slave,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        os.close(slave)
        os.write(master, answer)
        out, err = running.communicate(timeout=60)
        os.close(master)
        assert running.returncode == exit_code, err
        assert b"agentmem hook codex" in out
        assert b"Write this?" in err
        assert (here.files() != before) == written


def test_completion_scripts(here, tmp_path):
    for shell in ("bash", "fish", "zsh"):
        (tmp_path / "bin" / shell).write_text("#!/bin/sh\n")
        (tmp_path / "bin" / shell).chmod(0o755)
    before = here.files()
    done = call("install", "--completions", "--yes")
    assert done.exit_code == 0
    assert "fpath=(~/.local/share/zsh/site-functions $fpath)" in done.stdout
    new = set(here.files()) - set(before)
    assert new == {
        ".local/share/bash-completion/completions/agentmem",
        ".local/share/zsh/site-functions/_agentmem",
        ".config/fish/completions/agentmem.fish",
    }
    assert here.read(".local/share/zsh/site-functions/_agentmem").startswith(b"#compdef agentmem\n")
    assert "Nothing had to be changed." in call("install", "--completions").stdout
    call("uninstall", "--completions", "--yes")
    assert here.files() == before
