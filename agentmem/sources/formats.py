"""The formats that transcripts come in, and the one way to read them.

A format is a module that fits `Source`, and a line in `FORMATS`. Which one a stream has is told by its content, never
by the name of the file.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol, runtime_checkable

from agentmem.domain.messages import Message
from agentmem.domain.reports import Tally
from agentmem.errors import BadInput, UsageError
from agentmem.sources import aider, chat, claude, cline, codex, copilot, cursor, gemini, opencode, pi, plain, qwen
from agentmem.sources.compressed import inflated, is_compressed
from agentmem.sources.lines import Bytes, Head, chunks_of, peek


class Source(Protocol):
    """What a module that reads one format offers."""

    @property
    def LABEL(self) -> str:  # noqa: N802 - a constant of the module
        """The format in words, for a person who wonders what is accepted."""

    def matches(self, head: Head) -> bool:
        """Whether a stream that begins so has this format."""

    def read(self, chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally) -> Iterator[Message]:
        """The messages of a stream of this format, in its order, held one at a time.

        Args:
            chunks: the bytes, in pieces of any size.
            name: the input's name, for session ids and in errors.
            session_id: the session of lines that do not name theirs.
            tally: counts what was read, and what was left out and why. `consumed` is where a later read may start
                (with the same `session_id`); it stays 0 for a format that is always read from its start.

        Raises:
            BadInput: the stream as a whole cannot be read. A single line never is a reason.
        """


@runtime_checkable
class Placed(Source, Protocol):
    """A source that tells more of a file when it knows where the file lies.

    The folder may be named after the session, other files may belong to it, and a database needs a file.
    """

    def read_at(
        self, path: Path, chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally
    ) -> Iterator[Message]:
        """As `read`, where the chunks are the bytes of the file at `path`."""


FORMATS: dict[str, Source] = {
    # In this order they are asked; the particular go before the general.
    "opencode": opencode,
    "codex": codex,
    "gemini": gemini,
    "copilot": copilot,
    "qwen": qwen,
    "cursor": cursor,
    "pi": pi,
    "cline": cline,
    "claude": claude,
    "aider": aider,
    "chat": chat,
    "plain": plain,
}

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def detect(head: bytes) -> str:
    """The name of the format of a stream that begins with these bytes (64 KiB tell enough), or empty.

    Raises:
        BadInput: the bytes are compressed, and cannot be decompressed here.
    """
    if is_compressed(head):
        head, _ = peek(inflated([head], name="the transcript", tally=Tally()))
    seen = Head.of(head)
    return next((name for name, source in FORMATS.items() if source.matches(seen)), "")


def read(
    stream: Bytes,
    *,
    name: str,
    tally: Tally,
    format: str | None = None,  # noqa: A002 - the word that callers look for
    session_id: str | None = None,
    path: Path | None = None,
) -> Iterator[Message]:
    """The messages of a transcript, one at a time; nothing for a stream without content.

    Args:
        stream: the bytes; a pipe will do. They may be compressed with Zstandard.
        name: the stem of the file's name, or `stdin`.
        tally: is filled while the messages are taken.
        format: a name from `FORMATS`; by default the content tells.
        session_id: the session of lines that do not name theirs.
        path: where the stream comes from, if that is a file: some formats tell more then.

    Raises:
        BadInput: at once if this is no transcript; while reading if a document is too large or broken.
        UsageError: there is no such format.
    """
    if format is not None and format not in FORMATS:
        raise UsageError(f"There is no transcript format {format!r}.", f"Formats: {', '.join(FORMATS)}.")
    head, chunks = peek(chunks_of(stream))
    compressed = is_compressed(head)
    if compressed:
        head, chunks = peek(inflated(chunks, name=name, tally=tally))
    if not head.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n\x00"):
        return iter(())
    found = format or detect(head)
    if not found:
        accepted = "; ".join(f"{key} ({source.LABEL})" for key, source in FORMATS.items())
        encoded = "It is encoded in UTF-16: convert it to UTF-8. " if head.startswith(_UTF16) else ""
        raise BadInput(f"{name} is not a transcript in any known format.", f"{encoded}Accepted are: {accepted}.")
    source = FORMATS[found]
    if compressed:
        return _from_start(source.read(chunks, name=name, session_id=session_id, tally=tally), tally)
    if path is not None and isinstance(source, Placed):
        return source.read_at(path, chunks, name=name, session_id=session_id, tally=tally)
    return source.read(chunks, name=name, session_id=session_id, tally=tally)


def _from_start(messages: Iterator[Message], tally: Tally) -> Iterator[Message]:
    """The messages of a stream in which positions mean nothing: it is always read from its start."""
    try:
        yield from messages
    finally:
        tally.consumed = 0
