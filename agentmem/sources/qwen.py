"""Qwen Code: session files (JSONL) with the envelope of Claude Code's lines and Gemini's parts inside.

A line has `uuid`, `sessionId`, `type`, `cwd` and `message.parts`. `user` and `assistant` lines hold what was said,
`tool_result` lines what tools answered, `system` lines the program's notes, among them the compressed history.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from agentmem.domain.messages import Message, MessageKind
from agentmem.domain.reports import Tally
from agentmem.sources.blocks import label, note, string
from agentmem.sources.lines import Head, objects
from agentmem.sources.parts import pieces, snapshot
from agentmem.sources.stamps import instant
from agentmem.sources.teller import Said, Teller

LABEL = "Qwen Code sessions (JSONL)"
AGENT = "qwen"

_UNSAID = frozenset({"cron", "notification"})

_TORN = re.compile(r'(?<!\\)"message"\s*:\s*\{\s*"role"\s*:\s*"(?:user|model)"\s*,\s*"parts"\s*:')
_TORN_ID = re.compile(r'(?<!\\)"sessionId"\s*:')


def matches(head: Head) -> bool:
    """Whether one of the first lines is a line of Qwen Code, or the only line is the beginning of one."""
    if any(_is_line(value) for value in head.objects):
        return True
    torn = not head.values and not head.document and head.text.startswith("{")
    return torn and bool(_TORN.search(head.text) and _TORN_ID.search(head.text))


def _is_line(value: dict[str, Any]) -> bool:
    if "sessionId" not in value or value.get("type") not in ("user", "assistant", "tool_result", "system"):
        return False
    message = value.get("message")
    return "systemPayload" in value or (isinstance(message, dict) and "parts" in message)


def read(chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally) -> Iterator[Message]:
    """The messages of a session file, in the file's order. See `agentmem.sources.formats.Source`.

    A line's own `sessionId` goes before the argument, and that before `name`. A message's `source_id` is the line's
    `uuid`; further messages of the same line have `#2`, `#3` … behind it.
    """
    teller = Teller(AGENT, session_id or name, tally)
    for entry in objects(chunks, tally):
        teller.session_id = string(entry.get("sessionId")) or teller.session_id
        teller.cwd = string(entry.get("cwd")) or teller.cwd
        teller.branch = string(entry.get("gitBranch")) or teller.branch
        yield from teller.tell(
            list(_said(entry, teller)), at=instant(entry.get("timestamp")), source_id=string(entry.get("uuid"))
        )


def _said(entry: dict[str, Any], teller: Teller) -> Iterator[Said]:
    kind, tally = entry.get("type"), teller.tally
    if entry.get("isSidechain") is True or (isinstance(entry.get("agentId"), str) and entry["agentId"]):
        note(tally.ignored, "sidechain")
    elif kind == "system":
        note(tally.ignored, f"system {label(entry.get('subtype'))}")
        if entry.get("subtype") == "chat_compression":
            yield from _compressed(entry.get("systemPayload"), teller)
    elif isinstance(kind, str) and kind in ("user", "assistant", "tool_result"):
        yield from _message(entry, kind, teller)
    else:
        note(tally.unknown, label(kind))


def _message(entry: dict[str, Any], kind: str, teller: Teller) -> Iterator[Said]:
    message, tally = entry.get("message"), teller.tally
    if not isinstance(message, dict):
        note(tally.skipped, "no message")
        return
    typed = []
    for piece in pieces(message.get("parts", message.get("content")), tally):
        if piece.kind is not MessageKind.TEXT:
            yield from teller.tool(piece)
        elif kind == "assistant":
            yield from teller.reply(piece.text)
        else:
            typed.append(piece.text)
    if kind != "user":
        return
    if isinstance(subtype := entry.get("subtype"), str) and subtype in _UNSAID:
        note(tally.ignored, f"user {subtype}")
    elif typed:
        yield from teller.human(typed)


def _compressed(payload: object, teller: Teller) -> Iterator[Said]:
    """The summary at the beginning of a compressed history; what stands behind it was said before."""
    history = payload.get("compressedHistory") if isinstance(payload, dict) else None
    for one in history if isinstance(history, list) else []:
        for piece in pieces(one.get("parts") if isinstance(one, dict) else None, teller.tally):
            if piece.kind is MessageKind.TEXT and (summary := snapshot(piece.text)):
                yield from teller.summary(summary)
                return
