"""pi: its session files (JSONL, version 3: a tree of entries, linked by `id` and `parentId`).

The first line names the session and the folder. `message` lines hold what a person, the model and the tools said;
`custom_message` lines hold what an extension put in; compactions and abandoned branches leave summaries. All branches
of the tree are told, in the file's order. A forked session copies entries with their ids and times.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from agentmem.domain.messages import Message, MessageKind
from agentmem.domain.reports import Tally
from agentmem.sources.blocks import Piece, call, flat, label, note, pieces, string
from agentmem.sources.lines import Head, objects
from agentmem.sources.stamps import instant
from agentmem.sources.teller import Said, Teller, outcome

LABEL = "pi sessions (JSONL)"
AGENT = "pi"

_SUMMARIES = frozenset({"compaction", "branch_summary"})
_BOOKKEEPING = frozenset(
    {"session", "session_info", "model_change", "thinking_level_change", "label", "custom", "custom_message"}
)
_ROLES = frozenset({"user", "assistant", "toolResult", "bashExecution", "custom", "branchSummary", "compactionSummary"})

_TORN = re.compile(
    r'\{\s*"type"\s*:\s*"(?:session"\s*,\s*"(?:version|id)|message"\s*,\s*"id"\s*:\s*"[^"]*"\s*,\s*"parentId)"'
)


def matches(head: Head) -> bool:
    """Whether one of the first lines is a session's first line or an entry, or the only line begins as one."""
    if any(_is_line(value) for value in head.objects):
        return True
    torn = not head.values and not head.document
    return torn and bool(_TORN.match(head.text))


def _is_line(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    if kind == "session":
        return "id" in value and "cwd" in value and isinstance(value.get("version", 1), int)
    message = value.get("message")
    if kind == "message" and isinstance(message, dict) and "parentId" in value:
        return isinstance(role := message.get("role"), str) and role in _ROLES
    return False


def read(chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally) -> Iterator[Message]:
    """The messages of a session file, in the file's order. See `agentmem.sources.formats.Source`.

    The id in the first line goes before the argument, and that before `name`. A message's `source_id` is the entry's
    `id`; further messages of the same entry have `#2`, `#3` … behind it.
    """
    teller = Teller(AGENT, session_id or name, tally)
    for entry in objects(chunks, tally):
        if entry.get("type") == "session":
            teller.session_id = string(entry.get("id")) or teller.session_id
            teller.cwd = string(entry.get("cwd")) or teller.cwd
        yield from teller.tell(
            list(_said(entry, teller)), at=instant(entry.get("timestamp")), source_id=string(entry.get("id"))
        )


def _said(entry: dict[str, Any], teller: Teller) -> Iterator[Said]:
    kind = entry.get("type")
    if kind == "message":
        message = entry.get("message")
        if isinstance(message, dict):
            yield from _message(message, teller)
        else:
            note(teller.tally.skipped, "no message")
    elif isinstance(kind, str) and kind in _SUMMARIES:
        yield from teller.summary(flat(entry.get("summary")))
    elif isinstance(kind, str) and kind in _BOOKKEEPING:
        note(teller.tally.ignored, kind)
    else:
        note(teller.tally.unknown, label(kind))


def _message(message: dict[str, Any], teller: Teller) -> Iterator[Said]:
    role, content = message.get("role"), message.get("content")
    if role == "user":
        yield from teller.human(piece.text for piece in pieces(content, teller.tally) if piece.kind is MessageKind.TEXT)
    elif role == "assistant":
        for piece in pieces(content, teller.tally):
            yield from teller.reply(piece.text) if piece.kind is MessageKind.TEXT else teller.tool(piece)
    elif role == "toolResult":
        yield from teller.tool(
            Piece(
                MessageKind.TOOL_RESULT,
                flat(content),
                call_id=string(message.get("toolCallId")),
                tool=string(message.get("toolName")) or "",
                failed=message.get("isError") is True,
            )
        )
    elif role == "bashExecution":
        # The entry is call and result in one: of agentmem's own commands neither is told.
        made = list(teller.tool(call("bash", {"command": message.get("command")})))
        yield from made
        if made:
            text = outcome(flat(message.get("output")), message.get("exitCode"))
            yield from teller.tool(Piece(MessageKind.TOOL_RESULT, text))
    elif role in ("branchSummary", "compactionSummary"):
        yield from teller.summary(flat(message.get("summary", content)))
    else:
        note(teller.tally.ignored, f"role {label(role)}")
