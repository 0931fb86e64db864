"""One DuckDB a file, that outlives the openings: nothing of the file stays with it, and threads share it."""

import os
import threading
import time
from pathlib import Path

import duckdb
import pytest

from agentmem import Config, Memory, StoreBusy
from agentmem.store.engine import beside
from agentmem.store.store import Store


@pytest.fixture
def store(memory: Memory, said) -> Store:
    memory.ingest(said(("user", "Use pnpm, not npm.")))
    return memory._store


def count(connection: duckdb.DuckDBPyConnection) -> int:
    return connection.execute("SELECT count(*) FROM messages").fetchone()[0]


def cpu(do) -> float:
    before = time.process_time()
    do()
    return time.process_time() - before


def test_an_opening_costs_a_fraction_of_what_duckdb_costs_to_start(store: Store):
    def opened() -> None:
        for _ in range(10):
            with store.reading():
                pass

    opened()
    started = min(cpu(lambda: duckdb.connect(":memory:").close()) for _ in range(3))
    assert min(cpu(opened) for _ in range(3)) / 10 < started / 2


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files can be seen on Linux")
def test_nothing_of_the_store_stays_open(store: Store):
    threads = []
    for way in (store.reading, store.writing):
        with way() as connection:
            threads.append(beside(connection))  # and never closed
            threads[-1].execute("BEGIN; SELECT count(*) FROM messages")
    left = {os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")}  # noqa: PTH208 - names
    assert not [file for file in left if file.startswith(str(store.home.data))]


def test_what_was_attached_beside_the_store_goes_with_it(store: Store, tmp_path: Path):
    duckdb.connect(tmp_path / "other.duckdb").close()
    for _ in range(2):
        with pytest.raises(KeyError), store.writing() as connection:
            connection.execute(f"ATTACH '{tmp_path}/other.duckdb' AS other (READ_ONLY)")
            raise KeyError
    with store.reading() as connection:
        assert count(connection) == 1


def test_threads_read_at_once_and_a_writer_waits_for_them(store: Store):
    impatient = Store(store.home, Config(patience=0.05))
    with store.reading() as first, Store(store.home, Config()).reading() as second:
        assert count(first) == count(second) == count(beside(second)) == 1
        with pytest.raises(StoreBusy), impatient.writing():
            pass
    with store.writing(), pytest.raises(StoreBusy), impatient.reading():
        pass
    with impatient.writing() as connection:
        assert count(connection) == 1


def test_many_threads_read_and_write(store: Store):
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for _ in range(5):
                with Store(store.home, Config(patience=20)).writing() as connection:
                    connection.execute("INSERT INTO profiles VALUES (?, NULL, now()::TIMESTAMP)", [f"p{number}"])
                with store.reading() as connection:
                    assert count(connection) == 1
        except BaseException as error:  # noqa: BLE001 - told below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with store.reading() as connection:
        assert connection.execute("SELECT count(*) FROM profiles WHERE name LIKE 'p_'").fetchone() == (20,)


def test_an_engine_that_broke_is_replaced(store: Store):
    with pytest.raises(duckdb.Error), store.reading():
        store.database._engine._duckdb.close()
        raise duckdb.FatalException("the database has been invalidated")
    with store.reading() as connection:
        assert count(connection) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes fork on POSIX systems")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_opens_the_store_for_itself(store: Store):
    with store.reading():
        child = os.fork()
        if not child:
            try:
                with store.reading() as connection:
                    os._exit(count(connection) - 1)
            finally:
                os._exit(9)
        assert os.waitpid(child, 0)[1] == 0


def test_what_does_not_fit_into_memory_lies_beside_the_store(store: Store):
    with store.reading() as connection:
        (place,) = connection.execute("SELECT current_setting('temp_directory')").fetchone()
    assert Path(place).parent == store.home.data
