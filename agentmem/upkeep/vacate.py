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
        generations = embeddings.all_of_them(connection)
    tables = [VectorTable(store.home.vectors, one.no, one.dimension) for one in generations]
    if not tables or not store.home.vectors.exists():
        yield
        return
    if not slots:
        for table in tables:
            table.unsettle()
        yield
        return
    import numpy as np

    with tables[0].locked(_PATIENCE):  # one lock for all of them
        for table in tables:
            if table.count():
                table.unsettle()
                table.delete(np.asarray(slots, dtype=np.int64))
        yield
