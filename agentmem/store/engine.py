"""One DuckDB for each database file and process, to which the file is attached only while it is in use.

To start DuckDB takes 12 ms of processor time, to attach a file to one that runs 1 ms; a question opens the store three
times and a session's end a dozen times. What stays between two openings is a DuckDB with nothing in it: no lock, no
file, no row.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakValueDictionary

import duckdb

Settings = dict[str, str | bool | int | float | list[str]]
"""DuckDB's own, by name."""

_NAME = "store"  # what the attached database is called in statements
_BROKEN = (duckdb.FatalException, duckdb.InternalException)


class InUse(Exception):
    """Another thread of this process has the file open in a way that does not go together with what was asked for."""


class Engine:
    """The DuckDB of one file. Threads share it: any number of readers, or one writer.

    Use `engine_of`, which gives the same one to all that open a file: the locks that keep other processes out belong to
    a process, so that a second DuckDB of this one would let go of them.

    Args:
        file: the database file, whole.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._duckdb: duckdb.DuckDBPyConnection | None = None
        self._settings: Settings = {}
        self._users = 0
        self._reading = False

    def open(self, settings: Settings, *, read_only: bool) -> duckdb.DuckDBPyConnection:
        """A connection to the file; give it back to `close`.

        Args:
            settings: DuckDB's; while the file is open already, those it was opened with hold.
            read_only: nothing is written through this connection.

        Raises:
            InUse: this process has it open already, and one of both would write.
            duckdb.Error: DuckDB cannot open it, as when another process has.
        """
        with self._lock:
            if self._users and not (self._reading and read_only):
                raise InUse(self._file)
            if not self._users:
                self._attach(settings, read_only=read_only)
            self._users += 1
            return beside(self._started())

    def close(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Close a connection, which undoes what was not committed; the last one lets go of the file."""
        with self._lock:
            try:
                connection.close()
            finally:
                self._users -= 1
                if not self._users:
                    self._detach()

    def begin_anew(self) -> None:
        """Know nothing of what was open: a forked process has neither the connections nor DuckDB's threads."""
        _useless.append(self._duckdb)
        self._lock, self._duckdb, self._users = threading.Lock(), None, 0

    def _started(self) -> duckdb.DuckDBPyConnection:
        if self._duckdb is None:
            spilled = f"{self._file}.tmp"  # where DuckDB has it for a file; for none, it would be the current folder
            self._duckdb = duckdb.connect(":memory:", config={**self._settings, "temp_directory": spilled})
        return self._duckdb

    def _attach(self, settings: Settings, *, read_only: bool) -> None:
        if settings != self._settings:
            self._settings, self._duckdb = settings, None
        path, how = str(self._file).replace("'", "''"), "READ_ONLY" if read_only else "READ_WRITE"
        statement = f"ATTACH '{path}' AS {_NAME} (TYPE duckdb, {how})"
        try:
            self._started().execute(statement)
        except _BROKEN:  # by what came before; a new one says what is wrong with the file, if anything is
            self._duckdb = None
            self._started().execute(statement)
        self._reading = read_only

    def _detach(self) -> None:
        """Let go of the file, and of what a connection attached beside it."""
        try:
            names = self._started().execute("SELECT database_name FROM duckdb_databases() WHERE path IS NOT NULL")
            for (name,) in names.fetchall():
                self._started().execute(f'DETACH "{name}"')
        except duckdb.Error:  # broken by what came before
            self._duckdb = None


def beside(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A second connection to what `connection` reads, for another thread."""
    second = connection.cursor()
    second.execute(f"USE {_NAME}")
    return second


@contextmanager
def nothing() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to an empty database in memory."""
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"ATTACH ':memory:' AS {_NAME}; USE {_NAME}")
        yield connection


_engines: WeakValueDictionary[Path, Engine] = WeakValueDictionary()
_engines_lock = threading.Lock()
_useless: list[duckdb.DuckDBPyConnection | None] = []  # kept, because to end them waits for threads that are not here


def engine_of(file: Path) -> Engine:
    """The engine of a file, which lives as long as anybody holds it."""
    whole = file.absolute()
    with _engines_lock:
        found = _engines.get(whole)
        if found is None:
            found = _engines[whole] = Engine(whole)
        return found


def _forked() -> None:
    for engine in list(_engines.values()):
        engine.begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
