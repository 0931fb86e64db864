"""Short connections in turns: busy stores, readers beside writers, rights, formats."""

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import duckdb
import pytest

from agentmem import Config, Memory, StoreBusy, StoreDamaged, StoreTooNew
from agentmem.paths import home
from agentmem.store import migrations
from agentmem.store.store import Store


def hold(database: Path, seconds: float) -> subprocess.Popen:
    """Another program that opens the database for writing, knows nothing of agentmem, and stays."""
    program = textwrap.dedent(f"""
        import duckdb, time
        connection = duckdb.connect({str(database)!r})
        print("held", flush=True)
        time.sleep({seconds})
    """)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().strip() == "held"
    return process


def test_a_busy_store_names_the_process_that_holds_it(memory: Memory, said):
    memory.ingest(said(("user", "hello there")))
    holder = hold(memory.home.database, 30)
    try:
        impatient = Memory(memory.home, Config(embedder="none", patience=0.3), "project")
        for attempt in (lambda: impatient.ingest(said(("user", "more"))), lambda: impatient.recall("hello")):
            with pytest.raises(StoreBusy) as caught:
                attempt()
            assert f"process {holder.pid}" in caught.value.message
            assert "delete" not in (caught.value.message + caught.value.hint).lower()
    finally:
        holder.kill()
        holder.wait()


def test_a_store_that_is_freed_in_time_is_no_error(memory: Memory, said):
    memory.ingest(said(("user", "hello there")))
    holder = hold(memory.home.database, 0.7)
    started = time.monotonic()
    assert memory.ingest(said(("user", "and more"), day="2026-04-21")).messages == 1
    assert time.monotonic() - started > 0.2
    holder.wait()


def test_reading_creates_nothing(own_home: Path):
    memory = Memory.open(own_home / "nowhere", config=Config(embedder="none"))
    assert memory.recall("anything").abstained
    assert memory.list() == ()
    assert memory.stats().counts.messages == 0
    assert not (own_home / "nowhere").exists()


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX systems")
def test_only_the_owner_can_look_in(memory: Memory, said):
    memory.ingest(said(("user", "Use pnpm, not npm.")))
    memory.work()
    assert memory.home.data.stat().st_mode & 0o777 == 0o700
    for file in memory.home.data.iterdir():
        if file.is_file():
            assert file.stat().st_mode & 0o077 == 0, file


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX systems")
def test_rights_that_were_widened_are_narrowed_again(memory: Memory, said):
    memory.ingest(said(("user", "hello there")))
    memory.home.database.chmod(0o644)
    memory.recall("hello")
    assert memory.home.database.stat().st_mode & 0o777 == 0o600


def test_a_newer_store_is_refused_and_not_touched(memory: Memory, said):
    memory.ingest(said(("user", "hello there")))
    with duckdb.connect(memory.home.database) as connection:
        connection.execute("INSERT INTO schema_migrations VALUES ('m999_from_the_future', now()::TIMESTAMP, '9.0')")
    before = memory.home.database.read_bytes()
    for attempt in (lambda: memory.recall("hello"), lambda: memory.ingest(said(("user", "more")))):
        with pytest.raises(StoreTooNew, match="m999_from_the_future"):
            attempt()
    assert memory.home.database.read_bytes() == before


def test_a_file_that_is_no_database_is_said_to_be_damaged(memory: Memory):
    memory.home.data.mkdir(parents=True)
    memory.home.database.write_bytes(b"this is not a database" * 1000)
    with pytest.raises(StoreDamaged, match="cannot be opened"):
        memory.recall("hello")
    assert memory.home.database.read_bytes().startswith(b"this is not")


def test_a_migration_makes_a_backup_and_keeps_every_row(memory: Memory, said, monkeypatch):
    memory.ingest(said(("user", "Use pnpm, not npm."), ("assistant", "Done.")))

    def m999_a_new_column(connection):
        connection.execute("ALTER TABLE sessions ADD COLUMN mood VARCHAR")

    steps = migrations.STEPS
    monkeypatch.setattr(migrations, "STEPS", (*steps, m999_a_new_column))
    assert memory.recall("pnpm").hits  # a reader upgrades as well
    assert memory.stats().counts.messages == 2
    (backup,) = memory.home.backups.iterdir()
    with duckdb.connect(backup, read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM messages").fetchall() == [(2,)]
        assert connection.execute("SELECT count(*) FROM schema_migrations").fetchall() == [(len(steps),)]


def test_a_migration_that_fails_leaves_the_store_as_it_was(memory: Memory, said, monkeypatch):
    memory.ingest(said(("user", "Use pnpm, not npm.")))

    def m999_breaks(connection):
        connection.execute("ALTER TABLE sessions ADD COLUMN mood VARCHAR")
        raise RuntimeError("no")

    with monkeypatch.context() as patch:
        patch.setattr(migrations, "STEPS", (*migrations.STEPS, m999_breaks))
        with pytest.raises(RuntimeError):
            memory.recall("pnpm")
    assert memory.recall("pnpm").hits
    with duckdb.connect(memory.home.database, read_only=True) as connection:
        assert "mood" not in [row[0] for row in connection.execute("DESCRIBE sessions").fetchall()]


def test_an_exception_inside_a_transaction_leaves_nothing(own_home: Path):
    store = Store(home(own_home / "agentmem"), Config())
    with pytest.raises(KeyboardInterrupt), store.writing() as connection:
        connection.execute("INSERT INTO profiles VALUES ('half', NULL, now()::TIMESTAMP)")
        raise KeyboardInterrupt
    with store.reading() as connection:
        assert connection.execute("SELECT count(*) FROM profiles").fetchall() == [(0,)]
