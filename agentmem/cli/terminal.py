"""Printing with Rich. It is imported when the first line is printed, and never for a pipe."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

STYLES = {
    "strong": "bold",
    "muted": "dim",
    "good": "green",
    "warning": "yellow",
    "bad": "bold red",
    "name": "cyan",
    "quote": "italic",
}


class Terminal:
    """A terminal; stored text is never read as Rich's markup. `NO_COLOR` is Rich's to honour.

    Args:
        harmless: takes from a text what would steer the terminal.
    """

    def __init__(self, harmless: Callable[[str], str]) -> None:
        from rich.console import Console

        self._console = Console(highlight=False)
        self._harmless = harmless

    @property
    def width(self) -> int | None:
        return self._console.width

    def say(self, *pieces: str | tuple[str, str], indent: int = 0) -> None:
        from rich.padding import Padding

        text = self._text(*pieces)
        self._console.print(Padding(text, (0, 0, 0, indent), expand=False) if indent else text)

    def complain(self, *pieces: str | tuple[str, str]) -> None:
        from rich.console import Console

        Console(stderr=True, highlight=False).print(self._text(*pieces))

    def table(self, titles: Sequence[str], rows: Sequence[Sequence[str]], *, indent: int = 0) -> None:
        from rich.padding import Padding
        from rich.table import Table

        table = Table(box=None, pad_edge=False, header_style="dim", show_header=any(titles))
        last = len(titles) - 1
        for number, title in enumerate(titles):
            # Only the last column gives way; ids and dates are of no use in pieces.
            table.add_column(title, no_wrap=number < last, overflow="fold")
        for row in rows:
            table.add_row(*(self._text(cell) for cell in row))
        self._console.print(Padding(table, (0, 0, 0, indent), expand=False))

    def _text(self, *pieces: str | tuple[str, str]) -> "Text":
        from rich.text import Text

        text = Text()
        for piece in pieces:
            words, style = piece if isinstance(piece, tuple) else (piece, "")
            text.append(self._harmless(words), STYLES.get(style, ""))
        return text
