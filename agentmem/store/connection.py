"""Short connections to the one DuckDB file, in turns.

DuckDB shuts every other process out while one has the file open for writing, readers too, and a writer cannot open
it while anyone reads. So nobody keeps a connection: open, do one thing, close. A lock file, the *gate*, makes
the turns fair: a writer holds it until it has closed the database, a reader only while it opens, so that readers that
follow each other closely cannot keep a writer out for ever. A program that knows nothing of the gate (the `duckdb`
shell) is waited for as well, and named when it does not let go.
"""

import os
import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import duckdb
from filelock import FileLock, Timeout

from agentmem.errors import StoreBusy, StoreDamaged
from agentmem.paths import make_private_file, make_private_folder
from agentmem.store.engine import InUse, Settings, engine_of

_FIRST_PAUSE = 0.002  # seconds; grows by half each time up to the longest, with jitter
_LONGEST_PAUSE = 0.05
_CROWD_AFTER, _CROWD_PAUSE = 2.0, 0.2  # seconds; who has waited so long is one of many, and asks less often
_HOLDER = re.compile(r"held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")
_TAKEN = ("Could not set lock", "being used by another process", "Conflicting lock")


def log_of(file: Path) -> Path:
    """The log that DuckDB keeps beside a database file until it is folded in."""
    return file.with_name(file.name + ".wal")


class Database:
    """The database file of one home.

    Args:
        file: the DuckDB file; it need not exist for writing.
        gate: the lock file.
        patience: seconds to wait for other processes before `StoreBusy`.
        memory_limit: DuckDB's own limit, as `512MB`.
    """

    def __init__(self, file: Path, gate: Path, *, patience: float, memory_limit: str) -> None:
        self.file = file
        self._gate = gate
        self._patience = patience
        self._engine = engine_of(file)
        self._settings: Settings = {
            "memory_limit": memory_limit,
            "autoinstall_known_extensions": False,  # DuckDB would fetch them from the network
        }

    @property
    def memory_limit(self) -> str:
        """DuckDB's own limit, as `512MB`."""
        return str(self._settings["memory_limit"])

    def exists(self) -> bool:
        """Whether there is anything to read."""
        return self.file.exists()

    @contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A read-only connection.

        Raises:
            StoreBusy: a writer did not finish in time.
            StoreDamaged: the file is there but is no readable database.
        """
        deadline = time.monotonic() + self._patience
        connection = self._open_reader(deadline)
        try:
            yield connection
        finally:
            self._engine.close(connection)

    @contextmanager
    def writing(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection inside one transaction: committed at the end, rolled back on any exception.

        Raises:
            StoreBusy: others did not let go in time.
            StoreDamaged: the file is there but is no readable database.
        """
        with self.alone() as connection:
            connection.begin()
            try:
                yield connection
            except BaseException:  # Ctrl-C as well must leave nothing half-written
                connection.rollback()
                raise
            connection.commit()

    @contextmanager
    def alone(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A writing connection without a transaction, for migrations and upkeep."""
        with self.turn() as opened, opened() as connection:
            yield connection

    @contextmanager
    def turn(self) -> Iterator[Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]]:
        """The right to write, kept while the file is closed too, so that it can be replaced.

        Yields:
            What opens the file for writing, without a transaction.
        """
        deadline = time.monotonic() + self._patience
        make_private_folder(self.file.parent)
        with self._turn(deadline):
            yield partial(self._opened, deadline)

    @contextmanager
    def _opened(self, deadline: float) -> Iterator[duckdb.DuckDBPyConnection]:
        previous = os.umask(0o077)  # the file must never be readable by others
        try:
            connection = self._retry(partial(self._engine.open, self._settings, read_only=False), deadline)
        finally:
            os.umask(previous)
        try:
            yield connection
        finally:
            self._engine.close(connection)

    def _open_reader(self, deadline: float) -> duckdb.DuckDBPyConnection:
        make_private_file(self.file)
        opening = partial(self._engine.open, self._settings, read_only=True)
        try:
            turn = self._turn(deadline)
            turn.__enter__()
        except OSError:  # a store on a read-only disk has no room for a lock file, and no writers
            return self._retry(opening, deadline)
        try:
            return self._retry(opening, deadline)
        finally:
            turn.__exit__(None, None, None)

    @contextmanager
    def _turn(self, deadline: float) -> Iterator[None]:
        lock = FileLock(self._gate, mode=0o600)
        pause = _FIRST_PAUSE
        crowded = time.monotonic() + _CROWD_AFTER
        while True:
            try:
                lock.acquire(blocking=False)
                break
            except Timeout:
                if time.monotonic() >= deadline:
                    raise StoreBusy(f"The store {self.file} is busy", self._holder()) from None
            # A hundred that ask every few milliseconds would leave no processor to the one whose turn it is.
            time.sleep(pause * random.uniform(0.5, 1))  # noqa: S311 - jitter, not cryptography
            pause = min(pause * 1.5, _LONGEST_PAUSE if time.monotonic() < crowded else _CROWD_PAUSE)
        try:
            yield
        finally:
            lock.release()

    def _holder(self) -> str:
        """Whoever holds the database right now, found out by asking DuckDB for it."""
        try:
            self._engine.close(self._engine.open(self._settings, read_only=True))
        except (duckdb.Error, InUse) as error:
            return _name_of(str(error))
        return ""

    def _retry(self, opening: Callable[[], duckdb.DuckDBPyConnection], deadline: float) -> duckdb.DuckDBPyConnection:
        pause = _FIRST_PAUSE
        while True:
            try:
                return opening()
            except (duckdb.Error, InUse) as error:
                reason = str(error)
                if not isinstance(error, InUse) and not any(sign in reason for sign in _TAKEN):
                    raise StoreDamaged(
                        f"The store {self.file} cannot be opened: {reason.splitlines()[0]}",
                        f"Nothing has been changed. Copies made before upgrades are in {self.file.parent / 'backups'}.",
                    ) from error
                if time.monotonic() > deadline:
                    raise StoreBusy(f"The store {self.file} is busy", _name_of(reason)) from error
            time.sleep(pause * random.uniform(0.5, 1))  # noqa: S311 - jitter, not cryptography
            pause = min(pause * 1.5, _LONGEST_PAUSE)


def _name_of(reason: str) -> str:
    found = _HOLDER.search(reason)
    if not found:
        return ""
    return f"process {found['pid']} ({Path(found['program']).name})"
