"""JSON values out of a stream of bytes, line by line, whatever state the file is in.

The writers are live and imperfect: the last line is half written, two objects stand on one line, a crash left NUL
bytes, an editor a BOM. So lines are split on 0x0A alone (U+2028 and U+0085 are ordinary text inside JSON), each line
is decoded with replacement, and whatever cannot be used is counted in the tally and left out. Nothing here raises.

No more than one line is held at a time, and a line beyond the limit is not held at all.
"""

import json
import re
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

from agentmem.domain.reports import Tally

CHUNK = 1 << 18
HEAD = 1 << 16
LINE_LIMIT = 32 << 20

HALF_WRITTEN = "half-written last line"
NOT_JSON = "not JSON"
NOT_OBJECT = "not an object"
TOO_DEEP = "nested too deeply"
TOO_LONG = "line too long"

_BLANK = re.compile(r"[\s\x00\ufeff]*")
_DOCUMENT = re.compile(
    r"""\[\s*[\[{]                    # a list of messages or of conversations
      | \{\s*\n                       # an object over several lines
      | \{[^\n]*?(?<!\\)"(?:messages|loglines|conversations|chat_messages|conversation|turns)"\s*:\s*\[ """,
    re.VERBOSE,
)


class Bytes(Protocol):
    """What a stream must be able to do; a pipe can."""

    def read(self, size: int, /) -> bytes | None:
        """Up to `size` bytes; nothing at the end."""


def chunks_of(stream: Bytes) -> Iterator[bytes]:
    """The bytes of a stream in pieces of bounded size."""
    while chunk := stream.read(CHUNK):
        yield chunk


def peek(chunks: Iterable[bytes], size: int = HEAD) -> tuple[bytes, Iterator[bytes]]:
    """The first `size` bytes (fewer if there are no more) and all bytes, those included."""
    pieces = iter(chunks)
    held: list[bytes] = []
    length = 0
    for piece in pieces:
        held.append(piece)
        length += len(piece)
        if length >= size:
            break
    return b"".join(held)[:size], chain(held, pieces)


def _huge(digits: str) -> int | float:
    """An integer longer than Python is willing to read (CVE-2020-10735), as the float nearest to it."""
    return int(digits) if len(digits) < 400 else float(digits)


_scan = json.JSONDecoder(strict=False).raw_decode
_scan_huge = json.JSONDecoder(strict=False, parse_int=_huge).raw_decode


def decode(text: str, at: int = 0) -> tuple[Any, int]:
    """The JSON value at `at` and where it ends.

    Raises:
        ValueError: there is none, or it is not complete.
        RecursionError: it is nested too deeply.
    """
    try:
        return _scan(text, at)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return _scan_huge(text, at)


def split(chunks: Iterable[bytes], tally: Tally, limit: int = LINE_LIMIT) -> Iterator[tuple[bytes, bool]]:
    r"""Lines without their `\n`, each with whether it ended in one: only the last may not.

    Lines longer than `limit` are left out and counted. `tally.consumed` grows once the caller asks for the next line,
    so that it never covers a line that was not dealt with.
    """
    held: list[bytes] = []  # the beginning of a line that goes on in the next chunk
    length = 0
    for chunk in chunks:
        pieces = chunk.split(b"\n")
        last = pieces.pop()
        for piece in pieces:
            size = length + len(piece)
            line = b"".join((*held, piece)) if held else piece
            if held or length:
                held.clear()
                length = 0
            if size > limit:
                tally.lines += 1
                tally.skipped[TOO_LONG] += 1
            else:
                yield line, True
            tally.consumed += size + 1
        if last:
            length += len(last)
            if length > limit:
                held.clear()  # from here on only its length is kept
            else:
                held.append(last)
    if length > limit:
        tally.lines += 1
        tally.skipped[TOO_LONG] += 1
    elif held:
        yield b"".join(held), False


def values(chunks: Iterable[bytes], tally: Tally, limit: int = LINE_LIMIT) -> Iterator[dict[str, Any] | list[Any]]:
    """The objects and lists of a JSONL stream in their order.

    A last line without a newline counts as read when it is complete JSON, else as half written: it is then not part of
    `tally.consumed`, and a later read that starts there finds it whole.
    """
    for raw, ended in split(chunks, tally, limit):
        if not raw or raw.isspace():
            continue
        tally.lines += 1
        line = raw.removesuffix(b"\r")
        try:
            text = line.decode()
        except UnicodeDecodeError:
            text = line.decode("utf-8", "replace")
        try:
            value, end = decode(text)
        except (ValueError, RecursionError):
            value, end = None, 0
        if end == len(text) and isinstance(value, dict):  # as nearly all lines are
            yield value
            whole = True
        else:
            whole = yield from _several(text, ended, tally)
        if whole and not ended:
            tally.consumed += len(raw)


def _several(text: str, ended: bool, tally: Tally) -> Generator[dict[str, Any] | list[Any], None, bool]:
    """The objects and lists glued together on one line; returns whether the line was understood to its end."""
    at = 0
    while (at := _blank_end(text, at)) < len(text):
        try:
            value, at = decode(text, at)
        except RecursionError:
            tally.skipped[TOO_DEEP] += 1
            return True
        except ValueError:
            tally.skipped[NOT_JSON if ended else HALF_WRITTEN] += 1
            return ended
        if isinstance(value, dict | list):
            yield value
        elif ended:
            tally.skipped[NOT_OBJECT] += 1
        else:
            tally.skipped[HALF_WRITTEN] += 1  # `12` may be the beginning of `123`
            return False
    return True


def objects(chunks: Iterable[bytes], tally: Tally, limit: int = LINE_LIMIT) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL stream; a list on a line is counted as unusable."""
    for value in values(chunks, tally, limit):
        if isinstance(value, dict):
            yield value
        else:
            tally.skipped[NOT_OBJECT] += 1


def _blank_end(text: str, at: int) -> int:
    """Where the run of blanks, NULs and BOMs that starts at `at` ends."""
    found = _BLANK.match(text, at)
    return found.end() if found else at


@dataclass(frozen=True, slots=True)
class Head:
    """What the first bytes of a stream show, worked out once for all formats.

    Args:
        text: the bytes as text, without blanks, NULs and a BOM in front.
        values: the complete objects and lists: those of its lines, or the document if all of it is here.
        document: whether it looks like one JSON document rather than a value per line.
    """

    text: str
    values: tuple[dict[str, Any] | list[Any], ...]
    document: bool

    @classmethod
    def of(cls, head: bytes) -> "Head":
        """The head that these bytes are."""
        text = head.decode("utf-8", "replace")
        text = text[_blank_end(text, 0) :]
        if not _is_document(text):
            return cls(text, tuple(values([head], Tally())), document=False)
        try:
            return cls(text, (decode(text)[0],), document=True)
        except (ValueError, RecursionError):
            return cls(text, (), document=True)  # it goes on behind the head

    @property
    def objects(self) -> Iterator[dict[str, Any]]:
        """The objects among the values."""
        return (value for value in self.values if isinstance(value, dict))


def _is_document(text: str) -> bool:
    """Whether the first line is the beginning of a value that goes on, and looks like a transcript's frame."""
    if not _DOCUMENT.match(text):
        return False
    try:
        decode(text[: text.find("\n")] if "\n" in text else text)
    except (ValueError, RecursionError):
        return True
    return False
