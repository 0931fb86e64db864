"""What of a transcript file is new since it was last read, and reading just that.

A file that only grew is read on from the end of its last complete line; one that shrank, or begins differently, is
another file under the same name and read from its start. A format whose lines mean nothing alone (a JSON document, a
database) is read whole whenever anything about the file changed.

Reading a part again adds nothing to the store, so a watermark may lag behind what was stored, and never runs ahead.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from agentmem.domain.messages import Message
from agentmem.domain.reports import Tally
from agentmem.errors import BadInput
from agentmem.sources.formats import detect, read
from agentmem.sources.lines import HEAD, Bytes
from agentmem.store.files import Watermark

_HASHED = 4096
_OVERLAP = 16 << 10
"""Bytes before the watermark that are read again: a call of agentmem must be seen to know its result as such."""

KEPT_OUT = "kept out by `.agentmem-ignore` or the setting `ignore`"


@dataclass(frozen=True, slots=True)
class Part:
    """What of a file is to be read.

    Args:
        path: the file.
        start: where to begin; 0 for all of it.
        size: of the whole file.
        head: hash of how it begins, for the watermark of a file that is read on.
        state: hash of all that shows a change, for the watermark of a file that is read whole.
        before: its watermark, if it is read on.
    """

    path: Path
    start: int
    size: int
    head: str
    state: str
    before: Watermark | None = None


def due(path: Path, mark: Watermark | None) -> Part | None:
    """What of a file is to be read; None if nothing of it is new.

    Raises:
        OSError: the file is not there, or cannot be read.
    """
    with path.open("rb", buffering=0) as file:
        about = os.fstat(file.fileno())
        beginning = file.read(_HASHED)
        size = about.st_size
        head, state = _hash(beginning[:size]), _hash(beginning, about.st_mtime_ns, size, *_log_of(path))
        part = Part(path, 0, size, head, state)
        if mark is None:
            return part
        if mark.consumed == 0:
            return None if mark.head == state else part
        if size < mark.size or mark.head != _hash(beginning[: mark.size]):
            return part
        if size == mark.size:
            return None
        return replace(part, start=_line_before(file, mark.consumed), before=mark)


class Growth:
    """The new messages of a file.

    Iterate over it once; `watermark` is there afterwards unless the file could not be read to its end.

    Args:
        part: what to read.
        expected: the format that a file at its place should have; another one is accepted, but not mere prose.
        cwd: the project's folder where the transcript itself names none.
        only: of a file that holds many sessions, the one to read; there is no watermark then.
        is_kept_out: whether a folder's messages are not to be stored; empty for an unknown one.
        progress: called with the bytes read so far.
    """

    def __init__(
        self,
        part: Part,
        *,
        expected: str = "",
        cwd: str | None = None,
        only: str = "",
        is_kept_out: Callable[[str], bool] = lambda _folder: False,
        progress: Callable[[int], None] = lambda _count: None,
    ) -> None:
        self.part = part
        self.tally = Tally()
        self.bytes = 0
        self.kept_out = 0
        self.error: BadInput | None = None
        self.watermark: Watermark | None = None
        self._expected = expected
        self._cwd = cwd
        self._only = only
        self._is_kept_out = is_kept_out
        self._progress = progress

    def __iter__(self) -> Iterator[Message]:
        session_id = self.part.before.session_id if self.part.before else self._only or None
        try:
            with self.part.path.open("rb", buffering=0) as file:
                form = self.part.before.format if self.part.before else self._format(file)
                file.seek(self.part.start)
                stream = _Counted(file, self._count)
                name, whole = self.part.path.stem, self.part.start == 0
                said = read(
                    stream,
                    name=name,
                    tally=self.tally,
                    format=form or None,
                    session_id=session_id,
                    path=self.part.path if whole else None,
                )
                for message in said:
                    session_id = message.session_id
                    folder = message.cwd or self._cwd
                    # A part that names no folder goes on a session that was let in when its beginning was read.
                    if (folder or whole) and self._is_kept_out(folder or ""):
                        self.kept_out += 1
                        continue
                    yield message if message.cwd or not self._cwd else replace(message, cwd=self._cwd)
        except BadInput as error:
            self.error = error
            return
        except OSError as error:
            self.error = BadInput(f"{self.part.path} cannot be read: {error.strerror}", "Check your rights.")
            return
        if self.kept_out:
            self.tally.ignored[KEPT_OUT] += self.kept_out
        if not self._only:
            self.watermark = self._mark(form, session_id)

    def _mark(self, form: str, session_id: str | None) -> Watermark:
        part = self.part
        # A file of which something was kept out is read whole next time, so that each message has its folder; and
        # one without a message, so that it is known whose session it is.
        on = self.tally.consumed > 0 and not self.kept_out and session_id is not None
        return Watermark(
            path=str(part.path),
            format=form,
            session_id=session_id,
            size=part.size,
            consumed=part.start + self.tally.consumed if on else 0,
            head=part.head if on else part.state,
        )

    def _format(self, file: BinaryIO) -> str:
        head = file.read(HEAD)
        found = detect(head)
        if found == "plain" and self._expected != "plain":
            raise BadInput(f"{self.part.path} is no transcript of an agent.", "")
        return found

    def _count(self, size: int) -> None:
        self.bytes += size
        self._progress(self.bytes)


class _Counted(Bytes):
    def __init__(self, file: BinaryIO, count: Callable[[int], None]) -> None:
        self._file = file
        self._count = count

    def read(self, size: int, /) -> bytes | None:
        piece = self._file.read(size)
        self._count(len(piece or b""))
        return piece


def _line_before(file: BinaryIO, consumed: int) -> int:
    """Where the first line begins that lies whole in the overlap."""
    start = max(0, consumed - _OVERLAP)
    if start == 0:
        return 0
    file.seek(start)
    before = file.read(consumed - start)
    newline = before.find(b"\n")
    return consumed if newline < 0 else start + newline + 1


def _log_of(path: Path) -> tuple[int, int]:
    """Time and size of the write-ahead log that a database has beside it."""
    try:
        about = os.stat(f"{path}-wal")  # noqa: PTH116 - a name that is put together
    except OSError:
        return 0, 0
    return about.st_mtime_ns, about.st_size


def _hash(beginning: bytes, *more: int) -> str:
    return sha256(beginning + "".join(f"|{one}" for one in more).encode()).hexdigest()
