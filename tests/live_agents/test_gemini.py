"""Gemini CLI itself, from its installation into its settings to what its model is told."""

import pytest

from tests.live_agents.conftest import BRIEFING, Desk

pytestmark = pytest.mark.live

SETTINGS = """\
{
  // mine
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
  "privacy": {"usageStatisticsEnabled": false} /* nobody's business */
}
"""

CACHE = "The osprey cache is flushed at noon."
TABS = "Prefer tabs over spaces in osprey."
ALERTS = "Alerts of osprey go to the channel fish-hawk."


def gemini(prompt: str, *options: str) -> list[str]:
    return ["gemini", "--skip-trust", "-m", "gemini-2.5-flash", *options, "-p", prompt]


def test_gemini_remembers(desk: Desk, unchanged):
    check = unchanged(desk.write(".gemini/settings.json", SETTINGS))
    desk.run("agentmem", "install", "gemini", "--yes")

    desk.run(*gemini(CACHE))
    desk.captured(CACHE)
    assert "noon" in desk.recalled("When is the osprey cache flushed?")

    # Another session is briefed on it, behind its first prompt, and what was injected is not stored.
    asked = desk.briefed(gemini, "noon")
    desk.run(*gemini(TABS, "-r", "latest"))
    assert "mcp_agentmem_recall" in asked, "the tools of the MCP server are there"
    desk.captured(TABS)

    # The resumed session still has its first prompt, and is not told a second time.
    asked = desk.asked(*gemini(ALERTS, "-r", "latest"))[-1]
    assert TABS in asked
    assert asked.count(BRIEFING) <= 1
    desk.captured(ALERTS)

    # A compression replaces the history in the file; what was said stays, once.
    desk.model.full = ("Fill it up.", 1_000_000)
    desk.run(*gemini("Fill it up.", "-r", "latest"))
    desk.run(*gemini("And go on.", "-r", "latest"))
    desk.captured("Fill it up.", "And go on.")

    told = desk.told()
    assert set(told.values()) == {1}, told
    assert len({one.session for one in desk.said() if one.content in (TABS, ALERTS)}) == 1
    assert not [one for one in desk.said() if BRIEFING in one.content]

    desk.run("agentmem", "uninstall", "gemini", "--yes")
    check()
