"""The spool as the worker sees it: notes that wait, notes that came to nothing, and what agents were heard to do."""

import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from agentmem.hook.call import AGENTS, CAPTURE
from agentmem.paths import PRIVATE_FILE, Home, make_private_folder

_MOST_FAILED = 200
_MARK_LIFE = 3600.0
_HALF_WRITTEN_LIFE = 60.0
_MOST_LOG = 1 << 20


@dataclass(frozen=True, slots=True)
class Note:
    """What a hook wrote down.

    Args:
        file: the note itself.
        agent: whose hook it was.
        event: `start`, `prompt`, `turn`, `compact` or `end`.
        session: the session's id, empty if the agent did not say.
        transcript: the path of its transcript, empty likewise.
        cwd: the project's folder, empty likewise.
        at: when, in seconds since the epoch.
        tries: how often it was taken up before.
    """

    file: Path
    agent: str
    event: str
    session: str
    transcript: str
    cwd: str
    at: float
    tries: int

    @property
    def captures(self) -> bool:
        """Whether something was said since the last time, so that there must be a transcript."""
        return self.event in CAPTURE


@dataclass(frozen=True, slots=True)
class Heard:
    """What is known about capture as a whole.

    Args:
        events: agent -> event -> when it was last heard of, in ISO form.
        failed: notes that came to nothing, ever.
        last_run: when the worker ran last.
        last_error: what went wrong then, in words.
    """

    events: dict[str, dict[str, str]]
    failed: int = 0
    last_run: str = ""
    last_error: str = ""


def waiting(home: Home) -> list[Note]:
    """The notes in the spool: those taken up least often first, and of these the oldest.

    A note at which workers die goes to the end that way, and does not keep the others from being read. What is no
    note goes to the failed ones.
    """
    notes = []
    for file in _files(home.spool):
        note = _read(file)
        if note is None:
            fail(home, file)
        else:
            notes.append(note)
    return sorted(notes, key=lambda note: (note.tries, note.file.name))


def backlog(home: Home) -> tuple[int, float | None]:
    """How many notes wait, and since when the oldest does, without reading them."""
    times = []
    for file in _files(home.spool):
        with suppress(OSError):
            times.append(file.stat().st_mtime)
    return len(times), min(times, default=None)


def take_up(note: Note) -> Note:
    """Count one more try, in the note's name; it survives the worker."""
    stem = note.file.name.removesuffix(".json").rpartition(".")[0]
    target = note.file.with_name(f"{stem}.{note.tries + 1}.json")
    note.file.rename(target)
    return replace(note, file=target, tries=note.tries + 1)


def drop(note: Note) -> None:
    """Remove a note that is dealt with."""
    note.file.unlink(missing_ok=True)


def fail(home: Home, file: Path) -> None:
    """Put a note aside that comes to nothing, and count it."""
    folder = home.spool / "failed"
    make_private_folder(folder)
    with suppress(FileNotFoundError):
        file.rename(folder / file.name)
    remember(home, replace(recall(home), failed=recall(home).failed + 1))
    for old in sorted(folder.iterdir())[:-_MOST_FAILED]:
        old.unlink(missing_ok=True)


def tidy(home: Home) -> None:
    """Remove what hooks left behind: marks that no longer mean anything, notes whose writer was killed."""
    now = time.time()
    for folder, life in ((home.spool / "marks", _MARK_LIFE), (home.spool, _HALF_WRITTEN_LIFE)):
        with suppress(FileNotFoundError):
            for entry in os.scandir(folder):
                with suppress(FileNotFoundError):
                    left = entry.name.startswith(".") or folder.name == "marks"
                    if left and entry.is_file() and now - entry.stat().st_mtime > life:
                        os.unlink(entry.path)  # noqa: PTH108 - as scandir gives it


def trim(home: Home, *, days: float) -> int:
    """Remove what hooks left behind, and notes that came to nothing so many days ago; how many of these there were."""
    tidy(home)
    removed = 0
    if days > 0:
        for note in (home.spool / "failed").glob("*.json"):
            with suppress(FileNotFoundError):
                if time.time() - note.stat().st_mtime > days * 86_400:
                    note.unlink()
                    removed += 1
    return removed


def hear(home: Home, notes: list[Note]) -> None:
    """Note down that these events were heard of."""
    heard = recall(home)
    for note in notes:
        seen = heard.events.setdefault(note.agent, {})
        seen[note.event] = max(seen.get(note.event, ""), datetime.fromtimestamp(note.at, UTC).isoformat())
    remember(home, heard)


def recall(home: Home) -> Heard:
    """What was noted down about capture; nothing if that cannot be read."""
    try:
        value = json.loads((home.data / "capture.json").read_text(encoding="utf-8"))
        events = {agent: dict(seen) for agent, seen in value["events"].items()}
        return Heard(events, int(value["failed"]), str(value["last_run"]), str(value["last_error"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Heard({})


def remember(home: Home, heard: Heard) -> None:
    """Write down what is known about capture; the worker alone does."""
    file = home.data / "capture.json"
    shape = {
        "version": 1,
        "events": heard.events,
        "failed": heard.failed,
        "last_run": heard.last_run,
        "last_error": heard.last_error,
    }
    written = file.with_suffix(".new")
    written.write_text(json.dumps(shape, indent=1), encoding="utf-8")
    written.chmod(PRIVATE_FILE)
    written.replace(file)


def log(home: Home, words: str) -> None:
    """Add to the worker's log, which holds a megabyte at most."""
    make_private_folder(home.log)
    file = home.log / "worker.log"
    with suppress(OSError):
        if file.stat().st_size > _MOST_LOG:
            file.replace(file.with_suffix(".old.log"))
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
    with os.fdopen(descriptor, "a", encoding="utf-8") as stream:
        stream.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} {words.rstrip()}\n")


def _files(spool: Path) -> list[Path]:
    try:
        return sorted(Path(entry.path) for entry in os.scandir(spool) if _is_note(entry.name))
    except FileNotFoundError:
        return []


def _is_note(name: str) -> bool:
    return name.endswith(".json") and not name.startswith(".")


def _read(file: Path) -> Note | None:
    try:
        value = json.loads(file.read_bytes())
        tries = int(file.name.removesuffix(".json").rpartition(".")[2])
        texts = {name: str(value[name]) for name in ("agent", "event", "session", "transcript", "cwd")}
        at = float(value["at"])
        datetime.fromtimestamp(at, UTC)
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None
    return Note(file=file, at=at, tries=tries, **texts) if texts["agent"] in AGENTS else None
