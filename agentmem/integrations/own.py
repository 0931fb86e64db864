"""Which entries in an agent's settings are agentmem's own: those that run it."""

import re
from collections.abc import Iterator
from typing import Any

from agentmem.integrations.jsonc import Node, Path

NAME = "agentmem"
"""Of the MCP server, in every agent's settings."""

MCP_TABLES = ("mcpServers", "servers", "mcp")
"""Where the agents keep MCP servers."""

MARK = "Written by `agentmem install`"
"""Stands in each file that belongs to agentmem as a whole."""

_CALL = r"""(?:^|[\s/\\"'])agentmem(?:\.exe)?["']?\s+(?:--home\s+\S+\s+)?"""
_HOOK = re.compile(_CALL + r"hook\s+[a-z]")
_SERVER = re.compile(_CALL + r"mcp\b")
_CALLS = ("command", "bash", "powershell", "windows", "linux", "osx", "commandWindows")


def calls(entry: Any) -> dict[str, str]:
    """The command lines of a hook or MCP server, by the key that holds them."""
    if not isinstance(entry, dict):
        return {}
    found = {}
    arguments = entry.get("args")
    for key in _CALLS:
        words = entry.get(key)
        if isinstance(words, list):  # OpenCode
            found[key] = " ".join(map(str, words))
        elif isinstance(words, str):
            found[key] = " ".join([words, *map(str, arguments)]) if isinstance(arguments, list) else words
    return found


def is_hook(handler: Any) -> bool:
    """Whether a hook runs agentmem."""
    return any(_HOOK.search(line) for line in calls(handler).values())


def is_server(entry: Any) -> bool:
    """Whether an MCP server is agentmem's."""
    return any(_SERVER.search(line) for line in calls(entry).values())


def handlers(items: Any, path: Path) -> Iterator[tuple[Path, Path, Any, Any]]:
    """All of agentmem's own handlers in the list of an event.

    Args:
        items: the list; its items are handlers, or groups of them (`{"matcher": …, "hooks": […]}`).
        path: where it stands.

    Yields:
        What to remove to be rid of it (its group, if that holds nothing else), where it stands itself, the handler,
        and the matcher of its group.
    """
    for number, item in enumerate(items if isinstance(items, list) else []):
        place = (*path, number)
        group = item.get("hooks") if isinstance(item, dict) else None
        if isinstance(group, list):
            mine = [at for at, handler in enumerate(group) if is_hook(handler)]
            for at in mine:
                whole = place if len(mine) == len(group) else (*place, "hooks", at)
                yield whole, (*place, "hooks", at), group[at], item.get("matcher")
        elif is_hook(item):
            yield place, place, item, None


def events(root: Node) -> Iterator[Path]:
    """The lists of hooks in a document."""
    hooks = root.at(("hooks",))
    if hooks is not None and hooks.opener == "{":
        yield from (("hooks", part.key) for part in hooks.parts if part.key and part.value.opener == "[")
