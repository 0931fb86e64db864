"""The server: tools for an agent, by the Model Context Protocol over standard input and output.

The SDK speaks the protocol; it keeps standard output to itself and sends whatever else is printed to standard error.
Each call runs in a thread, so that the server answers pings and cancellations meanwhile. Between calls nothing is
open, so that any number of sessions have a server each.

It ends when its input ends. What was asked by then is still answered, if that takes no longer than clients wait before
they kill: who asks for something to be remembered and leaves should be remembered. Signals end it at once: DuckDB's log
makes a write that was cut off as if it had not been begun.
"""

import logging
import os
import signal
import sys
import traceback
from pathlib import Path
from threading import Condition
from typing import Any

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
    ToolAnnotations,
)
from mcp.types import Tool as Announced

from agentmem.errors import AgentmemError
from agentmem.mcp.tools import INSTRUCTIONS, TOOLS, Tool, Toolbox
from agentmem.memory import Memory
from agentmem.version import __version__

NAME = "agentmem"
_AT_ONCE = 4  # calls; more wait, as they would for the database
_LAST_ANSWERS = 1.2  # seconds; clients wait two before they kill
_LAST_WRITE = 0.3  # seconds; for a call that nobody waits for any more
_TICK = 0.02  # seconds


def serve(home: str | None = None) -> None:
    """Serve until standard input ends.

    The project is that of `CLAUDE_PROJECT_DIR` (Claude Code, Gemini CLI and Cursor set it), else of the current folder.

    Args:
        home: a folder for everything; None asks the environment.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)  # no KeyboardInterrupt that would wait for the next line of input
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="agentmem mcp: %(message)s")
    folder = os.environ.get("CLAUDE_PROJECT_DIR") or str(Path.cwd())
    calls = Calls(Toolbox(Memory.open(home, folder=folder)))
    try:
        anyio.run(_serve, calls)
    except* OSError:  # the client is gone; there is nobody to tell
        pass
    calls.finished(_LAST_WRITE)
    sys.stderr.flush()
    os._exit(0)  # taking Python down takes half a second, or as long as a call that has not finished


async def _serve(calls: "Calls") -> None:
    server = make(calls)
    to_server, requests = anyio.create_memory_object_stream[SessionMessage | Exception]()
    answers, from_server = anyio.create_memory_object_stream[SessionMessage]()
    asked: set[object] = set()

    async def hand_on() -> None:
        """Hand on what comes in, and its end only when all is answered: at the end the SDK gives up what is running."""
        async with to_server:
            async for message in incoming:
                _note(message, asked)
                await to_server.send(message)
            with anyio.move_on_after(_LAST_ANSWERS):
                while asked:  # noqa: ASYNC110 - a moment, once
                    await anyio.sleep(_TICK)

    async def hand_back() -> None:
        async with outgoing:
            async for message in from_server:
                await outgoing.send(message)
                _note(message, asked)

    async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as tasks:
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


def make(calls: "Calls") -> Server[Any]:
    """The server, which any of the SDK's transports can run."""

    async def list_tools(
        _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=[_announced(tool) for tool in TOOLS.values()])

    async def call_tool(_context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            known = ", ".join(TOOLS)
            raise MCPError(code=INVALID_PARAMS, message=f"Unknown tool: {params.name!r}. Tools are {known}.")
        return await calls.run(tool, params.arguments)

    return Server(
        NAME,
        version=__version__,
        title="agentmem: long-term memory",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


class Calls:
    """Runs calls in threads and knows how many are running.

    Args:
        toolbox: what is called.
    """

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
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


def _announced(tool: Tool) -> Announced:
    return Announced(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.takes,
        output_schema=tool.gives,
        annotations=ToolAnnotations(
            read_only_hint=not tool.writes,
            destructive_hint=tool.destroys,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )
