"""Transcripts in cold storage: a stream compressed with Zstandard, recognised by its first bytes."""

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from agentmem.domain.reports import Tally
from agentmem.errors import BadInput
from agentmem.sources.lines import CHUNK

MAGIC = b"\x28\xb5\x2f\xfd"
CUT_OFF = "compressed data cut off"


def is_compressed(head: bytes) -> bool:
    """Whether a stream that begins so is compressed."""
    return head.startswith(MAGIC)


def inflated(chunks: Iterable[bytes], *, name: str, tally: Tally) -> Iterator[bytes]:
    """The bytes of a compressed stream, in pieces of bounded size, all of its frames one after the other.

    What was cut off at the end is counted in the tally; what came before it is given.

    Raises:
        BadInput: it is damaged, or this Python cannot decompress it.
    """
    library = _library(name)
    frame = library.ZstdDecompressor()
    ended = True
    try:
        for chunk in chunks:
            data = chunk
            while data or not (frame.eof or frame.needs_input):
                if frame.eof:
                    frame = library.ZstdDecompressor()
                piece = frame.decompress(data, CHUNK)
                data = frame.unused_data if frame.eof else b""
                if piece:
                    yield piece
            ended = frame.eof
    except library.ZstdError as error:
        raise BadInput(f"{name} is damaged: it cannot be decompressed ({error}).") from error
    if not ended:
        tally.skipped[CUT_OFF] += 1


def _library(name: str) -> Any:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError:
        raise BadInput(
            f"{name} is compressed with Zstandard, which this installation cannot read.",
            "Install the package backports.zstd, or decompress the file first.",
        ) from None
    return zstd
