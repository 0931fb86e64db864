"""Many sessions at once, with a server each, on one store."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from agentmem import Memory
from tests.mcp.conftest import Raw, gone


def session(environment, folder, number: int) -> int:
    """One agent's session: every tool is called. Gives the server's process id."""
    server = Raw({**environment, "AGENTMEM_PATIENCE": "300"}, folder)
    try:
        server.hello()
        stored = server.call("remember", text=f"Service number{number} listens on port {8000 + number}.")
        found = server.call("recall", query=f"Which port does service number{number} listen on?")
        doubtful = server.call("remember", text=f"The scratch note{number} can go.")
        answers = [
            stored,
            found,
            doubtful,
            server.call("list", limit=5),
            server.call("context", query="port"),
            server.call("forget", id=doubtful["structuredContent"]["memory"]["id"]),
        ]
        assert not any(answer["isError"] for answer in answers), [answer["content"] for answer in answers]
        assert stored["structuredContent"]["memory"]["id"] in [hit["id"] for hit in found["structuredContent"]["hits"]]
        code, rest, errors = server.end(30)
        assert (code, rest, errors) == (0, b"", "")
        return server.process.pid
    finally:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate()


# A server takes 180 MB: thirty are what a machine with two cores and 8 GB can hold.
@pytest.mark.parametrize("many", [6, pytest.param(30, marks=pytest.mark.slow)])
def test_every_call_is_answered_and_nobody_is_left(environment, folder, monkeypatch, many):
    with ThreadPoolExecutor(many) as pool:
        processes = list(pool.map(lambda number: session(environment, folder, number), range(many)))
    assert len(set(processes)) == many
    assert all(gone(pid) for pid in processes)
    monkeypatch.chdir(folder)
    kept = [item.content for item in Memory.open().list()]
    assert sorted(kept) == sorted(f"Service number{n} listens on port {8000 + n}." for n in range(many))
