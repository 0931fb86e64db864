"""Stage: give every document its vector. Runs after the commit, can be interrupted anywhere, and goes on where it was.

What is owed is asked of the database, batch by batch. The model works while nothing is locked; a batch is
then written in one short transaction, and LanceDB is brought in line with it at the end.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from filelock import Timeout

from agentmem.models.embedder import Embedder
from agentmem.store import embeddings
from agentmem.store.store import Store
from agentmem.store.vectors import VectorTable

BATCH = 64
"""Texts between two transactions: one to three seconds of work that a Ctrl-C can lose."""

_COPY_BATCH = 20_000


@dataclass(frozen=True, slots=True)
class Vectorized:
    """What was done: vectors computed now, those reused from earlier work, and documents still owed."""

    computed: int = 0
    reused: int = 0
    owed: int = 0


def vectorize(
    store: Store,
    embedder: Embedder,
    *,
    seconds: float | None = None,
    restart: bool = False,
    batch: int = BATCH,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Vectorized:
    """Compute the vectors that are owed, the newest documents first.

    Args:
        store: whose documents.
        embedder: the model.
        seconds: stop after about this long; None: when nothing is owed.
        restart: begin a new generation if the store's vectors come from another model. The old one serves until the
            new one is complete; one that was begun goes on without this.
        batch: texts between two transactions.
        progress: called with the vectors done and all that were owed at the start.

    Raises:
        ModelMismatch: the store's vectors come from another model and `restart` is False.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    with store.reading() as connection:
        generation = embeddings.of_model(connection, embedder.name)
        serving = embeddings.current(connection)
        if generation is None and not restart:
            embeddings.check(serving, embedder.name)
        growing = embeddings.growing(connection)
        serves = generation == serving and (growing is None or not restart)
        total = embeddings.count_owed(connection, generation.no if generation else 0)
    if total == 0 and (generation is None or (serves and _table(store, generation).settled)):
        return Vectorized()
    with store.writing() as connection:
        generation = embeddings.begin(connection, embedder.name, embedder.dimension)
        if restart and growing is not None and growing != generation:
            embeddings.drop(connection, [growing.no])  # the user has gone back to the model that serves
    table = _table(store, generation)
    try:
        with table.locked(patience=0 if seconds is not None else 5):
            return _pay_all(store, embedder, generation, table, deadline, batch, progress)
    except Timeout:  # another process is at it, and takes these too
        return Vectorized(owed=total)


def _pay_all(
    store: Store,
    embedder: Embedder,
    generation: embeddings.Generation,
    table: VectorTable,
    deadline: float | None,
    batch: int,
    progress: Callable[[int, int], None],
) -> Vectorized:
    computed = reused = 0
    serves = False
    table.unsettle()
    try:
        while True:
            with store.reading() as connection:
                owed = embeddings.owed(connection, generation.no, batch)
                left = embeddings.count_owed(connection, generation.no)
                paid = embeddings.paid(connection, generation.model, [item.content_hash for item in owed])
            progress(computed + reused, computed + reused + left)
            late = deadline is not None and time.monotonic() > deadline
            if left < batch and not serves:
                serves = _take_over(store, generation, table)
            if not owed or (late and computed + reused):  # the least time is enough for one batch
                return Vectorized(computed, reused, left)
            texts = {item.content_hash: item.text for item in owed if item.content_hash not in paid}
            fresh = dict(zip(texts, embedder.embed_documents(list(texts.values())), strict=True)) if texts else {}
            with store.writing() as connection:
                embeddings.pay(connection, generation, owed, fresh)
            computed += len(fresh)
            reused += len(owed) - len(fresh)
    finally:
        settle(store, generation, table)


def _take_over(store: Store, generation: embeddings.Generation, table: VectorTable) -> bool:
    """Let a generation serve that has all its vectors, in LanceDB as well."""
    with store.reading() as connection:
        serving = embeddings.current(connection)
    if serving == generation:
        return True
    settle(store, generation, table)
    table.unsettle()  # until the table of the generation before is gone
    with store.writing() as connection:
        return embeddings.take_over(connection, generation)


def settle(store: Store, generation: embeddings.Generation, table: VectorTable) -> None:
    """Make LanceDB hold what the database says: no row too many, none too few."""
    import numpy as np

    with store.reading() as connection:
        wanted = embeddings.slots(connection, generation)
        generations = embeddings.all_of_them(connection)
    present = table.slots()
    gone = np.setdiff1d(present, wanted)
    missing = np.setdiff1d(wanted, present)
    if len(gone):
        table.delete(gone)
    for start in range(0, len(missing), _COPY_BATCH):
        with store.reading() as connection:
            slots, profiles, vectors = embeddings.vectors_at(
                connection, generation, missing[start : start + _COPY_BATCH].tolist()
            )
        table.upsert(slots, profiles, vectors)
    if len(gone) or len(missing):
        table.tidy()
    table.drop_others([one.no for one in generations])
    table.settle()


def _table(store: Store, generation: embeddings.Generation) -> VectorTable:
    return VectorTable(store.home.vectors, generation.no, generation.dimension)
