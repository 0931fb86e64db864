"""OpenCode's store: reading the SQLite file, and telling the messages of a session from whichever of its shapes."""

import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from agentmem.domain.ids import digest
from agentmem.domain.messages import Message, MessageKind
from agentmem.domain.reports import Tally
from agentmem.errors import BadInput
from agentmem.sources.blocks import Piece, call, flat, label, note, string
from agentmem.sources.lines import LINE_LIMIT, NOT_JSON, TOO_LONG, decode
from agentmem.sources.stamps import instant
from agentmem.sources.teller import SUB_AGENT, Said, Teller, outcome

AGENT = "opencode"
MAGIC = "SQLite format 3\x00"

COPIED = "copied from another session"

_PATIENCE = 5.0  # seconds to wait for a writer
_SKIPPED_PARTS = frozenset(
    {"reasoning", "file", "step-start", "step-finish", "snapshot", "patch", "agent", "retry", "subtask", "compaction"}
)


def read_stream(chunks: Iterable[bytes], *, name: str, tally: Tally) -> Iterator[Message]:
    """The messages of a store that comes as a stream, by way of a temporary file that only this user can read.

    Raises:
        BadInput: it is no store of OpenCode, or broken.
    """
    with tempfile.TemporaryDirectory(prefix="agentmem-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "opencode.db"
        with path.open("wb") as copy:
            for chunk in chunks:
                copy.write(chunk)
        check(path, name=name)
        yield from read_file(path, name=name, only=None, tally=tally)


def read_file(path: Path, *, name: str, only: str | None, tally: Tally) -> Iterator[Message]:
    """The messages of a store, the earlier sessions first. Nothing is written, not even beside it.

    Args:
        path: the store.
        name: the input's name, for errors.
        only: the id of the one session to read.
        tally: counts messages as lines.

    Raises:
        BadInput: it is no store of OpenCode, or broken.
    """
    with _open(path, name) as connection:
        telling = Telling(tally)
        for session in _sessions(connection, only):
            yield from telling.session(session, _messages(connection, session, tally))


def check(path: Path, *, name: str) -> None:
    """Look whether a file is a store of OpenCode.

    Raises:
        BadInput: it is not, or cannot be read.
    """
    with _open(path, name) as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables >= {"session", "message", "part"}:
        raise BadInput(f"{name} is an SQLite database, but not a store of OpenCode.")


@contextmanager
def _open(path: Path, name: str) -> Iterator[sqlite3.Connection]:
    try:
        with closing(_connected(path)) as connection:
            yield connection
    except (sqlite3.Error, UnicodeError, ValueError) as error:
        raise BadInput(
            f"{name} is not a readable OpenCode store: {error}.",
            "Close OpenCode and try again, or export the session with `opencode export`.",
        ) from error


def _connected(path: Path) -> sqlite3.Connection:
    """A read-only connection.

    A store in use has a `-wal` beside it, which holds the newest messages. Without one the store is opened as
    immutable: SQLite would create a `-wal` and a `-shm` otherwise, even for a reader.
    """
    wal = path.with_name(path.name + "-wal")
    try:
        used = wal.stat().st_size > 0
    except OSError:
        used = False
    place = f"{path.absolute().as_uri()}?mode=ro{'' if used else '&immutable=1'}"
    connection = sqlite3.connect(place, uri=True, timeout=_PATIENCE)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    return connection


def _sessions(connection: sqlite3.Connection, only: str | None) -> list[dict[str, Any]]:
    known = {row[1] for row in connection.execute("PRAGMA table_info(session)")}
    columns = [name for name in ("id", "parent_id", "directory", "time_created") if name in known]
    if "id" not in columns:
        raise sqlite3.DatabaseError("it has no sessions")
    where, bound = (" WHERE id = ?", (only,)) if only is not None else ("", ())
    order = " ORDER BY time_created, id" if "time_created" in known else ""
    rows = connection.execute(f"SELECT {', '.join(columns)} FROM session{where}{order}", bound)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _messages(
    connection: sqlite3.Connection, session: dict[str, Any], tally: Tally
) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    """The messages of a session, each with its parts; what is larger than a line may be is not loaded."""
    messages = connection.execute(
        "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", (session["id"],)
    )
    for message_id, data in messages:
        tally.lines += 1
        info = _object(data, tally)
        if info is None:
            continue
        parts = []
        rows = connection.execute(
            "SELECT id, CASE WHEN length(data) <= ? THEN data END FROM part WHERE message_id = ? ORDER BY id",
            (LINE_LIMIT, message_id),
        )
        for part_id, part in rows:
            if part is None:
                tally.skipped[TOO_LONG] += 1
            elif (value := _object(part, tally)) is not None:
                parts.append({**value, "id": part_id})
        yield {**info, "id": message_id}, parts


def _object(data: object, tally: Tally) -> dict[str, Any] | None:
    """The object in a column."""
    if isinstance(data, bytes):
        data = data.decode("utf-8", "replace")
    try:
        value = decode(data)[0] if isinstance(data, str) else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        note(tally.skipped, NOT_JSON)
        return None
    return value


def created(session: dict[str, Any]) -> float:
    """When a session was made, as a number to order by."""
    time = session.get("time")
    value = time.get("created") if isinstance(time, dict) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) and value == value else 0  # noqa: PLR0124 - NaN


class Telling:
    """Tells the messages of sessions, and remembers what was told to know it again in a forked session.

    Args:
        tally: counts the messages, and what is left out.
        fallback: the id of a session that does not name itself.
    """

    _MOST = 1_000_000

    def __init__(self, tally: Tally, fallback: str = AGENT) -> None:
        self._tally = tally
        self._fallback = fallback
        self._told: set[str] = set()

    def session(
        self, session: dict[str, Any], messages: Iterable[tuple[dict[str, Any], list[Any]]]
    ) -> Iterator[Message]:
        """The messages of a session, given each with its parts."""
        if session.get("parent_id") or session.get("parentID"):
            note(self._tally.ignored, SUB_AGENT)
            return
        teller = Teller(AGENT, string(session.get("id")) or self._fallback, self._tally)
        teller.cwd = string(session.get("directory"))
        new: set[str] = set()  # a person may say the same twice in one session, at one time only in a test
        for info, parts in messages:
            role, at = info.get("role"), _time(info)
            path = info.get("path")
            if isinstance(path, dict):
                teller.cwd = string(path.get("cwd")) or teller.cwd
            if role not in ("user", "assistant") or not isinstance(role, str):
                note(self._tally.unknown, f"role {label(role)}")
                continue
            for part in parts:
                if not isinstance(part, dict):
                    note(self._tally.skipped, "not an object")
                    continue
                said = list(self._said(role, info, part, teller))
                key = digest(role, at.isoformat() if at else "", *(one.text for one in said))
                if said and at and key in self._told:
                    self._tally.ignored[COPIED] += 1
                    continue
                new.add(key)
                yield from teller.tell(said, at=at, source_id=string(part.get("id")))
        if len(self._told) < self._MOST:
            self._told |= new

    def _said(self, role: str, info: dict[str, Any], part: dict[str, Any], teller: Teller) -> Iterator[Said]:
        kind, text = part.get("type"), part.get("text")
        if kind == "tool":
            yield from _tool(part, teller)
        elif kind == "text" and isinstance(text, str):
            if part.get("synthetic") is True or part.get("ignored") is True:
                note(self._tally.ignored, "synthetic")
            elif info.get("summary") is True:
                yield from teller.summary(text)
            elif role == "user":
                yield from teller.human([_unquoted(text)])
            else:
                yield from teller.reply(text)
        elif isinstance(kind, str) and kind in _SKIPPED_PARTS:
            note(self._tally.ignored, f"part {kind}")
        else:
            note(self._tally.unknown, f"part {label(kind)}")


def _tool(part: dict[str, Any], teller: Teller) -> Iterator[Said]:
    state = part.get("state")
    state = state if isinstance(state, dict) else {}
    call_id = string(part.get("callID"))
    yield from teller.tool(call(part.get("tool"), state.get("input"), call_id))
    about = state.get("metadata")
    text = flat(state.get("output")) or flat(state.get("error"))
    if text := outcome(text, about.get("exit") if isinstance(about, dict) else None):
        tool = string(part.get("tool")) or ""
        yield from teller.tool(Piece(MessageKind.TOOL_RESULT, text, call_id=call_id, tool=tool))


def _unquoted(text: str) -> str:
    """A prompt without the quotes that `opencode run` puts around it."""
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' and '"' not in text[1:-1] else text


def _time(info: dict[str, Any]) -> datetime | None:
    time = info.get("time")
    return instant(time.get("created")) if isinstance(time, dict) else None
