"""Hooks are run as agents run them: as processes, in a home of their own."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ran:
    code: int
    out: bytes
    err: bytes
    seconds: float


Hook = Callable[..., Ran]


def environment(**variables: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "AGENTMEM_EMBEDDER": "fake", **variables}


@pytest.fixture
def home(own_home: Path) -> Path:
    return own_home / "agentmem"


@pytest.fixture
def idle(home: Path) -> Path:
    """A home whose worker's lock is held, so that no worker is started and notes stay where they are."""
    fcntl = pytest.importorskip("fcntl")
    home.mkdir(mode=0o700)
    with (home / "worker.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield home


@pytest.fixture
def hook(tmp_path: Path) -> Hook:
    """Call a hook with a payload."""

    def call(agent: str, payload: object, *arguments: str, cwd: Path | None = None, **variables: str) -> Ran:
        given = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "agentmem", "hook", agent, *arguments],
            input=given,
            capture_output=True,
            env=environment(**variables),
            cwd=cwd or tmp_path,
            timeout=30,
        )
        return Ran(done.returncode, done.stdout, done.stderr, time.monotonic() - began)

    return call


def notes(home: Path) -> list[dict[str, object]]:
    """The notes that wait, oldest first."""
    return [json.loads(file.read_bytes()) for file in sorted((home / "spool").glob("*.json"))]


def until(true: Callable[[], object], seconds: float = 60) -> None:
    """Wait for something to come true."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.05)


def processes(home: Path) -> list[int]:
    """The living processes that work on a home."""
    found = []
    wanted = f"AGENTMEM_HOME={home}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if int(folder.name) != os.getpid() and wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found
