"""Many processes at once, and processes that are killed: nothing is lost, nobody sees an error."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from agentmem import Config, Memory

COMMAND = (sys.executable, "-m", "agentmem")
ENVIRONMENT = {"AGENTMEM_EMBEDDER": "none"}


def write_session(folder: Path, name: str, messages: int) -> Path:
    file = folder / f"{name}.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for n in range(messages):
            role = ("user", "assistant")[n % 2]
            content = f"{name} says in message {n} that ticket {name}-{n} waits for the {n % 7}th review"
            out.write(json.dumps({"role": role, "content": content, "id": f"{name}-{n}", "session_id": name}) + "\n")
    return file


def start(*arguments: object) -> subprocess.Popen:
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **ENVIRONMENT},
    )  # fmt: skip


def check_all_there(sessions: int, messages: int) -> None:
    memory = Memory.open(profile="p", config=Config(embedder="none"))
    counts = memory.stats().counts
    assert (counts.sessions, counts.messages) == (sessions, sessions * messages)
    assert [check for check in memory.doctor(deep=True) if check.state == "failed"] == []


@pytest.mark.parametrize("processes", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_processes_that_ingest_at_once_beside_a_reader_lose_nothing(tmp_path, processes):
    files = [write_session(tmp_path, f"s{n}", 40) for n in range(processes)]
    writers = [start("ingest", file, "--profile", "p", "--json") for file in files]
    complaints: list[str] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            reader = start("recall", "ticket review", "--json", "--profile", "user")
            out, err = reader.communicate(timeout=120)
            if reader.returncode or json.loads(out)["version"] != 1:
                complaints.append(err)

    reading = threading.Thread(target=read)
    reading.start()
    try:
        for writer in writers:
            _, err = writer.communicate(timeout=300)
            assert writer.returncode == 0, err
            assert err == ""
    finally:
        done.set()
        reading.join()
    assert complaints == []
    check_all_there(processes, 40)


@pytest.mark.slow
def test_killed_at_any_moment_the_store_opens_and_is_completed(tmp_path):
    chance = random.Random(7)
    file = write_session(tmp_path, "big", 30_000)
    started = time.monotonic()
    Memory.open(tmp_path / "elsewhere", profile="p", config=Config(embedder="none"))
    for _ in range(12):
        process = start("ingest", file, "--profile", "p")
        time.sleep(chance.uniform(0.2, 6))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        memory = Memory.open(profile="p", config=Config(embedder="none"))
        assert [check for check in memory.doctor(deep=True) if check.state == "failed"] == []
        if time.monotonic() - started > 120:
            break
    process = start("ingest", file, "--profile", "p")
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    check_all_there(1, 30_000)


def test_an_interrupted_ingest_keeps_what_it_had_and_is_completed(tmp_path):
    file = write_session(tmp_path, "big", 10_000)
    process = start("ingest", file, "--profile", "p")
    deadline = time.monotonic() + 60
    while not (Path(os.environ["AGENTMEM_HOME"]) / "memory.duckdb").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    again = start("ingest", file, "--profile", "p", "--json")
    _, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    check_all_there(1, 10_000)
