"""The door: the one place where an error becomes words and an exit code."""

import errno
import json
import os
import platform
import re
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from threading import Event
from types import FrameType
from typing import NoReturn, TextIO

import typer

from agentmem import paths
from agentmem.errors import AgentmemError
from agentmem.version import __version__

VERSION = 1
"""Of the shape of an error as JSON."""

STOPPED = 130
_stopped = Event()
_ENVIRONMENT = frozenset(
    {errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.EDQUOT}
)
"""What the system refuses for reasons that the user knows better than a traceback does."""


@contextmanager
def door(*, home: str | None = None, as_json: bool = False) -> Iterator[None]:
    """Whatever is raised inside leaves as a message on standard error and an exit code.

    Args:
        home: the folder that `--home` named; a crash is logged there.
        as_json: print errors as JSON, for a caller that reads them.
    """
    try:
        yield
        sys.stdout.flush()
    except AgentmemError as error:
        _say(error, as_json=as_json)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        _stop()
    except BrokenPipeError:
        _leave_quietly()
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:  # noqa: BLE001 - the last resort: whatever else it is, the user gets words
        if _stopped.is_set():
            _stop()
        if isinstance(error, OSError) and error.errno in _ENVIRONMENT:
            where = f": {error.filename}" if error.filename else ""
            _say(AgentmemError(f"{error.strerror}{where}"), as_json=as_json)
        else:
            _say(_crashed(error, home), as_json=as_json)
        sys.exit(1)


def listen_for_stop() -> None:
    """Remember Ctrl-C: libraries in C make errors of their own of the KeyboardInterrupt that it raises in them."""

    def heard(number: int, frame: FrameType | None) -> None:
        _stopped.set()
        signal.default_int_handler(number, frame)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored, as under nohup
        signal.signal(signal.SIGINT, heard)


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,  # noqa: ARG001 - as `warnings.showwarning` is called
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    """Tell a warning of ours in words; those of libraries are for those who write them."""
    if category.__module__.startswith("agentmem."):
        _tell(f"warning: {message}")


def at_the_door(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose errors leave through the door. Its context is its argument `ctx`, `--json` is `as_json`."""

    @wraps(command)
    def guarded(*, ctx: typer.Context, **options: object) -> None:
        with door(home=ctx.obj, as_json=bool(options.get("as_json"))):
            command(ctx=ctx, **options)

    return guarded


def error_as_json(error: AgentmemError) -> dict[str, object]:
    """An error in its published shape, with a code that stays the same while messages may change."""
    code = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(error).__name__).lower()
    said = {"code": code, "message": error.message, "hint": error.hint, "exit_code": error.exit_code}
    return {"version": VERSION, "error": said}


def _say(error: AgentmemError, *, as_json: bool) -> None:
    if as_json:
        _tell(json.dumps(error_as_json(error), ensure_ascii=False))
        return
    _tell(f"error: {error.message}")
    if error.hint:
        _tell(f"  {error.hint}")


def _tell(line: str) -> None:
    with suppress(OSError, ValueError):  # nobody listens any more
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - the door speaks


def _crashed(error: Exception, home: str | None) -> AgentmemError:
    """Write down what happened, and tell where."""
    what = f"unexpected {type(error).__name__}: {error}"
    # The arguments are left out: they may hold what is private, and the report is meant to be passed on.
    about = f"agentmem {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
    try:
        folder = paths.home(home).log
        paths.make_private_folder(folder)
        file = folder / f"crash-{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}.log"
        _write(file, about + "".join(traceback.format_exception(error)))
    except OSError:
        _tell(about + "".join(traceback.format_exception(error)))
        return AgentmemError(what, "This is a bug in agentmem; please report what stands above.")
    return AgentmemError(what, f"This is a bug in agentmem; {file} tells more. Please report it.")


def _write(file: Path, text: str) -> None:
    with os.fdopen(
        os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, paths.PRIVATE_FILE), "w", encoding="utf-8"
    ) as log:
        log.write(text)


def _stop() -> NoReturn:
    _tell("stopped; what was stored stays, run it again to go on")
    sys.exit(STOPPED)


def _leave_quietly() -> NoReturn:
    """The reader of our output has seen enough, as in `agentmem list | head -1`."""
    # What is still buffered would raise again when Python flushes it at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)
