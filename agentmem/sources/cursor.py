"""Cursor: its agent transcripts (JSONL), from the editor and from the command line.

A line is `{"role", "message": {"content": [blocks]}}` without an id and mostly without a time; other lines have no
role. A prompt stands in `<user_query>`, beside context that the editor put in; thoughts that are not shown are
`[REDACTED]`. There are no results of tools. The file is named after the session; a copy under another project's folder
has the same name and the same lines.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from agentmem.domain.ids import digest
from agentmem.domain.messages import Message, MessageKind
from agentmem.domain.reports import Tally
from agentmem.sources.blocks import label, note, pieces
from agentmem.sources.lines import Head, objects
from agentmem.sources.teller import Said, Teller

LABEL = "Cursor agent transcripts (JSONL)"
AGENT = "cursor"

_QUERY, _QUERY_END = "<user_query>", "</user_query>"
_CONTEXT = re.compile(
    r"""\s*<(timestamp|user_info|attached_files|project_layout|git_status|rules|always_applied_workspace_rules
        |agent_skills|agent_transcripts|open_and_recently_viewed_files|additional_data|system_reminder|mcp_file_system
        |mcp_instructions|cursor_rules_context|manually_attached_skills|external_links|current_plan)
        (?:\s[^<>]{0,400})?>""",
    re.VERBOSE,
)
_TIME = re.compile(
    r"<timestamp>\s*(?:[A-Z][a-z]+day,\s*)?([A-Z][a-z]{2})[a-z]*\.?\s+(\d{1,2}),\s*(\d{4}),?\s+(?:at\s+)?(\d{1,2}):(\d\d)"
    r"(?::(\d\d))?\s*([AP]M)?\s*(?:\((?:UTC|GMT)(?:([+-])(\d{1,2})(?::?(\d\d))?)?\))?"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_REDACTED = re.compile(r"^[ \t]*\[REDACTED\][ \t]*$\n?", re.MULTILINE)

_TORN = re.compile(r'\{\s*"role"\s*:\s*"(?:user|assistant)"\s*,\s*"message"\s*:\s*\{\s*"content"\s*:\s*\[')


def matches(head: Head) -> bool:
    """Whether one of the first lines is a line of a transcript, or the only line is the beginning of one."""
    if any(_is_line(value) for value in head.objects):
        return True
    return not head.values and not head.document and bool(_TORN.match(head.text))


def _is_line(value: dict[str, Any]) -> bool:
    message = value.get("message")
    return (
        value.keys() == {"role", "message"}
        and value["role"] in ("user", "assistant")
        and isinstance(message, dict)
        and message.keys() == {"content"}
        and isinstance(message["content"], list)
    )


def read(chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally) -> Iterator[Message]:
    """The messages of a transcript, in the file's order. See `agentmem.sources.formats.Source`.

    The session is the argument, else `name`. A message's `source_id` is the number of its line and a digest of what it
    says. A later read starts at the beginning again (`tally.consumed` stays 0), because line numbers count from there.
    """
    teller = Teller(AGENT, session_id or name, tally)
    try:
        for entry in objects(chunks, tally):
            said = list(_said(entry, teller))
            if said:
                source_id = f"{tally.lines}-{digest(said[0].role, said[0].text)[:8]}"
                yield from teller.tell(said, at=_time(entry), source_id=source_id)
    finally:
        tally.consumed = 0


def _said(entry: dict[str, Any], teller: Teller) -> Iterator[Said]:
    role, message, tally = entry.get("role"), entry.get("message"), teller.tally
    if role is None:
        kind = label(entry.get("type"))
        note(tally.ignored if kind == "turn_ended" else tally.unknown, kind)
    elif role not in ("user", "assistant") or not isinstance(role, str):
        note(tally.ignored, f"role {label(role)}")
    elif not isinstance(message, dict):
        note(tally.skipped, "no message")
    else:
        typed = []
        for piece in pieces(message.get("content"), tally):
            if piece.kind is not MessageKind.TEXT:
                yield from teller.tool(piece)
            elif role == "assistant":
                yield from teller.reply(_REDACTED.sub("", piece.text))
            else:
                typed.append(piece.text)
        if role == "user":
            yield from teller.human(_queries(typed))


def _queries(texts: list[str]) -> list[str]:
    """What a person asked in the texts of a line: the queries where there are any, else what is no context."""
    whole = "\n".join(texts)
    single = whole.count(_QUERY) == 1
    queries: list[str] = []
    start = whole.find(_QUERY)
    while start >= 0:
        start += len(_QUERY)
        end = whole.rfind(_QUERY_END, start) if single else whole.find(_QUERY_END, start)
        if end < 0:
            break
        queries.append(whole[start:end].strip())
        start = whole.find(_QUERY, end)
    return queries or [_without_context(text) for text in texts]


def _without_context(text: str) -> str:
    at = 0
    while opening := _CONTEXT.match(text, at):
        closing = f"</{opening[1]}>"
        end = text.find(closing, opening.end())
        if end < 0:
            return ""
        at = end + len(closing)
    return text[at:].strip()


def _time(entry: dict[str, Any]) -> datetime | None:
    """The time in front of a prompt, as `Friday, Nov 20, 2026, 10:00 AM (UTC+1)`; None where the zone is missing."""
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for piece in pieces(content, Tally()) if entry.get("role") == "user" else ():
        found = _TIME.search(piece.text[:20_000])
        if found is None or "(" not in found[0]:
            continue
        month, day, year, hour, minute, second, half, sign, zone_hours, zone_minutes = found.groups()
        hours = int(hour) % 12 + 12 * (half == "PM") if half else int(hour)
        shift = timedelta(hours=int(zone_hours or 0), minutes=int(zone_minutes or 0))
        try:
            local = datetime(
                int(year), _MONTHS.index(month) + 1, int(day), hours, int(minute), int(second or 0), tzinfo=UTC
            )
            return local - shift if sign != "-" else local + shift
        except (ValueError, OverflowError):
            return None
    return None
