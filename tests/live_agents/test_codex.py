"""Codex CLI itself, from its installation into its settings to what its model is told."""

import json

import pytest

from tests.live_agents.conftest import BRIEFING, Desk

pytestmark = pytest.mark.live

CONFIG = """\
# mine
model = "gpt-5.1-codex"
model_provider = "here"

[model_providers.here]
name = "here"   # and nowhere else
base_url = "{url}/v1"
wire_api = "responses"

[analytics]
enabled = false
"""

PORT = "The merlin service listens on port 9311."
DEPLOY = "We always deploy merlin with make ship, never by hand."
LINTER = "In this fork we prefer ruff over flake8."
PROTOCOL = "And merlin speaks gRPC only."
COMPACTED = ("-c", "model_auto_compact_token_limit=20000")


def codex(*arguments: str, trusted: bool = True) -> list[str]:
    trust = ["--dangerously-bypass-hook-trust"] if trusted else []
    name, *rest = arguments
    verb = [name] if name in ("resume", "fork") else []
    return ["codex", "exec", *verb, "--skip-git-repo-check", *trust, *(rest if verb else arguments)]


def test_codex_remembers(desk: Desk, unchanged):
    config = desk.write(".codex/config.toml", CONFIG.format(url=desk.model.url))
    checks = [unchanged(config), unchanged(desk.home / ".codex/hooks.json")]
    assert "/hooks" in desk.run("agentmem", "install", "codex", "--yes"), "it says that Codex must trust the hooks"

    # Without trust Codex passes the hooks over in silence: doctor must say so.
    # The tools of the MCP server are there all the same, if it is up within a second.
    for attempt in range(5):
        (first,) = desk.asked(*codex(f"Is anyone there? ({attempt})", trusted=False))
        if "agentmem" in json.dumps(json.loads(first)["tools"]):
            break
    else:
        pytest.fail("Codex's model was not given agentmem's tools")
    assert not desk.told()
    assert "trust" in desk.run("agentmem", "status", "codex")

    # The next session's sweep brings in what was missed.
    desk.run(*codex(PORT))
    desk.captured(PORT, "Is anyone there? (0)")
    assert "9311" in desk.recalled("On which port does merlin listen?")

    # Another session is briefed on it, and what was injected is not stored.
    desk.briefed(codex, "9311")
    desk.run(*codex("resume", "--last", DEPLOY))
    desk.captured(DEPLOY)
    session = next(one.session for one in desk.said() if one.content == DEPLOY)

    # A resumed session replays the briefing; it is not told a second time.
    (asked,) = desk.asked(*codex("resume", session, "And what else?"))
    assert asked.count(BRIEFING) == 1
    assert DEPLOY in asked

    # A fork knows what was said before it, and adds only what is new.
    (asked,) = desk.asked(*codex("fork", session, LINTER))
    assert DEPLOY in asked
    assert asked.count(BRIEFING) == 1
    desk.captured("And what else?", LINTER)

    # A compaction leaves the session's own words.
    desk.model.full = ("Fill it up.", 90_000)
    desk.run(*codex("resume", session, "Fill it up."))
    asks = desk.asked(*codex("resume", session, *COMPACTED, PROTOCOL))
    desk.captured(PROTOCOL)
    assert len(asks) > 1, "it compacted"

    told = desk.told()
    assert set(told.values()) == {1}, told
    assert not [one for one in desk.said() if BRIEFING in one.content]
    assert "gRPC" in desk.recalled("Which protocol does merlin speak?")

    desk.run("agentmem", "uninstall", "codex", "--yes")
    for check in checks:
        check()
