import json
from pathlib import Path

import pytest

from agentmem.hook.call import AGENTS, recognise

CASES = json.loads((Path(__file__).parent / "data/payloads.json").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def no_folders(monkeypatch):
    for name in ("CURSOR_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['asked']}-{case.get('event')}")
def test_who_calls_and_what_for(case):
    call = recognise(case["asked"], case["payload"], case.get("options", {}))
    if case["agent"] is None:
        assert call is None
        return
    assert call is not None
    assert (call.agent, call.event, call.cwd) == (case["agent"], case["event"], "/p")
    assert call.bridged == (case["asked"] != case["agent"])
    assert call.session or case["agent"] == "aider"


def test_every_agent_has_a_case():
    assert {case["agent"] for case in CASES} >= set(AGENTS)


def test_a_path_that_is_none_is_left_out():
    payload = {"session_id": "s", "hook_event_name": "Stop", "cwd": "/p"}
    for path in ("relative.jsonl", "/a\0b", ""):
        call = recognise("claude", {**payload, "transcript_path": path}, {})
        assert call is not None
        assert call.transcript == ""


def test_a_variable_tells_the_folder_that_a_payload_does_not(monkeypatch):
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", "/project")
    call = recognise("claude", {"session_id": "s", "hook_event_name": "Stop"}, {})
    assert call is not None
    assert call.cwd == "/project"


@pytest.mark.parametrize(
    ("agent", "event", "takes"),
    [
        ("claude", "SessionStart", True),
        ("claude", "UserPromptSubmit", False),
        ("claude", "PreCompact", False),
        ("gemini", "SessionStart", False),
        ("gemini", "BeforeAgent", True),
        ("cursor", "sessionStart", True),
        ("copilot", "sessionStart", False),
    ],
)
def test_when_a_briefing_is_taken(agent, event, takes):
    call = recognise(agent, {"session_id": "s", "hook_event_name": event}, {})
    assert call is not None
    assert call.takes_briefing == takes
