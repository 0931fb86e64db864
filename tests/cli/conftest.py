"""The command line, called in this process (`call`, fast) or as the command that users run (`command`)."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agentmem.cli.app import app

DASHBOARD = [
    {"role": "user", "content": "The dashboard is built with React and TypeScript. Use npm.", "timestamp": "2026-04-14T09:00:00Z", "id": "m1"},
    {"role": "assistant", "content": "Installed with npm.", "timestamp": "2026-04-14T09:01:00Z", "id": "m2"},
    {"role": "user", "content": "Use pnpm, not npm. And dark mode by default.", "timestamp": "2026-04-14T09:05:00Z", "id": "m3"},
    {"role": "user", "content": "API rate limit was increased to 10,000 req/s per zone after the April 10 incident.", "timestamp": "2026-04-14T09:20:00Z", "id": "m4"},
]  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Call = Callable[..., Outcome]


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A home of one's own, a folder to work in, and vectors that cost nothing."""
    for name in [name for name in os.environ if name.startswith("AGENTMEM_") or name in ("NO_COLOR", "FORCE_COLOR")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    ours = {"AGENTMEM_HOME": str(tmp_path / "store"), "HOME": str(tmp_path), "AGENTMEM_EMBEDDER": "fake", "TZ": "UTC"}
    for name, value in ours.items():
        monkeypatch.setenv(name, value)
    return ours


@pytest.fixture
def home(environment: dict[str, str]) -> Path:
    return Path(environment["AGENTMEM_HOME"])


@pytest.fixture
def call(environment: dict[str, str]) -> Call:
    """Call a command in this process, without a terminal."""

    def run(*arguments: object, given: str | bytes = "") -> Outcome:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=given, prog_name="agentmem")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Outcome(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def command(environment: dict[str, str]) -> Call:
    """Run the command as users do."""

    def run(*arguments: object, given: str | bytes = b"", **variables: str) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-m", "agentmem", *map(str, arguments)],
            input=given.encode() if isinstance(given, str) else given,
            capture_output=True,
            env=process_environment(**variables),
            timeout=120,
        )
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


def process_environment(**variables: str) -> dict[str, str]:
    root = str(Path(__file__).parents[2])
    return {**os.environ, "PYTHONPATH": root, **variables}


@pytest.fixture
def dashboard(tmp_path: Path) -> Path:
    """A short session in the generic shape."""
    return write(tmp_path / "dashboard.jsonl", DASHBOARD)


def write(file: Path, lines: list[dict[str, object]]) -> Path:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


@pytest.fixture
def filled(call: Call, dashboard: Path) -> Call:
    """`call` on a store that holds the session, in the profile of the current folder."""
    assert call("ingest", dashboard).code == 0
    return call
