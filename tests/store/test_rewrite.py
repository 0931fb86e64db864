"""The new database file: all rows, no residue, old or new at every moment."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentmem import Memory
from agentmem.store.rewrite import rewrite

SECRET = "zanzibar-4711-quokka"


def dump(memory: Memory) -> dict[str, list[tuple]]:
    with memory._store.reading() as connection:
        names = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        return {name: sorted(connection.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr) for name in names}


def filled(memory: Memory, said) -> Memory:
    memory.ingest(said(("user", f"Remember: the token is {SECRET}."), ("assistant", f"Noted {SECRET}")))
    memory.ingest(
        said(*[("user", f"The service number {n} listens on port {n + 4000}.") for n in range(300)], session="s2")
    )
    return memory


def residue(folder: Path, value: str) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file() and value.encode() in file.read_bytes()]


def test_deleted_values_leave_the_file(memory: Memory, said):
    filled(memory, said)
    with memory._store.writing() as connection:
        connection.execute("UPDATE messages SET content = '' WHERE content LIKE '%quokka%'")
        for table in ("memories", "evidence", "search_queries", "journal"):
            column = {"evidence": "quote", "search_queries": "query", "journal": "after"}.get(table, "content")
            connection.execute(f"DELETE FROM {table} WHERE {column} LIKE '%quokka%'")
    memory._store.checkpoint()
    assert residue(memory.home.data, SECRET)  # else this test shows nothing
    before = dump(memory)
    memory._store.rewrite()
    assert dump(memory) == before
    assert residue(memory.home.data, SECRET) == []
    assert memory.home.database.stat().st_mode & 0o077 == 0
    assert memory.ingest(said(("user", "And on we go."), session="s3")).messages == 1


def test_a_copy_left_behind_is_replaced(memory: Memory, said):
    filled(memory, said)
    left = memory.home.database.with_name("memory.duckdb.rewritten")
    left.write_bytes(b"half a file")
    memory._store.rewrite()
    assert not left.exists()
    assert memory.recall("port 4005").hits


def test_nobody_reads_between(memory: Memory, said, monkeypatch: pytest.MonkeyPatch):
    """While one process has the turn, another that opens the store waits, and then sees the new file."""
    filled(memory, said)
    program = (
        f"from agentmem import Memory; print(len(Memory.open({str(memory.home.data)!r}, profile='project').list()))"
    )
    with memory._store._database.turn() as opened:
        reader = subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
        )
        time.sleep(1.5)
        assert reader.poll() is None
        with opened() as connection:
            connection.execute("DELETE FROM memories")
    assert reader.communicate(timeout=60)[0].strip() == "0"


@pytest.mark.slow
def test_killed_at_any_moment_the_store_is_whole(memory: Memory, said):
    filled(memory, said)
    before = dump(memory)
    program = (
        "from agentmem import Memory; import sys; "
        f"memory = Memory.open({str(memory.home.data)!r}, profile='project'); print('go', flush=True)\n"
        "while True: memory._store.rewrite()"
    )
    for moment in range(12):
        process = subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
        )
        assert process.stdout.readline().strip() == "go"
        time.sleep(0.07 * moment)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert dump(memory) == before
    rewrite(memory._store._database)
    assert dump(memory) == before
    assert not memory.home.database.with_name("memory.duckdb.rewritten").exists()
