"""What text is printed on: a terminal with colours and tables, or a pipe with plain lines and stable columns."""

import os
import re
import sys
from collections.abc import Sequence
from typing import Protocol

from agentmem.cli.terminal import Terminal

Piece = str | tuple[str, str]
"""Text, or text with one of the styles of `agentmem.cli.terminal.STYLES`."""

# Stored text may hold anything; escape sequences in it must not reach the terminal.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Screen(Protocol):
    """Where results are printed."""

    @property
    def width(self) -> int | None:
        """Columns of the terminal; None for a pipe."""

    def say(self, *pieces: Piece, indent: int = 0) -> None:
        """Print a paragraph; none prints an empty line."""

    def complain(self, *pieces: Piece) -> None:
        """Print a paragraph on standard error."""

    def table(self, titles: Sequence[str], rows: Sequence[Sequence[str]], *, indent: int = 0) -> None:
        """Print rows; on a pipe each is a line of cells with tabs between them, without the titles."""


class Plain:
    """Lines for a pipe: no colours, no boxes."""

    width = None

    def say(self, *pieces: Piece, indent: int = 0) -> None:
        for line in _joined(pieces).split("\n"):
            sys.stdout.write(f"{' ' * indent}{line}".rstrip() + "\n")

    def complain(self, *pieces: Piece) -> None:
        sys.stderr.write(_joined(pieces) + "\n")

    def table(self, titles: Sequence[str], rows: Sequence[Sequence[str]], *, indent: int = 0) -> None:
        del titles
        for row in rows:
            sys.stdout.write(" " * indent + "\t".join(one_line(cell) for cell in row) + "\n")


def screen() -> Screen:
    """The screen that standard output is."""
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        return Terminal(harmless)
    return Plain()


def _joined(pieces: Sequence[Piece]) -> str:
    return harmless("".join(piece if isinstance(piece, str) else piece[0] for piece in pieces))


def harmless(text: str) -> str:
    """Text without control characters other than tab and newline."""
    return _CONTROL.sub("", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Text on one line, with single blanks."""
    return " ".join(harmless(text).split())
