"""Vectors in LanceDB: derived from DuckDB's embeddings, never the truth.

One table a generation (`generation_1` …) with slot, profile and vector; no text. It may lag: a row whose document has
left the index is filtered out by the search and deleted when vectors are next written, and a folder that was lost is
filled again from the embeddings without computing one. One process at a time writes, under a lock file of its own.
"""

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock

from agentmem.paths import make_private_folder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INDEX_FROM = 50_000
"""Rows from which an approximate index is built; below, every vector is compared."""

_KEPT = timedelta(minutes=10)  # another process may still be searching an old version
_DELETE_BATCH = 1_000


class VectorTable:
    """LanceDB's table of one generation.

    Args:
        folder: LanceDB's folder.
        generation: number of the generation.
        dimension: length of its vectors.
    """

    def __init__(self, folder: Path, generation: int, dimension: int) -> None:
        self._folder = folder
        self._name = f"generation_{generation}"
        self._dimension = dimension
        self._path = folder / f"{self._name}.lance"
        self._unsettled = folder / f"{self._name}.unsettled"

    @contextmanager
    def locked(self, patience: float) -> Iterator[None]:
        """Be the only process that writes vectors.

        Raises:
            filelock.Timeout: another one is at it.
        """
        make_private_folder(self._folder)
        with FileLock(self._folder / "writer.lock", timeout=patience, poll_interval=0.05, mode=0o600):
            previous = os.umask(0o077)  # LanceDB makes its files as it is used to
            try:
                yield
            finally:
                os.umask(previous)

    @property
    def settled(self) -> bool:
        """Whether the last process that wrote embeddings came to the end of copying them here."""
        return self._path.exists() and not self._unsettled.exists()

    def unsettle(self) -> None:
        """Note, before embeddings are written, that they will have to be copied here."""
        self._unsettled.touch(mode=0o600)

    def settle(self) -> None:
        """Note that all is copied."""
        self._unsettled.unlink(missing_ok=True)

    def upsert(self, slots: Sequence[int], profiles: Sequence[str], vectors: "NDArray[np.float32]") -> None:
        """Write vectors; those of the same slot are replaced."""
        import pyarrow as pa

        flat = pa.array(vectors.ravel(), pa.float32())
        rows = pa.table(
            {
                "slot": pa.array(slots, pa.int64()),
                "profile": pa.array(profiles, pa.string()),
                "vector": pa.FixedSizeListArray.from_arrays(flat, self._dimension),
            }
        )
        table = self._open()
        if table is None:
            self._database().create_table(self._name, rows)
        else:
            table.merge_insert("slot").when_matched_update_all().when_not_matched_insert_all().execute(rows)

    def count(self) -> int:
        """Rows in the table; 0 where there is none."""
        table = self._open()
        return 0 if table is None else int(table.count_rows())

    def slots(self) -> "NDArray[np.int64]":
        """The slots of all rows."""
        import numpy as np

        table = self._open()
        if table is None:
            return np.empty(0, dtype=np.int64)
        found = table.search().select(["slot"]).limit(max(table.count_rows(), 1)).to_arrow()
        return found["slot"].to_numpy()  # type: ignore[no-any-return]

    def delete(self, slots: "NDArray[np.int64]") -> None:
        """Remove rows."""
        table = self._open()
        for start in range(0, len(slots), _DELETE_BATCH):
            table.delete(f"slot IN ({', '.join(map(str, slots[start : start + _DELETE_BATCH].tolist()))})")

    def drop(self) -> None:
        """Remove the table with all its versions, from the disk too."""
        if self._path.exists():
            self._database().drop_table(self._name)

    def drop_others(self, numbers: Collection[int]) -> None:
        """Remove the tables of generations that are not among these."""
        kept = {f"generation_{number}" for number in numbers} | {self._name}
        for other in self._folder.glob("generation_*.lance"):
            if other.stem not in kept:
                self._database().drop_table(other.stem)
                other.with_suffix(".unsettled").unlink(missing_ok=True)

    def tidy(self) -> None:
        """Merge small pieces, drop old versions, and build or extend the index once the table is large."""
        table = self._open()
        if table is None:
            return
        indexed = bool(table.list_indices())
        if table.count_rows() >= INDEX_FROM and not indexed:
            from lancedb.index import IvfPq

            table.create_index("vector", config=IvfPq(distance_type="cosine"))
        table.optimize(cleanup_older_than=_KEPT)

    def search(
        self, profiles: Sequence[str], vector: "NDArray[np.float32]", limit: int
    ) -> "tuple[NDArray[np.int64], NDArray[np.float32]]":
        """The nearest documents of some profiles: slots and cosines, nearest first."""
        import numpy as np

        table = self._open()
        if table is None:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        quoted = ", ".join("'" + profile.replace("'", "''") + "'" for profile in profiles)
        found = (
            table.search(vector)
            .distance_type("cosine")
            .where(f"profile IN ({quoted})", prefilter=True)
            .refine_factor(4)
            .limit(limit)
            .select(["slot", "_distance"])
            .to_arrow()
        )
        return found["slot"].to_numpy(), (1 - found["_distance"].to_numpy()).astype(np.float32)

    def _database(self) -> Any:
        import lancedb  # late: its import costs a second of processor time

        return lancedb.connect(self._folder)

    def _open(self) -> Any:
        if not self._path.exists():
            return None
        return self._database().open_table(self._name)
