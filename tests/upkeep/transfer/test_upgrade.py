"""A store of every released format opens, with all that was in it; what fails leaves the old file as it was."""

import gzip
import shutil
from pathlib import Path

import duckdb
import pytest

from agentmem.errors import StoreTooNew, UpgradeFailed
from agentmem.store import migrations, schema
from tests.upkeep.transfer.stores import opened

STORES = Path(__file__).parents[2] / "data/stores"
FORMATS = sorted(file.name.removesuffix(".duckdb.gz") for file in STORES.iterdir())
ROWS = {
    "m001": {
        "documents": 14, "embeddings": 10, "evidence": 5, "files": 0, "generations": 1, "journal": 12, "memories": 8,
        "messages": 6, "occurrences": 8, "postings": 158, "profiles": 2, "search_queries": 21, "sessions": 2,
        "tombstones": 1, "vector_state": 12, "work": 0,
    },
}  # fmt: skip


def old_store(folder: Path, name: str = "m001"):
    """A memory whose store an older agentmem wrote, to the byte."""
    folder.mkdir(mode=0o700, parents=True)
    with gzip.open(STORES / f"{name}.duckdb.gz") as packed, (folder / "memory.duckdb").open("wb") as file:
        shutil.copyfileobj(packed, file)
    return opened(folder)


def rows(file: Path) -> dict[str, int]:
    with duckdb.connect(file, read_only=True) as connection:
        names = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        return {name: connection.execute(f"SELECT count(*) FROM {name}").fetchall()[0][0] for name in names}


@pytest.mark.parametrize("name", FORMATS)
def test_a_store_of_every_format_is_upgraded(name, own_home):
    memory = old_store(own_home / "old", name)
    before = memory.home.database.read_bytes()
    done = memory.upgrade()
    assert done.migrated is not None
    assert done.migrated.steps == tuple(step.__name__ for step in schema.STEPS[int(name[1:]) :])
    assert {table: many for table, many in done.migrated.after.items() if table in ROWS[name]} == ROWS[name]
    now = rows(memory.home.database)
    assert {table: now[table] for table in ROWS[name]} == ROWS[name]
    assert done.migrated.backup is not None
    assert done.migrated.backup.read_bytes() == before
    assert memory.upgrade().migrated is None
    assert all(check.state != "failed" for check in memory.doctor(deep=True))


@pytest.mark.parametrize("step", range(2, len(schema.STEPS)))
def test_a_store_of_every_step_between_is_upgraded(step, own_home):
    """What came between two releases: the oldest store after the first steps only."""
    memory = old_store(own_home / "old")
    with duckdb.connect(memory.home.database) as connection:
        migrations.run(connection, *schema.STEPS[1:step])
    before = rows(memory.home.database)
    done = memory.upgrade()
    assert done.migrated is not None
    assert done.migrated.steps == tuple(step.__name__ for step in schema.STEPS[step:])
    now = rows(memory.home.database)
    assert {table: now[table] for table in before if table != "schema_migrations"} == {
        table: many for table, many in before.items() if table != "schema_migrations"
    }
    assert all(check.state != "failed" for check in memory.doctor(deep=True))


@pytest.mark.parametrize("name", FORMATS)
def test_any_command_upgrades_it(name, own_home):
    memory = old_store(own_home / "old", name).seen_from("dashboard")
    assert memory.recall("which package manager?").hits[0].content == "Package manager: pnpm (not npm)"
    memory.remember("Use yarn")
    assert len(list(memory.home.backups.glob("memory-1-*.duckdb"))) == 1
    assert list(memory.home.data.glob("*.upgraded*")) == []


def test_a_rehearsal_changes_nothing(own_home):
    memory = old_store(own_home / "old")
    before = memory.home.database.read_bytes()
    done = memory.upgrade(dry_run=True)
    assert done.migrated is not None
    assert done.migrated.before["memories"] == done.migrated.after["memories"] == 8
    assert memory.home.database.read_bytes() == before
    assert [file.name for file in memory.home.data.iterdir() if file.name != "memory.lock"] == ["memory.duckdb"]


def half_done(connection):
    connection.execute("ALTER TABLE sessions ADD COLUMN half VARCHAR")
    raise duckdb.InvalidInputException("there is no room")


def losing(connection):
    connection.execute("DELETE FROM messages")


def stopped(connection):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("last", "error"), [(half_done, UpgradeFailed), (losing, UpgradeFailed), (stopped, KeyboardInterrupt)]
)
def test_a_failure_in_the_middle_leaves_the_old_file_as_it_was(last, error, own_home, monkeypatch):
    memory = old_store(own_home / "old")
    before = memory.home.database.read_bytes()
    monkeypatch.setattr(migrations, "STEPS", (*schema.STEPS, last))
    for call in (memory.stats, memory.upgrade, lambda: memory.remember("Use pnpm")):
        with pytest.raises(error):
            call()
        assert memory.home.database.read_bytes() == before
    assert [file.name for file in memory.home.data.iterdir() if file.name != "memory.lock"] == ["memory.duckdb"]
    monkeypatch.undo()
    assert memory.stats().counts.messages == 6


def test_a_newer_store_is_refused_untouched(own_home, monkeypatch):
    memory = opened(own_home / "agentmem")
    memory.remember("Use pnpm")
    with memory._store.database.alone() as connection:
        connection.execute("INSERT INTO schema_migrations VALUES ('m999_later', now()::TIMESTAMP, '9')")
        connection.execute("CHECKPOINT")
    before = memory.home.database.read_bytes()
    for call in (
        memory.stats,
        memory.upgrade,
        lambda: memory.remember("Use npm"),
        lambda: memory.export(own_home / "x"),
    ):
        with pytest.raises(StoreTooNew, match="m999_later"):
            call()
        assert memory.home.database.read_bytes() == before
    assert not memory.home.backups.exists()
    newer = shutil.copy2(memory.home.database, own_home / "newer.duckdb")
    other = opened(own_home / "other")
    other.remember("Use yarn")
    with pytest.raises(StoreTooNew):
        other.restore(newer)
    assert [item.content for item in other.list()] == ["Use yarn"]
