"""Parts: what stands in a message in the shape of Gemini's interface."""

import re
from collections.abc import Iterator
from typing import Any

from agentmem.domain.messages import MessageKind
from agentmem.domain.reports import Tally
from agentmem.sources.blocks import Piece, call, flat, label, note, string

_HOOK = re.compile(r"<hook_context>.*?(?:</hook_context>\s*|\Z)", re.DOTALL)
_FILES = "--- Content from referenced files ---"
_FILES_END = "--- End of content ---"
_SNAPSHOT = "<state_snapshot>"
_OUTPUTS = ("output", "content", "result", "error", "text", "stdout")


def pieces(content: object, tally: Tally) -> Iterator[Piece]:
    """The usable parts of a message, in their order; thoughts, data and the content of named files are left out."""
    within = False
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            found: Iterator[Piece] = iter((Piece(MessageKind.TEXT, part),))
        elif isinstance(part, dict):
            found = _piece(part, tally)
        else:
            continue
        for piece in found:
            if piece.kind is not MessageKind.TEXT:
                yield piece
                continue
            text, within = _without_files(piece.text, within=within)
            if text := _HOOK.sub("", text):
                yield Piece(MessageKind.TEXT, text)


def _piece(part: dict[str, Any], tally: Tally) -> Iterator[Piece]:
    if part.get("thought"):
        note(tally.ignored, "part thought")
    elif isinstance(part.get("text"), str):
        yield Piece(MessageKind.TEXT, part["text"])
    elif isinstance(made := part.get("functionCall"), dict):
        yield call(made.get("name"), made.get("args"), made.get("id"))
    elif isinstance(answer := part.get("functionResponse"), dict):
        yield result(answer)
    else:
        note(tally.ignored, f"part {label(next(iter(part), None))}")


def result(answer: dict[str, Any]) -> Piece:
    """The piece that stands for what a tool answered."""
    response = answer.get("response")
    text = ""
    if isinstance(response, dict):
        text = next((words for key in _OUTPUTS if (words := flat(response.get(key)))), "")
    return Piece(
        MessageKind.TOOL_RESULT,
        text or flat(response),
        call_id=string(answer.get("id")),
        tool=string(answer.get("name")) or "",
        failed=isinstance(response, dict) and response.get("error") is not None,
    )


def snapshot(text: str) -> str:
    """What a text says of a history that it stands for; empty if it is no such text."""
    text = text.strip()
    if not text.startswith(_SNAPSHOT):
        return ""
    return text.removeprefix(_SNAPSHOT).removesuffix("</state_snapshot>").strip()


def _without_files(text: str, *, within: bool) -> tuple[str, bool]:
    """The text without the content of files that the program put behind a prompt, which may go on in further parts."""
    kept = ""
    if within:
        end = text.find(_FILES_END)
        if end < 0:
            return "", True
        text = text[end + len(_FILES_END) :]
    if (start := text.find(_FILES)) >= 0:
        kept = text[:start]
        end = text.find(_FILES_END, start)
        return (kept, True) if end < 0 else (kept + text[end + len(_FILES_END) :], False)
    return kept + text, False
