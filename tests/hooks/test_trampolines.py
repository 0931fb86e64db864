"""The shell scripts in `hooks/`, run with bash as the agents do."""

import os
import subprocess
from pathlib import Path

import pytest

from agentmem.hook.call import AGENTS

ROOT = Path(__file__).parents[2]
SCRIPTS = [ROOT / "hooks" / agent / "hook.sh" for agent in AGENTS]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="shell scripts")


def _program(folder: Path, body: str) -> str:
    folder.mkdir(exist_ok=True)
    program = folder / "agentmem"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    return f"{folder}:/usr/bin:/bin"


def _run(script: Path, path: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": path, "HOME": "/nowhere", **variables}
    return subprocess.run(
        ["bash", script, *arguments], input='{"a": 1}', capture_output=True, text=True, env=environment, timeout=20
    )


@pytest.mark.parametrize("script", SCRIPTS, ids=AGENTS)
def test_it_hands_the_payload_on(script, tmp_path):
    path = _program(tmp_path / "bin", 'echo "$@"; cat')
    done = _run(script, path, "--session", "s 1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f'hook {script.parent.name} --session s 1\n{{"a": 1}}'


@pytest.mark.parametrize("script", SCRIPTS, ids=AGENTS)
@pytest.mark.parametrize("body", ["exit 2", "echo broken >&2; exit 127", "kill -9 $$", "exec /no/such/python"])
def test_it_ends_with_0_and_silently_whatever_the_program_does(script, body, tmp_path):
    done = _run(script, _program(tmp_path / "bin", body))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("script", SCRIPTS, ids=AGENTS)
def test_it_ends_with_0_where_agentmem_is_gone(script):
    done = _run(script, "/usr/bin:/bin")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["AGENTMEM_DISABLE", "AGENTMEM_IN_HOOK"])
def test_it_does_nothing_when_switched_off(name, tmp_path):
    path = _program(tmp_path / "bin", "echo called")
    assert _run(SCRIPTS[0], path, **{name: "1"}).stdout == ""


@pytest.mark.parametrize("script", SCRIPTS, ids=AGENTS)
def test_it_is_short(script):
    assert len(script.read_text().splitlines()) <= 15
