"""A change of the embedding model: the old vectors serve until the new ones are complete.

`AGENTMEM_MEMORIES=20000` runs the longest test at full size.
"""

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
from agentmem.domain.ids import memory_id
from agentmem.domain.memories import MemoryItem, MemoryKind
from agentmem.domain.messages import Trust
from agentmem.store import embeddings, memories, sessions
from agentmem.store.fulltext import Terms
from agentmem.store.rows import now

NEW = "fake-letters/pairs"
MANY = int(os.environ.get("AGENTMEM_MEMORIES", "3000"))


def filled(home: Path, many: int) -> Memory:
    memory = Memory.open(home, profile="project", config=Config(embedder="fake", patience=60))
    terms = Terms()
    items = [
        MemoryItem(
            id=memory_id("project", MemoryKind.FACT, None, f"service number {n}"),
            profile="project",
            kind=MemoryKind.FACT,
            content=f"Service number {n} listens on port {n + 4000} and keeps {n % 97} workers.",
            topic_key=None,
            importance=0.5,
            occurred_at=None,
            valid_from=now(),
            created_at=now(),
            expires_at=None,
            trust=Trust.HIGH,
            extractor="test/1",
        )
        for n in range(many)
    ]
    with memory._store.writing() as connection:
        sessions.ensure_profile(connection, "project")
        memories.add(connection, items, [terms.of(item.content) for item in items])
    memory.work()
    return memory


def generations(memory: Memory) -> list[str]:
    with memory._store.reading() as connection:
        return [one.model for one in embeddings.all_of_them(connection)]


def tables(memory: Memory) -> list[str]:
    return sorted(place.stem for place in memory.home.vectors.glob("generation_*.lance"))


def test_the_new_model_serves_when_all_is_there_and_the_old_one_is_gone(own_home):
    memory = filled(own_home / "agentmem", 300)
    part = memory.reindex("fake-letters", seconds=0)
    assert (part.model, part.serving) == (NEW, "fake/words")
    assert part.vectors.owed > 0
    assert generations(memory) == ["fake/words", NEW]
    assert tables(memory) == ["generation_1", "generation_2"]
    assert memory.config.embedder == "fake-letters"
    found = memory.recall("service number 17")
    assert "port 4017" in found.hits[0].content
    assert any(part.channel == "question vector" for part in found.hits[0].parts)
    assert [check.state for check in memory.doctor() if check.name == "vectors"] == ["warning"]
    done = memory.work()  # the worker of the hooks does the same
    assert done.owed == 0
    assert generations(memory) == [NEW]
    assert tables(memory) == ["generation_2"]
    assert "port 4017" in memory.recall("service number 17").hits[0].content
    with memory._store.reading() as connection:
        assert connection.execute("SELECT DISTINCT model FROM embeddings").fetchall() == [(NEW,)]
        assert connection.execute("SELECT DISTINCT generation FROM vector_state").fetchall() == [(2,)]


def test_going_back_before_it_is_complete_removes_what_was_begun(own_home):
    memory = filled(own_home / "agentmem", 200)
    memory.reindex("fake-letters", seconds=0)
    back = memory.reindex("fake")
    assert (back.serving, back.vectors.computed) == ("fake/words", 0)
    assert generations(memory) == ["fake/words"]
    assert tables(memory) == ["generation_1"]


def test_with_a_missing_model_search_is_by_words_and_says_so(own_home):
    memory = filled(own_home / "agentmem", 20)
    with memory._store.writing() as connection:
        connection.execute("UPDATE generations SET model = 'gone/1'")
    answer = memory.recall("service number 17")
    assert "port 4017" in answer.hits[0].content
    assert any("words only" in note and "gone/1" in note for note in answer.notes)


def start(home: Path, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "agentmem", *arguments],
        env={**os.environ, "AGENTMEM_HOME": str(home)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.slow
def test_killed_at_ten_moments_it_goes_on(own_home):
    home = own_home / "agentmem"
    memory = filled(home, MANY)
    killed = 0
    for _ in range(10):
        process = start(home, "reindex", "--model", "fake-letters")
        time.sleep(random.uniform(0.4, 1.8))
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        process.communicate()
        hits = memory.recall("port 4017").hits
        assert any("port 4017" in hit.content for hit in hits)
        assert any(part.channel == "memory words" for part in hits[0].parts)
    assert killed >= 3
    done = start(home, "reindex", "--model", "fake-letters", "--json")
    said, complaint = done.communicate()
    assert done.returncode == 0, complaint
    assert json.loads(said)["serving"] == NEW
    assert generations(memory) == [NEW]
    assert tables(memory) == ["generation_2"]


@pytest.mark.slow
def test_the_model_changes_while_four_processes_ask_and_write(own_home):
    home = own_home / "agentmem"
    memory = filled(home, MANY)
    stop = threading.Event()
    troubles: list[str] = []
    asked = [0, 0]

    def ask(who: int) -> None:
        process = start(home, "recall", "-p", "project", "--explain", "--batch", "-")
        n = who
        while not stop.is_set():
            n = (n * 31 + 7) % MANY
            question = {"query": f"service number {n}", "k": 3, "type": ["memory"]}
            process.stdin.write(json.dumps(question) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            by_words = [
                hit["content"]
                for hit in answer.get("hits", ())
                if "memory words" in {part["channel"] for part in hit["explain"]["channels"]}
            ]
            # Small numbers are those of workers too, and found there as well.
            if not any(n < 97 or content.startswith(f"Service number {n} ") for content in by_words):
                troubles.append(f"without words: {n} {answer}")
            asked[who] += 1
        process.stdin.close()
        process.wait()

    def write(who: int) -> None:
        n = 0
        while not stop.is_set():
            n += 1
            line = json.dumps(
                {"role": "user", "content": f"Note {who}-{n}: we use gadget {n}.", "session_id": f"w{who}"}
            )
            process = start(home, "ingest", "--profile", "project", "--no-vectors", "-")
            _, complaint = process.communicate(line + "\n")
            if process.returncode != 0:
                troubles.append(complaint)

    threads = [threading.Thread(target=one, args=(who,)) for one in (ask, write) for who in (0, 1)]
    for thread in threads:
        thread.start()
    done = start(home, "reindex", "--model", "fake-letters", "--json")
    said, complaint = done.communicate()
    stop.set()
    for thread in threads:
        thread.join()
    assert done.returncode == 0, complaint
    assert not troubles, "\n".join(troubles)
    assert min(asked) > 0
    assert json.loads(said)["serving"] == NEW
    assert generations(memory) == [NEW]
    assert tables(memory) == ["generation_2"]
