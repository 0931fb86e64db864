"""Cline: the files of a task, from the editor's extension and from the command line.

* `ui_messages.json`: what the person saw. A list of `{"ts", "type": "say" | "ask", "say" | "ask": kind, "text"}`.
* `api_conversation_history.json`: what the model saw. A list of `{"role", "content": [blocks]}`, in which the words of
  a person stand in elements (`<task>`, `<feedback>` …) beside context that the program put in.
* `<session>.messages.json`: the same of the command line, in an object that names the session.

The first two tell the same task. Both lie in a folder that is named after it; where the first is there, the second is
not told (`read_at`).
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from agentmem.domain.messages import Message
from agentmem.domain.reports import Tally
from agentmem.sources import cline_said, documents
from agentmem.sources.blocks import note, string
from agentmem.sources.lines import Head, decode, peek, values
from agentmem.sources.stamps import instant
from agentmem.sources.teller import SUB_AGENT, Teller

LABEL = "Cline tasks (ui_messages.json, api_conversation_history.json, *.messages.json)"
AGENT = "cline"

_UI, _API = "ui_messages.json", "api_conversation_history.json"
_TOLD_BY_UI = f"told by {_UI}"
_MARKS = ("<environment_details>", "<task>", "<user_input")
_SESSION = frozenset({"updated_at", "taskType", "origin", "agent", "sessionId", "version"})
_MOST_META = 1 << 20

_TORN_UI = re.compile(r'\[\s*\{\s*"ts"\s*:\s*\d{1,20}\s*,\s*"type"\s*:\s*"(?:ask|say)"')
_TORN_API = re.compile(r'\[\s*\{\s*"role"\s*:\s*"user"\s*,\s*"content"\s*:\s*\[')
_TORN_SESSION = re.compile(r'(?<!\\)"(?:updated_at|taskType|origin)"\s*:')
_TORN_BLOCKS = re.compile(r'(?<!\\)"messages"\s*:\s*\[\s*\{[^{}\[\]]*"role"\s*:\s*"user"[^{}\[\]]*"content"\s*:\s*\[')


def matches(head: Head) -> bool:
    """Whether this is one of Cline's three files, or the beginning of one."""
    for value in head.values:
        if isinstance(value, list) and (any(map(_is_ui, value[:4])) or any(map(_is_api, value[:4]))):
            return True
        if isinstance(value, dict) and _is_session(value):
            return True
    if head.values:
        return False
    text = head.text
    if _TORN_UI.match(text) or (_TORN_API.match(text) and any(mark in text for mark in _MARKS)):
        return True
    return bool(text.startswith("{") and _TORN_BLOCKS.search(text) and _TORN_SESSION.search(text))


def _is_ui(value: object) -> bool:
    return isinstance(value, dict) and value.get("type") in ("ask", "say") and value.get("type") in value


def _is_api(value: object) -> bool:
    if not isinstance(value, dict) or value.get("role") != "user" or not isinstance(value.get("content"), list):
        return False
    texts = [
        text for block in value["content"][:8] if isinstance(block, dict) and isinstance(text := block.get("text"), str)
    ]
    return any(mark in text for text in texts for mark in _MARKS)


def _is_session(value: dict[str, Any]) -> bool:
    messages = value.get("messages")
    if not isinstance(messages, list) or len(_SESSION & value.keys()) < 2:
        return False
    return any(
        isinstance(one, dict) and "role" in one and "ts" in one and isinstance(one.get("content"), list)
        for one in messages[:4]
    )


def read(chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally) -> Iterator[Message]:
    """The messages of a task, in the file's order. See `agentmem.sources.formats.Source`.

    The session is the one that the file names, else the argument, else `name`. A message's `source_id` is its `id` or
    its time (`ts`), else its place in the list. A later read starts at the beginning again.

    Raises:
        BadInput: the document is too large, or not complete.
    """
    return _read(Teller(AGENT, session_id or name, tally), chunks, name)


def read_at(
    path: Path, chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally
) -> Iterator[Message]:
    """As `read`; the folder is named after the task, and tells whether the task is told by another file in it."""
    if path.name == _API and _size(path.with_name(_UI)) > len("[]"):
        note(tally.ignored, _TOLD_BY_UI)
        return iter(())
    if path.name in (_UI, _API):
        name = path.absolute().parent.name or name
    teller = Teller(AGENT, session_id or name.removesuffix(".messages"), tally)
    if path.name.endswith(".messages.json"):
        about = _about(path.with_name(path.name.replace(".messages.json", ".json")))
        teller.cwd = string(about.get("cwd")) or string(about.get("workspace_root"))
        more = about.get("metadata")
        git = more.get("git") if isinstance(more, dict) else None
        teller.branch = string(git.get("branch")) if isinstance(git, dict) else None
    return _read(teller, chunks, name)


def _read(teller: Teller, chunks: Iterable[bytes], name: str) -> Iterator[Message]:
    tally = teller.tally
    head, chunks = peek(chunks)
    document = Head.of(head).document
    number = 0
    try:
        for value in documents.load(chunks, name=name, tally=tally) if document else values(chunks, tally):
            entries: object = value
            if isinstance(value, dict):
                if _is_foreign(value):
                    note(tally.ignored, SUB_AGENT)
                    continue
                teller.session_id = string(value.get("sessionId")) or teller.session_id
                entries = value.get("messages", [value])
            screen, history = cline_said.Screen(teller), cline_said.History(teller)
            for entry in entries if isinstance(entries, list) else []:
                number += 1
                tally.lines += document
                if not isinstance(entry, dict):
                    note(tally.skipped, "not an object")
                    continue
                said = screen.said(entry) if _is_ui(entry) else history.said(entry)
                source_id = string(entry.get("id")) or string(entry.get("ts")) or str(number)
                yield from teller.tell(list(said), at=instant(entry.get("ts")), source_id=source_id)
    finally:
        tally.consumed = 0


def _is_foreign(value: dict[str, Any]) -> bool:
    origin = value.get("origin")
    return value.get("taskType") == "subagent" or (
        isinstance(origin, dict) and bool(origin.get("subagent") or origin.get("parentThreadId"))
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _about(path: Path) -> dict[str, Any]:
    """What stands in the file that describes a session of the command line; empty where there is none."""
    try:
        with path.open("rb") as stream:
            value = decode(stream.read(_MOST_META).decode("utf-8", "replace").strip("\ufeff \r\n\t"))[0]
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
