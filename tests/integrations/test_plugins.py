"""The folders for people who prefer a plugin or an extension: their manifests, and the same hooks as `install` writes."""

import json
import re
from pathlib import Path

import pytest

from agentmem.integrations.agents import AGENTS, hook_command
from agentmem.version import __version__

HOOKS = Path(__file__).parents[2] / "hooks"


def read(name):
    data = (HOOKS / name).read_bytes()
    assert data.isascii()
    return json.loads(data)


@pytest.mark.parametrize("name", ["claude-plugin/.claude-plugin/plugin.json", "gemini-extension/gemini-extension.json"])
def test_manifests(name):
    manifest = read(name)
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", manifest["name"])
    assert (manifest["name"], manifest["version"]) == ("agentmem", __version__)
    assert "hooks" not in manifest  # they are found by their place; named as well, both are dropped


@pytest.mark.parametrize(("folder", "name"), [("claude-plugin", "claude"), ("gemini-extension", "gemini")])
def test_hooks_are_those_of_the_table(folder, name):
    hooks = AGENTS[name].hooks
    wanted = {event: [hooks.entry(hook_command("agentmem", name), time)] for event, time in hooks.events.items()}
    assert read(f"{folder}/hooks/hooks.json") == {"hooks": wanted}


def test_servers():
    server = {"agentmem": {"command": "agentmem", "args": ["mcp"]}}
    assert read("claude-plugin/.mcp.json") == {"mcpServers": server}
    assert read("gemini-extension/gemini-extension.json")["mcpServers"] == server


def test_the_marketplace_names_the_plugin():
    market = read(".claude-plugin/marketplace.json")
    assert set(market) >= {"name", "owner", "plugins"}
    (plugin,) = market["plugins"]
    assert plugin["name"] == "agentmem"
    assert (HOOKS / plugin["source"] / ".claude-plugin/plugin.json").exists()
