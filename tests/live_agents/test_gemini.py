"""Gemini CLI itself, from its installation into its settings to what its model is told."""

import json

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
NIGHT = "In this copy the osprey cache is flushed at night."
LONG = f"Compare these numbers with each other: {' '.join(map(str, range(4000)))}"  # more than 2,000 tokens


def gemini(prompt: str, *options: str) -> list[str]:
    return ["gemini", "--skip-trust", "-m", "gemini-2.5-flash", *options, "-p", prompt]


def tools(request: str) -> set[str]:
    return {one["name"] for group in json.loads(request).get("tools", []) for one in group["functionDeclarations"]}


def test_gemini_remembers(desk: Desk, unchanged):
    check = unchanged(desk.write(".gemini/settings.json", SETTINGS))
    desk.run("agentmem", "install", "gemini", "--yes")

    desk.run(*gemini(CACHE))
    desk.captured(CACHE)
    assert "noon" in desk.recalled("When is the osprey cache flushed?")

    # Another session is briefed on it, behind its first prompt, and what was injected is not stored.
    asked = desk.briefed(gemini, "noon")
    assert "agentmem is the user's long-term memory" in asked, "the MCP server has said what it is for"

    # Without a terminal Gemini gives its model only those tools that need no confirmation by the user.
    asked = desk.asked(*gemini(TABS, "-r", "latest", "--approval-mode", "yolo"))[-1]
    assert {f"mcp_agentmem_{name}" for name in ("recall", "remember", "forget", "list", "context")} <= tools(asked)
    desk.captured(TABS)

    # The resumed session still has its first prompt, and is not told a second time.
    asked = desk.asked(*gemini(ALERTS, "-r", "latest"))[-1]
    assert TABS in asked
    assert asked.count(BRIEFING) <= 1
    desk.captured(ALERTS)
    (session,) = {one.session for one in desk.said() if one.content in (TABS, ALERTS)}

    # A fork is a copy of the file under a new id: what it has from there is stored once.
    (file,) = [one for one in (desk.home / ".gemini/tmp").rglob("chats/*.jsonl") if ALERTS in one.read_text()]
    asked = desk.asked(*gemini(NIGHT, "--session-file", str(file)))[-1]
    assert ALERTS in asked
    assert asked.count(BRIEFING) == 1
    desk.captured(NIGHT)
    assert {one.session for one in desk.said() if one.content == NIGHT}.isdisjoint({session})

    # A compression replaces the history in the file; what was said stays, once.
    desk.environment["GEMINI_CLI_TRUST_WORKSPACE"] = "true"  # the option comes too late for a project's own settings
    project = desk.write("work/aviary/.gemini/settings.json", '{"model": {"compressionThreshold": 0.002}}')
    desk.model.summary = (
        "<state_snapshot>",
        "<state_snapshot><key_knowledge>Ospreys fish.</key_knowledge></state_snapshot>",
    )
    desk.run(*gemini(LONG, "-r", "latest"))
    asked = desk.asked(*gemini("And go on.", "-r", "latest"))[-1]
    assert "Ospreys fish." in asked
    assert TABS not in asked
    desk.captured(LONG, "And go on.")
    assert [one for one in desk.said() if one.kind == "summary"], "it compressed"
    project.unlink()

    told = desk.told()
    assert set(told.values()) == {1}, told
    assert not [one for one in desk.said() if BRIEFING in one.content]

    desk.run("agentmem", "uninstall", "gemini", "--yes")
    check()
