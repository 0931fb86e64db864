"""The worker: reads what the hooks noted down, then goes.

One for a store, whoever starts it; a lock says so, and it goes with the process that has it. It can be killed at
any moment: a note is removed after what it stands for is stored, and reading a transcript again adds nothing.

Nobody sees its errors. They stand in `log/worker.log`, and `agentmem doctor` tells of what did not get through.
"""

import os
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from agentmem.errors import AgentmemError, StoreBusy
from agentmem.hook.worker import HANDED_OVER
from agentmem.ingest.growth import due
from agentmem.ingest.pay import pay
from agentmem.ingest.vectorize import Vectorized, vectorize
from agentmem.models.embedder import Embedder
from agentmem.models.language import LanguageModel, ModelRole
from agentmem.paths import PRIVATE_FILE, Home, make_private_folder
from agentmem.store import files
from agentmem.store.store import Store
from agentmem.upkeep import notes
from agentmem.upkeep.backfill import CaughtUp, Due, catch_up, read_all
from agentmem.upkeep.notes import Note
from agentmem.upkeep.places import PLACES, Machine, Transcript, of_session
from agentmem.upkeep.tidy import note_recalled

_TRIES = 5  # for a transcript that is not there: agents write behind their hooks' backs
_PAUSE = 0.6
_MOST_TRIES = 50  # for whatever else; each is a worker that died
_BUSY_TRIES = 10  # each waits as long as the setting `patience` says
_SWEEP_EVERY = 300.0
_SLICE = 4.0  # seconds of computing vectors between two looks into the spool


@dataclass(slots=True)
class Drained:
    """What a worker did.

    Args:
        notes: dealt with.
        read: transcripts read.
        messages: new ones.
        vectors: computed and owed.
    """

    notes: int = 0
    read: int = 0
    messages: int = 0
    vectors: Vectorized = field(default_factory=Vectorized)


def drain(
    store: Store,
    load: Callable[[], Embedder | None],
    *,
    seconds: float,
    machine: Machine | None = None,
    models: Callable[[ModelRole], LanguageModel | None] = lambda _role: None,
) -> Drained:
    """Deal with all notes, and compute vectors for a while; at once done if another worker is at it.

    Args:
        store: where to.
        load: gives the embedding model.
        seconds: how long to compute vectors at most.
        machine: where transcripts lie.
        models: gives the language model of a role.
    """
    worker = _Worker(store, load, seconds, machine or Machine())
    if os.environ.get("AGENTMEM_DISABLE", "") not in ("", "0"):
        return worker.done
    if hasattr(os, "nice") and HANDED_OVER in os.environ:
        os.nice(10)  # nobody waits for it, and somebody works here
    while True:
        with _alone(store.home) as granted:
            if not granted:
                return worker.done
            worker.run()
        # A hook that came just before the lock was let go of saw a worker, and started none.
        if worker.gave_up or not notes.backlog(store.home)[0]:
            # Models take minutes, for which the lock is not held: the next hook's worker reads what is new meanwhile.
            worker.let_models_work(models)
            return worker.done


class _Worker:
    """One run; `gave_up` says that what is left must wait for another one."""

    def __init__(self, store: Store, load: Callable[[], Embedder | None], seconds: float, machine: Machine) -> None:
        self._store = store
        self._home = store.home
        self._load = load
        self._machine = machine
        self._deadline: float | None = None
        self._seconds = seconds
        self._missing: dict[str, int] = {}
        self._touched: dict[str, Due] = {}
        self._ended: set[str] = set()
        self.gave_up = False
        self.done = Drained()

    def run(self) -> None:
        error = ""
        try:
            notes.tidy(self._home)
            note_recalled(self._store)
            self._until_empty()
        except AgentmemError as problem:
            self.gave_up = True
            error = problem.message
            notes.log(self._home, f"{type(problem).__name__}: {problem.message}")
        except Exception as problem:  # noqa: BLE001 - nobody else is there to be told
            self.gave_up = True
            error = f"unexpected {type(problem).__name__}"
            notes.log(self._home, traceback.format_exc())
        with suppress(OSError):
            run_at = datetime.now(UTC).isoformat(timespec="seconds")
            notes.remember(self._home, replace(notes.recall(self._home), last_run=run_at, last_error=error))

    def let_models_work(self, models: Callable[[ModelRole], LanguageModel | None]) -> None:
        """Pay what language models owe, as far as today's budget goes, and then the vectors of what they found."""
        if self._store.config.language_model == "none":
            return
        try:
            paid = pay(self._store, models, self._load, waiting_for_more=True, ended=sorted(self._ended))
            if paid.note:
                notes.log(self._home, paid.note)
            if paid.found.memories:
                self._deadline = None
                self._vectors_done()
        except AgentmemError as error:
            notes.log(self._home, f"no models: {error.message}")
        except Exception:  # noqa: BLE001 - nobody else is there to be told
            notes.log(self._home, traceback.format_exc())

    def _until_empty(self) -> None:
        while True:
            while waiting := notes.waiting(self._home):
                self._deal_with(waiting)
            if self._vectors_done() and not notes.backlog(self._home)[0]:
                break
        # The agent may have written its last words while vectors were computed.
        again = [one for one in map(self._still_due, self._touched.values()) if one is not None]
        if again:
            self._read(again)

    def _deal_with(self, waiting: list[Note]) -> None:
        notes.hear(self._home, waiting)
        waiting = [notes.take_up(note) for note in waiting]
        todo: dict[str, Due] = {}
        settled: list[Note] = []
        sweeps: set[str] = set()
        missing = False
        for note in waiting:
            try:
                transcript = self._transcript(note)
            except OSError:
                transcript = None
            if transcript is not None:
                self._add(todo, note, transcript)
                settled.append(note)
            elif note.captures and note.transcript:
                missing |= not self._given_up(note)
            else:
                sweeps.add("" if note.event == "start" else note.agent)
                settled.append(note)
            if note.event == "start":
                sweeps.add("")
            if note.event == "end":
                self._ended.add(note.session)
        self._read(list(todo.values()))
        self._sweep(sweeps)
        for note in settled:
            notes.drop(note)
        self.done.notes += len(settled)
        if missing:
            time.sleep(_PAUSE)

    def _transcript(self, note: Note) -> Transcript | None:
        """The file that a note is about, if it is there."""
        if note.transcript and os.path.isfile(note.transcript):  # noqa: PTH113 - never raises, whatever the name
            path = Path(note.transcript)
            about = path.stat()
            return Transcript(note.agent, path, about.st_size, about.st_mtime, note.cwd or None)
        # Paths in payloads are wrong at times, after a resume or a move to another worktree.
        found = of_session(note.agent, note.session, self._machine) if note.session else None
        if found is None and note.agent == "opencode":
            place = PLACES["opencode"]
            stores = [root / "opencode.db" if root.is_dir() else root for root in place.roots(self._machine)]
            for store in stores:
                if store.is_file():
                    return Transcript("opencode", store, store.stat().st_size, store.stat().st_mtime)
        return None if found is None else replace(found, cwd=found.cwd or note.cwd or None)

    def _add(self, todo: dict[str, Due], note: Note, transcript: Transcript) -> None:
        only = note.session if transcript.path.name.endswith(".db") else ""
        key = f"{transcript.path}\0{only}"
        if key in todo:
            return
        with self._store.reading() as connection:
            mark = files.watermarks(connection, [str(transcript.path)]).get(str(transcript.path))
        part = due(transcript.path, mark)
        if part is not None:
            todo[key] = self._touched[key] = Due(transcript, part, only)

    def _still_due(self, one: Due) -> Due | None:
        if one.only:
            return None
        with self._store.reading() as connection:
            mark = files.watermarks(connection, [str(one.transcript.path)]).get(str(one.transcript.path))
        try:
            part = due(one.transcript.path, mark)
        except OSError:
            return None
        return None if part is None else replace(one, part=part)

    def _read(self, todo: list[Due]) -> None:
        if todo:
            done = CaughtUp()
            self._patiently(lambda: read_all(self._store, todo, done))
            self._count(done)

    def _sweep(self, agents: set[str]) -> None:
        """Look for what grew: of all agents now and then, of one whose note names no transcript at once."""
        wanted = sorted(agents - {""})
        if "" in agents and self._is_sweep_due():
            wanted = sorted(PLACES)
        wanted = [agent for agent in wanted if agent in PLACES]
        if wanted:
            self._patiently(lambda: self._count(catch_up(self._store, self._machine, agents=wanted)))

    def _is_sweep_due(self) -> bool:
        mark = self._home.spool / "swept"
        with suppress(FileNotFoundError):
            if 0 <= time.time() - mark.stat().st_mtime < _SWEEP_EVERY:
                return False
        mark.touch(mode=PRIVATE_FILE)
        return True

    def _count(self, done: CaughtUp) -> None:
        self.done.read += done.read
        self.done.messages += done.stored.messages
        for one in done.unread:
            notes.log(self._home, f"{one.path}: {one.why}")

    def _patiently(self, work: Callable[[], None]) -> None:
        """Do it as soon as whoever holds the store lets go."""
        for tries in range(1, _BUSY_TRIES + 1):
            try:
                work()
            except StoreBusy:
                if tries == _BUSY_TRIES:
                    raise
            else:
                return

    def _given_up(self, note: Note) -> bool:
        """Whether a note whose transcript is not there has waited long enough."""
        stem = note.file.name.partition(".")[0]
        self._missing[stem] = self._missing.get(stem, 0) + 1
        if self._missing[stem] < _TRIES and note.tries < _MOST_TRIES:
            return False
        notes.log(self._home, f"{note.agent}, {note.event}: there is no transcript {note.transcript}")
        notes.fail(self._home, note.file)
        return True

    def _vectors_done(self) -> bool:
        """Compute vectors for a moment; whether there is nothing more to do about them."""
        if self._deadline is None:
            self._deadline = time.monotonic() + self._seconds
        left = self._deadline - time.monotonic()
        if left <= 0 or not self._store.exists():
            return True
        try:
            embedder = self._load()
            if embedder is None:
                return True
            paid = vectorize(self._store, embedder, seconds=min(_SLICE, left))
        except AgentmemError as error:  # another model, or none here: capture does not depend on it
            notes.log(self._home, f"no vectors: {error.message}")
            self._deadline = 0.0
            return True
        sofar = self.done.vectors
        self.done.vectors = Vectorized(sofar.computed + paid.computed, sofar.reused + paid.reused, paid.owed)
        return paid.owed == 0 or paid.computed + paid.reused == 0


@contextmanager
def _alone(home: Home) -> Iterator[bool]:
    """Whether this is the only worker, for as long as the context lasts."""
    handed = _handed_over(home)
    if handed is not None:
        try:
            yield True
        finally:
            os.close(handed)
        return
    make_private_folder(home.data)
    lock = FileLock(home.data / "worker.lock", mode=PRIVATE_FILE)
    try:
        lock.acquire(timeout=0.5)
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def _handed_over(home: Home) -> int | None:
    """The descriptor of the lock that the hook took for this process, if it did."""
    told = os.environ.pop(HANDED_OVER, "")
    try:
        descriptor = int(told)
        given, wanted = os.fstat(descriptor), os.stat(home.data / "worker.lock")  # noqa: PTH116 - as its sibling
    except (ValueError, OSError):
        return None
    if (given.st_dev, given.st_ino) != (wanted.st_dev, wanted.st_ino):
        return None
    os.set_inheritable(descriptor, False)
    return descriptor
