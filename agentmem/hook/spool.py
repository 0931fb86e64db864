"""Notes for the worker, and marks that tell what was done lately.

A note says that something happened: the agent, the event, the session's id, the path of its transcript, the
project's folder, the time. No word of what was said is in it, so that nothing in the spool needs to be redacted; the
worker reads the transcript itself.
"""

import json
import os
import time
import zlib

from agentmem.hook.call import START, Call
from agentmem.hook.place import PRIVATE_FILE, PRIVATE_FOLDER, Place

SUFFIX = ".json"
_BRIEFING = tuple(f"agentmem-memory{end}\\nReference data from agentmem".encode() for end in (">", "&gt;"))
"""How a briefing begins in a transcript; `agentmem.recall` writes it, and a test holds the two to each other."""

_HEAD = 1 << 20  # bytes of a transcript in which the first prompt is
VERSION = 1


def write(place: Place, call: Call) -> None:
    """Put a note into the spool: whole or not at all, under a name that sorts by time."""
    os.makedirs(place.spool, PRIVATE_FOLDER, exist_ok=True)
    note = {
        "version": VERSION,
        "agent": call.agent,
        "event": call.event,
        "name": call.name,
        "session": call.session,
        "transcript": call.transcript,
        "cwd": call.cwd,
        "at": time.time(),
    }
    # The last part counts how often a worker took the note up.
    name = f"{time.time_ns():020d}-{os.getpid()}.0{SUFFIX}"
    hidden = os.path.join(place.spool, f".{name}")
    descriptor = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    try:
        os.write(descriptor, json.dumps(note).encode())
    finally:
        os.close(descriptor)
    os.rename(hidden, os.path.join(place.spool, name))


def is_repeated(place: Place, call: Call, within: float = 2.0) -> bool:
    """Whether an equal call was made less than so many seconds ago; this one is remembered.

    Gemini ends a session twice, and a hook may be installed twice, for the agent and for one whose hooks it runs.
    """
    return not _take(place, f"call-{_key(call.agent, call.session, call.event, call.said)}", within)


def is_briefed(place: Place, call: Call) -> bool:
    """Whether a session that is already going on had its briefing, so that no process need be started to find that out.

    The mark is the one that `agentmem.recall.injection` makes; a test holds the two to each other.
    """
    if call.event == START or not call.session:
        return False
    from hashlib import sha256

    name = sha256(f"{call.agent}\n{call.session}".encode("utf-8", "replace")).hexdigest()[:32]
    return os.path.exists(os.path.join(place.data, "state", "briefed", name)) or _has_briefing(call.transcript)


def _has_briefing(transcript: str) -> bool:
    """Whether a briefing is in what was said before: the session is a copy of one that was told.

    Gemini's `--session-file` starts a session with the history of another one, and does not tell its hooks.
    """
    if not transcript:
        return False
    try:
        with open(transcript, "rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return False
    return any(words in head for words in _BRIEFING)


def is_due(place: Place, what: str, every: float) -> bool:
    """Whether something was last done more than so many seconds ago; it counts as done now."""
    return _take(place, what, every)


def _take(place: Place, name: str, within: float) -> bool:
    """Whether a mark is not there, or older than so many seconds; it is new afterwards."""
    os.makedirs(place.marks, PRIVATE_FOLDER, exist_ok=True)
    mark = os.path.join(place.marks, name)
    try:
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE))
    except FileExistsError:
        if -1 < time.time() - os.stat(mark).st_mtime < within:  # a mark from the future is from a clock set back
            return False
        os.utime(mark)
    return True


def _key(*parts: str) -> str:
    return f"{zlib.crc32(chr(1).join(parts).encode('utf-8', 'surrogatepass')):08x}"
