"""Edits of JSON text, with or without comments and trailing commas, that leave every other byte where it was.

`parse` gives a tree of nodes that know their place in the text. `put`, `remove` and `replace` give a new text; all
that they were not asked to change is the same as before, comments, commas, indentation and line ends too. What `put`
adds looks like its neighbours, and `remove` is its inverse.

No maintained package on PyPI did this when we looked (November 2026): `jsoncgx`, which edits in place, had its last
release in May 2024; `json-five` and `jsonc-sdict` build a model with comments and write it out again; `jsonc-edit`
runs Microsoft's jsonc-parser in a Node.js process, which it fetches from npm.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

Path = tuple[str | int, ...]

MOST_DEPTH = 200
_BLANKS = re.compile(r"[ \t\r\n]+")
_LINE_COMMENT = re.compile(r"//[^\r\n]*")
_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"', re.DOTALL)
_WORD = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")


class Unreadable(ValueError):
    """A text that is no JSON, or not of the shape that was needed; the message says where."""


@dataclass(slots=True)
class Part:
    """A member of an object or an item of an array.

    Args:
        key: the member's name; None for an item.
        start: where it begins.
        lead: where the last token or comment before it ends.
        value: what it holds.
        comma: where the comma after it stands, if there is one.
    """

    key: str | None
    start: int
    lead: int
    value: "Node"
    comma: int | None = None


@dataclass(slots=True)
class Node:
    """A value.

    Args:
        start: where it begins in the text.
        end: where it ends.
        opener: `{`, `[`, or nothing for a plain value.
        plain: the value itself, if it is plain.
        parts: what it holds, if it holds something.
        tail: where the last token or comment before its closing bracket ends.
    """

    start: int
    end: int = 0
    opener: str = ""
    plain: Any = None
    parts: list[Part] = field(default_factory=list)
    tail: int = 0

    @property
    def value(self) -> Any:
        """The value as Python has it; of members with the same name the last one counts."""
        if self.opener == "{":
            return {part.key: part.value.value for part in self.parts}
        if self.opener == "[":
            return [part.value.value for part in self.parts]
        return self.plain

    def part(self, step: str | int) -> Part | None:
        """A member by name, or an item by number."""
        if isinstance(step, int):
            return self.parts[step] if self.opener == "[" and -len(self.parts) <= step < len(self.parts) else None
        found = [part for part in self.parts if part.key == step] if self.opener == "{" else []
        return found[-1] if found else None

    def at(self, path: Path) -> "Node | None":
        """What stands at a path below this value."""
        node: Node | None = self
        for step in path:
            part = node.part(step) if node else None
            node = part.value if part else None
        return node


@lru_cache(maxsize=2)
def parse(text: str) -> Node:
    """The tree of a text, which is not to be changed: an edit looks at the same text several times.

    Raises:
        Unreadable: it is no JSON, comments and trailing commas allowed for.
    """
    reader = _Reader(text)
    reader.skip()
    root = reader.value(0)
    reader.skip()
    if reader.at != len(text):
        raise reader.wrong("nothing more was expected")
    return root


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.token_end = 0

    def wrong(self, what: str) -> Unreadable:
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - (self.text.rfind("\n", 0, self.at) + 1) + 1
        return Unreadable(f"{what} (line {line}, column {column})")

    def skip(self) -> None:
        """Go over blanks and comments."""
        while True:
            if found := _BLANKS.match(self.text, self.at):
                self.at = found.end()
            if self.text.startswith("//", self.at):
                found = _LINE_COMMENT.match(self.text, self.at)
            elif self.text.startswith("/*", self.at):
                found = _BLOCK_COMMENT.match(self.text, self.at)
                if found is None:
                    raise self.wrong("a comment does not end")
            else:
                return
            self.at = self.token_end = found.end() if found else self.at

    def take(self, character: str) -> bool:
        if not self.text.startswith(character, self.at):
            return False
        self.at = self.token_end = self.at + 1
        return True

    def value(self, depth: int) -> Node:
        if depth > MOST_DEPTH:
            raise self.wrong("too deeply nested")
        node = Node(self.at)
        if self.text[self.at : self.at + 1] in ("{", "["):
            node.opener = self.text[self.at]
            self._fill(node, depth)
        else:
            node.plain = self._plain()
        node.end = self.at
        return node

    def _fill(self, node: Node, depth: int) -> None:
        closer = "}" if node.opener == "{" else "]"
        self.take(node.opener)
        while True:
            lead = self.token_end
            self.skip()
            if self.text.startswith(closer, self.at):
                node.tail = self.token_end
                self.take(closer)
                return
            if node.parts and node.parts[-1].comma is None:
                raise self.wrong(f"a comma or {closer} is missing")
            lead = self.token_end
            start = self.at
            key = self._key() if node.opener == "{" else None
            part = Part(key, start, lead, self.value(depth + 1))
            node.parts.append(part)
            self.skip()
            if self.text.startswith(",", self.at):
                part.comma = self.at
                self.take(",")

    def _key(self) -> str:
        if not self.text.startswith('"', self.at):
            raise self.wrong("a name in quotes was expected")
        key = str(self._plain())
        self.skip()
        if not self.take(":"):
            raise self.wrong("a colon is missing")
        self.skip()
        return key

    def _plain(self) -> Any:
        found = _STRING.match(self.text, self.at) or _WORD.match(self.text, self.at)
        if found is None:
            raise self.wrong("a value was expected")
        try:
            value = json.loads(found[0])
        except ValueError as error:
            raise self.wrong("a string has a wrong escape") from error
        self.at = self.token_end = found.end()
        return value


def put(text: str, path: Path, value: Any) -> str:
    """Add a value as the last member of the object, or the last item of the array, that the path leads to.

    Args:
        text: the document.
        path: where; its last step is the new member's name, or for an item the number of items that are there.
        value: what to add.

    Raises:
        Unreadable: the container is not there, or of another kind.
    """
    node = parse(text).at(path[:-1])
    step = path[-1]
    if node is None or node.opener != ("[" if isinstance(step, int) else "{"):
        raise Unreadable(f"{_spoken(path[:-1])} is no {'list' if isinstance(step, int) else 'object'}")
    name = "" if isinstance(step, int) else json.dumps(step) + ": "
    last = node.parts[-1] if node.parts else None
    end, unit = line_end(text), _unit(text)
    after = text[node.tail : node.end - 1]
    if last is None:
        inner = _indent(text, node.start) + unit
        close = "" if "\n" in after and node.tail > node.start + 1 else end + _indent(text, node.start)
        added = f"{end}{inner}{name}{_shown(value, inner, unit, end)}{close}"
        # Blanks between the brackets give way; a comment there stays.
        stop = node.end - 1 if node.tail == node.start + 1 else node.tail
        return text[: node.tail] + added + text[stop:]
    if "\n" in text[node.start + 1 : node.parts[0].start] or "\n" in after:
        own_line = not text[_line(text, last.start) : last.start].strip(" \t")
        inner = _indent(text, last.start) if own_line else _indent(text, node.end - 1) + unit
        added = f"{end}{inner}{name}{_shown(value, inner, unit, end)}"
    else:
        added = f" {name}{json.dumps(value)}"
    if last.comma is not None:  # the document likes commas after the last one
        return text[: node.tail] + added + "," + text[node.tail :]
    return text[: last.value.end] + "," + text[last.value.end : node.tail] + added + text[node.tail :]


def remove(text: str, path: Path) -> str:
    """Take out a member or an item with its comma; comments stay, also those beside it.

    Raises:
        Unreadable: nothing is there.
    """
    node = parse(text).at(path[:-1])
    part = node.part(path[-1]) if node else None
    if node is None or part is None:
        raise Unreadable(f"{_spoken(path)} is not there")
    number = node.parts.index(part)
    cuts = [(part.lead, part.value.end)]
    if part.comma is not None:
        cuts.append((part.comma, part.comma + 1))
    elif number:
        comma = node.parts[number - 1].comma or 0
        cuts.insert(0, (comma, comma + 1))
    for start, stop in reversed(cuts):
        text = text[:start] + text[stop:]
    return text


def replace(text: str, path: Path, value: Any) -> str:
    """Put another value in the place of one.

    Raises:
        Unreadable: nothing is there.
    """
    node = parse(text).at(path)
    if node is None:
        raise Unreadable(f"{_spoken(path)} is not there")
    end, unit, inner = line_end(text), _unit(text), _indent(text, node.start)
    several = "\n" in text[node.start : node.end]
    return text[: node.start] + (_shown(value, inner, unit, end) if several else json.dumps(value)) + text[node.end :]


def write(text: str, path: Path, literal: str) -> str:
    """Put text that is JSON already in the place of a value."""
    node = parse(text).at(path)
    if node is None:
        raise Unreadable(f"{_spoken(path)} is not there")
    return text[: node.start] + literal + text[node.end :]


def literal(text: str, node: Node) -> str:
    """The text of a value."""
    return text[node.start : node.end]


def is_bare(text: str, node: Node) -> bool:
    """Whether a container holds nothing, not even a comment."""
    return bool(node.opener) and not text[node.start + 1 : node.end - 1].strip()


def line_end(text: str) -> str:
    """How lines end in a text."""
    return "\r\n" if "\r\n" in text else "\n"


def shown(value: Any, end: str = "\n") -> str:
    """A new document."""
    return _shown(value, "", "  ", end) + end


def _shown(value: Any, indent: str, unit: str, end: str) -> str:
    return json.dumps(value, indent=unit or " ").replace("\n", end + indent)


def _unit(text: str) -> str:
    """What one level is indented by: what stands before the first thing that is indented."""
    found = re.search(r"[\[{][ \t]*\r?\n([ \t]+)\S", text)
    if found is None:
        return "  "
    outer = _indent(text, found.start())
    return found[1].removeprefix(outer) or "  "


def _line(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _indent(text: str, at: int) -> str:
    """The blanks that the line of a place begins with."""
    found = re.compile(r"[ \t]*").match(text, _line(text, at))
    return found[0] if found else ""


def _spoken(path: Sequence[str | int]) -> str:
    return ".".join(map(str, path)) or "the document"
