import json

import pytest

from agentmem.integrations.agents import AGENTS
from agentmem.integrations.status import IN_PLACE, MISSING, NONE, PARTLY, UNKNOWN, WARNING, look, survey


def of(desk, name):
    return look(AGENTS[name], desk.machine)


def codes(desk, name):
    return [finding.code for finding in of(desk, name).findings]


def test_before_and_after(desk):
    assert {(one.hooks, one.server) for one in survey(desk.machine) if AGENTS[one.agent].can_install} == {
        (MISSING, MISSING)
    }
    desk.install()
    for one in survey(desk.machine):
        expected = (IN_PLACE, IN_PLACE) if AGENTS[one.agent].can_install else (NONE, NONE)
        assert (one.hooks, one.server) == expected, one.agent
    warnings = {finding.code for one in survey(desk.machine) for finding in one.findings if finding.state == WARNING}
    assert warnings == {"trust"}
    desk.uninstall(*AGENTS)
    assert {one.hooks for one in survey(desk.machine)} == {MISSING, NONE}


def test_looking_writes_nothing(desk, tmp_path):
    desk.install("claude")
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")}
    survey(desk.machine)
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")} == before


def test_partly(desk):
    desk.install("claude")
    file = desk.root / ".claude/settings.json"
    held = json.loads(file.read_text())
    del held["hooks"]["Stop"]
    file.write_text(json.dumps(held))
    assert of(desk, "claude").hooks == PARTLY
    assert codes(desk, "claude") == ["partly"]


def test_unreadable(desk):
    desk.write(".claude/settings.json", "{")
    desk.write(".codex/config.toml", "=")
    assert (of(desk, "claude").hooks, of(desk, "claude").server) == (UNKNOWN, MISSING)
    assert (of(desk, "codex").hooks, of(desk, "codex").server) == (MISSING, UNKNOWN)
    assert codes(desk, "claude") == ["unreadable"]


@pytest.mark.parametrize(
    ("name", "file"),
    [("codex", ".codex/hooks.json"), ("gemini", ".gemini/settings.json"), ("codex", ".codex/config.toml")],
)
def test_byte_order_mark(desk, name, file):
    desk.write(file, b"\xef\xbb\xbf" + (b"" if file.endswith("toml") else b"{}"))
    desk.install(name)
    assert "bom" in codes(desk, name)


def test_wrong_unit(desk):
    hook = {"type": "command", "command": "agentmem hook gemini", "timeout": 5}
    desk.write(".gemini/settings.json", json.dumps({"hooks": {"BeforeAgent": [{"hooks": [hook]}]}}))
    assert "time" in codes(desk, "gemini")
    desk.install("gemini")
    assert codes(desk, "gemini") == []


def test_double_entries(desk):
    desk.install("claude")
    file = desk.root / ".claude/settings.json"
    held = json.loads(file.read_text())
    held["hooks"]["Stop"] *= 2
    held["enabledPlugins"] = {"agentmem@agentmem": True}
    file.write_text(json.dumps(held))
    assert codes(desk, "claude") == ["double", "double"]
    desk.install("gemini")
    (desk.root / ".gemini/extensions/agentmem").mkdir(parents=True)
    assert codes(desk, "gemini") == ["double"]


def test_hooks_that_other_agents_run_too(desk):
    desk.install("cursor", "vscode")
    assert codes(desk, "cursor") == codes(desk, "vscode") == []
    desk.install("claude")
    assert codes(desk, "cursor") == codes(desk, "vscode") == ["bridged"]


def test_trust_that_codex_still_needs(desk):
    desk.install("codex")
    (finding,) = of(desk, "codex").findings
    assert finding.code == "trust"
    assert "SessionStart, UserPromptSubmit, Stop, PreCompact, SessionEnd" in finding.text
    config = desk.root / ".codex/config.toml"
    names = ("session_start", "user_prompt_submit", "stop", "pre_compact", "session_end")
    trusted = "".join(
        f"[hooks.state.\"{desk.root}/.codex/hooks.json:{name}:0:0\"]\ntrusted_hash = 'sha256:x'\n" for name in names
    )
    config.write_text(config.read_text() + trusted)
    assert codes(desk, "codex") == []
    config.write_text(config.read_text() + "enabled = false\n")
    assert codes(desk, "codex") == ["disabled"]


@pytest.mark.parametrize(
    ("name", "file", "setting"),
    [
        ("claude", ".claude/settings.json", {"disableAllHooks": True}),
        ("gemini", ".gemini/settings.json", {"tools": {"enableHooks": False}}),
        ("gemini", ".gemini/settings.json", {"hooksConfig": {"enabled": False}}),
        ("copilot", ".copilot/settings.json", {"disableAllHooks": True}),
        ("vscode", ".config/Code/User/settings.json", {"chat.hookFilesLocations": {"~/.copilot/hooks": False}}),
    ],
)
def test_hooks_that_settings_switch_off(desk, name, file, setting):
    desk.write(file, json.dumps(setting))
    desk.install(name)
    assert codes(desk, name) == ["disabled"]


def test_a_program_that_is_gone(desk, tmp_path):
    desk.install("cursor")
    (tmp_path / "bin/agentmem").unlink()
    assert codes(desk, "cursor") == ["gone", "gone"]


def test_agents_without_hooks(desk):
    (desk.root / ".pi/agent").mkdir(parents=True)
    assert (of(desk, "pi").present, of(desk, "pi").hooks) == (True, NONE)
    assert codes(desk, "pi") == ["transcripts"]
    assert codes(desk, "aider") == []
