"""What an agent meets first: the handshake and the list of tools, answered at once and with little memory.

Most servers are started with a session and never called, and agents wait a second or so for the list of tools before
they go on without it (Codex does). The protocol's library, the database and the model take longer than that to import,
and many times the memory. So the standard library alone answers what every session asks; with the first message that is
anything else, a call above all, the server proper (`agentmem.mcp.server`) is imported and takes over, as if it had been
there from the start: it is told again what it must know. A test holds the answers of the two to each other.
"""

import json
import os
import signal
import sys
from importlib import import_module
from typing import Any, NoReturn

from agentmem.hook.ignored import is_off
from agentmem.hook.place import place
from agentmem.mcp.announced import ANNOUNCED, initialized

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions of the protocol that begin with `initialize`. Whoever asks for another one is answered by the library."""

_SERVER = "agentmem.mcp.server"
_ABSENT = frozenset({"resources/list", "resources/templates/list", "prompts/list"})
"""What some clients ask of every server, whatever it said it has."""

_NO_METHOD = -32601
_PIECE = 1 << 16


def run() -> NoReturn:
    """Serve as `agentmem mcp` does."""
    serve()


def serve(home: str | None = None) -> NoReturn:
    """Serve until standard input ends.

    The project is that of `CLAUDE_PROJECT_DIR` (Claude Code, Gemini CLI and Cursor set it), else of the current folder.
    Where agentmem is switched off, and in a project that is kept out, there are no tools.

    Args:
        home: a folder for everything; None asks the environment.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)  # no KeyboardInterrupt that would wait for the next line of input
    folder = os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()  # noqa: PTH109 - without pathlib
    wire = os.dup(0)  # what comes in is for this program alone, and not for what it may start
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    settings = os.path.join(home, "config.toml") if home else place().settings  # noqa: PTH118 - without pathlib
    beginning = Beginning(is_off=is_off(folder, settings))
    rest = b""
    while True:
        piece = _read(wire)
        *lines, rest = (rest + piece).split(b"\n")
        if not piece and rest:  # its last line has no end
            lines, rest = [rest], b""
        for count, line in enumerate(lines):
            answer = beginning.answer(line)
            if answer is None:
                unread = b"\n".join([*beginning.told, *lines[count:], rest])
                import_module(_SERVER).take_over(home, folder, wire, unread, beginning)
            elif answer:
                _write(answer)
        if not piece:
            os._exit(0)


class Beginning:
    """The beginning of a conversation.

    Args:
        is_off: there are no tools.

    Attributes:
        told: the lines that whoever takes over must be told again.
        greeted: the ids of requests among them; they are answered already.
    """

    def __init__(self, *, is_off: bool) -> None:
        self.is_off = is_off
        self.told: list[bytes] = []
        self.greeted: set[object] = set()

    def answer(self, line: bytes) -> bytes | None:
        """The answer to a line, with its end; empty if it wants none; None if more is wanted than can be given here."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return None
        method = message.get("method")
        number, params = message.get("id", 0), message.get("params")
        if not isinstance(method, str) or isinstance(number, bool) or not isinstance(number, int | str):
            return None
        if "id" not in message:
            return self._note(method, line)
        if method == "initialize":
            return self._greet(line, number, params)
        return self._reply(number, method, params or {}) if self.greeted else None

    def _reply(self, number: int | str, method: str, params: object) -> bytes | None:
        if method == "ping":
            return _result(number, {})
        if method == "tools/list" and isinstance(params, dict) and not params.get("cursor"):
            return _result(number, {"tools": [] if self.is_off else [tool.listed() for tool in ANNOUNCED.values()]})
        if method in _ABSENT:
            error = {"code": _NO_METHOD, "message": "Method not found", "data": method}
            return _line({"jsonrpc": "2.0", "id": number, "error": error})
        return None

    def _greet(self, line: bytes, number: int | str, params: object) -> bytes | None:
        if self.greeted or not isinstance(params, dict):
            return None
        version, client = params.get("protocolVersion"), params.get("clientInfo")
        if version not in VERSIONS or not isinstance(params.get("capabilities"), dict) or not isinstance(client, dict):
            return None
        if not isinstance(client.get("name"), str) or not isinstance(client.get("version"), str):
            return None
        self.told.append(line)
        self.greeted.add(number)
        return _result(number, initialized(version, is_off=self.is_off))

    def _note(self, method: str, line: bytes) -> bytes | None:
        if not method.startswith("notifications/"):
            return None
        if method == "notifications/initialized" and self.greeted:
            self.told.append(line)
        return b""


def _result(number: int | str, result: dict[str, Any]) -> bytes:
    return _line({"jsonrpc": "2.0", "id": number, "result": result})


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _read(wire: int) -> bytes:
    try:
        return os.read(wire, _PIECE)
    except OSError:  # the other end was torn off
        return b""


def _write(data: bytes) -> None:
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:  # the client is gone; there is nobody to tell
        sys.stderr.flush()
        os._exit(0)
