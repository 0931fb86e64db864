"""What the store holds and what it takes, in numbers."""

from dataclasses import dataclass
from pathlib import Path

from agentmem.store import embeddings
from agentmem.store.counts import Counts, count
from agentmem.store.rows import now
from agentmem.store.sessions import Profile, list_profiles
from agentmem.store.store import Store
from agentmem.store.work import Backlog, backlog


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures of one store.

    Args:
        home: its folder.
        counts: what it holds.
        profiles: per profile.
        model: the embedding model of its vectors, None before the first.
        vectors: documents that have their vector.
        owed: documents that wait for one.
        database_bytes: size of the database with its log.
        vector_bytes: size of LanceDB's folder.
        work: what language models owe and took.
    """

    home: str
    counts: Counts
    profiles: tuple[Profile, ...]
    model: str | None
    vectors: int
    owed: int
    database_bytes: int
    vector_bytes: int
    work: Backlog


def stats(store: Store) -> Stats:
    """Count everything; a store that does not exist counts as empty."""
    with store.reading() as connection:
        generation = embeddings.current(connection)
        no = generation.no if generation else 0
        return Stats(
            home=str(store.home.data),
            counts=count(connection),
            profiles=tuple(list_profiles(connection)),
            model=generation.model if generation else None,
            vectors=embeddings.count(connection, no),
            owed=embeddings.count_owed(connection, no),
            database_bytes=sum(map(_size, (store.home.database, Path(f"{store.home.database}.wal")))),
            vector_bytes=sum(_size(file) for file in store.home.vectors.rglob("*")),
            work=backlog(connection, now().astimezone().date()),
        )


def _size(file: Path) -> int:
    try:
        return file.stat().st_size if file.is_file() else 0
    except FileNotFoundError:  # LanceDB drops old files while they are counted
        return 0
