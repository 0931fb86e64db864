"""The beginning of a conversation, which is answered without the protocol's library, and the library's own answers."""

import json
from pathlib import Path

import pytest

from agentmem.mcp.front import VERSIONS, Beginning
from tests.mcp.conftest import encoded

HELLO = {"capabilities": {"roots": {}}, "clientInfo": {"name": "test", "version": "1", "title": "A test"}}
ASKED = ("ping", "tools/list", "resources/list", "resources/templates/list", "prompts/list")


def conversation(server, version: str) -> list[dict[str, object]]:
    answers = [server.ask("initialize", protocolVersion=version, **HELLO)]
    server.notify("notifications/initialized")
    return answers + [server.ask(method) for method in ASKED]


def has_library(server) -> bool:
    return "pydantic" in Path(f"/proc/{server.process.pid}/maps").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_both_answer_alike(start, version):
    quick, whole = start(), start()
    whole.write(b"no message at all\n")  # from here on the library answers
    assert conversation(quick, version) == conversation(whole, version)
    assert has_library(whole)
    assert not has_library(quick)


def test_a_server_that_is_not_called_is_small_and_one_that_is_called_goes_on(start):
    server = start()
    server.hello()
    for method in ASKED:
        server.ask(method)
    server.notify("notifications/roots/list_changed")
    assert not has_library(server)
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    anonymous = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon"))
    assert anonymous < 20_000  # kB
    assert server.call("remember", text="The port is 8080.")["isError"] is False
    assert "8080" in server.call("list")["content"][0]["text"]
    assert server.end() == (0, b"", "")


def test_switched_off_or_kept_out_it_offers_nothing(start, folder):
    for server in (start(AGENTMEM_DISABLE="1"), start(AGENTMEM_IGNORE=str(folder))):
        assert "instructions" not in server.hello()
        assert server.ask("tools/list")["result"] == {"tools": []}
    (folder / ".agentmem-ignore").touch()
    server = start()
    server.hello()
    assert server.ask("tools/list")["result"] == {"tools": []}
    assert server.ask("tools/call", name="recall", arguments={"query": "anything"})["error"]["code"] == -32602
    assert server.end()[0] == 0


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"nonsense",
        b"[]",
        b"7",
        encoded({"id": 1, "method": "tools/list"}),  # before the greeting
        encoded({"id": 1, "method": "initialize", "params": {"protocolVersion": "1999-01-01", **HELLO}}),
        encoded({"id": 1, "method": "initialize", "params": {"protocolVersion": VERSIONS[0]}}),
        encoded({"id": None, "method": "ping"}),
        encoded({"id": True, "method": "ping"}),
        encoded({"id": 1, "result": {}}),
        encoded({"id": 1, "method": "server/discover"}),
        json.dumps({"id": 1, "method": "ping"}).encode(),
        b"[" * 100_000,
    ],
    ids=range(13),
)
def test_what_is_out_of_the_ordinary_is_left_to_the_library(line):
    assert Beginning(is_off=False).answer(line) is None
