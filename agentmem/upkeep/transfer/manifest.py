"""What an export says about itself: what is in it, how many rows each part has, and the SHA-256 of each part's bytes.

The same store gives the same manifest, byte for byte: no date, no machine, no version of the program. It closes with a
digest over itself, and is read by being written again and compared, so that no byte of it can change unnoticed.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from agentmem.errors import BadInput
from agentmem.store.outgoing import Wanted
from agentmem.store.portable import TABLES, Table

VERSION = 1
"""Of the format. A reader refuses a newer one; columns that an older one lacks are null."""

FILE = "manifest.json"

Progress = Callable[[int], None]
"""Takes the rows that were dealt with since the last call."""


@dataclass(frozen=True, slots=True)
class Part:
    """One table of an export: its rows, and the SHA-256 of its file, or of its lines."""

    rows: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Scope:
    """What was asked for.

    Args:
        messages: with messages.
        vectors: with vectors.
        profiles: of these profiles only; empty: all.
        since: only what is as new as this (UTC); None: all.
        kinds: memories of these kinds only; empty: all.
    """

    messages: bool
    vectors: bool
    profiles: tuple[str, ...] = ()
    since: str | None = None
    kinds: tuple[str, ...] = ()

    @classmethod
    def of(cls, wanted: Wanted) -> "Scope":
        """The scope of what is read."""
        since = None if wanted.since is None else wanted.since.isoformat()
        return cls(wanted.messages, wanted.vectors, tuple(wanted.profiles), since, tuple(wanted.kinds))

    def as_json(self) -> dict[str, Any]:
        """As it stands in an export."""
        return {
            "messages": self.messages,
            "vectors": self.vectors,
            "profiles": list(self.profiles),
            "since": self.since,
            "kinds": list(self.kinds),
        }


def tables(wanted: Wanted) -> tuple[Table, ...]:
    """The tables of an export, in their order."""
    return tuple(table for table in TABLES if wanted.holds(table.group))


def header(scope: Mapping[str, Any]) -> dict[str, Any]:
    """What an export begins with."""
    return {"agentmem": "export", "version": VERSION, **scope}


def parts_as_json(parts: Mapping[str, Part]) -> dict[str, Any]:
    """The parts as they stand in an export."""
    return {name: {"rows": part.rows, "sha256": part.sha256} for name, part in parts.items()}


def sealed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values with a digest over them."""
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return {**values, "digest": sha256(text.encode()).hexdigest()}


def unsealed(data: bytes, written: Mapping[str, Any], again: bytes, name: str) -> dict[str, Any]:
    """Sealed values, if nobody changed them.

    Args:
        data: as it was read.
        written: what that says.
        again: the same values sealed and written again.
        name: of the file, for the error.

    Raises:
        BadInput: a byte is another one than was written.
    """
    if data != again:
        raise BadInput(f"{name} is damaged: it is not what was exported", REFUSED)
    return {key: value for key, value in written.items() if key != "digest"}


def parts_of(values: Mapping[str, Any], name: str) -> dict[str, Part]:
    """The parts that a manifest tells of.

    Raises:
        BadInput: there is a part that this program does not know.
    """
    known = [table.name for table in TABLES]
    unknown = [part for part in values if part not in known]
    if unknown:
        raise BadInput(f"{name} has a part that is not known here: {unknown[0]}", UPGRADE)
    return {part: Part(int(told["rows"]), str(told["sha256"])) for part, told in values.items()}


def check_version(values: Mapping[str, Any], name: str) -> None:
    """See that this program can read the format.

    Raises:
        BadInput: it is a newer one, or none.
    """
    version = values.get("version")
    if values.get("agentmem") != "export" or not isinstance(version, int):
        raise BadInput(f"{name} is no export of agentmem", REFUSED)
    if version > VERSION:
        raise BadInput(f"{name} has format {version}; this program reads up to format {VERSION}", UPGRADE)


REFUSED = "Nothing was imported. Copy or export it again."
UPGRADE = "Nothing was imported. Upgrade agentmem, then import it again."
