"""Servers as agents start them: a process with pipes, spoken to byte by byte or with the SDK's own client."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
VERSION = "2025-06-18"


class Raw:
    """A server and its pipes.

    Args:
        environment: of the process.
        folder: that it runs in.
    """

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "agentmem", "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=folder,
        )
        self._next = 0

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.endswith(b"\n"), (line, self.process.communicate())
        message: dict[str, Any] = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def send(self, method: str, **params: object) -> int:
        self._next += 1
        self.write(encoded({"id": self._next, "method": method, "params": params}))
        return self._next

    def notify(self, method: str, **params: object) -> None:
        self.write(encoded({"method": method, "params": params}))

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        number = self.send(method, **params)
        answer = self.read()
        assert answer["id"] == number
        return answer

    def hello(self) -> dict[str, Any]:
        answer = self.ask(
            "initialize", protocolVersion=VERSION, capabilities={}, clientInfo={"name": "test", "version": "1"}
        )
        self.notify("notifications/initialized")
        return answer["result"]

    def call(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        return self.ask("tools/call", name=tool, arguments=arguments)["result"]

    def end(self, patience: float = 10) -> tuple[int, bytes, str]:
        """Close its input; its exit code, and what was left on its outputs."""
        out, err = self.process.communicate(timeout=patience)
        return self.process.returncode, out, err.decode()


def encoded(message: dict[str, object]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def environment(own_home: Path) -> dict[str, str]:
    """What a server gets: a home of its own, vectors that cost nothing."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "AGENTMEM_EMBEDDER": "fake", "TZ": "UTC"}


@pytest.fixture
def start(environment: dict[str, str], folder: Path) -> Iterator[Callable[..., Raw]]:
    """Starts servers; none outlives the test."""
    servers: list[Raw] = []

    def run(**variables: str) -> Raw:
        servers.append(Raw({**environment, **variables}, folder))
        return servers[-1]

    yield run
    for server in servers:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate()


@pytest.fixture
def server(start: Callable[..., Raw]) -> Raw:
    server = start()
    server.hello()
    return server


def gone(pid: int, seconds: float = 5) -> bool:
    """Whether a process is no more, or is only waited for."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            state = (
                Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0]
            )
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False
