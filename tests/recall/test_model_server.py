"""Recall with models behind a real socket: answers, servers that hang, die in the middle, or are not there."""

import json
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest

from agentmem import Config, Memory
from tests.models.fake_ollama import serving

LIMIT = "API rate limit was increased to 10,000 req/s per zone after the April 10 incident."


def said(prompt, _request):
    if prompt.startswith("You help to search"):
        return {"topics": ["api.rate_limit"], "words": ["quota"], "statement": "The rate limit is 10,000 req/s."}
    return {"known": True, "answer": "It is 10,000 req/s per zone [1]."}


def asking(memory: Memory, url: str, **more) -> Memory:
    config = Config(embedder="fake", language_model="ollama", ollama_host=url, **more)
    return Memory(memory.home, config, "project")


@pytest.fixture
def filled(memory: Memory, said) -> Memory:
    memory.ingest(said(("user", LIMIT), ("user", "Use pnpm, not npm.")))
    memory.work()
    return memory


def test_an_answer_over_the_wire(filled):
    with serving(said) as server:
        server.models = ["qwen3:4b-instruct", "qwen3:8b"]
        answer = asking(filled, server.url).recall("What is the rate limit?")
    assert answer.text == "It is 10,000 req/s per zone [1]."
    assert (answer.author, answer.citations, answer.trouble) == ("qwen3:8b", (1,), "")
    assert any(part.channel == "hypothetical vector" for part in answer.hits[0].parts)
    assert [request["model"] for request in server.requests] == ["qwen3:4b-instruct", "qwen3:8b"]
    assert all(request["format"] for request in server.requests)


def test_a_model_that_is_missing_is_named_with_the_command_that_gets_it(filled):
    with serving(said) as server:
        answer = asking(filled, server.url).recall("What is the rate limit?")
    assert LIMIT in answer.hits[0].content
    assert "`ollama pull qwen3:8b` gets it" in answer.trouble


def test_no_server_costs_no_time(filled):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    began = time.monotonic()
    answer = asking(filled, f"http://127.0.0.1:{port}").recall("What is the rate limit?")
    assert time.monotonic() - began < 15  # of the 30 seconds that a person would wait
    assert LIMIT in answer.hits[0].content and answer.text is None
    assert "cannot be reached" in answer.trouble


@contextmanager
def listening(handle):
    """A server that does with each connection what `handle` says."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=handle, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def _hang(connection):
    connection.recv(65_536)
    time.sleep(60)


def _die(connection):
    connection.recv(65_536)
    connection.close()


def _die_in_the_middle(connection):
    connection.recv(65_536)
    part = json.dumps({"model": "m", "message": {"role": "assistant", "content": '{"topics": ['}, "done": False}) + "\n"
    connection.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
        + f"{len(part):x}\r\n{part}\r\n".encode()
    )
    time.sleep(0.2)
    connection.close()


def _trickle(connection):
    """A word now and then, for ever: no single step takes long."""
    connection.recv(65_536)
    part = json.dumps({"model": "m", "message": {"role": "assistant", "content": " "}, "done": False}) + "\n"
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        try:
            connection.sendall(f"{len(part):x}\r\n{part}\r\n".encode())
        except OSError:
            return
        time.sleep(0.05)


@pytest.mark.parametrize("handle", [_hang, _die, _die_in_the_middle, _trickle])
def test_a_server_that_fails_during_recall_costs_the_budget_at_most(filled, handle):
    with listening(handle) as url:
        began = time.monotonic()
        answer = asking(filled, url).recall("What is the rate limit?", budget_ms=1_500)
        took = time.monotonic() - began
    assert took < 20  # of 300 that a model has; the search itself comes on top, on a machine that may be busy
    assert LIMIT in answer.hits[0].content and answer.text is None
    assert "question" in answer.trouble  # not analysed, or no time was left for that
    assert "no answer in words" in answer.trouble


def test_a_server_killed_between_the_two_calls(filled):
    with serving(said) as server:
        server.models = ["qwen3:4b-instruct", "qwen3:8b"]

        def once(prompt, request):
            threading.Thread(target=server.stop, daemon=True).start()
            return said(prompt, request)

        server.answer = once
        answer = asking(filled, server.url).recall("What is the rate limit?", budget_ms=8_000)
        server.start(0)  # for the end of the context, which stops it
    assert LIMIT in answer.hits[0].content


def test_only_a_model_in_memory_is_asked_at_a_sessions_start(filled, monkeypatch):
    monkeypatch.setattr("agentmem.memory.START_SECONDS", 30.0)  # however busy the machine is
    with serving(said) as server:
        asked = asking(filled, server.url)
        server.models = ["qwen3:8b"]  # the server lists these as running too
        assert "10,000" in asked.context(query="rate limit").text
        assert server.requests == []
        server.models = ["qwen3:4b-instruct"]
        assert "10,000" in asked.context(query="rate limit").text
        assert len(server.requests) == 1


def test_a_hanging_embedding_server_costs_the_budget_at_most(memory, said):
    turns = said(("user", LIMIT))
    with serving(lambda _prompt, _request: 500) as server:
        server.models.append("embeddinggemma")
        config = Config(embedder="ollama", ollama_host=server.url)
        there = Memory(memory.home, config, "project")
        there.ingest(turns)
        there.work()
        assert any(part.channel == "question vector" for part in there.recall("rate limit").hits[0].parts)
    with listening(_hang) as url:
        away = Memory(memory.home, Config(embedder="ollama", ollama_host=url), "project")
        began = time.monotonic()
        answer = away.recall("rate limit", budget_ms=500)
        assert time.monotonic() - began < 10
    assert LIMIT in answer.hits[0].content
    assert any("took too long" in note for note in answer.notes)


OPENED = """
import sys, duckdb
try:
    duckdb.connect(sys.argv[1]).close()
except duckdb.Error as error:
    sys.exit(str(error))
"""


@pytest.mark.parametrize("configured", ["ollama", "fake"])
def test_the_store_is_free_while_a_server_is_waited_for(memory, said, configured):
    """Another process can write during each call, also where the vectors come from a model that is no longer named."""
    turns = said(("user", LIMIT))
    with serving(globals()["said"]) as server:
        server.models = ["embeddinggemma", "qwen3:4b-instruct", "qwen3:8b"]
        ollama = Config(embedder="ollama", ollama_host=server.url)
        there = Memory(memory.home, ollama, "project")
        there.ingest(turns)
        there.work()
        tried = []
        vector = server.vector
        turn = threading.Lock()  # the question is analysed and embedded at once, but two writers would meet each other

        def open_it():
            with turn:
                opening = [sys.executable, "-c", OPENED, str(memory.home.database)]
                tried.append(subprocess.run(opening, capture_output=True, check=False).stderr)

        def answer(prompt, request):
            open_it()
            return globals()["said"](prompt, request)

        def embed(text):
            open_it()
            return vector(text)

        server.answer, server.vector = answer, embed
        config = Config(embedder=configured, ollama_host=server.url, language_model="ollama")
        found = Memory(memory.home, config, "project").recall("How many days since the limit was raised?")
    assert any(part.channel == "question vector" for part in found.hits[0].parts)
    assert len(tried) >= 3 and set(tried) == {b""}
