"""Reading what the agents on this machine wrote: all of it at first, later what grew.

Newest first, since the latest sessions are asked about most and old ones are deleted by their agents only after weeks.
What is done is marked file by file, so that a run that was stopped goes on with the file that it was at.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from agentmem.errors import AgentmemError, StoreBusy, UsageError
from agentmem.hook.ignored import is_ignored, patterns
from agentmem.ingest.growth import KEPT_OUT, Growth, Part, due
from agentmem.ingest.pipeline import Ingested, Ingestion
from agentmem.store import files, sessions
from agentmem.store.files import Watermark
from agentmem.store.store import Connection, Store
from agentmem.upkeep.places import PLACES, Machine, Transcript, find

UNKNOWN_PROJECT = "unknown"
"""The profile of sessions that name no folder. It is not the current folder's: a sweep may run anywhere."""

_WRITE_EVERY = 1.0  # seconds; what a killed run reads again
_MOST_ERRORS = 50

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class AgentFound:
    """What an agent has on this machine.

    Args:
        agent: its name.
        folders: where it keeps transcripts, those that exist.
        files: transcripts.
        size: their bytes.
        due: transcripts of which something is not in the store.
        due_size: bytes to read for that.
        left_out: transcripts that are not read, by reason.
    """

    agent: str
    folders: tuple[str, ...]
    files: int
    size: int
    due: int
    due_size: int
    left_out: dict[str, int]


@dataclass(frozen=True, slots=True)
class Unread:
    """A transcript that could not be read, and why."""

    path: str
    why: str


@dataclass(slots=True)
class CaughtUp:
    """What a run found and did.

    Args:
        found: per agent that is present.
        read: transcripts read, to their end.
        bytes: bytes read from them.
        stored: what came of it.
        left_out: messages, or transcripts, that were not stored on purpose, by reason.
        unread: transcripts that could not be read; the first of many.
        unread_count: how many there are.
        unknown: lines of a type that the readers do not know, by agent and type.
        dry: nothing was read.
    """

    found: tuple[AgentFound, ...] = ()
    read: int = 0
    bytes: int = 0
    stored: Ingested = field(default_factory=Ingested)
    left_out: Counter[str] = field(default_factory=Counter)
    unread: list[Unread] = field(default_factory=list)
    unread_count: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    dry: bool = False

    def fail(self, path: str, why: str) -> None:
        """Note down a transcript that could not be read."""
        self.unread_count += 1
        if len(self.unread) < _MOST_ERRORS:
            self.unread.append(Unread(path, why))


@dataclass(frozen=True, slots=True)
class Due:
    """A transcript with what of it is to be read.

    Args:
        transcript: the file.
        part: what is new in it.
        only: of a file that holds many sessions, the one to read.
    """

    transcript: Transcript
    part: Part
    only: str = ""


def survey(
    store: Store, machine: Machine, agents: Sequence[str] = (), since: float | None = None
) -> tuple[tuple[AgentFound, ...], list[Due], list[Unread]]:
    """What there is, and what of it is due, the newest first.

    Args:
        store: whose watermarks count.
        machine: where to look.
        agents: names; none: all.
        since: seconds since the epoch; transcripts not written to since then are left out.

    Returns:
        What was found per agent that is present, what is due, and what could not be looked into.

    Raises:
        UsageError: there is no such agent.
    """
    unknown = [agent for agent in agents if agent not in PLACES]
    if unknown:
        raise UsageError(f"Unknown agent {unknown[0]!r}", f"Agents are {', '.join(PLACES)}.")
    with store.reading() as connection:
        marks = files.watermarks(connection)
        known = [profile.identity or "" for profile in sessions.list_profiles(connection)]
    machine = replace(machine, projects=(*machine.projects, *(one.removesuffix("/.git") for one in known if one)))
    found, todo, unread = [], [], []
    for agent in agents or PLACES:
        left_out: Counter[str] = Counter()
        transcripts = []
        for transcript in find(agent, machine, left_out):
            if since is not None and transcript.modified < since:
                left_out["not written to since then"] += 1
            else:
                transcripts.append(transcript)
        dues = []
        for transcript in transcripts:
            try:
                part = due(transcript.path, marks.get(str(transcript.path)))
            except OSError as error:
                unread.append(Unread(str(transcript.path), error.strerror or str(error)))
                continue
            if part is not None:
                dues.append(Due(transcript, part))
        folders = tuple(str(root) for root in PLACES[agent].roots(machine) if root.exists())
        if agent == "aider":  # every project is a place where it might be
            folders = tuple(str(one.path.parent) for one in transcripts)
        if transcripts or left_out or folders:
            size = sum(one.size for one in transcripts)
            due_size = sum(one.part.size - one.part.start for one in dues)
            found.append(AgentFound(agent, folders, len(transcripts), size, len(dues), due_size, dict(left_out)))
        todo += dues
    todo.sort(key=lambda one: -one.transcript.modified)
    return tuple(found), todo, unread


def catch_up(
    store: Store,
    machine: Machine,
    *,
    agents: Sequence[str] = (),
    since: float | None = None,
    dry_run: bool = False,
    progress: Progress = lambda _done, _total: None,
) -> CaughtUp:
    """Read all that is due on this machine.

    Args:
        store: where to.
        machine: where from.
        agents: names; none: all.
        since: seconds since the epoch; transcripts not written to since then are left out.
        dry_run: only look.
        progress: called with the bytes read and all that are to be read.

    Raises:
        UsageError: there is no such agent.
        StoreBusy: another process holds the store; what was stored stays.
    """
    done = CaughtUp(dry=dry_run)
    done.found, todo, unread = survey(store, machine, agents, since)
    for one in unread:
        done.fail(one.path, one.why)
    for agent in done.found:
        for reason, many in agent.left_out.items():
            done.left_out[f"{agent.agent}: {reason}"] += many
    if not dry_run:
        read_all(store, todo, done, progress)
    return done


def read_all(
    store: Store, todo: Iterable[Due], done: CaughtUp, progress: Progress = lambda _done, _total: None
) -> None:
    """Read what is due into the store, file by file, and mark each as read.

    Raises:
        StoreBusy: another process holds the store; what was stored stays.
    """
    todo = list(todo)
    total = sum(one.part.size - one.part.start for one in todo)
    run = Ingestion(store, profile=None, fallback=(UNKNOWN_PROJECT, None), actor="capture")
    done.stored = run.done
    is_kept_out = _gate(store)
    written = time.monotonic()
    before = 0
    try:
        for one in todo:
            growth = Growth(
                one.part,
                expected=one.transcript.agent,
                cwd=one.transcript.cwd,
                only=one.only,
                is_kept_out=is_kept_out,
                progress=lambda count, before=before: progress(before + count, total),  # type: ignore[misc]
            )
            _take(run, growth, one, done)
            before += one.part.size - one.part.start
            if time.monotonic() - written > _WRITE_EVERY:
                _flush(run, done)
                written = time.monotonic()
    except BaseException:  # stopped by a person, or the store is busy: what was read need not be read again
        with suppress(AgentmemError):
            _flush(run, done)
        raise
    _flush(run, done)


def _take(run: Ingestion, growth: Growth, one: Due, done: CaughtUp) -> None:
    path = str(one.transcript.path)
    try:
        failed = run.gather(growth, source=path)
    except StoreBusy:
        raise
    except AgentmemError as error:
        done.fail(path, error.message)
        return
    except Exception as error:  # noqa: BLE001 - one transcript must not keep the others from being read
        done.fail(path, f"unexpected {type(error).__name__} while reading it")
        return
    _report(failed, done)
    done.bytes += growth.bytes
    if growth.error is not None:
        done.fail(path, growth.error.message)
        return
    if growth.watermark is not None and path not in dict(failed):
        run.then(partial(_mark, growth.watermark), source=path)
    done.read += 1
    if growth.kept_out:
        done.left_out[f"{one.transcript.agent}: messages {KEPT_OUT}"] += growth.kept_out
    for kind, many in growth.tally.unknown.items():
        done.unknown[f"{one.transcript.agent}: {kind}"] += many
    for reason, many in growth.tally.skipped.items():
        done.left_out[f"{one.transcript.agent}: lines, {reason}"] += many


def _flush(run: Ingestion, done: CaughtUp) -> None:
    _report(run.flush(), done)


def _report(failed: Iterable[tuple[str, Exception]], done: CaughtUp) -> None:
    for path, error in failed:
        done.fail(
            path,
            error.message
            if isinstance(error, AgentmemError)
            else f"unexpected {type(error).__name__} while storing it",
        )


def _mark(watermark: Watermark, connection: Connection) -> None:
    files.mark(connection, watermark)


def _gate(store: Store) -> Callable[[str], bool]:
    """Whether a folder's messages are kept out, asked once for each folder. The store's own folder always is."""
    wanted = patterns(str(store.home.settings))
    own = str(store.home.data)
    known: dict[str, bool] = {}

    def is_kept_out(folder: str) -> bool:
        if folder not in known:
            inside = folder == own or folder.startswith((f"{own}/", f"{own}\\"))
            known[folder] = inside or is_ignored(folder, wanted)
        return known[folder]

    return is_kept_out
