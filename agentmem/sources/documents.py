"""JSON documents: whole files that must be read in one piece, unlike a value per line."""

from collections.abc import Iterable
from typing import Any

from agentmem.domain.reports import Tally
from agentmem.errors import BadInput
from agentmem.sources.lines import HALF_WRITTEN, decode, values

DOCUMENT_LIMIT = 256 << 20

_PADDING = " \t\r\n\x00\ufeff"


def load(chunks: Iterable[bytes], *, name: str, tally: Tally, limit: int = DOCUMENT_LIMIT) -> list[Any]:
    """The JSON values of a document: one as a rule, several where they stand one behind the other.

    A document is not read further from an offset, so `tally.consumed` stays 0: next time it is read from its start.

    Raises:
        BadInput: it is larger than `limit`, or not one value in it is complete.
    """
    data = bytearray()
    for chunk in chunks:
        data += chunk
        if len(data) > limit:
            raise BadInput(
                f"{name} is a JSON document of more than {limit >> 20} MiB.",
                "Write it as JSONL, one message a line: that is read at any size.",
            )
    text = data.decode("utf-8", "replace")
    found: list[Any] = []
    at, size = 0, len(text)
    while True:
        while at < size and text[at] in _PADDING:
            at += 1
        if at == size:
            return found
        try:
            value, at = decode(text, at)
        except RecursionError:
            raise BadInput(f"{name} is nested too deeply to be a transcript.") from None
        except ValueError as error:
            if found:
                tally.skipped[HALF_WRITTEN] += 1
                return found
            return _rescued(bytes(data), name, tally, error)
        found.append(value)


def _rescued(data: bytes, name: str, tally: Tally, error: ValueError) -> list[Any]:
    """What stands complete on lines of its own in a document that is broken, or that only began like one."""
    found: list[Any] = list(values([data], tally))
    tally.consumed = 0
    if not found:
        raise BadInput(
            f"{name} is not a complete JSON document: {error}.",
            "Export it again; it may have been cut off while it was written.",
        ) from None
    return found
