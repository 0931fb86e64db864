"""Copilot CLI: the events of a session (`events.jsonl`).

A line is `{"type", "data", "id", "parentId", "timestamp"}`. A user's message holds `content`, which was typed, and
`transformedContent`, to which the program added context; only the former is read. A tool call stands in the message
that asks for it and again where it starts: it is told once.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from agentmem.domain.messages import Message, MessageKind
from agentmem.domain.reports import Tally
from agentmem.sources.blocks import Piece, call, flat, label, note, string
from agentmem.sources.lines import Head, objects
from agentmem.sources.stamps import instant
from agentmem.sources.teller import Said, Teller

LABEL = "Copilot CLI events (JSONL)"
AGENT = "copilot"

_EVENT = re.compile(r"(?:session|user|assistant|tool|hook|system|subagent|skill)\.[a-z_]+")
_PLACES = frozenset({"session.start", "session.resume", "session.context_changed", "session.handoff"})
_BOOKKEEPING = frozenset(
    {
        "abort", "pending_messages.modified", "assistant.turn_start", "assistant.turn_end", "assistant.intent",
        "assistant.reasoning", "assistant.thinking", "assistant.usage", "tool.user_requested",
        "tool.execution_partial_result", "tool.execution_progress", "hook.start", "hook.end", "hook.progress",
        "system.message", "system.notification", "subagent.started", "subagent.completed", "subagent.failed",
        "subagent.selected", "subagent.deselected", "skill.invoked", "session.error", "session.idle",
        "session.title_changed", "session.info", "session.warning", "session.model_change", "session.mode_changed",
        "session.plan_changed", "session.workspace_file_changed", "session.truncation", "session.snapshot_rewind",
        "session.shutdown", "session.usage_info", "session.compaction_start", "session.task_complete",
    }
)  # fmt: skip
_KNOWN = _PLACES | _BOOKKEEPING
_UNSAID = ("skill", "system", "autopilot", "agent", "subagent", "hook")

_TORN = re.compile(r'(?<!\\)"type"\s*:\s*"(?:session|user|assistant|tool)\.[a-z_]+"')
_TORN_DATA = re.compile(r'(?<!\\)"data"\s*:\s*\{')


def matches(head: Head) -> bool:
    """Whether one of the first lines is an event, or the only line is the beginning of one."""
    for value in head.objects:
        kind = value.get("type")
        if isinstance(kind, str) and _EVENT.fullmatch(kind) and isinstance(value.get("data"), dict) and "id" in value:
            return True
    torn = not head.values and not head.document and head.text.startswith("{")
    return torn and bool(_TORN.search(head.text) and _TORN_DATA.search(head.text))


def read(chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally) -> Iterator[Message]:
    """The messages of a session, in the file's order. See `agentmem.sources.formats.Source`.

    The id that the session gives itself goes before the argument, and that before `name`. A message's `source_id` is
    the event's `id`; further messages of the same event have `#2`, `#3` … behind it.
    """
    teller = Teller(AGENT, session_id or name, tally)
    requested: set[str] = set()
    for entry in objects(chunks, tally):
        yield from teller.tell(
            list(_said(entry, teller, requested)),
            at=instant(entry.get("timestamp")),
            source_id=string(entry.get("id")),
        )


def read_at(
    path: Path, chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally
) -> Iterator[Message]:
    """As `read`; the folder of an `events.jsonl` is named after the session."""
    if path.name == "events.jsonl":
        name = path.parent.name or name
    return read(chunks, name=name, session_id=session_id, tally=tally)


def _said(entry: dict[str, Any], teller: Teller, requested: set[str]) -> Iterator[Said]:
    kind, data, tally = entry.get("type"), entry.get("data"), teller.tally
    if not isinstance(data, dict):
        data = {}
    if entry.get("agentId") or data.get("parentToolCallId"):
        note(tally.ignored, "sub-agent")
    elif kind == "user.message":
        yield from _prompt(data, teller)
    elif kind == "assistant.message":
        yield from teller.reply(flat(data.get("content")))
        yield from _calls(data.get("toolRequests"), teller, requested)
    elif kind == "tool.execution_start":
        yield from _call(data, teller, requested)
    elif kind == "tool.execution_complete":
        yield from teller.tool(_result(data))
    elif kind == "session.compaction_complete":
        yield from teller.summary(flat(data.get("summaryContent")))
    elif isinstance(kind, str) and kind in _KNOWN:
        note(tally.ignored, kind)
        if kind in _PLACES:
            _place(kind, data, teller)
    else:
        note(tally.unknown, label(kind))


def _prompt(data: dict[str, Any], teller: Teller) -> Iterator[Said]:
    source = data.get("source")
    if isinstance(source, str) and source.lower().startswith(_UNSAID):
        note(teller.tally.ignored, f"source {label(source)}")
    elif isinstance(data.get("content"), str):
        yield from teller.human([data["content"]])


def _place(kind: str, data: dict[str, Any], teller: Teller) -> None:
    if kind == "session.start":
        teller.session_id = string(data.get("sessionId")) or teller.session_id
    context = data.get("context")
    context = context if isinstance(context, dict) else data
    teller.cwd = string(context.get("cwd")) or teller.cwd
    teller.branch = string(context.get("branch")) or teller.branch


def _calls(requests: object, teller: Teller, requested: set[str]) -> Iterator[Said]:
    for one in requests if isinstance(requests, list) else []:
        if isinstance(one, dict):
            yield from _call(one, teller, requested)


def _call(data: dict[str, Any], teller: Teller, requested: set[str]) -> Iterator[Said]:
    """The line of a call; the event of its start may tell that it is agentmem's where the request did not."""
    call_id = string(data.get("toolCallId"))
    server = data.get("mcpServerName")
    name = string(data.get("name")) or string(data.get("toolName")) or "tool"
    own = isinstance(server, str) and "agentmem" in server.lower()
    piece = call(f"{server} {name}" if own else name, data.get("arguments"), call_id)
    said = list(teller.tool(piece))
    if call_id is None or call_id not in requested:
        yield from said
    if call_id is not None:
        requested.add(call_id)


def _result(data: dict[str, Any]) -> Piece:
    result, error = data.get("result"), data.get("error")
    text = flat(result)
    if not text and data.get("success") is False:
        text = error.get("message", "") if isinstance(error, dict) else flat(error)
        text = f"failed: {text}" if isinstance(text, str) and text else "failed"
    return Piece(
        MessageKind.TOOL_RESULT,
        text,
        call_id=string(data.get("toolCallId")),
        failed=data.get("success") is False,
    )
