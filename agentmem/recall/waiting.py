"""Waiting for something that may never come: a model whose server hangs."""

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

Outcome = TypeVar("Outcome")


class Pending(Generic[Outcome]):
    """Work in a thread of its own, which nobody has to wait for: not its caller, nor the end of the program.

    Args:
        work: what is done; what it raises is raised by `result`.
    """

    def __init__(self, work: Callable[[], Outcome]) -> None:
        self._outcome: list[Outcome] = []
        self._error: Exception | None = None
        self._done = threading.Event()
        threading.Thread(target=self._run, args=(work,), daemon=True).start()

    def result(self, until: float) -> Outcome | None:
        """What came of it, or None where it is not done in time.

        Args:
            until: how long to wait, by `time.monotonic`.
        """
        self._done.wait(max(0.0, until - time.monotonic()))
        if self._error is not None:
            raise self._error
        return self._outcome[0] if self._outcome else None

    def _run(self, work: Callable[[], Outcome]) -> None:
        try:
            self._outcome.append(work())
        except Exception as error:  # noqa: BLE001 - it is raised where somebody waits for the outcome
            self._error = error
        finally:
            self._done.set()
