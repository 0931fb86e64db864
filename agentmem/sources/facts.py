"""Reads memories that other tools export as JSON: mem0, and any list of objects with a text in them.

mem0's platform and library give `{"results": [{"memory", "created_at", "updated_at", "metadata", "categories", …}]}`,
older ones the list alone. The generic shape is a line, or an item of a list, of
`{"content", "kind"?, "topic_key"?, "importance"?, "created_at"?}`; `text`, `memory` and `fact` mean the same as
`content`.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentmem.domain.memories import MemoryKind
from agentmem.domain.messages import Trust
from agentmem.domain.told import Told
from agentmem.errors import BadInput
from agentmem.sources.stamps import instant

_TEXTS = ("content", "memory", "text", "fact")
_LISTS = ("results", "memories", "facts", "data")
_TIMES = ("updated_at", "created_at", "timestamp", "at")


@dataclass(slots=True)
class Facts:
    """What a file of facts holds.

    Args:
        format: `mem0` or `facts`.
        statements: what was found.
        skipped: entries that could not be used, by reason.
    """

    format: str = "facts"
    statements: list[Told] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)


def read_facts(file: Path) -> Facts:
    """The statements of a file.

    Raises:
        BadInput: it holds none, or is a transcript.
    """
    found = Facts()
    chats = 0
    for entry in _entries(file, found):
        if not isinstance(entry, Mapping):
            found.skipped["not an object"] += 1
        elif "role" in entry:
            chats += 1
        else:
            _take(entry, found)
    if chats and not found.statements:
        raise BadInput(f"{file} is a transcript, not a list of memories", f"`agentmem ingest {file}` reads it.")
    if not found.statements:
        raise BadInput(
            f"Nothing in {file} is a memory that agentmem can read",
            'Expected are lines such as {"content": "Use pnpm", "kind": "instruction"}, or an export of mem0.',
        )
    return found


def _entries(file: Path, found: Facts) -> Iterator[Any]:
    text = file.read_text(encoding="utf-8-sig", errors="replace")
    try:
        whole = json.loads(text)
    except ValueError:
        for line in text.splitlines():
            if line.strip():
                try:
                    yield json.loads(line)
                except ValueError:
                    found.skipped["not JSON"] += 1
        return
    if isinstance(whole, Mapping):
        inner = next((whole[name] for name in _LISTS if isinstance(whole.get(name), list)), None)
        yield from [whole] if inner is None else inner
    else:
        yield from whole if isinstance(whole, list) else [whole]


def _take(entry: Mapping[str, Any], found: Facts) -> None:
    text = next((entry[name] for name in _TEXTS if isinstance(entry.get(name), str) and entry[name].strip()), None)
    if text is None:
        found.skipped["without a text"] += 1
        return
    if isinstance(entry.get("memory"), str):
        found.format = "mem0"
    named = str(entry.get("kind") or entry.get("type") or "")
    weight = entry.get("importance")
    categories = entry.get("categories")
    found.statements.append(
        Told(
            text=text,
            kind=MemoryKind(named) if named in list(MemoryKind) else None,
            topic_key=_words(entry.get("topic_key")),
            importance=float(weight) if isinstance(weight, int | float) and 0 <= weight <= 1 else None,
            at=next((at for name in _TIMES if (at := instant(entry.get(name))) is not None), None),
            # mem0's memories are what a model made of a conversation.
            trust=Trust.MEDIUM if found.format == "mem0" else Trust.HIGH,
            queries=tuple(map(str, categories)) if isinstance(categories, list) else (),
        )
    )


def _words(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
