"""Many sessions at once on one store: a server each, and hooks that capture meanwhile."""

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from agentmem import Memory
from tests.mcp.conftest import Raw
from tests.upkeep.conftest import processes, stop, until
from tests.upkeep.generated import sessions, turns

PATIENCE = "300"  # seconds that a call waits for its turn at the store


def talk(server: Raw, number: int) -> list[dict[str, Any]]:
    """What an agent asks in its session: the answers."""
    stored = server.call("remember", text=f"Service number{number} listens on port {8000 + number}.")
    found = server.call("recall", query=f"Which port does service number{number} listen on?")
    answers = [stored, found, server.call("list", limit=5), server.call("context")]
    if number % 10 == 0:
        doubtful = server.call("remember", text=f"The scratch note{number} can go.")
        answers += [doubtful, server.call("forget", id=doubtful["structuredContent"]["memory"]["id"])]
    assert stored["structuredContent"]["memory"]["id"] in [hit["id"] for hit in found["structuredContent"]["hits"]]
    return answers


def hook(environment: dict[str, str], file: Path) -> tuple[int, float]:
    """A turn ends: the exit code of the hook, and how long the agent waited for it."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "agentmem", "hook", "claude"],
        input=json.dumps(stop(file)).encode(), env=environment, capture_output=True, timeout=120,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (b"", b"")
    return done.returncode, time.monotonic() - began


# A server that is called takes some 90 MB of its own: a hundred want a machine with 16 GB.
@pytest.mark.parametrize(("many", "hooks"), [(2, 1), pytest.param(100, 20, marks=pytest.mark.slow)])
def test_every_call_is_answered_and_nobody_is_left(own_home, environment, folder, tmp_path, monkeypatch, many, hooks):
    files = sessions(tmp_path, hooks, 20_000)
    environment |= {"AGENTMEM_PATIENCE": PATIENCE}
    with ThreadPoolExecutor(many + hooks) as pool, ExitStack() as stack:
        servers = [Raw(environment, folder) for _ in range(many)]
        for server in servers:
            stack.callback(server.process.communicate)
            stack.callback(server.process.kill)
        for server in servers:
            server.hello()
        captured = pool.map(lambda file: hook(environment, file), files)
        answers = [answer for part in pool.map(talk, servers, range(many)) for answer in part]
        assert all(server.process.poll() is None for server in servers), "all of them at once"
        assert {code for code, _ in captured} == {0}
        ended = list(pool.map(lambda server: server.end(60), servers))
    assert not [answer["content"] for answer in answers if answer["isError"]]
    assert set(ended) == {(0, b"", "")}
    home = own_home / "agentmem"
    until(lambda: not list((home / "spool").glob("*.json")) and not processes(home))
    monkeypatch.chdir(folder)
    memory = Memory.open()
    kept = [item.content for item in memory.list(limit=None)]
    assert sorted(kept) == sorted(f"Service number{n} listens on port {8000 + n}." for n in range(many))
    with memory._store.reading() as connection:
        told = dict(
            connection.execute(
                "SELECT s.id, count(*) FROM occurrences o JOIN sessions s ON s.no = o.session_no "
                "JOIN messages m ON m.session_no = o.session_no AND m.id = o.message_id WHERE m.role = 'user' GROUP BY s.id"
            ).fetchall()
        )
    assert told == {file.stem: turns(file) for file in files}
