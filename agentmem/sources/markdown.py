"""Reads what people and agents keep in Markdown files: CLAUDE.md, AGENTS.md, MEMORY.md, a folder of notes.

A statement is a list item of the outermost list with all that hangs on it, a paragraph with the code below it, or a
table. The headings above it are words by which it is found. A file with a front matter that gives `name` and
`description`, as Claude Code's automatic memory writes them, is one statement, and an index line that only links to
such a file is none.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from agentmem.domain.memories import MemoryKind
from agentmem.domain.messages import Trust
from agentmem.domain.told import Told

if TYPE_CHECKING:
    from markdown_it.token import Token

_ORDERS = {"claude.md", "claude.local.md", "agents.md", "gemini.md", "copilot-instructions.md", "conventions.md"}
"""Files in which a person says how to work."""

_INDEX = "memory.md"
_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^\s*([A-Za-z_]+):[ \t]*(.*)$", re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+\.md)\)")
_INCLUDE = re.compile(r"@[\w~./-]+")
_MARK = re.compile(r"^(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_KINDS = {"feedback": MemoryKind.INSTRUCTION, **dict.fromkeys(("user", "project", "reference"), MemoryKind.FACT)}
_SHORT = 3  # letters below which nothing is said


SUFFIXES = (".md", ".mdc", ".markdown")


def files_of(place: Path) -> list[Path]:
    """The Markdown files of a folder and those below it, hidden folders left out; one that is a file is itself."""
    if place.is_file():
        return [place]
    found = (file for file in place.rglob("*") if file.suffix.lower() in SUFFIXES and file.is_file())
    return sorted(
        file for file in found if not any(part.startswith(".") for part in file.relative_to(place).parts[:-1])
    )


def read_file(file: Path) -> list[Told]:
    """The statements of one file.

    Raises:
        OSError: it cannot be read.
    """
    text = file.read_text(encoding="utf-8-sig", errors="replace")
    return list(statements(text, file.name, datetime.fromtimestamp(file.stat().st_mtime, UTC)))


def statements(text: str, name: str, at: datetime | None = None) -> Iterator[Told]:
    """The statements of a text.

    Args:
        text: Markdown.
        name: of its file, which tells who wrote it.
        at: when it was written.
    """
    front = _FRONT.match(text)
    fields = {key.lower(): value.strip().strip("\"'") for key, value in _FIELD.findall(front[1])} if front else {}
    body = text[front.end() :] if front else text
    if "name" in fields and "description" in fields:
        if body.strip():
            kind = _KINDS.get(fields.get("type", ""))
            yield Told(text=body.strip(), kind=kind, at=at, trust=Trust.MEDIUM, queries=(fields["description"],))
        return
    orders = name.lower() in _ORDERS
    trust = Trust.MEDIUM if name.lower() == _INDEX else Trust.HIGH
    for said, headings in _blocks(body):
        plain = _LINK.sub("", said)
        if name.lower() == _INDEX and plain != said:
            continue
        if len(re.findall(r"\w", said)) >= _SHORT and not _INCLUDE.fullmatch(said):
            yield Told(text=said, kind=MemoryKind.INSTRUCTION if orders else None, at=at, trust=trust, queries=headings)


def _blocks(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(statement, headings above it), in order."""
    from markdown_it import MarkdownIt

    lines = text.splitlines()
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    headings: list[tuple[int, str]] = []
    waiting: tuple[str, tuple[str, ...]] | None = None
    for place, token in enumerate(tokens):
        above = tuple(heading for _, heading in headings)
        if token.type == "heading_open":
            level = int(token.tag[1:])
            headings = [one for one in headings if one[0] < level] + [(level, tokens[place + 1].content)]
        said = _said(token, lines)
        if said is None:
            continue
        if token.type in ("fence", "code_block") and waiting is not None and waiting[1] == above:
            waiting = (f"{waiting[0]}\n{said}", above)
            continue
        if waiting is not None:
            yield waiting
        waiting = (said, above)
    if waiting is not None:
        yield waiting


def _said(token: "Token", lines: list[str]) -> str | None:
    """The source of a token that is a statement of its own."""
    if token.map is None:
        return None
    source = lines[token.map[0] : token.map[1]]
    if token.type == "list_item_open" and token.level == 1:
        first = _MARK.sub("", source[0].strip())
        width = len(source[0]) - len(source[0].lstrip()) + 2
        rest = [line[min(width, len(line) - len(line.lstrip())) :].rstrip() for line in source[1:]]
        return "\n".join([first, *rest]).strip() or None
    if token.level == 0 and token.type in ("paragraph_open", "fence", "code_block", "table_open", "blockquote_open"):
        return "\n".join(line.rstrip() for line in source).strip() or None
    return None
