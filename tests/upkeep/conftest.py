"""Agents' folders as they lie in a user's home."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def environment(**variables: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "AGENTMEM_EMBEDDER": "fake", **variables}


@pytest.fixture
def home(own_home: Path) -> Path:
    return own_home / "agentmem"


def run(*arguments: str, given: object = None, **variables: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "agentmem", *arguments],
        input=b"" if given is None else json.dumps(given).encode(),
        capture_output=True,
        env=environment(**variables),
        timeout=300,
    )


def stop(file: Path, agent: str = "claude", **more: object) -> dict[str, object]:
    """What an agent says at the end of a turn."""
    return {
        "session_id": file.stem, "transcript_path": str(file), "cwd": "/p", "hook_event_name": "Stop",
        "last_assistant_message": f"{agent} {time.time_ns()}", **more,
    }  # fmt: skip


def until(true: Callable[[], object], seconds: float = 90) -> None:
    """Wait for something to come true."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.1)


def processes(home: Path) -> list[int]:
    """The living processes that work on a home, apart from this one."""
    found = []
    wanted = f"AGENTMEM_HOME={home}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            zombie = (folder / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
            mine = int(folder.name) == os.getpid()
            if not zombie and not mine and wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def waiting(home: Path) -> list[Path]:
    return sorted((home / "spool").glob("*.json"))
