"""OpenCode itself, from its installation into its settings to what its model is told."""

import json

import pytest

from tests.live_agents.conftest import BRIEFING, Desk

pytestmark = pytest.mark.live

SETTINGS = """\
{
  "$schema": "https://opencode.ai/config.json",
  "model": "here/m", // mine
  "autoupdate": false,
  "share": "disabled",
  "provider": {
    "here": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "here",
      "options": {"baseURL": "ADDRESS/v1", "apiKey": "none"},
      "models": {"m": {"name": "m", "limit": {"context": 40000, "output": 2000}}},
    },
  },
}
"""

QUEUE = "The kestrel queue holds 4000 jobs."
SHELL = "Use fish for the scripts of kestrel."
FORKED = "In this fork the scripts use zsh."
AFTER = "The dead letters of kestrel are kept for nine days."


def opencode(prompt: str, *options: str) -> list[str]:
    return ["opencode", "run", *options, prompt]


def main_request(asks: list[str]) -> str:
    """The request of the session itself: that for a title has no tools."""
    return next(ask for ask in reversed(asks) if json.loads(ask).get("tools"))


def test_opencode_remembers(desk: Desk, unchanged):
    config = desk.home / "opencode"  # XDG_CONFIG_HOME is the home of a test
    checks = [
        unchanged(desk.write("opencode/opencode.json", SETTINGS.replace("ADDRESS", desk.model.url))),
        unchanged(config / "plugins/agentmem.js"),
    ]
    desk.environment |= {"XDG_CONFIG_HOME": str(desk.home), "XDG_DATA_HOME": str(desk.home / "data")}
    desk.run("agentmem", "install", "opencode", "--yes")

    # `opencode run` ends some 40 ms after the turn: even so the plugin gets its word out.
    desk.run(*opencode(QUEUE))
    desk.captured(QUEUE)
    assert "4000" in desk.recalled("How many jobs does the kestrel queue hold?")

    # Another session is briefed on it, in the system prompt, and so are its later requests.
    asked = desk.briefed(opencode, "4000")
    desk.run(*opencode(SHELL, "--continue"))
    assert "agentmem_recall" in asked, "the tools of the MCP server are there"
    asked = main_request(desk.asked(*opencode("And what else?", "--continue")))
    assert asked.count(BRIEFING) == 1
    assert SHELL in asked
    desk.captured(SHELL, "And what else?")

    # A fork copies the messages under new ids: they are stored once.
    asked = main_request(desk.asked(*opencode(FORKED, "--continue", "--fork")))
    assert SHELL in asked
    desk.captured(FORKED)

    # A compaction leaves the session's own words.
    desk.model.full = ("Fill it up.", 39_000)
    desk.run(*opencode("Fill it up.", "--continue"))
    desk.run(*opencode(AFTER, "--continue"))
    desk.captured("Fill it up.", AFTER)
    assert [one for one in desk.said() if one.kind == "summary"], "it compacted"

    told = desk.told()
    assert set(told.values()) == {1}, told
    assert not [one for one in desk.said() if BRIEFING in one.content]

    desk.run("agentmem", "uninstall", "opencode", "--yes")
    for check in checks:
        check()
