"""Calls of agentmem itself: what they print is memory, and memory must not be read back as news."""

import re
from typing import Any

from agentmem.domain.messages import MessageKind
from agentmem.sources.blocks import Piece

_SHELL = re.compile(
    r"\bagentmem(?:\.exe)?(?:\s+--?[a-z][\w-]*(?:[= ][^\s-]\S*)?)*"  # options may stand in front of the command
    r"\s+(?:recall|context|list|show|log|history|export|mcp|hook)\b"
)
_SERVER = ("server_name", "serverName", "server", "mcpServerName")  # of tools that call the tool of a server
_MOST = 1000  # calls whose result is still awaited; older ones are given up


class OwnCalls:
    """Recognises calls of agentmem's tools, and their results by the call's id."""

    def __init__(self) -> None:
        self._awaited: dict[str, None] = {}

    def covers(self, piece: Piece) -> bool:
        """Whether a piece is such a call, or the result of one seen before."""
        if piece.kind is MessageKind.TOOL_RESULT:
            return "agentmem" in piece.tool.lower() or piece.call_id in self._awaited
        if piece.kind is not MessageKind.TOOL_CALL or not _is_own(piece.tool, piece.arguments):
            return False
        if piece.call_id is not None:
            self._awaited[piece.call_id] = None
            if len(self._awaited) > _MOST:
                del self._awaited[next(iter(self._awaited))]
        return True


def _is_own(tool: str, arguments: Any) -> bool:
    """Whether a tool is agentmem's, by its name or by the command that a shell is given."""
    if "agentmem" in tool.lower():
        return True
    if isinstance(arguments, dict):
        if any(isinstance(name := arguments.get(key), str) and "agentmem" in name.lower() for key in _SERVER):
            return True
        arguments = arguments.get("command", arguments.get("cmd"))
    if isinstance(arguments, list):
        arguments = " ".join(word for word in arguments if isinstance(word, str))
    return isinstance(arguments, str) and bool(_SHELL.search(arguments))
