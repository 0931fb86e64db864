"""What the agent says on standard input, read without trusting that it ever ends.

Several agents forget to close the pipe (Claude's `/clear`, Claude on Windows, Copilot's tool hooks), so a reader that
waits for the end would freeze the session. One complete JSON object is all there is to come.
"""

import json
import os
import select
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading

PATIENCE = 0.9
"""Seconds; with the start of Python a call without input ends within 1.2 s."""

_MOST = 64 << 20
_PIECE = 1 << 16
_PAUSE = 0.01
"""Seconds without more input after which what looks complete is taken as such."""

_waiting: "list[threading.Thread]" = []
_come: list[bytes] = []


def read(descriptor: int = 0, patience: float = PATIENCE) -> dict[str, object]:
    """The JSON object on a descriptor; an empty one if there is none, or only a part of it, in time."""
    deadline = time.monotonic() + patience
    data = bytearray()
    tried = 0
    while len(data) < _MOST and (left := deadline - time.monotonic()) > 0:
        # Only when it may be complete and no more comes: a try at every piece of a large input would be quadratic.
        complete = len(data) > tried and data[-64:].rstrip(b"\r\n\t \0").endswith(b"}")
        piece = _piece(descriptor, min(left, _PAUSE) if complete else left)
        if piece:
            data += piece
        elif complete and piece is None:
            tried = len(data)
            if found := parse(bytes(data)):
                return found
        else:
            break
    return parse(bytes(data))


def parse(data: bytes) -> dict[str, object]:
    """The object that some bytes begin with, whatever their encoding and byte order mark; an empty one if none."""
    utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")  # from PowerShell
    text = data.decode("utf-16" if utf16 else "utf-8-sig", "replace").lstrip(" \t\r\n\0\ufeff")
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _piece(descriptor: int, seconds: float) -> bytes | None:
    """What can be read now; nothing at the end, and None when nothing comes in time."""
    if sys.platform == "win32":
        return _piece_of_windows(descriptor, seconds)
    try:
        if not select.select([descriptor], [], [], seconds)[0]:
            return None
        return os.read(descriptor, _PIECE)
    except (OSError, ValueError):  # it is closed
        return b""


def _piece_of_windows(descriptor: int, seconds: float) -> bytes | None:
    """There `select` knows sockets only, so that a thread must wait, and be left behind when nothing comes."""
    import threading

    def wait() -> None:
        try:
            _come.append(os.read(descriptor, _PIECE))
        except OSError:
            _come.append(b"")

    if not _waiting or not _waiting[0].is_alive():
        _waiting[:] = [threading.Thread(target=wait, daemon=True)]
        _waiting[0].start()
    _waiting[0].join(seconds)
    return _come.pop(0) if _come else None
