"""Export: all that is needed to rebuild the store, or a part of it, in files that other programs read.

It reads from a copy of the store made in one go, so that the export is of one moment and nobody waits for it to be
written. It is written under another name, read back and compared, and only then given its own.
"""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from agentmem.config import Config
from agentmem.errors import UsageError
from agentmem.paths import PRIVATE_FILE, PRIVATE_FOLDER
from agentmem.store import outgoing, scratch, sessions
from agentmem.store.outgoing import Wanted
from agentmem.store.store import Connection, Store
from agentmem.upkeep.transfer import lines, manifest, parquet

PARQUET, JSONL = "parquet", "jsonl"
FORMATS = (PARQUET, JSONL)

Progress = Callable[[int, int], None]
"""Takes the rows done, and all of them (0: nobody knows)."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written.

    Args:
        place: the folder or file; `-` for a stream.
        format: `parquet` or `jsonl`.
        rows: by table.
        size: bytes; 0 for a stream.
    """

    place: str
    format: str
    rows: dict[str, int]
    size: int = 0


def export(store: Store, config: Config, wanted: Wanted, place: Path, form: str, progress: Progress) -> Exported:
    """Write an export; it is there as a whole or not at all.

    Raises:
        UsageError: something is in its place already, or its folder is missing.
        NotFound: there is no such profile.
    """
    _free(place)
    fresh = place.with_name(f".{place.name}.{os.getpid()}.partial")
    _remove(fresh)
    try:
        with scratch.snapshot(store, config, outgoing.MEMORY_LIMIT) as copy, copy.reading() as connection:
            wanted = _chosen(connection, wanted)
            total = outgoing.count(connection, manifest.tables(wanted))
            count = _Count(progress, total)
            if form == PARQUET:
                fresh.mkdir(mode=PRIVATE_FOLDER)
                parts = parquet.write(connection, wanted, fresh, count)
            else:
                fresh.touch(mode=PRIVATE_FILE)
                with fresh.open("wb") as out:
                    parts = lines.write(connection, wanted, out, count)
        _read_back(fresh, form)
        size = sum(file.stat().st_size for file in ([fresh] if fresh.is_file() else fresh.iterdir()))
        _sync(fresh)
        if place.is_dir():
            place.rmdir()  # empty, as was seen above
        fresh.rename(place)
    except BaseException:  # Ctrl-C as well must leave nothing half-written behind
        _remove(fresh)
        raise
    return Exported(str(place), form, {name: part.rows for name, part in parts.items()}, size)


def export_lines(store: Store, config: Config, wanted: Wanted, out: BinaryIO) -> Exported:
    """Write an export as lines to a stream, as they are read; the last line tells the reader that all came."""
    with scratch.snapshot(store, config, outgoing.MEMORY_LIMIT) as copy, copy.reading() as connection:
        wanted = _chosen(connection, wanted)
        parts = lines.write(connection, wanted, out, lambda _rows: None)
    out.flush()
    return Exported("-", JSONL, {name: part.rows for name, part in parts.items()})


def _chosen(connection: Connection, wanted: Wanted) -> Wanted:
    """The same with whole names of profiles, noted in the copy."""
    named = replace(wanted, profiles=tuple(sessions.find_profile(connection, name) for name in wanted.profiles))
    outgoing.choose(connection, named)
    return named


class _Count:
    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0

    def __call__(self, rows: int) -> None:
        self._done = min(self._done + rows, self._total)
        self._progress(self._done, self._total)


def _free(place: Path) -> None:
    if not place.parent.is_dir():
        raise UsageError(f"There is no folder {place.parent}", f"`mkdir -p {place.parent}` makes it.")
    taken = any(place.iterdir()) if place.is_dir() else place.exists() or place.is_symlink()
    if taken:
        raise UsageError(f"{place} is there already", "Give a new name, or remove the old one first.")


def _read_back(fresh: Path, form: str) -> None:
    """Read all that was written, as an import would."""
    if form == JSONL:
        lines.check(fresh)
        return
    for _ in parquet.read(fresh, parquet.check(fresh)):
        pass


def _remove(fresh: Path) -> None:
    if fresh.is_dir():
        shutil.rmtree(fresh, ignore_errors=True)
    else:
        fresh.unlink(missing_ok=True)


def _sync(fresh: Path) -> None:
    """Have the files on the disk before they get their name."""
    for file in [fresh] if fresh.is_file() else fresh.iterdir():
        with file.open("rb") as opened:
            os.fsync(opened.fileno())
