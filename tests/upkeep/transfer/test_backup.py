"""Backups of a store in use, and the way back."""

import json
import os
import random
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentmem import Config, Memory
from agentmem.errors import NotFound, StoreDamaged, UsageError
from tests.upkeep.transfer.stores import opened

ROOT = Path(__file__).parents[3]


@pytest.fixture
def memory(own_home, said):
    memory = opened(own_home / "agentmem")
    memory.ingest(said(("user", "Use npm."), ("user", "Use pnpm, not npm.")))
    return memory


def contents(memory) -> set[str]:
    return {item.content for item in memory.list(everything=True)}


def test_there_and_back(memory):
    done = memory.back_up()
    assert done.made.rows["memories"] == 2
    assert done.made.wrong == {}
    place = Path(done.made.place)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    memory.remember("The port is 8443")
    seen = memory.restore(place, dry_run=True)
    assert (seen.backup.rows["memories"], seen.store.rows["memories"], seen.done) == (2, 3, False)
    assert "The port is 8443" in contents(memory)
    restored = memory.restore(place)
    assert contents(memory) == {"Package manager: npm", "Package manager: pnpm (not npm)"}
    assert all(check.state != "failed" for check in memory.doctor(deep=True))
    memory.restore(restored.kept)
    assert "The port is 8443" in contents(memory)
    assert [Path(one.place).name.split("-")[0] for one in memory.backups()] == ["replaced", "replaced", "agentmem"]


def test_only_so_many_are_kept(memory, tmp_path):
    (tmp_path / "agentmem.txt").write_text("mine")
    places = [memory.back_up(tmp_path, keep=2).made.place for _ in range(4)]
    left = sorted(str(file) for file in tmp_path.iterdir())
    assert left == sorted([*places[-2:], str(tmp_path / "agentmem.txt")])
    with pytest.raises(UsageError):
        memory.back_up(tmp_path, keep=0)


def test_vectors_are_found_after_a_restore(own_home, said):
    memory = Memory.open(own_home / "agentmem", profile="project", config=Config(embedder="fake"))
    memory.ingest(said(("user", "Use pnpm, not npm."), ("user", "We deploy on Fridays.")))
    memory.work()
    backup = memory.back_up().made.place
    memory.ingest(said(("user", "The heron nests by the canal."), session="s2"))
    memory.work()
    memory.restore(backup)
    found = memory.recall("We deploy on Fridays.", types=("message",))
    assert found.hits[0].content == "We deploy on Fridays."
    assert memory.work().computed == 0
    assert memory.stats().owed == 0


def test_a_backup_onto_a_fresh_machine(memory, own_home):
    backup = memory.back_up().made.place
    fresh = opened(own_home / "fresh")
    done = fresh.restore(backup)
    assert (done.store, done.kept) == (None, None)
    assert contents(fresh) == contents(memory)


def test_a_store_that_cannot_be_read_is_replaced_and_kept(memory):
    backup = memory.back_up().made.place
    damaged = b"no database" * 1_000
    memory.home.database.write_bytes(damaged)
    with pytest.raises(StoreDamaged):
        memory.stats()
    assert memory.restore(backup, dry_run=True).store.rows is None
    done = memory.restore(backup)
    assert Path(done.kept).read_bytes() == damaged
    assert len(contents(memory)) == 2


@pytest.mark.parametrize("damage", ["cut", "wipe", "other"])
def test_a_damaged_backup_is_refused(damage, memory, tmp_path):
    place = Path(memory.back_up(tmp_path).made.place)
    data = place.read_bytes()
    if damage == "cut":
        place.write_bytes(data[: len(data) // 2])
    elif damage == "wipe":
        # DuckDB's blocks carry checksums; blank every second one behind the headers.
        place.write_bytes(data[:300_000] + bytes(len(data) - 300_000))
    else:
        place.write_text("no database")
    before = memory.home.database.read_bytes()
    with pytest.raises(StoreDamaged):
        memory.restore(place)
    assert memory.home.database.read_bytes() == before
    assert not memory.home.backups.exists()


def test_nothing_to_back_up_and_nothing_to_restore(own_home):
    memory = opened(own_home / "agentmem")
    with pytest.raises(NotFound, match="Nothing is stored yet"):
        memory.back_up()
    with pytest.raises(NotFound, match="no backup"):
        memory.restore(own_home / "nowhere.duckdb")
    assert not memory.home.data.exists()


def test_a_killed_writer_s_log_is_in_the_backup(memory):
    """What was committed and not yet folded into the file is part of it."""
    program = (
        "import os, sys; from agentmem.store.store import Store; from agentmem import Config, paths\n"
        "store = Store(paths.home(sys.argv[1]), Config())\n"
        "with store.database.alone() as connection:\n"
        "    connection.execute(\"SET checkpoint_threshold = '1GB'\")\n"
        '    connection.execute("UPDATE memories SET importance = 0.123")\n'
        "    os._exit(9)\n"
    )  # fmt: skip
    subprocess.run([sys.executable, "-c", program, str(memory.home.data)], env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert Path(f"{memory.home.database}.wal").exists()
    place = memory.back_up().made.place
    assert not Path(f"{place}.wal").exists()
    memory.restore(place)
    assert {item.importance for item in memory.list(everything=True)} == {0.123}


@pytest.mark.slow
def test_a_backup_during_twenty_ingests_is_whole(own_home, tmp_path):
    memory = opened(own_home / "agentmem")
    memory.remember("Use pnpm")
    running = []
    for writer in range(20):
        file = tmp_path / f"w{writer}.jsonl"
        lines = [
            {"role": "user", "content": f"Step {n} of {writer}: we decided to use tool {n}.", "session_id": f"s{n % 7}"}
            for n in range(300)
        ]
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        call = [sys.executable, "-m", "agentmem", "ingest", "--no-vectors", "-p", f"p{writer}", str(file)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "AGENTMEM_HOME": str(memory.home.data)}
        environment["AGENTMEM_PATIENCE"] = "300"
        running.append(subprocess.Popen(call, env=environment, stdout=subprocess.DEVNULL))
    patient = Memory.open(memory.home.data, config=Config(embedder="none", patience=300))
    made = []
    while any(one.poll() is None for one in running):
        made.append(patient.back_up(tmp_path / "backups").made)
        time.sleep(random.uniform(0.1, 0.5))
    assert all(one.wait() == 0 for one in running)
    between = [one for one in made if 0 < one.rows["messages"] < 20 * 300]
    assert between, [one.rows["messages"] for one in made]
    for one in [between[0], between[-1], made[-1]]:
        restored = opened(own_home / Path(one.place).stem)
        restored.restore(one.place)
        checks = {check.name: check for check in restored.doctor(deep=True)}
        assert checks["consistency"].state == "ok", checks
        assert restored.stats().counts.messages == one.rows["messages"]
