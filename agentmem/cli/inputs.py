"""Where the words and transcripts come from that a command is given: arguments, files, folders, standard input."""

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from agentmem.errors import BadInput, UsageError
from agentmem.sources.lines import Bytes

STDIN = "-"
_NOT_ENTERED = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})


def piped() -> bool:
    """Whether standard input is something to read rather than a person's terminal."""
    return not sys.stdin.isatty()


def words(given: Sequence[str], what: str) -> str:
    """The text of a command: its arguments, else standard input.

    Args:
        given: the arguments; `-` alone means standard input.
        what: what is missing if there is none, as "a question".

    Raises:
        UsageError: no arguments, and nothing is piped in.
    """
    if given and list(given) != [STDIN]:
        # Bytes that are no UTF-8 arrive from the shell as lone surrogates.
        return " ".join(given).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if not given and not piped():
        raise UsageError(f"There is no {what}", "Give it as arguments, or pipe it in.")
    return sys.stdin.buffer.read().decode("utf-8-sig", "replace").strip()


class Unreadable(BadInput):
    """A file or stream that the system does not let us read, whatever is in it."""


@dataclass(frozen=True, slots=True)
class Source:
    """A place to read a transcript from.

    Args:
        path: a file, or `-`.
        named: whether the user named it, rather than a folder that it lies in.
        size: its bytes, 0 where nobody can tell.
    """

    path: str
    named: bool
    size: int = 0

    @property
    def label(self) -> str:
        """What it is called in messages."""
        return "standard input" if self.path == STDIN else self.path

    @property
    def name(self) -> str:
        """What sessions that do not name themselves are called after."""
        return "stdin" if self.path == STDIN else Path(self.path).stem


def find(places: Sequence[str]) -> list[Source]:
    """The sources that some paths mean, folders opened up: the older files first.

    A path that is not there is handed on as well: opening it gives the error.
    """
    found: dict[str, Source] = {}
    for place in places:
        if place != STDIN and os.path.isdir(place):  # noqa: PTH112 - never raises, whatever the name
            for path, size in _inside(Path(place)):
                found.setdefault(path, Source(path, named=False, size=size))
        else:
            found[place] = Source(place, named=True, size=_size(place))
    return list(found.values())


@contextmanager
def opened(source: Source, progress: Callable[[int], None]) -> Iterator["Counted"]:
    """The bytes of a source, counted as they are read.

    Raises:
        Unreadable: it cannot be opened or read.
    """
    if source.path == STDIN:
        yield Counted(sys.stdin.buffer, source.label, progress)
        return
    try:
        stream = Path(source.path).open("rb", buffering=0)  # noqa: SIM115 - closed below
    except (OSError, ValueError) as error:
        raise _unreadable(source.path, error) from error
    with stream:
        yield Counted(stream, source.path, progress)


class Counted(Bytes):
    """A stream whose errors name the file, and which tells how far it was read."""

    def __init__(self, stream: BinaryIO, path: str, progress: Callable[[int], None]) -> None:
        self._stream = stream
        self._path = path
        self._progress = progress
        self.count = 0

    def read(self, size: int, /) -> bytes | None:
        """Up to `size` bytes.

        Raises:
            Unreadable: the system cannot read on.
        """
        try:
            piece = self._stream.read(size)
        except OSError as error:
            raise _unreadable(self._path, error) from error
        self.count += len(piece or b"")
        self._progress(self.count)
        return piece


def _unreadable(path: str, error: Exception) -> Unreadable:
    why = error.strerror if isinstance(error, OSError) else str(error)
    return Unreadable(f"{path} cannot be read: {why}", "Check its name and your rights.")


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size if path != STDIN else 0  # noqa: PTH116 - the path may hold NUL
    except (OSError, ValueError):
        return 0


def _inside(folder: Path) -> Iterable[tuple[str, int]]:
    """All visible files below a folder with their sizes, oldest first: of two values the later one said counts."""
    files: list[tuple[float, str, int]] = []
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _NOT_ENTERED]
        for name in names:
            path = os.path.join(root, name)  # noqa: PTH118 - Path would cost more than the rest of the walk
            try:
                about = os.stat(path)  # noqa: PTH116
            except OSError:  # a link that leads nowhere
                continue
            if stat.S_ISREG(about.st_mode) and not name.startswith("."):
                files.append((about.st_mtime, path, about.st_size))
    return [(path, size) for _, path, size in sorted(files)]
