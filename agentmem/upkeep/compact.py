"""Compaction: the store is put in order, in short steps of which each is whole or not done.

expire → merge duplicates (and put them into words, by a model) → note contradictions → trim → sort postings
→ tidy LanceDB → checkpoint

Everything that takes time happens on copies; a step then writes in one short transaction what still fits the store, so
that sessions can come in meanwhile. Nothing is kept about how far a run came: what is left to do is asked of the store.
So a run that was killed is simply run again, and a second run finds nothing.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from filelock import Timeout

from agentmem.config import Config
from agentmem.domain.memories import MemoryItem, Status
from agentmem.ingest import statements
from agentmem.ingest.vectorize import settle
from agentmem.store import contradictions, embeddings, journal, memories, merging, states, trimming
from agentmem.store.contradictions import TOPIC, Contradiction
from agentmem.store.rows import now
from agentmem.store.store import Connection, Store
from agentmem.store.vectors import VectorTable
from agentmem.upkeep import notes
from agentmem.upkeep.duplicates import VETO, Cluster, Weighed, blocks, clusters, disputes, weigh
from agentmem.upkeep.merge_by_model import Reworded, Rewording
from agentmem.upkeep.purge import clean
from agentmem.upkeep.tidy import tidy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BATCH = 200  # clusters, or memories that expire, in one transaction
_PATIENCE = 10.0  # seconds for whoever writes vectors

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Compacted:
    """What a run did, or would do.

    Args:
        dry: nothing was changed.
        complete: it came to the end in the time that it had.
        expired: memories whose time was over.
        merged: memories that others replaced which say the same.
        clusters: those that stay, each with the ids of those that it replaced.
        found: contradictions that were not known.
        open: contradictions that wait for `agentmem review`.
        trimmed_messages: whose content was dropped, by the setting `message_days`.
        trimmed_entries: of the journal that were dropped, by the setting `journal_days`.
        trimmed_notes: that were dropped from the spool.
        sorted: the postings were sorted.
        purged: the files were cleaned of what an earlier purge had left in them.
        vectors: LanceDB was tidied; False if there is none, or another process was at it.
        reworded: what a model made of the clusters; None where none was to be asked.
    """

    dry: bool = False
    complete: bool = True
    expired: int = 0
    merged: int = 0
    clusters: list[tuple[MemoryItem, tuple[MemoryItem, ...]]] = field(default_factory=list)
    found: int = 0
    open: int = 0
    trimmed_messages: int = 0
    trimmed_entries: int = 0
    trimmed_notes: int = 0
    sorted: bool = False
    purged: bool = False
    vectors: bool = False
    reworded: Reworded | None = None


class _OutOfTime(Exception):
    """The time that the run has is over."""


def compact(
    store: Store,
    config: Config,
    *,
    dry_run: bool = False,
    seconds: float | None = None,
    rewording: Rewording | None = None,
    progress: Progress = lambda _done, _all: None,
) -> Compacted:
    """Put the store in order.

    Args:
        store: what to compact; one that does not exist is in order.
        config: the policies.
        dry_run: only tell what would be done.
        seconds: stop after about this long; the next run goes on. None: at the end.
        rewording: puts what was merged into words, by a model; None: the memory that stays keeps its own.
        progress: called with the duplicates merged and all that were found.

    Raises:
        StoreBusy: others hold the store; what was done stays.
    """
    done = Compacted(dry=dry_run)
    if not store.exists():
        return done
    run = _Run(store, config, done, None if seconds is None else time.monotonic() + seconds, progress, rewording)
    try:
        if dry_run:
            run.look()
        else:
            run.work()
    except _OutOfTime:
        done.complete = False
    with store.reading() as connection:
        done.open = len(contradictions.open_ones(connection))
    return done


class _Run:
    def __init__(
        self,
        store: Store,
        config: Config,
        done: Compacted,
        deadline: float | None,
        progress: Progress,
        rewording: Rewording | None,
    ) -> None:
        self._store = store
        self._config = config
        self._done = done
        self._deadline = deadline
        self._progress = progress
        self._rewording = rewording

    def look(self) -> None:
        with self._store.reading() as connection:
            self._done.expired = len(merging.expired_by(connection, now(), 1 << 30))
            expired = {item.id for item in merging.expired_by(connection, now(), 1 << 30)}
        weighed = [one for one in self._weighed() if one.item.id not in expired]
        for cluster in self._clusters(weighed):
            self._note(cluster)
        gone = {member.id for _, members in self._done.clusters for member in members}
        pairs = self._pairs([one for one in weighed if one.item.id not in gone])
        with self._store.reading() as connection:
            known = contradictions.known(connection)
            self._done.found = sum(pair.id not in known for pair in pairs)
            self._done.trimmed_messages = trimming.count_messages(connection, self._before(self._config.message_days))
            self._done.trimmed_entries = trimming.count_entries(connection, self._before(self._config.journal_days))

    def work(self) -> None:
        self._done.purged = clean(self._store)
        self._expire()
        weighed = self._merge()
        self._dispute(weighed)
        self._trim()
        self._check_time()
        self._done.sorted = tidy(self._store)
        self._check_time()
        self._tidy_vectors()
        self._store.checkpoint()

    def _check_time(self) -> None:
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise _OutOfTime

    def _before(self, days: float) -> datetime | None:
        return now() - timedelta(days=days) if days > 0 else None

    def _expire(self) -> None:
        action = journal.Action()
        while True:
            self._check_time()
            with self._store.writing() as connection:
                over = merging.expired_by(connection, now(), _BATCH)
                if not over:
                    return
                with states.recorded(connection, "compact", "expire", [item.id for item in over], action=action):
                    merging.change_status(connection, [(item.id, Status.EXPIRED, None) for item in over])
            self._done.expired += len(over)

    def _weighed(self) -> list[Weighed]:
        with self._store.reading() as connection:
            items = merging.active(connection)
            evidence = merging.evidence_counts(connection)
        return weigh(items, evidence)

    def _clusters(self, weighed: Sequence[Weighed]) -> Iterator[Cluster]:
        groups = blocks(weighed)
        vectors, veto = self._vectors([one.item.id for group in groups for one in group])
        for group in groups:
            mine = {one.item.id: vectors[one.item.id] for one in group if one.item.id in vectors}
            yield from clusters(group, mine, veto)

    def _vectors(self, ids: Sequence[str]) -> "tuple[dict[str, NDArray[np.float32]], float | None]":
        with self._store.reading() as connection:
            generation = embeddings.current(connection)
            if generation is None or generation.model not in VETO or not ids:
                return {}, None
            numbers = merging.numbers_of(connection, ids)
            slots, _, rows = embeddings.vectors_at(connection, generation, [-no for no in numbers])
        return {numbers[-slot]: row for slot, row in zip(slots, rows, strict=True)}, VETO[generation.model]

    def _merge(self) -> list[Weighed]:
        """Merge all duplicates; gives what is left."""
        weighed = self._weighed()
        found = list(self._clusters(weighed))
        every = sum(len(cluster.members) for cluster in found)
        action = journal.Action()
        rest = iter(found)
        while batch := list(islice(rest, _BATCH)):
            self._check_time()
            with self._store.writing() as connection:
                for cluster in self._merged(connection, batch, action):
                    self._note(cluster)
            self._progress(self._done.merged, every)
        if self._reword(action):
            return self._weighed()
        gone = {member.id for cluster in found for member in cluster.members}
        return [one for one in weighed if one.item.id not in gone]

    def _reword(self, action: journal.Action) -> bool:
        """Let a model put into words what was merged; tells whether any memory changed by that."""
        if self._rewording is None or not self._done.clusters:
            return False
        clusters = [Cluster(keeper, members) for keeper, members in self._done.clusters]
        self._done.reworded = self._rewording.reword(clusters, action, self._deadline)
        return self._done.reworded.merged > 0

    def _note(self, cluster: Cluster) -> None:
        self._done.clusters.append((cluster.keeper, cluster.members))
        self._done.merged += len(cluster.members)

    def _merged(self, connection: Connection, batch: Sequence[Cluster], action: journal.Action) -> list[Cluster]:
        """Merge those clusters of which nothing changed since they were found, in one transaction."""
        ids = [item.id for cluster in batch for item in (cluster.keeper, *cluster.members)]
        known = memories.by_ids(connection, ids)
        same = [
            cluster
            for cluster in batch
            if all(
                (stored := known.get(item.id)) is not None
                and (stored.status, stored.pinned) == (Status.ACTIVE, item.pinned)
                for item in (cluster.keeper, *cluster.members)
            )
        ]
        if not same:
            return []
        keepers = {member.id: cluster.keeper.id for cluster in same for member in cluster.members}
        with states.recorded(connection, "compact", "merge", sorted({*keepers, *keepers.values()}), action=action):
            merging.gather_evidence(connection, keepers)
            merging.change_status(
                connection, [(member, Status.SUPERSEDED, keeper) for member, keeper in keepers.items()]
            )
        return same

    def _pairs(self, weighed: Sequence[Weighed]) -> list[Contradiction]:
        with self._store.reading() as connection:
            rivals = merging.rivals(connection)
        found = [
            Contradiction(holder.profile, holder.id, loser.id, TOPIC)
            for holder, loser in rivals
            if holder.topic_key and _value(holder) != _value(loser)
        ]
        return [*found, *disputes(weighed)]

    def _dispute(self, weighed: Sequence[Weighed]) -> None:
        self._check_time()
        pairs = self._pairs(weighed)
        with self._store.reading() as connection:
            known = contradictions.known(connection)
        fresh = list({pair.id: pair for pair in pairs if pair.id not in known}.values())
        if fresh:
            with self._store.writing() as connection:
                self._done.found = contradictions.add(connection, fresh)

    def _trim(self) -> None:
        self._done.trimmed_notes = notes.trim(self._store.home, days=self._config.spool_days)
        said_before, written_before = (
            self._before(self._config.message_days),
            self._before(self._config.journal_days),
        )
        self._check_time()
        with self._store.reading() as connection:
            messages = trimming.count_messages(connection, said_before)
            entries = trimming.count_entries(connection, written_before)
        if messages or entries:
            with self._store.writing() as connection:
                self._done.trimmed_messages = trimming.trim_messages(connection, said_before)
                self._done.trimmed_entries = trimming.trim_entries(connection, written_before)

    def _tidy_vectors(self) -> None:
        with self._store.reading() as connection:
            generation = embeddings.current(connection)
        if generation is None:
            return
        table = VectorTable(self._store.home.vectors, generation.no, generation.dimension)
        try:
            with table.locked(_PATIENCE):
                table.unsettle()
                settle(self._store, generation, table)
                table.tidy()
        except Timeout:  # whoever is at it brings LanceDB in line itself
            return
        self._done.vectors = True


def _value(item: MemoryItem) -> tuple[object, ...]:
    statement = statements.read(item.content)
    return statements.value_of(item.topic_key or "", statement), statement.denies
