"""OpenCode: its store (SQLite, since 1.2), the export of a session (JSON), and the older tree of JSON files.

In all three a session has messages, and a message has parts; what was said stands in `text` parts. A part that is
`synthetic` was put in by the program or by a plugin, `ignored` ones are not meant for the model. Of a `tool` part a
line is told and the head of its output. An assistant's message that is a `summary` stands for what was compacted.

Sessions with a parent are those of sub-agents. A forked session copies messages under new ids, but with their times:
inside one store such copies are recognised by role, time and words, and told once. Two exports cannot know of each
other; there a copied message has the same time and words, and another `source_id`.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from agentmem.domain.messages import Message
from agentmem.domain.reports import Tally
from agentmem.sources import documents, opencode_store
from agentmem.sources.blocks import note, string
from agentmem.sources.lines import LINE_LIMIT, Head, decode, peek, values
from agentmem.sources.opencode_store import AGENT, Telling

__all__ = ["AGENT", "LABEL", "matches", "read", "read_at", "read_tree"]

LABEL = "OpenCode sessions (SQLite store, export as JSON, older JSON tree)"

_ELSEWHERE = "its messages stand in other files"
_TORN = re.compile(
    r'\{\s*"info"\s*:\s*\{\s*"id"\s*:\s*"ses_|\{\s*"id"\s*:\s*"ses_[^"]*"\s*,[^{}\[\]]*"(?:projectID|directory)"'
)


def matches(head: Head) -> bool:
    """Whether this is an export, the file of a session in the older tree, or an SQLite database.

    No other format here is one. Whether it is OpenCode's shows only further behind: reading it tells at once.
    """
    if head.text.startswith(opencode_store.MAGIC):
        return True
    if any(_is_export(value) or _is_session(value) for value in head.objects):
        return True
    return not head.values and bool(_TORN.match(head.text))


def _is_export(value: dict[str, Any]) -> bool:
    info = value.get("info")
    return isinstance(info, dict) and _named(info.get("id"), "ses_") and isinstance(value.get("messages"), list)


def _is_session(value: dict[str, Any]) -> bool:
    return _named(value.get("id"), "ses_") and not value.keys().isdisjoint(("projectID", "directory"))


def _named(value: object, prefix: str) -> bool:
    return isinstance(value, str) and value.startswith(prefix)


def read(chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally) -> Iterator[Message]:
    """The messages of all sessions, each in its order. See `agentmem.sources.formats.Source`.

    A store is written to a temporary file first, because SQLite reads no streams; what is not yet in the store's main
    file (its `-wal`) is missing then. Use `read_at` where there is a path. A session names itself; `session_id` and
    `name` only stand in. A message's `source_id` is the id of its part.

    Raises:
        BadInput: a store or a document is broken, or is none of OpenCode's.
    """
    head, chunks = peek(chunks)
    if head.startswith(opencode_store.MAGIC.encode()):
        return opencode_store.read_stream(chunks, name=name, tally=tally)
    return _all(head, chunks, name, session_id, tally, storage=None)


def read_at(
    path: Path, chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally
) -> Iterator[Message]:
    """As `read`, from a file in its place: a store with what its `-wal` holds, a session with its sibling files.

    Nothing is written beside the store. With a `session_id`, only that session of a store is read: a large store need
    not be read whole for the one session that has gone on.

    Raises:
        BadInput: a store or a document is broken, or is none of OpenCode's.
    """
    head, chunks = peek(chunks)
    if head.startswith(opencode_store.MAGIC.encode()):
        opencode_store.check(path, name=name)
        return opencode_store.read_file(path, name=name, only=session_id, tally=tally)
    # …/storage/session/<project>/<session>.json
    return _all(head, chunks, name, session_id, tally, storage=path.absolute().parent.parent.parent)


def read_tree(storage: Path, *, tally: Tally) -> Iterator[Message]:
    """The messages of all sessions in an older tree, the earlier sessions first.

    Args:
        storage: the folder that holds `session`, `message` and `part`.
        tally: counts what was read and left out.
    """
    found = [value for path in (storage / "session").glob("*/*.json") if (value := _loaded(path, tally))]
    telling = Telling(tally)
    for value in sorted((one for one in found if _is_session(one)), key=opencode_store.created):
        yield from telling.session(value, _messages(storage, value, tally))


def _all(
    head: bytes, chunks: Iterable[bytes], name: str, session_id: str | None, tally: Tally, *, storage: Path | None
) -> Iterator[Message]:
    """The messages of the JSON documents in a stream: one as a rule."""
    document = Head.of(head).document
    telling = Telling(tally, fallback=session_id or name)
    try:
        for value in documents.load(chunks, name=name, tally=tally) if document else values(chunks, tally):
            if isinstance(value, dict) and isinstance(value.get("messages"), list):
                info = value.get("info")
                yield from telling.session(info if isinstance(info, dict) else {}, _exported(value["messages"]))
            elif not isinstance(value, dict) or not _is_session(value):
                note(tally.unknown, "(none)")
            elif storage is None or not (storage / "message").is_dir():
                note(tally.skipped, _ELSEWHERE)
            else:
                yield from telling.session(value, _messages(storage, value, tally))
    finally:
        tally.consumed = 0  # such a file is written anew, not continued


def _exported(messages: list[Any]) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    for one in messages:
        if isinstance(one, dict):
            info, parts = one.get("info"), one.get("parts")
            yield info if isinstance(info, dict) else {}, parts if isinstance(parts, list) else []


def _messages(storage: Path, session: dict[str, Any], tally: Tally) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    """The messages of a session in the older tree, each with its parts; ids grow with time."""
    named = _safe(session.get("id"))
    for path in sorted((storage / "message" / named).glob("*.json")) if named else []:
        info = _loaded(path, tally)
        if info is None:
            continue
        parts = [
            part
            for one in sorted((storage / "part" / (_safe(info.get("id")) or path.stem)).glob("*.json"))
            if (part := _loaded(one, tally))
        ]
        yield info, parts


def _safe(value: object) -> str:
    """An id that may stand in a path: without separators, and not a step upwards."""
    named = string(value) or ""
    return named if re.fullmatch(r"[A-Za-z0-9_-]{1,128}", named) else ""


def _loaded(path: Path, tally: Tally) -> dict[str, Any] | None:
    """The object in a file; None where it cannot be read."""
    tally.lines += 1
    try:
        with path.open("rb") as stream:
            data = stream.read(LINE_LIMIT + 1)
        text = data.decode("utf-8", "replace") if len(data) <= LINE_LIMIT else ""
        value = decode(text.lstrip("\ufeff \t\r\n\x00"))[0]
    except (OSError, ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        note(tally.skipped, "not readable")
        return None
    return value
