"""A real server with models far too small to be right: what is proved is that nothing they say does any harm.

Run with `pytest -n0 -m live tests/live`: some four minutes on two cores, and once as long again to build the server.
Models work within a budget of minutes here, so that a slow machine leaves more owed instead of taking longer.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from agentmem.config import Config
from agentmem.errors import BadReply, ModelUnavailable, NoAnswerInTime
from agentmem.memory import Memory
from agentmem.models.ollama import OllamaModel
from agentmem.models.ollama_embedder import OllamaEmbedder

pytestmark = pytest.mark.live

ROOT = Path(__file__).parents[2]
SESSIONS = [
    ROOT / "agentmem" / "cli" / "data",
    ROOT / "tests" / "data" / "transcripts" / "aider.chat.history.md",
    ROOT / "tests" / "data" / "transcripts" / "plain.txt",
]
SCHEMA = {"type": "object", "properties": {"colour": {"enum": ["red", "blue"]}}, "required": ["colour"]}
ROLES = ("extract", "verify", "classify", "analyze", "synthesize", "merge")
PATIENT = 240  # seconds for what is small


def settings(server, model="smollm2", **others):
    values = {
        "language_model": "ollama",
        "ollama_host": server.host,
        "embedder": "none",
        "model_seconds": 60.0,
        "budget_minutes_per_day": 1.5,
    }
    return {**values, **{f"model_{role}": model for role in ROLES}, **others}


def command(home, server, *arguments, **others):
    """Start the real program."""
    variables = {f"AGENTMEM_{key.upper()}": str(value) for key, value in settings(server, **others).items()}
    environment = {**os.environ, **variables, "AGENTMEM_HOME": str(home), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "agentmem", *map(str, arguments)],
        env=environment, cwd=home.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


def finished(process, seconds=600, code=0):
    """What a program said on both channels; if it takes too long it is ended, and the test skipped."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    assert "Traceback" not in out + err
    assert process.returncode == code, out + err
    return out if code == 0 else err


@pytest.mark.parametrize("model", ["smollm2", "gemma3"])
def test_an_object_of_the_wanted_form(ollama, model):
    reply = OllamaModel(ollama.host, model, PATIENT).ask("Is the sky blue or red?", schema=SCHEMA)
    assert reply.data in ({"colour": "red"}, {"colour": "blue"})
    assert reply.prompt_tokens > 5 and reply.reply_tokens > 1


def test_a_prompt_longer_than_ollamas_own_context_is_read_whole(ollama):
    """Ollama's default would have cut it to 4,096 tokens without a word."""
    reply = OllamaModel(ollama.host, "smollm2", PATIENT).ask(
        "one two three four " * 1_200 + "\nWhich colour?", schema=SCHEMA
    )
    assert reply.prompt_tokens > 4_700


def test_a_prompt_longer_than_the_model_can_see_is_refused(ollama):
    with pytest.raises(BadReply, match="longer than what smollm2 can see"):
        OllamaModel(ollama.host, "smollm2", PATIENT).ask("one two three four " * 2_400, schema=SCHEMA)


def test_a_missing_model(ollama):
    with pytest.raises(ModelUnavailable) as caught:
        OllamaModel(ollama.host, "no-such-model", PATIENT).ask("?")
    assert "ollama pull no-such-model" in caught.value.hint


def test_too_little_time(ollama):
    with pytest.raises(NoAnswerInTime):
        OllamaModel(ollama.host, "smollm2").ask("Tell a very long story. " * 50, seconds=0.2)


def test_vectors(ollama):
    embedder = OllamaEmbedder(ollama.host, "all-minilm", PATIENT)
    vectors = embedder.embed_documents(["The port is 8080.", "It listens on port 8080.", "Cats sleep.", "字" * 1_000])
    assert vectors.shape == (4, 384) and embedder.dimension == 384
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


def test_vectors_end_to_end_and_another_model_is_refused(ollama, own_home):
    home = own_home / "agentmem"
    vectors = {"language_model": "none", "embedder": "ollama", "model_embed": "all-minilm"}
    other = {**vectors, "model_embed": "smollm2"}
    ask = (
        "recall",
        "-p",
        "live",
        "--json",
        "--explain",
        "--budget-ms",
        PATIENT * 1_000,
        "which number does the server listen on?",
    )
    finished(command(home, ollama, "remember", "-p", "live", "The staging API is reached at port 8080.", **vectors))
    finished(command(home, ollama, "remember", "-p", "live", "Cats sleep all day.", **vectors))
    finished(command(home, ollama, "work", **vectors))
    hit = json.loads(finished(command(home, ollama, *ask, **vectors)))["hits"][0]
    assert "8080" in hit["content"]
    assert any(part["channel"] == "question vector" for part in hit["explain"]["channels"])
    refused = " ".join(finished(command(home, ollama, "work", **other), code=1).split())
    assert "come from ollama/all-minilm, not from ollama/smollm2" in refused
    assert "agentmem config set model_embed all-minilm" in refused and "agentmem reindex" in refused
    # The old vectors go on to serve, by the model that they come from.
    hit = json.loads(finished(command(home, ollama, *ask, **other)))["hits"][0]
    assert "8080" in hit["content"]
    finished(command(home, ollama, "reindex", **other))
    store = Memory.open(home, profile="live", config=Config(**settings(ollama, **other)))
    assert store.work().owed == 0
    assert not [check for check in store.doctor() if check.name in ("embedder", "vectors") and check.state != "ok"]


@pytest.mark.parametrize("model", ["smollm2", "gemma3"])
def test_three_sessions_whatever_the_model_says(ollama, own_home, model):
    home = own_home / "agentmem"
    out = finished(command(home, ollama, "ingest", "--profile", "live", *SESSIONS, model=model))
    assert "new messages" in out and "Models read" in out
    memory = Memory.open(home, profile="live", config=Config(**settings(ollama, model)))
    found = memory.list(everything=True)
    assert found
    for item in found:
        shown = memory.show(item.id)
        assert shown.evidence, item
        for one in shown.evidence:
            assert one.quote.strip() and one.quote in memory.show(one.message_id).message.content
    backlog = memory.stats().work
    assert backlog.calls >= 1
    (check,) = [check for check in memory.doctor() if check.name == "model work"]
    if backlog.failed:
        assert check.detail.startswith(f"{backlog.failed} pieces of sessions failed")
    elif not backlog.owed:
        assert f"{backlog.failures} failed" in check.detail
    else:
        assert "wait for a model" in check.detail
    assert check.detail[:40] in " ".join(finished(command(home, ollama, "doctor", model=model)).split())
    plain = json.loads(finished(command(home, ollama, "recall", "-p", "live", "--json", "--no-llm", "package manager")))
    assert plain["hits"] and plain["answer"] is None
    words = json.loads(
        finished(command(home, ollama, "recall", "-p", "live", "--json", "package manager", model=model))
    )
    assert words["hits"]
    if words["answer"] is None:
        assert words["trouble"]
    assert all(1 <= rank <= len(words["hits"]) for rank in words["citations"])


def test_a_server_killed_in_the_middle_of_an_ingest(ollama, own_home):
    home = own_home / "agentmem"
    ollama.stop()
    ollama.start()  # with no model in memory
    long = {"model_seconds": PATIENT, "budget_minutes_per_day": 0}
    work = command(home, ollama, "ingest", "--profile", "live", *SESSIONS[1:], **long)
    ollama.wait_for_a_question(work)
    ollama.stop()
    out = finished(work)
    assert "cannot be reached" in out
    memory = Memory.open(home, profile="live", config=Config(**settings(ollama)))
    owed = memory.stats().work.owed
    messages = memory.stats().counts.messages
    assert owed["extract"] and messages
    ollama.start()
    finished(command(home, ollama, "work", **long))
    backlog = memory.stats().work
    if any("in time" in error for error in backlog.errors):
        pytest.skip(f"this machine is too slow: {backlog.errors}")
    assert not backlog.owed.get("extract")  # paid, or known to have failed
    assert memory.stats().counts.messages == messages
    with memory._store.reading() as connection:
        twice = connection.execute(
            "SELECT memory_id, session_no, message_id, said_at FROM evidence GROUP BY ALL HAVING count(*) > 1 "
            "UNION ALL SELECT id, 0, '', NULL FROM memories GROUP BY id HAVING count(*) > 1"
        ).fetchall()
    assert twice == []


def test_a_server_killed_during_recall(ollama, own_home):
    home = own_home / "agentmem"
    finished(command(home, ollama, "ingest", "--no-models", "--profile", "live", *SESSIONS))
    ollama.stop()
    ollama.start()
    recall = command(home, ollama, "recall", "-p", "live", "--json", "--budget-ms", 60_000, "package manager")
    ollama.wait_for_a_question(recall)
    ollama.stop()
    told = json.loads(finished(recall, PATIENT))
    ollama.start()
    assert told["hits"] and told["answer"] is None
    assert "cannot be reached" in told["trouble"]


def test_ctrl_c_gives_up_at_once_and_loses_nothing(ollama, own_home):
    home = own_home / "agentmem"
    ollama.stop()
    ollama.start()
    ingest = command(home, ollama, "ingest", "--profile", "live", *SESSIONS, model_seconds=600)
    ollama.wait_for_a_question(ingest)
    ingest.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, err = ingest.communicate(timeout=300)
    assert "Traceback" not in out + err
    assert ingest.returncode != 0
    assert time.monotonic() - began < 120  # of the ten minutes that an answer may take
    memory = Memory.open(home, profile="live", config=Config(**settings(ollama)))
    assert memory.stats().counts.messages > 0 and memory.stats().work.owed
