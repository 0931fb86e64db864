"""Puts another database file in the place of the store's, and keeps the old one. The turn must be held.

In one rename, so that the store is the old file or the new one, whole, at every moment.
"""

import os
import shutil
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from agentmem.paths import make_private_file, make_private_folder
from agentmem.store.connection import log_of


def replace(file: Path, fresh: Path, kept: Path | None) -> None:
    """Put `fresh` in the place of `file`.

    Args:
        file: the database; it need not exist.
        fresh: the new one, on the same disk, without a log.
        kept: where the old one goes, with its log if it has one; None: nowhere.
    """
    sync(fresh)
    if kept is not None and file.exists():
        make_private_folder(kept.parent)
        try:
            os.link(file, kept)
        except OSError:  # another disk, or one without hard links
            shutil.copy2(file, kept)
        make_private_file(kept)
        if log_of(file).exists():
            shutil.copy2(log_of(file), log_of(kept))
            make_private_file(log_of(kept))
            log_of(file).unlink()  # it would be played back into the new file
        sync(kept.parent)
    fresh.replace(file)
    sync(file.parent)


def stamped(folder: Path, start: str, at: datetime, suffix: str = ".duckdb") -> Path:
    """A name with a time in it that nothing in a folder has yet."""
    stamp = at.strftime("%Y%m%dT%H%M%SZ")
    place = folder / f"{start}-{stamp}{suffix}"
    turn = 1
    while place.exists():
        turn += 1
        place = folder / f"{start}-{stamp}-{turn}{suffix}"
    return place


def sync(place: Path) -> None:
    """Have a file, or the names in a folder, on the disk."""
    with suppress(PermissionError, IsADirectoryError):  # Windows opens no folders
        descriptor = os.open(place, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
