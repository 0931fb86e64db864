"""Stage: a memory that names files, symbols or a commit of its project is tied to the commit that is checked out.

Git is asked once for each folder and run, before the database is opened, and only if a memory names something that
looks like code. What is not in the repository is no anchor.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from agentmem import repository
from agentmem.domain.memories import Candidate, MemoryItem
from agentmem.repository import Checkout
from agentmem.store.anchors import COMMIT, FILE, SYMBOL, Anchor

_FILE = re.compile(r"(?<![\w/.:@-])(?:\./)?((?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,7})(?![\w/])")
_SYMBOL = re.compile(r"`([A-Za-z_]\w{2,}(?:(?:\.|::|#)[A-Za-z_]\w*)*)(?:\(\))?`|\b([A-Za-z_]\w{2,})\(\)")
_COMMIT = re.compile(r"\b(?:(?<=\bcommit )|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f]))[0-9a-f]{7,40}\b")
_MOST_SYMBOLS = 40  # that git looks for in a run
_MOST_NAMES = 8  # of a memory
_LATE = timedelta(days=2)
"""Age from which what was said may be about another commit than the one that is checked out now."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a text names that looks like code, unchecked."""

    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.files or self.symbols or self.commits)


def named(text: str) -> Named:
    """What a text names that looks like a file, a symbol or a commit."""
    files = dict.fromkeys(match[1] for match in _FILE.finditer(text))
    symbols = dict.fromkeys(match[1] or match[2] for match in _SYMBOL.finditer(text))
    commits = dict.fromkeys(match[0] for match in _COMMIT.finditer(text))
    return Named(
        tuple(files)[:_MOST_NAMES],
        tuple(one for one in symbols if one not in files)[:_MOST_NAMES],
        tuple(commits)[:_MOST_NAMES],
    )


class Anchoring:
    """One run's knowledge of the projects in it."""

    def __init__(self) -> None:
        self._checkouts: dict[str, Checkout | None] = {}
        self._symbols: dict[tuple[str, str], bool] = {}
        self._found: dict[str, list[tuple[Checkout, str, str]]] = {}

    def look(self, folder: str | None, candidates: Iterable[Candidate]) -> None:
        """Look up what candidates of a session name, in the project of its folder; nothing where there is none."""
        for candidate in candidates:
            names = named(candidate.content)
            if not names or folder is None or candidate.content in self._found or _is_old(candidate.said_at):
                continue
            if folder not in self._checkouts:
                self._checkouts[folder] = repository.checkout(folder)
            place = self._checkouts[folder]
            if place is not None:
                self._found[candidate.content] = [(place, kind, name) for kind, name in self._real(place, names)]

    def anchors(self, items: Iterable[MemoryItem]) -> list[Anchor]:
        """The anchors of memories that were drawn from what was looked at."""
        return [
            Anchor(item.id, place.root, place.head, kind, name)
            for item in items
            for place, kind, name in self._found.get(item.content, ())
        ]

    def _real(self, place: Checkout, names: Named) -> Iterator[tuple[str, str]]:
        for name in names.files:
            meant = [file for file in place.files if file == name or file.endswith(f"/{name}")]
            if name in meant or len(meant) == 1:
                yield FILE, name if name in meant else meant[0]
        for name in names.symbols:
            last = re.split(r"\.|::|#", name)[-1]
            key = (place.root, last)
            if key not in self._symbols:
                if len(self._symbols) >= _MOST_SYMBOLS:
                    continue
                self._symbols[key] = bool(repository.mentions(place.root, last, place.head))
            if self._symbols[key]:
                yield SYMBOL, last
        for name in names.commits:
            if repository.contains(place.root, name):
                yield COMMIT, name


def _is_old(said_at: datetime | None) -> bool:
    return said_at is not None and datetime.now(UTC) - said_at > _LATE
