"""The parts of a Codex rollout: who said what in a message, and what stands for a tool call."""

import re
from collections.abc import Iterator
from typing import Any

from agentmem.domain.messages import MessageKind
from agentmem.sources.blocks import Piece, call, flat, string
from agentmem.sources.lines import decode
from agentmem.sources.teller import outcome

HUMAN = "user"
SUMMARY = "compaction.summary"
_NOISE = "the program"

_CONTINUED = "Another language model started to solve this problem"
_FRAME = re.compile(r"Another language model started to solve this problem[^\n]*?own analysis:\s*")
_EDITOR = re.compile(r"\s*# Context from my IDE setup:.*?^## My request for Codex:[ \t]*\n?", re.DOTALL | re.MULTILINE)
_AGENTS = re.compile(r"\s*# AGENTS\.md instructions[^\n]*\s*")
# Elements that the program puts in front of a prompt, or sends as one.
_ELEMENT = re.compile(
    r"""\s*<(INSTRUCTIONS|user_instructions|environment_context|permissions\ instructions|skills_instructions|skill
        |turn_aborted|subagent_notification|recommended_plugins|goal_context|codex_internal_context|stdin|model_switch
        |collaboration_mode|apps_instructions|plugins_instructions|user_shell_command|hook_prompt|user_action)
        (?:\s[^<>]{0,400})?>""",
    re.VERBOSE,
)
_PRINTED = re.compile(r"(?:^|\n)Process exited with code (-?\d{1,9})\n(?:.*?\n)?Output:\n", re.DOTALL)
_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_SHELLS = frozenset({"bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh"})


def is_foreign(meta: dict[str, Any]) -> bool:
    """Whether a session is one that nobody spoke to: a sub-agent's, or the program's own."""
    source, thread = meta.get("source"), meta.get("thread_source")
    if isinstance(source, dict):
        source = next(iter(source), None)
    if any(isinstance(one, str) and one.startswith(("subagent", "memory")) for one in (source, thread)):
        return True
    return isinstance(meta.get("parent_thread_id"), str) and thread != "user"


def made(identity: str) -> int | None:
    """The milliseconds since the epoch at which an id was made, if it is a UUID of version 7."""
    digits = identity.replace("-", "")
    if len(digits) != 32 or digits[12] != "7":
        return None
    try:
        return int(digits[:12], 16)
    except ValueError:
        return None


def parts(message: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The texts of a user message, each with its origin: `HUMAN`, `SUMMARY`, or what else wrote it."""
    content = message.get("content")
    content = content if isinstance(content, list) else [content]
    about = message.get("internal_chat_message_metadata_passthrough")
    about = about if isinstance(about, dict) else {}
    kinds, origins = about.get("content_item_kinds"), about.get("content_item_metadata")
    for number, item in enumerate(content):
        text = flat(item)
        if not text:
            continue
        kind = _at(kinds, number)
        if not isinstance(kind, str) or kind == "unknown":
            origin = _at(origins, number)
            origin = origin.get("provenance") if isinstance(origin, dict) else None
            kind = origin.get("type") if isinstance(origin, dict) else None
        if kind == SUMMARY:
            yield SUMMARY, text
        elif isinstance(kind, str):
            yield (HUMAN, _asked(text)) if kind.split(".")[0] == "user" else (kind, text)
        else:
            yield from told(text)


def _at(values: object, number: int) -> Any:
    return values[number] if isinstance(values, list) and number < len(values) else None


def told(text: str) -> Iterator[tuple[str, str]]:
    """A text of unknown origin, with its origin as far as the text itself tells."""
    if text.lstrip().startswith(_CONTINUED):
        yield SUMMARY, text
        return
    kept = _without_elements(text)
    if kept != text:
        yield _NOISE, ""
    if kept.strip():
        yield HUMAN, _asked(kept)


def _asked(text: str) -> str:
    """A prompt without what the editor wrote in front of it."""
    context = _EDITOR.match(text)
    return text[context.end() :] if context else text


def _without_elements(text: str) -> str:
    """The text behind the program's elements; nothing where one of them was cut off."""
    at = 0
    if header := _AGENTS.match(text):
        at = header.end()
        if not _ELEMENT.match(text, at):
            return ""
    while opening := _ELEMENT.match(text, at):
        closing = f"</{opening[1]}>"
        end = text.find(closing, opening.end())
        if end < 0:
            return ""
        at = end + len(closing)
    return text[at:]


def bare_summary(text: str) -> str:
    """A summary without the words in which it is given to the model."""
    text = text.strip()
    frame = _FRAME.match(text)
    return text[frame.end() :] if frame else text


def tool(payload: dict[str, Any]) -> Piece | None:
    """The piece that stands for a tool's call or result; None for any other response item."""
    kind, call_id = payload.get("type"), payload.get("call_id") or payload.get("id")
    if kind in ("function_call", "custom_tool_call", "mcp_call"):
        name = f"{string(payload.get('namespace')) or ''}{string(payload.get('name')) or 'tool'}"
        given = payload.get("arguments", payload.get("input"))
        if isinstance(given, str) and (patched := _PATCHED.findall(given)):
            files = ", ".join(f"{action.lower()} {file.strip()}" for action, file in patched)
            return call(name, files, call_id)
        return call(name, _unwrapped(given), call_id)
    if kind == "local_shell_call":
        return call("shell", _unwrapped(payload.get("action")), call_id)
    if kind == "web_search_call":
        return call("web_search", payload.get("action"), call_id)
    if kind in ("function_call_output", "custom_tool_call_output", "mcp_tool_call_output"):
        return Piece(MessageKind.TOOL_RESULT, _printed(payload.get("output")), call_id=string(payload.get("call_id")))
    return None


def _unwrapped(given: object) -> object:
    """Arguments in which `bash -lc command` is the command."""
    if isinstance(given, str):
        try:
            given = decode(given.strip())[0]
        except (ValueError, RecursionError):
            return given
    if isinstance(given, dict):
        for key in ("command", "cmd"):
            words = given.get(key)
            if isinstance(words, list) and len(words) == 3 and words[0] in _SHELLS and words[1] in ("-lc", "-c"):
                return {**given, key: words[2]}
    return given


def _printed(output: object) -> str:
    """What a tool printed, with the exit status in front where it failed."""
    text = flat(output)
    if text.startswith("{"):
        try:
            value = decode(text)[0]
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and isinstance(value.get("output"), str):
            about = value.get("metadata")
            return outcome(value["output"], about.get("exit_code") if isinstance(about, dict) else None)
    elif found := _PRINTED.search(text[:2000]):
        return outcome(text[found.end() :], int(found[1]))
    return text
