"""Content blocks: what stands in a message beside plain text, in the shapes of Anthropic's and OpenAI's interfaces."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agentmem.domain.messages import MessageKind
from agentmem.domain.reports import Tally
from agentmem.domain.text import clean
from agentmem.sources.lines import decode
from agentmem.sources.noise import injected

LONGEST_CALL = 240
_MOST_LABELS = 64
_DEEPEST = 6  # a tool result holds blocks that hold text; deeper nesting is not a transcript's

_TEXT = frozenset({"text", "input_text", "output_text"})
_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "function_call", "tool_call", "toolCall"})
_RESULTS = frozenset({"tool_result", "function_call_output", "toolResult"})
# What a call is about, the most telling first.
_TELLING = (
    "command", "cmd", "file_path", "filePath", "absolute_path", "notebook_path", "target_file", "path", "dir_path",
    "pattern", "regex", "query", "url", "skill", "description", "subject", "question", "prompt",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Piece:
    """One block of a message: its text (of a call: the one line that stands for it), and for tools which one.

    Args:
        kind: text, tool call or tool result.
        text: what is handed on; of a result all of it.
        call_id: the id that joins a result to its call.
        tool: the name of the tool that is called.
        arguments: what the tool is called with.
        failed: whether a result is marked as an error.
    """

    kind: MessageKind
    text: str
    call_id: str | None = None
    tool: str = ""
    arguments: Any = None
    failed: bool = False


def pieces(content: object, tally: Tally) -> Iterator[Piece]:
    """The usable blocks of a message's content, in their order; thinking, images and the like are counted."""
    if isinstance(content, str):
        yield Piece(MessageKind.TEXT, content)
    elif isinstance(content, dict):
        yield from _piece(content, tally)
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, str):
                yield Piece(MessageKind.TEXT, block)
            elif isinstance(block, dict):
                yield from _piece(block, tally)


def _piece(block: dict[str, Any], tally: Tally) -> Iterator[Piece]:
    kind = block.get("type", "text")
    if not isinstance(kind, str):
        note(tally.ignored, "block (none)")
    elif kind in _TEXT:
        if isinstance(text := block.get("text"), str):
            yield Piece(MessageKind.TEXT, text)
        elif isinstance(parts := block.get("parts"), list):
            yield Piece(MessageKind.TEXT, flat(parts))
    elif kind in _CALLS:
        yield call(block.get("name"), block.get("input", block.get("arguments")), block.get("id", block.get("call_id")))
    elif kind in _RESULTS or kind.endswith("_tool_result"):
        yield Piece(
            MessageKind.TOOL_RESULT,
            flat(block.get("content", block.get("output"))),
            call_id=string(block.get("tool_use_id", block.get("call_id"))),
            failed=block.get("is_error") is True,
        )
    else:
        note(tally.ignored, f"block {label(kind)}")


def call(name: object, arguments: object, call_id: object = None) -> Piece:
    """The piece that stands for a tool call: the tool's name and what it is about, on one line."""
    tool = string(name) or "tool"
    given = _parsed(arguments) if isinstance(arguments, str) else arguments
    about = given if isinstance(given, str) else ""
    if isinstance(given, dict):
        about = next((words for key in _TELLING if (words := _telling(given.get(key)))), "")
    # Injected memory is taken out while its end is still there.
    line = " ".join(f"{tool}: {injected(about)[:2000]}".split()) if about else tool
    if len(line) > LONGEST_CALL:
        line = line[: LONGEST_CALL - 1] + "…"
    return Piece(MessageKind.TOOL_CALL, line, call_id=string(call_id), tool=tool, arguments=given)


def _telling(value: object) -> str:
    """A value as it may stand in a call's line: a string, or a command given word by word."""
    if isinstance(value, list):
        return " ".join(word for word in value if isinstance(word, str))
    return value if isinstance(value, str) else ""


def _parsed(text: str) -> Any:
    """Arguments that are JSON inside a string; the string itself where they are not."""
    try:
        return decode(text.strip())[0]
    except (ValueError, RecursionError):
        return text


def flat(content: object, depth: int = 0) -> str:
    """All text in nested content, blocks joined by line breaks; images and other data left out."""
    if isinstance(content, str):
        return content
    if depth >= _DEEPEST:
        return ""
    if isinstance(content, list):
        return "\n".join(words for block in content if (words := flat(block, depth + 1)))
    if isinstance(content, dict):
        text = content.get("text")
        return text if isinstance(text, str) else flat(content.get("content"), depth + 1)
    return ""


def string(value: object) -> str | None:
    """An id or a name as clean text; None where it is missing or no such thing."""
    if isinstance(value, str):
        return clean(value) or None
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**30:
        return str(value)
    return None


def label(value: object) -> str:
    """A type's name as it is counted: short, clean, and a word even where the type is missing."""
    return clean(value)[:40] if isinstance(value, str) and value else "(none)"


def note(counts: dict[str, int], key: str) -> None:
    """Count under a key that the transcript chose; a hostile one cannot make the tally grow without bound."""
    if key not in counts and len(counts) >= _MOST_LABELS:
        key = "(other)"
    counts[key] = counts.get(key, 0) + 1
