"""The server: tools for an agent, by the Model Context Protocol over standard input and output.

The SDK speaks the protocol; it keeps standard output to itself and sends whatever else is printed to standard error.
Each call runs in a thread, so that the server answers pings and cancellations meanwhile. Between calls nothing is
open, so that any number of sessions have a server each.

It ends when its input ends. What was asked by then is still answered, if that takes no longer than clients wait before
they kill: who asks for something to be remembered and leaves should be remembered. Signals end it at once: DuckDB's log
makes a write that was cut off as if it had not been begun.
"""

import io
import logging
import os
import sys
import traceback
from collections.abc import Mapping
from threading import Condition
from typing import Any, NoReturn

import anyio
from anyio.to_thread import run_sync
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    JSONRPCError,
    JSONRPCRequest,
    JSONRPCResponse,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from mcp.types import Tool as Listed

from agentmem.errors import AgentmemError
from agentmem.mcp.announced import INSTRUCTIONS, NAME, TITLE
from agentmem.mcp.front import Beginning
from agentmem.mcp.tools import TOOLS, Tool, Toolbox
from agentmem.memory import Memory
from agentmem.version import __version__

_AT_ONCE = 4  # calls; more wait, as they would for the database
_LAST_ANSWERS = 1.2  # seconds; clients wait two before they kill
_SCRIPTED = 30.0  # seconds; who said all at once and left, as a script does, kills nobody
_LAST_WRITE = 0.3  # seconds; for a call that nobody waits for any more
_TICK = 0.02  # seconds


def take_over(home: str | None, folder: str, wire: int, unread: bytes, beginning: Beginning) -> NoReturn:
    """Go on with a conversation that `agentmem.mcp.front` began, until its input ends.

    Args:
        home: a folder for everything; None asks the environment.
        folder: of the project.
        wire: the descriptor on which the client's messages come in.
        unread: what comes before that: the beginning, to be told again, and what was read already.
        beginning: what was answered so far.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="agentmem mcp: %(message)s")
    calls = Calls(Toolbox(Memory.open(home, folder=folder)), {} if beginning.is_off else TOOLS)
    try:
        anyio.run(_serve, calls, Wire(wire, unread), set(beginning.greeted))
    except* OSError:  # the client is gone; there is nobody to tell
        pass
    calls.finished(_LAST_WRITE)
    sys.stderr.flush()
    os._exit(0)  # taking Python down takes half a second, or as long as a call that has not finished


class Wire(io.RawIOBase):
    """The client's messages: first what was read before, then what comes in."""

    def __init__(self, descriptor: int, unread: bytes) -> None:
        self._descriptor = descriptor
        self._unread = memoryview(unread)
        self.is_conversation = False  # something came after the server stood

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._unread:
            self._unread = memoryview(os.read(self._descriptor, len(buffer)))
            self.is_conversation |= bool(self._unread)
        piece, self._unread = self._unread[: len(buffer)], self._unread[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)


async def _serve(calls: "Calls", wire: Wire, greeted: set[object]) -> None:
    server = make(calls)
    to_server, requests = anyio.create_memory_object_stream[SessionMessage | Exception]()
    answers, from_server = anyio.create_memory_object_stream[SessionMessage]()
    asked: set[object] = set()
    stdin = anyio.wrap_file(io.TextIOWrapper(io.BufferedReader(wire), encoding="utf-8", errors="replace"))

    async def hand_on() -> None:
        """Hand on what comes in, and its end only when all is answered: at the end the SDK gives up what is running."""
        async with to_server:
            async for message in incoming:
                _note(message, asked)
                await to_server.send(message)
            with anyio.move_on_after(_LAST_ANSWERS if wire.is_conversation else _SCRIPTED):
                while asked:  # noqa: ASYNC110 - a moment, once
                    await anyio.sleep(_TICK)

    async def hand_back() -> None:
        async with outgoing:
            async for message in from_server:
                if not _is_again(message, greeted):
                    await outgoing.send(message)
                _note(message, asked)

    async with stdio_server(stdin) as (incoming, outgoing), anyio.create_task_group() as tasks:
        tasks.start_soon(hand_on)
        tasks.start_soon(hand_back)
        await server.run(requests, answers, server.create_initialization_options())


def _note(message: SessionMessage | Exception, asked: set[object]) -> None:
    """Keep the ids of the requests that wait for an answer."""
    if isinstance(message, Exception):  # a line that was no message
        return
    said = message.message
    if isinstance(said, JSONRPCRequest):
        asked.add(said.id)
    elif isinstance(said, JSONRPCResponse | JSONRPCError):
        asked.discard(said.id)
    elif said.method == "notifications/cancelled" and said.params:
        number = said.params.get("requestId")
        if isinstance(number, int | str):
            asked.discard(number)


def _is_again(message: SessionMessage, greeted: set[object]) -> bool:
    """Whether this answers what was answered before; each of these once."""
    said = message.message
    if isinstance(said, JSONRPCResponse) and said.id in greeted:
        greeted.discard(said.id)
        return True
    return False


def make(calls: "Calls") -> Server[Any]:
    """The server, which any of the SDK's transports can run."""

    async def list_tools(
        _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=[_announced(tool) for tool in calls.tools.values()])

    async def call_tool(_context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        tool = calls.tools.get(params.name)
        if tool is None:
            known = ", ".join(calls.tools)
            raise MCPError(code=INVALID_PARAMS, message=f"Unknown tool: {params.name!r}. Tools are {known}.")
        return await calls.run(tool, params.arguments)

    return Server(
        NAME,
        version=__version__,
        title=TITLE,
        instructions=INSTRUCTIONS if calls.tools else None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


class Calls:
    """Runs calls in threads and knows how many are running.

    Args:
        toolbox: what is called.
        tools: those that there are.
    """

    def __init__(self, toolbox: Toolbox, tools: Mapping[str, Tool] = TOOLS) -> None:
        self._toolbox = toolbox
        self.tools = tools
        self._limiter = anyio.CapacityLimiter(_AT_ONCE)
        self._running = 0
        self._changed = Condition()

    async def run(self, tool: Tool, given: dict[str, Any] | None) -> CallToolResult:
        """Call a tool; when that is cancelled the thread goes on, and nobody waits for it."""
        return await run_sync(self._call, tool, given, abandon_on_cancel=True, limiter=self._limiter)

    def finished(self, seconds: float) -> bool:
        """Whether no call is running any more, after waiting for at most so long."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._running, seconds)

    def _call(self, tool: Tool, given: dict[str, Any] | None) -> CallToolResult:
        with self._changed:
            self._running += 1
        try:
            reply = self._toolbox.call(tool, given)
        except AgentmemError as error:
            return _failed(f"{error.message}. {error.hint}" if error.hint else error.message)
        except Exception as error:  # noqa: BLE001 - a bug costs one call, not the agent its memory
            traceback.print_exc()
            what = f"unexpected {type(error).__name__}: {error}"
            return _failed(f"{what}. This is a bug in agentmem; its server's log tells more.")
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()
        return CallToolResult(content=[TextContent(type="text", text=reply.text)], structured_content=reply.data)


def _failed(words: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=words)], is_error=True)


def _announced(tool: Tool) -> Listed:
    return Listed.model_validate(tool.about.listed())
