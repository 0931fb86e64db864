import shutil
import subprocess
from pathlib import Path

import pytest

from agentmem.cli.completions import SCRIPTS, tree

FOLDER = Path(__file__).parents[2] / "completions"


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_scripts_are_those_that_the_commands_give(name):
    """`python -m agentmem.cli.completions completions` writes them anew."""
    assert (FOLDER / name).read_text(encoding="utf-8") == SCRIPTS[name]()


def test_every_command_and_option_has_help():
    for node in tree().all():
        assert node.line, node.path
        assert all(flag.line for flag in node.flags), node.path


def _bash(*words: str) -> list[str]:
    line = " ".join(f"'{word}'" for word in words)
    script = f"source {FOLDER / 'agentmem.bash'}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _agentmem; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split("\n")[:-1]


def test_bash(tmp_path, monkeypatch):
    assert _bash("agentmem", "rec") == ["recall"]
    assert _bash("agentmem", "--home", "/x", "profile", "") == ["list", "show", "delete", "why"]
    assert _bash("agentmem", "recall", "--ref") == ["--reference-date"]
    assert _bash("agentmem", "list", "--kind", "fa") == ["fact"]
    assert _bash("agentmem", "config", "get", "lim") == ["limit"]
    (tmp_path / "a session.jsonl").touch()
    monkeypatch.chdir(tmp_path)
    assert _bash("agentmem", "ingest", "a") == ["a session.jsonl"]


@pytest.mark.skipif(not shutil.which("fish"), reason="needs fish")
def test_fish(tmp_path):
    def complete(line: str) -> list[str]:
        script = f"source {FOLDER / 'agentmem.fish'}; complete -C '{line}'"
        done = subprocess.run(
            ["fish", "--no-config", "-c", script],
            capture_output=True,
            text=True,
            env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        )
        return [row.split("\t")[0] for row in done.stdout.splitlines()]

    assert complete("agentmem rec") == ["recall"]
    assert complete("agentmem profile ") == ["delete", "list", "show", "why"]
    assert complete("agentmem list --kind fa") == ["fact"]
    assert "--since" not in complete("agentmem profile list --")
    assert "--since" in complete("agentmem list --")


@pytest.mark.skipif(not shutil.which("zsh"), reason="needs zsh")
def test_zsh_reads_its_script():
    subprocess.run(["zsh", "-n", FOLDER / "_agentmem"], check=True)
