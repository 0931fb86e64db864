"""Which memories were recalled: noted in the spool by whoever reads, written into the store by whoever writes next.

Reading never writes to the database. A note is a file of its own, so that readers do not wait for each other; it holds
ids and the time, and none of the words that were asked for.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from agentmem.paths import PRIVATE_FILE, Home, make_private_folder
from agentmem.store.rows import TIME, Columns, registered, stored

MOST_NOTES = 2_000
"""Notes that wait at most; beyond, what is recalled is not noted until somebody writes them into the store."""


def note(home: Home, ids: Sequence[str]) -> None:
    """Note down that memories were recalled; where that cannot be done (a read-only disk) it is left."""
    folder = home.spool / "recalled"
    with suppress(OSError):
        make_private_folder(folder)
        if len(os.listdir(folder)) >= MOST_NOTES:  # noqa: PTH208 - names alone
            return
        file = folder / f"{time.time_ns():020d}-{os.getpid()}.json"
        hidden = file.with_name(f".{file.name}")
        descriptor = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump({"at": time.time(), "memories": list(ids)}, stream)
        hidden.rename(file)


def notes(home: Home) -> list[Path]:
    """The notes that wait, oldest first."""
    with suppress(OSError):
        return sorted(file for file in (home.spool / "recalled").iterdir() if not file.name.startswith("."))
    return []


def apply(connection: duckdb.DuckDBPyConnection, files: Sequence[Path]) -> None:
    """Write what notes say into the memories, inside a writing transaction; remove the files after it."""
    times: dict[str, datetime] = {}
    often: Counter[str] = Counter()
    for file in files:
        with suppress(OSError, ValueError, KeyError, TypeError, OverflowError):
            told = json.loads(file.read_bytes())
            at = datetime.fromtimestamp(float(told["at"]), UTC)
            for identity in map(str, told["memories"]):
                times[identity] = max(at, times.get(identity, at))
                often[identity] += 1
    rows: Columns = {
        "id": ("string", list(times)),
        "latest": (TIME, [stored(at) for at in times.values()]),
        "often": ("int32", [often[identity] for identity in times]),
    }
    with registered(connection, rows) as count:
        if count:
            connection.execute(
                "UPDATE memories SET last_recalled_at = greatest(last_recalled_at, n.latest), "
                "recalled = coalesce(recalled, 0) + n.often FROM new_rows n WHERE n.id = memories.id"
            )


def remove(files: Sequence[Path]) -> None:
    """Remove notes that are in the store."""
    for file in files:
        file.unlink(missing_ok=True)
