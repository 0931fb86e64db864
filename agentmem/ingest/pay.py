"""Pays what is owed to language models: the newest sessions first, within the day's budget, a piece at a time.

Each piece is settled in the transaction that stores what was found in it, so a process that is killed leaves pieces
that are paid and pieces that are owed, and nothing between. The database is never held while a model works. One
process at a time pays; a server that is not there leaves everything owed.
"""

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from filelock import FileLock, Timeout

from agentmem.config import Config
from agentmem.errors import AgentmemError, BadReply, ConfigError, ModelUnavailable, NoAnswerInTime, StoreBusy
from agentmem.ingest.asking import AT_ONCE, Asker
from agentmem.ingest.owe import owe
from agentmem.ingest.patterns import mine, owe_patterns
from agentmem.ingest.read_piece import Outcome, Reader, read_piece
from agentmem.ingest.summarise import owe_summaries, summarise
from agentmem.models.embedder import Embedder
from agentmem.models.language import LanguageModel, ModelRole
from agentmem.paths import PRIVATE_FILE, make_private_folder
from agentmem.store import work
from agentmem.store.rows import now
from agentmem.store.store import Connection, Store
from agentmem.store.work import Job

OVER_AFTER = timedelta(hours=6)
"""A session without a message for so long is over, and gets its summary."""

STILL_AFTER = timedelta(minutes=10)
"""The last piece of a session that was written to more recently may still grow; the worker in the background waits."""

BUDGET_SPENT = "Today's time for models is used up (the setting `budget_minutes_per_day`)."
_FETCHED = 64
_LONGEST_ERROR = 500


@dataclass(slots=True)
class Paid:
    """What a run of the models did.

    Args:
        pieces: of sessions that were read.
        failed: pieces whose answers were no use.
        summaries: of sessions that are over.
        found: what came of it.
        owed: pieces that are still owed.
        calls: how often a model was asked.
        seconds: how long models worked.
        dropped: candidates left out, by reason.
        note: why it stopped early, in a sentence; else empty.
    """

    pieces: int = 0
    failed: int = 0
    summaries: int = 0
    found: Outcome = field(default_factory=Outcome)
    owed: int = 0
    calls: int = 0
    seconds: float = 0.0
    note: str = ""

    @property
    def dropped(self) -> Counter[str]:
        """Candidates left out, by reason."""
        return self.found.dropped


def pay(
    store: Store,
    models: Callable[[ModelRole], LanguageModel | None],
    embedder: Callable[[], Embedder | None],
    *,
    seconds: float | None = None,
    waiting_for_more: bool = False,
    ended: Sequence[str] = (),
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Paid:
    """Let the models work on what is owed.

    Args:
        store: whose sessions.
        models: the model of a role.
        embedder: the embedding model.
        seconds: begin nothing new after so long; None: until nothing is owed or the budget is spent.
        waiting_for_more: leave out what may still grow.
        ended: ids of sessions that are known to be over.
        progress: called with the pieces done and all that are known to be owed.

    Raises:
        StoreBusy: another process holds the store; what was stored stays.
        KeyboardInterrupt: as pressed; what was stored stays, the open questions are given up.
    """
    config = store.config
    if config.language_model == "none" or not store.exists():
        return Paid()
    make_private_folder(store.home.data)
    try:
        with FileLock(store.home.data / "models.lock", timeout=0, mode=PRIVATE_FILE):
            payer = _Payer(store, config, models, embedder, progress)
            return payer.run(seconds, waiting_for_more=waiting_for_more, ended=ended)
    except Timeout:
        return Paid(owed=_owed(store), note="Another process lets the models work already.")


class _Payer:
    def __init__(
        self,
        store: Store,
        config: Config,
        models: Callable[[ModelRole], LanguageModel | None],
        embedder: Callable[[], Embedder | None],
        progress: Callable[[int, int], None],
    ) -> None:
        self._store = store
        self._config = config
        self._progress = progress
        self._asker = Asker(lambda role: _named(models, role), store.redact)
        self._reader = Reader(store, self._asker, embedder)
        self._paid = Paid()
        self._tried: set[str] = set()
        self._spent = 0.0
        self._deadline: float | None = None

    def run(self, seconds: float | None, *, waiting_for_more: bool, ended: Sequence[str]) -> Paid:
        self._deadline = None if seconds is None else time.monotonic() + seconds
        present = now()
        still, over = present - STILL_AFTER, present - OVER_AFTER
        with self._store.reading() as connection:
            self._spent = work.seconds_on(connection, _today())
            behind = bool(work.grown(connection))
        if behind:  # sessions that were read while there was no model
            with self._store.writing() as connection:
                owe(connection, self._config)
        try:
            self._pay(work.EXTRACT, still if waiting_for_more else None, ended)
            self._plan(lambda connection: owe_summaries(connection, self._config, over, ended))
            self._pay(work.SUMMARY, None, ended)
            self._plan(lambda connection: owe_patterns(connection, self._config))
            self._pay(work.PATTERNS, None, ())
        except BaseException:  # Ctrl-C as well gives up what is open
            self._asker.stop()
            raise
        finally:
            self._note_uses()
        self._paid.owed = _owed(self._store)
        return self._paid

    def _plan(self, plan: Callable[[Connection], int]) -> None:
        if not self._paid.note:
            with self._store.writing() as connection:
                plan(connection)

    def _pay(self, stage: str, quiet_since: datetime | None, ended: Sequence[str]) -> None:
        """Pay one stage's pieces with as many threads as questions may be open."""
        done: queue.Queue[tuple[Job, Outcome | BaseException]] = queue.Queue()
        waiting: list[Job] = []
        running = 0
        while True:
            while running < AT_ONCE and not self._paid.note:
                waiting = waiting or self._fetch(stage, quiet_since, ended)
                if not waiting or self._is_late():
                    break
                job = waiting.pop(0)
                self._tried.add(job.key)
                threading.Thread(target=self._work_on, args=(job, done), daemon=True).start()
                running += 1
            if not running:
                return
            try:
                job, outcome = done.get(timeout=0.25)  # short, so that Ctrl-C is heard
            except queue.Empty:
                continue
            running -= 1
            self._take(job, outcome)
            self._progress(self._paid.pieces, self._paid.pieces + running + len(waiting))

    def _fetch(self, stage: str, quiet_since: datetime | None, ended: Sequence[str]) -> list[Job]:
        limit = _FETCHED + len(self._tried)
        with self._store.reading() as connection:
            jobs = work.owed(connection, stage, limit, quiet_since=quiet_since, ended=ended)
        return [job for job in jobs if job.key not in self._tried][:_FETCHED]

    def _is_late(self) -> bool:
        if self._deadline is not None and time.monotonic() >= self._deadline:
            return True
        budget = self._config.budget_minutes_per_day * 60
        if budget > 0 and self._spent >= budget:
            self._paid.note = BUDGET_SPENT
            return True
        return False

    def _work_on(self, job: Job, done: "queue.Queue[tuple[Job, Outcome | BaseException]]") -> None:
        try:
            done.put((job, _WORKERS[job.stage](self._reader, job)))
        except BaseException as error:  # noqa: BLE001 - told to the thread that waits
            done.put((job, error))

    def _take(self, job: Job, outcome: Outcome | BaseException) -> None:
        self._note_uses()
        if isinstance(outcome, Outcome):
            self._paid.found.add(outcome)
            if job.stage == work.EXTRACT:
                self._paid.pieces += 1
            elif job.stage == work.SUMMARY:
                self._paid.summaries += 1
            return
        if isinstance(outcome, StoreBusy | ConfigError):
            raise outcome
        if isinstance(outcome, BadReply | NoAnswerInTime):
            # Asked the same, a model says the same: there is no use in trying that again by itself.
            self._fail(job, _told(outcome), times=work.MOST_ATTEMPTS if isinstance(outcome, BadReply) else 1)
        elif isinstance(outcome, ModelUnavailable):
            self._paid.note = self._paid.note or f"{outcome.message.rstrip('.')}. {outcome.hint}".strip()
            self._fail(job, _told(outcome), times=0)
        else:  # a fault of this program, or of what a model made it do: this piece must not stop all others
            self._fail(job, f"unexpected {type(outcome).__name__}: {outcome}", times=work.MOST_ATTEMPTS)

    def _fail(self, job: Job, error: str, *, times: int) -> None:
        self._paid.failed += times > 0
        with self._store.writing() as connection:
            work.fail(connection, job, error[:_LONGEST_ERROR], times)

    def _note_uses(self) -> None:
        uses = self._asker.take_uses()
        if not uses:
            return
        self._paid.calls += sum(use.calls for use in uses)
        seconds = sum(use.seconds for use in uses)
        self._paid.seconds += seconds
        self._spent += seconds
        with self._store.writing() as connection:
            work.note_use(connection, _today(), uses)


_WORKERS: dict[str, Callable[[Reader, Job], Outcome]] = {
    work.EXTRACT: read_piece,
    work.SUMMARY: summarise,
    work.PATTERNS: mine,
}


def _named(models: Callable[[ModelRole], LanguageModel | None], role: ModelRole) -> LanguageModel:
    model = models(role)
    if model is None:
        raise ModelUnavailable(f"No language model is configured for {role.value}")
    return model


def _owed(store: Store) -> int:
    with store.reading() as connection:
        return sum(work.backlog(connection, _today()).owed.values())


def _today() -> date:
    return now().astimezone().date()


def _told(error: AgentmemError) -> str:
    return error.message
