"""A real server with models far too small to be right: what is proved is that nothing they say does any harm.

Run with `pytest -m live`; takes some ten minutes on two busy cores, and once as long again to build the server.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from agentmem.config import Config
from agentmem.errors import BadReply, ModelMismatch, ModelUnavailable, NoAnswerInTime
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


def settings(server, model="smollm2", **others):
    values = {"language_model": "ollama", "ollama_host": server.host, "embedder": "none", "model_seconds": 240.0}
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


def finished(process, seconds=1_500):
    out, err = process.communicate(timeout=seconds)
    assert "Traceback" not in out + err
    assert process.returncode == 0, err
    return out


@pytest.mark.parametrize("model", ["smollm2", "gemma3"])
def test_an_object_of_the_wanted_form(ollama, model):
    reply = OllamaModel(ollama.host, model).ask("Is the sky blue or red?", schema=SCHEMA)
    assert reply.data in ({"colour": "red"}, {"colour": "blue"})
    assert reply.prompt_tokens > 5 and reply.reply_tokens > 1


def test_a_prompt_longer_than_ollamas_own_context_is_read_whole(ollama):
    """Ollama's default would have cut it to 4,096 tokens without a word."""
    reply = OllamaModel(ollama.host, "smollm2", 1_200).ask(
        "one two three four " * 1_200 + "\nWhich colour?", schema=SCHEMA
    )
    assert reply.prompt_tokens > 4_700


def test_a_prompt_longer_than_the_model_can_see_is_refused(ollama):
    with pytest.raises((BadReply, NoAnswerInTime), match=r"longer than what smollm2 can see|in time"):
        OllamaModel(ollama.host, "smollm2", 1_200).ask("one two three four " * 2_400, schema=SCHEMA)


def test_a_missing_model(ollama):
    with pytest.raises(ModelUnavailable) as caught:
        OllamaModel(ollama.host, "no-such-model").ask("?")
    assert "ollama pull no-such-model" in caught.value.hint


def test_too_little_time(ollama):
    began = time.monotonic()
    with pytest.raises(NoAnswerInTime):
        OllamaModel(ollama.host, "smollm2").ask("Tell a very long story. " * 50, seconds=0.5)
    assert time.monotonic() - began < 10


def test_vectors(ollama):
    embedder = OllamaEmbedder(ollama.host, "all-minilm")
    vectors = embedder.embed_documents(["The port is 8080.", "It listens on port 8080.", "Cats sleep.", "字" * 1_000])
    assert vectors.shape == (4, 384) and embedder.dimension == 384
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


def test_vectors_end_to_end_and_another_model_is_refused(ollama, own_home, said):
    config = Config(embedder="ollama", model_embed="all-minilm", ollama_host=ollama.host)
    memory = Memory.open(own_home / "agentmem", profile="project", config=config)
    memory.ingest(said(("user", "Our port is 8080."), ("assistant", "Noted."), ("user", "Cats sleep all day.")))
    assert memory.work().owed == 0
    hit = memory.recall("on which number does the server listen?").hits[0]
    assert "8080" in hit.content
    other = Memory.open(
        own_home / "agentmem",
        profile="project",
        config=Config(embedder="ollama", model_embed="smollm2", ollama_host=ollama.host),
    )
    with pytest.raises(ModelMismatch) as caught:
        other.work()
    assert "config set model_embed all-minilm" in caught.value.hint


def test_three_sessions_whatever_the_model_says(ollama, own_home):
    home = own_home / "agentmem"
    out = finished(command(home, ollama, "ingest", "--profile", "live", *SESSIONS))
    assert "new messages" in out and "Models read" in out
    memory = Memory.open(home, profile="live", config=Config(**settings(ollama)))
    for item in memory.list(everything=True):
        shown = memory.show(item.id)
        assert shown.evidence, item
        for one in shown.evidence:
            assert one.quote in memory.show(one.message_id).message.content
    backlog = memory.stats().work
    assert backlog.calls >= 3
    told = finished(command(home, ollama, "doctor"))
    assert "model work" in told
    assert finished(command(home, ollama, "recall", "-p", "live", "what was decided?"), 300)


def test_a_server_killed_on_the_way(ollama, own_home):
    home = own_home / "agentmem"
    work = command(home, ollama, "ingest", "--profile", "live", *SESSIONS)
    time.sleep(12)
    ollama.stop()
    out = finished(work)
    memory = Memory.open(home, profile="live", config=Config(**settings(ollama)))
    owed = sum(memory.stats().work.owed.values())
    assert owed == 0 or "Ollama" in out
    ollama.start()
    finished(command(home, ollama, "work"))
    assert not memory.stats().work.owed.get("extract")
    with memory._store.reading() as connection:
        twice = connection.execute(
            "SELECT memory_id, session_no, message_id, said_at FROM evidence GROUP BY ALL HAVING count(*) > 1"
        ).fetchall()
    assert twice == []


def test_ctrl_c_gives_up_at_once_and_loses_nothing(ollama, own_home):
    home = own_home / "agentmem"
    ingest = command(home, ollama, "ingest", "--profile", "live", *SESSIONS)
    time.sleep(10)
    ingest.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, err = ingest.communicate(timeout=60)
    assert "Traceback" not in out + err
    assert time.monotonic() - began < 20
    memory = Memory.open(home, profile="live", config=Config(**settings(ollama)))
    assert memory.stats().counts.messages > 0
