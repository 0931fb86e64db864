r"""One table in a TOML text, put in and taken out as lines; the rest of the text stays as it is, byte for byte.

Each edit is proved by parsing: the new text must hold what the old one held, with just this entry more, less or other.
If it does not (the entry is written in a form that lines cannot tell, say), the edit is refused and nothing changes.

`tomlkit` (0.15.2) was tried and left aside: it takes the comment behind a table away with the table, writes `\n` into
files with `\r\n`, and moves some tables when it only reads and writes a file.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from typing import Any

from agentmem.integrations.jsonc import Unreadable, line_end

Data = dict[str, Any]


def parse(text: str) -> Data:
    """What a text holds; numbers with a fraction as strings.

    Raises:
        Unreadable: it is no TOML.
    """
    try:
        return tomllib.loads(text, parse_float=str)  # so that two readings of "nan" are equal
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Unreadable(str(error)) from error


def put(text: str, table: str, name: str, entry: Mapping[str, Any]) -> str:
    """Add the entry `[table.name]` at the end; if there is one, give it these values where it stands.

    Raises:
        Unreadable: the text is no TOML, or written so that the entry cannot be added safely.
    """
    wanted = parse(text)
    held = wanted.setdefault(table, {})
    if not isinstance(held, dict):
        raise Unreadable(f"{table} is no table")
    lines = {key: f"{key} = {json.dumps(value)}" for key, value in entry.items()}  # reads the same in TOML
    inline = f"{name} = {{ {', '.join(lines.values())} }}"
    if isinstance(held.get(name), dict):
        held[name].update(entry)
        tries = [text, *_rewritten(text, table, name, lines)]
        tries += [text[: one.start()] + inline + text[one.end() :] for one in re.finditer(_inline(name), text)]
        return _proved(tries, wanted, f"{table}.{name}")
    held[name] = dict(entry)
    end = line_end(text)
    tries = [text + gap_before(text) + end.join([f"[{table}.{name}]", *lines.values()]) + end]
    if opened := re.search(rf"(?m)^[ \t]*{table}[ \t]*=[ \t]*\{{[ \t]*", text):  # { one = { … }, two = { … } }
        rest = text[opened.end() :]
        tries.append(text[: opened.end()] + inline + ("" if rest.startswith("}") else ", ") + rest)
    return _proved(tries, wanted, f"{table}.{name}")


def take(text: str, table: str, name: str, gap: str | None = None) -> str:
    """Take out the entry `[table.name]` and all below it; comments that stand outside it stay.

    Args:
        text: the document.
        table: the table that holds it.
        name: its name.
        gap: what `put` wrote before it, if that is known.

    Raises:
        Unreadable: the text is no TOML, or written so that the entry cannot be taken out safely.
    """
    wanted = parse(text)
    held = wanted.get(table)
    if not isinstance(held, dict) or name not in held:
        return text
    del held[name]
    inline = _inline(name)
    blocks = _blocks(text, table, name)
    tries: list[str] = []
    for start, stop in combinations(range(len(blocks) + 1), 2):  # some may be lines of a string only
        tries += _without_blocks(text, blocks[start:stop], gap)
    for pattern in (inline + r"[ \t]*,[ \t]*", r"[ \t]*,[ \t]*" + inline, inline):
        tries += [text[: found.start()] + text[found.end() :] for found in re.finditer(pattern, text)]
    return _proved(tries, wanted, f"{table}.{name}", may_lack=table)


def gap_before(text: str) -> str:
    """What `put` writes before a new entry: an empty line, and an end for the last line if it has none."""
    if not text.strip():
        return ""
    end = line_end(text)
    return end if text.endswith("\n") else end + end


def _inline(name: str) -> str:
    return rf"\b{name}[ \t]*=[ \t]*\{{[^{{}}\n]*\}}"


def _rewritten(text: str, table: str, name: str, lines: Mapping[str, str]) -> Iterable[str]:
    """The text with other values on the lines of the keys of an entry."""
    for start, stop in _blocks(text, table, name):
        block = text[start:stop]
        for key, line in lines.items():
            block = re.sub(rf"(?m)^([ \t]*){key}[ \t]*=[^\r\n]*", _after_indent(line), block)
        yield text[:start] + block + text[stop:]


def _after_indent(line: str) -> Callable[[re.Match[str]], str]:
    return lambda found: str(found[1]) + line


def _without_blocks(text: str, blocks: list[tuple[int, int]], gap: str | None) -> Iterable[str]:
    """The text without some lines: first also without the gap before them, then with it."""
    plain = text
    for start, stop in reversed(blocks):
        plain = plain[:start] + plain[stop:]
    before, after = plain[: blocks[0][0]], plain[blocks[0][0] :]
    end = line_end(text)
    if gap is None:
        gap = end if before.endswith(end + end) else ""
    if before.endswith(gap):
        kept = before.removesuffix(gap)
        # The line before may have had no end of its own; it needs one if something follows.
        yield kept + (end if after and kept and not kept.endswith("\n") else "") + after
    yield plain


def _blocks(text: str, table: str, name: str) -> list[tuple[int, int]]:
    """From where to where the lines of an entry go, and those of the tables below it."""
    header = re.compile(rf"""[ \t]*\[[ \t]*["']?{table}["']?[ \t]*\.[ \t]*["']?{name}["']?[ \t]*(\.[^\]]*)?\]""")
    found: list[tuple[int, int]] = []
    start: int | None = None
    at = end = 0
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        bare = line.strip()
        if start is not None and bare.startswith("["):
            found.append((start, end))
            start = None
        if header.match(line):
            start = at
        at += len(line)
        if bare and not bare.startswith("#"):
            end = at
    return found if start is None else [*found, (start, end)]


def _proved(tries: Iterable[str], wanted: Data, what: str, may_lack: str = "") -> str:
    """The first text that holds what is wanted; whether the table `may_lack` is there does not count if it is empty."""

    def counted(data: Data) -> Data:
        return {key: value for key, value in data.items() if value or key != may_lack}

    for text in tries:
        try:
            if counted(parse(text)) == counted(wanted):
                return text
        except Unreadable:
            continue
    raise Unreadable(f"{what} is written in a way that cannot be changed safely")
