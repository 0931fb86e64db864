"""Progress of long work, on standard error: a bar on a terminal, else a line now and then."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PATIENCE = 1.0  # seconds of work before anything is shown
_LINES_APART = 10.0

Update = Callable[[int, int], None]
"""Takes what is done and what there is in all (0 where nobody knows)."""


@contextmanager
def progress(label: str, unit: str = "", *, quiet: bool = False) -> Iterator[Update]:
    """Something to call as work goes on.

    Args:
        label: what is being done.
        unit: of the numbers; `bytes` are shown in MB.
        quiet: say nothing unless a person watches, for callers that read standard error.
    """
    if sys.stderr.isatty():
        bar = _Bar(label, unit)
        try:
            yield bar.update
        finally:
            bar.close()
    elif quiet:
        yield lambda _done, _total: None
    else:
        yield _Lines(label, unit).update


@contextmanager
def waiting(label: str) -> Iterator[None]:
    """Say what is waited for, on a terminal and after a second, and take it away again.

    Args:
        label: what is being done.
    """
    if not sys.stderr.isatty():
        yield
        return
    timer = threading.Timer(_PATIENCE, lambda: print(f"{label} …", end="", file=sys.stderr, flush=True))  # noqa: T201
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)  # noqa: T201


class _Bar:
    """Rich's bar, brought up once the work has taken a second."""

    def __init__(self, label: str, unit: str) -> None:
        self._label = label
        self._unit = unit
        self._began = time.monotonic()
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def update(self, done: int, total: int) -> None:
        if self._progress is None:
            if time.monotonic() - self._began < _PATIENCE:
                return
            self._open()
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=done, total=total or None)

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        amount = DownloadColumn() if self._unit == "bytes" else MofNCompleteColumn()
        columns = (TextColumn("{task.description}"), BarColumn(), amount, TimeRemainingColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task(self._label, total=None)
        self._progress.start()


class _Lines:
    """A line every ten seconds, for logs."""

    def __init__(self, label: str, unit: str) -> None:
        self._label = label
        self._unit = unit
        self._last = time.monotonic()

    def update(self, done: int, total: int) -> None:
        if time.monotonic() - self._last < _LINES_APART:
            return
        self._last = time.monotonic()
        of = f" of {amount(total, self._unit)} ({done * 100 // total} %)" if total else ""
        print(f"{self._label}: {amount(done, self._unit)}{of}", file=sys.stderr, flush=True)  # noqa: T201


def amount(number: float, unit: str) -> str:
    """A number with its unit, as a person reads it."""
    if unit != "bytes":
        return f"{number:,} {unit}".rstrip()
    for name in ("bytes", "KB", "MB"):
        if number < 1_000:
            return f"{number:,.0f} {name}"
        number /= 1_000
    return f"{number:,.1f} GB"
