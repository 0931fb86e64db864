"""The server and the SDK's own client, in both eras of the protocol."""

import sys
from contextlib import asynccontextmanager

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from agentmem import __version__

ERAS = ("legacy", "auto")


@asynccontextmanager
async def connected(environment, folder, era):
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "agentmem", "mcp"], env=environment, cwd=str(folder)
    )
    async with Client(server, mode=era, read_timeout_seconds=60) as client:
        yield client


@pytest.mark.parametrize("era", ERAS)
def test_every_tool_answers_in_the_shape_that_it_announced(environment, folder, era):
    """The client checks structured content against each tool's output schema."""

    async def talk() -> None:
        async with connected(environment, folder, era) as client:
            assert (client.server_info.name, client.server_info.version) == ("agentmem", __version__)
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == ["recall", "remember", "forget", "list", "context"]
            stored = await client.call_tool("remember", {"text": "Use pnpm, not npm."})
            identity = stored.structured_content["memory"]["id"]
            for name, arguments in (
                ("recall", {"query": "which package manager?"}),
                ("recall", {"query": "zeppelins"}),
                ("list", {}),
                ("context", {"query": "package manager", "budget": 500}),
                ("forget", {"id": identity}),
                ("list", {}),
                ("context", {}),
            ):
                answer = await client.call_tool(name, arguments)
                assert not answer.is_error, answer
                assert answer.structured_content is not None
                assert answer.content[0].text

    anyio.run(talk)


@pytest.mark.parametrize("era", ERAS)
def test_errors_are_errors_of_the_tool(environment, folder, era):
    async def talk() -> None:
        async with connected(environment, folder, era) as client:
            answer = await client.call_tool("forget", {"id": "ffffffff"})
            assert answer.is_error
            assert "No memory or message" in answer.content[0].text
            with pytest.raises(MCPError):
                await client.call_tool("nope", {})
            assert not (await client.call_tool("list", {})).is_error

    anyio.run(talk)


def test_calls_run_side_by_side(environment, folder):
    async def talk() -> None:
        async with connected(environment, folder, "legacy") as client, anyio.create_task_group() as tasks:
            for n in range(12):
                tasks.start_soon(client.call_tool, "remember", {"text": f"Service {n} listens on port {8000 + n}."})
        async with connected(environment, folder, "legacy") as client:
            found = await client.call_tool("list", {"limit": 50})
            assert len(found.structured_content["memories"]) == 12

    anyio.run(talk)
