"""Many questions in one process: a line of JSON in, a line of JSON out, in the same order."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from agentmem.cli.as_json import VERSION, answer
from agentmem.cli.door import error_as_json
from agentmem.cli.inputs import STDIN
from agentmem.errors import AgentmemError, BadInput, UsageError
from agentmem.memory import Memory

_TEXTS = {"profile": "profile", "since": "since", "until": "until", "reference_date": "reference_date"}
_LISTS = {"type": "types", "kind": "kinds"}
"""Keys of a line -> arguments of `Memory.recall`. Other keys are the caller's own."""


def answer_lines(
    memory: Memory, path: str, usual: Mapping[str, Any], *, explain: bool = False
) -> Iterator[dict[str, Any]]:
    """An answer, or an error with the number of the line, for each line of a file, as soon as the line is there.

    The embedding model is loaded once, whatever the profiles.

    Args:
        memory: where to look, for lines that name no profile.
        path: a file, or `-` for standard input.
        usual: arguments of `Memory.recall` for lines that do not have their own.
        explain: with what each channel says of each hit.

    Raises:
        BadInput: the file cannot be read.
    """
    memories: dict[str | None, Memory] = {None: memory}
    try:
        with nullcontext(sys.stdin.buffer) if path == STDIN else Path(path).open("rb") as stream:
            for number, raw in enumerate(stream, start=1):
                if not raw.strip():
                    continue
                try:
                    asked = {**usual, **_question(raw)}
                    profile = asked.pop("profile", None)
                    if profile not in memories:
                        memories[profile] = memory.seen_from(profile)
                    given = memories[profile].recall(**asked)
                except AgentmemError as error:
                    yield {**error_as_json(error), "line": number}
                else:
                    yield {"version": VERSION, **answer(given, explain=explain)}
    except OSError as error:
        if error.filename is None:  # not about opening this file
            raise
        raise BadInput(f"{path} cannot be read: {error.strerror}", "Check its name and your rights.") from error


def _question(raw: bytes) -> dict[str, Any]:
    """The arguments of `Memory.recall` that a line holds.

    Raises:
        BadInput: it is no JSON object.
        UsageError: it has no question, or a value of the wrong type.
    """
    try:
        line = json.loads(raw.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        raise BadInput("The line is not JSON", 'A line is {"query": "…"}.') from error
    if not isinstance(line, dict):
        raise BadInput("The line is not a JSON object", 'A line is {"query": "…"}.')
    query = line.get("query")
    if not isinstance(query, str):
        raise UsageError("The line has no text in `query`", 'A line is {"query": "…"}.')
    asked: dict[str, Any] = {"query": query.encode("utf-8", "replace").decode()}  # JSON may escape lone surrogates
    for key, name in _TEXTS.items():
        if (value := line.get(key)) is not None:
            asked[name] = _checked(key, value, isinstance(value, str), "a text")
    for key, name in _LISTS.items():
        if (value := line.get(key)) is not None:
            values = [value] if isinstance(value, str) else value
            fits = isinstance(values, list) and all(isinstance(one, str) for one in values)
            asked[name] = tuple(_checked(key, values, fits, "a text or a list of texts"))
    for key in ("k", "budget_ms"):
        if (value := line.get(key)) is not None:
            asked[key] = _checked(key, value, isinstance(value, int) and not isinstance(value, bool), "a whole number")
    if (value := line.get("llm")) is not None:
        asked["llm"] = _checked("llm", value, isinstance(value, bool), "true or false")
    return asked


def _checked(key: str, value: Any, fits: bool, what: str) -> Any:
    if not fits:
        raise UsageError(f"`{key}` is {json.dumps(value)[:40]}, not {what}")
    return value
