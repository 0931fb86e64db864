"""Proof that something is gone: a search through the bytes of every file of the store."""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from agentmem.paths import PRIVATE_FILE, Home
from agentmem.redaction.redactor import Redactor

_PIECE = 8 << 20
_MOST_TEXT = 64 << 20  # a text file larger than that is none of ours


def files(home: Home) -> Iterator[Path]:
    """All files of a store, but for the copies of agents' own settings, which `uninstall` brings back to the byte."""
    for folder, names, found in os.walk(home.data):
        place = Path(folder)
        if place == home.backups and "config" in names:
            names.remove("config")
        for name in found:
            yield place / name


def search(home: Home, wanted: Iterable[str]) -> dict[str, list[str]]:
    """File -> those of the wanted texts that lie in it, as UTF-8 or as JSON writes them."""
    needles = {text: {text.encode("utf-8", "replace"), json.dumps(text)[1:-1].encode()} for text in wanted if text}
    longest = max((len(form) for forms in needles.values() for form in forms), default=0)
    found: dict[str, list[str]] = {}
    if not needles:
        return found
    for file in files(home):
        held: set[str] = set()
        try:
            with file.open("rb") as stream:
                before = b""
                while piece := stream.read(_PIECE):
                    bytes_ = before + piece
                    held.update(t for t, forms in needles.items() if t not in held and any(f in bytes_ for f in forms))
                    before = bytes_[-longest:]
        except FileNotFoundError:  # a note that the worker dealt with meanwhile
            continue
        if held:
            found[str(file)] = sorted(held)
    return found


def texts(home: Home) -> Iterator[Path]:
    """The text files: notes in the spool, logs, marks; not the settings and not the key."""
    for file in files(home):
        kept = file in (home.settings, home.key) or home.vectors in file.parents or ".duckdb" in file.name
        if not kept and file.suffix != ".lock" and file.stat().st_size <= _MOST_TEXT:
            yield file


def redacted(file: Path, redact: Redactor) -> str | None:
    """What a text file would hold if the secrets in it were taken out; None if there are none, or it holds no text."""
    try:
        held = file.read_text(encoding="utf-8")
    except (UnicodeDecodeError, FileNotFoundError):
        return None
    new = redact(held)
    return None if new == held else new


def overwrite(file: Path, text: str) -> None:
    """Put a text in the place of a file's."""
    fresh = file.with_name(f".{file.name}.scrubbed")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE), "w", encoding="utf-8") as out:
        out.write(text)
    fresh.replace(file)
