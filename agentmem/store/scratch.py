"""Copies of the store as it is at one moment, and a private folder to work in.

Whoever has the file open for reading keeps every writer out, so that a copy made meanwhile is whole: the file, and the
log that a killed writer left beside it. Readers are not disturbed; a writer waits as long as the copying takes (about
a second for 500 MB).
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from filelock import FileLock, Timeout

from agentmem.config import Config
from agentmem.paths import PRIVATE_FILE, Home, make_private_folder
from agentmem.store.connection import Database, log_of
from agentmem.store.store import Store

_SCRATCH = "scratch"
_LOCK = "lock"


def copy(database: Database, target: Path) -> None:
    """Copy a database as it is now, with its log, so that only its owner can read it.

    Raises:
        StoreBusy: a writer did not finish in time.
        StoreDamaged: it cannot be opened.
    """
    with database.reading():
        for source, place in ((database.file, target), (log_of(database.file), log_of(target))):
            if source.exists():
                place.touch(mode=PRIVATE_FILE)
                shutil.copyfile(source, place)


@contextmanager
def folder(home: Home) -> Iterator[Path]:
    """A private folder beside the store, gone afterwards; what killed processes left is removed too."""
    parent = home.data / _SCRATCH
    try:
        if not home.data.exists():
            raise FileNotFoundError(home.data)  # looking at a store that is not there does not begin one
        make_private_folder(parent)
        _sweep(parent)
        own = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=parent))
    except OSError:  # no store yet, or one on a read-only disk
        own = Path(tempfile.mkdtemp(prefix="agentmem-"))
    try:
        with FileLock(own / _LOCK, mode=PRIVATE_FILE):
            yield own
    finally:
        shutil.rmtree(own, ignore_errors=True)
        with suppress(OSError):  # somebody else works there
            parent.rmdir()


def _sweep(parent: Path) -> None:
    for left in parent.iterdir():
        lock = FileLock(left / _LOCK, mode=PRIVATE_FILE)
        if not (left / _LOCK).exists():  # being made, or being removed
            continue
        try:
            with lock.acquire(blocking=False):
                shutil.rmtree(left, ignore_errors=True)
        except (Timeout, OSError):  # somebody works in it
            continue


@contextmanager
def snapshot(store: Store, config: Config, memory_limit: str) -> Iterator[Store]:
    """A copy of the store as it is now, that nobody else knows; brought up to date where the original is older.

    Args:
        store: the original, which is only read.
        config: the settings in force.
        memory_limit: what DuckDB may use for the copy.
    """
    with folder(store.home) as own:
        home = Home(data=own, settings=own / "config.toml")
        if store.exists():
            copy(store.database, home.database)
        yield Store(home, replace(config, memory_limit=memory_limit))
