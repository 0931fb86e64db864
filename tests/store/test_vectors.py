"""Vectors: DuckDB holds them, LanceDB searches them, and both give the same answers."""

import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from agentmem import Memory
from agentmem.ingest.vectorize import vectorize
from agentmem.models.fake import FakeEmbedder
from agentmem.store import embeddings, vectors
from agentmem.store.vectors import VectorTable

WORDS = ("cache", "queue", "invoice", "login", "deploy", "schema", "retry", "budget", "parser", "socket")


@pytest.fixture
def filled(memory: Memory, said) -> Memory:
    for n in range(6):
        turns = [("user", f"the {WORDS[(n + i) % 10]} and the {WORDS[(3 * n + i) % 10]} number {i}") for i in range(20)]
        memory.ingest(said(*turns, day=f"2026-04-{n + 10}", session=f"s{n}"))
    memory.work()
    return memory


def lance(memory: Memory) -> tuple[embeddings.Generation, VectorTable]:
    with memory._store.reading() as connection:
        generation = embeddings.current(connection)
    return generation, VectorTable(memory.home.vectors, generation.no, generation.dimension)


def test_exact_search_in_duckdb_and_search_in_lancedb_agree(filled: Memory):
    generation, table = lance(filled)
    for word in WORDS:
        vector = FakeEmbedder().embed_query(f"the {word}")
        with filled._store.reading() as connection:
            slots, cosines, _ = embeddings.scan(connection, generation, ["project", "user"], vector)
        near, similarities = table.search(["project", "user"], vector, len(slots))
        assert np.allclose(np.sort(cosines)[::-1], similarities, atol=1e-5)
        assert set(near[:10].tolist()) <= set(slots[cosines >= np.sort(cosines)[-10] - 1e-5].tolist())


def test_recall_gives_the_same_hits_either_way(filled: Memory, monkeypatch):
    questions = [f"the {one} and the {other}" for one in WORDS[:4] for other in WORDS[5:8]]
    exact = [[hit.id for hit in filled.recall(q, k=5).hits] for q in questions]
    monkeypatch.setattr(embeddings, "EXACT_SCOPE", 0)
    assert [[hit.id for hit in filled.recall(q, k=5).hits] for q in questions] == exact


def test_profiles_are_kept_apart_in_lancedb(filled: Memory, said):
    other = Memory(filled.home, filled.config, "it's another")
    other.ingest(said(("user", "the cache of the other project"), session="o"))
    other.work()
    _, table = lance(filled)
    near, _ = table.search(["it's another"], FakeEmbedder().embed_query("the cache"), 50)
    assert len(near) == 1


def test_a_lost_folder_is_filled_again_without_computing_anything(filled: Memory, said):
    _, table = lance(filled)
    before = set(table.slots().tolist())
    shutil.rmtree(filled.home.vectors)
    filled.ingest(said(("user", "one more thing"), session="more"))

    class Counting(FakeEmbedder):
        seen = 0

        def embed_documents(self, texts):
            self.seen += len(texts)
            return super().embed_documents(texts)

    model = Counting()
    vectorize(filled._store, model)
    assert model.seen == 1
    assert before < set(table.slots().tolist())


def test_the_same_text_is_paid_for_once(memory: Memory, said):
    for n in range(5):
        memory.ingest(said(("user", "please run the tests again"), session=f"s{n}"))
    done = memory.work()
    assert (done.computed, done.reused) == (1, 4)


def test_a_superseded_memory_leaves_the_vector_table(memory: Memory, said):
    memory.ingest(said(("user", "Use npm for installs."), session="s1"))
    memory.work()
    memory.ingest(said(("user", "Actually, use pnpm, not npm."), day="2026-05-01", session="s2"))
    memory.work()
    _, table = lance(memory)
    active = [item for item in memory.list() if item.kind != "task"]
    assert sum(1 for slot in table.slots() if slot < 0) == len(active)


def test_vectors_stop_at_the_time_limit_and_go_on_later(memory: Memory, said):
    memory.ingest(said(*[("user", f"message number {n}") for n in range(200)]))

    class Slow(FakeEmbedder):
        def embed_documents(self, texts):
            time.sleep(0.2)
            return super().embed_documents(texts)

    first = vectorize(memory._store, Slow(), seconds=0.1)
    assert 0 < first.owed < 200
    assert vectorize(memory._store, FakeEmbedder()).owed == 0
    assert memory.stats().owed == 0


def test_the_newest_documents_come_first(memory: Memory, said):
    memory.ingest(said(*[("user", f"message number {n}") for n in range(200)]))

    seen: list[str] = []

    class Stops(FakeEmbedder):
        def embed_documents(self, texts):
            seen.extend(texts)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vectorize(memory._store, Stops())
    assert "message number 199" in seen
    assert "message number 0" not in seen


@pytest.mark.slow
def test_killed_anywhere_the_vectors_are_completed(memory: Memory, said, own_home):
    memory.ingest(said(*[("user", f"message number {n} about {WORDS[n % 10]}") for n in range(600)]))
    program = (
        "from agentmem import Memory, Config; Memory.open(profile='project', config=Config(embedder='fake')).work()"
    )
    for delay in (0.4, 0.7, 1.0, 1.4, 1.9, 2.5):
        process = subprocess.Popen([sys.executable, "-c", program], env=os.environ)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
    memory.work()
    generation, table = lance(memory)
    with memory._store.reading() as connection:
        wanted = embeddings.slots(connection, generation)
    assert sorted(table.slots().tolist()) == sorted(wanted.tolist())
    assert memory.stats().owed == 0


def test_a_large_table_gets_an_index_that_finds_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(vectors, "INDEX_FROM", 500)
    table = VectorTable(tmp_path, 1, 64)
    chance = np.random.default_rng(0)
    rows = chance.standard_normal((1_000, 64)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    with table.locked(patience=1):
        table.upsert(range(1, 1_001), ["project"] * 1_000, rows)
        table.tidy()
        table.upsert([1_001], ["project"], rows[:1])  # after the index was built
        table.tidy()
    assert table._open().list_indices()
    for vector in rows[1:6]:
        near, cosines = table.search(["project"], vector, 50)
        best = np.argsort(-(rows @ vector))[:3] + 1
        assert cosines[0] == pytest.approx(1, abs=1e-5)
        assert near[0] == best[0]
    assert {1, 1_001} <= set(table.search(["project"], rows[0], 50)[0].tolist())
