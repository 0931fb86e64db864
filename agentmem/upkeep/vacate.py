"""Slots that become free, so that other messages may come to stand there: their vectors go first."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from agentmem.store import embeddings
from agentmem.store.store import Store
from agentmem.store.vectors import VectorTable

_PATIENCE = 60.0  # seconds to wait for a process that copies vectors


@contextmanager
def vacated(store: Store, slots: Sequence[int]) -> Iterator[None]:
    """Take the vectors at some slots out of LanceDB, and keep others from bringing them back while the context lasts.

    LanceDB is compared with the database by slot alone: a vector that stayed would be taken for that of whatever comes
    to stand there. The next `agentmem work` brings it in line with the database, whatever comes of this.
    """
    with store.reading() as connection:
        generation = embeddings.current(connection)
    if generation is None or not store.home.vectors.exists():
        yield
        return
    if not slots:
        VectorTable(store.home.vectors, generation.no, generation.dimension).unsettle()
        yield
        return
    import numpy as np

    table = VectorTable(store.home.vectors, generation.no, generation.dimension)
    with table.locked(_PATIENCE):
        if table.count():
            table.unsettle()
            table.delete(np.asarray(slots, dtype=np.int64))
        yield
