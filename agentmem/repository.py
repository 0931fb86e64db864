"""What git knows of a project: git is run, offline, and without anything that a project's settings could start.

Every question is answered with None where git cannot tell: no git, no repository, a commit that is gone, no time.
"""

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

_SECONDS = 3.0
_SAFE = ("--no-optional-locks", "-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "-c", "core.quotepath=off")
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_SYMBOL = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)*")


@dataclass(frozen=True, slots=True)
class Checkout:
    """A working tree at a moment.

    Args:
        root: its folder.
        head: the commit that is checked out.
        files: all that is tracked, relative to the root.
    """

    root: str
    head: str
    files: tuple[str, ...]


def checkout(folder: str) -> Checkout | None:
    """The working tree that a folder is in."""
    said = _git(folder, "rev-parse", "--show-toplevel", "HEAD")
    lines = said.splitlines() if said else []
    if len(lines) != 2:
        return None
    files = _git(lines[0], "ls-files", "-z")
    return None if files is None else Checkout(lines[0], lines[1], tuple(filter(None, files.split("\0"))))


def changed_since(root: str, commit: str) -> dict[str, str] | None:
    """The files that differ from a commit, by path, with git's letter for how (`M`, `D`, `R` …)."""
    if not _COMMIT.fullmatch(commit):
        return None
    said = _git(root, "diff", "--no-ext-diff", "--no-textconv", "-M", "--name-status", "-z", commit, "--")
    if said is None:
        return None
    parts = iter(said.split("\0"))
    found = {}
    for letter in parts:
        if not letter:
            break
        found[next(parts, "")] = letter[0]
        if letter[0] in "RC":
            next(parts, "")  # its new name
    return found


def mentions(root: str, symbol: str, commit: str | None = None) -> tuple[str, ...] | None:
    """The files in which a symbol stands, in the working tree or at a commit; None where git cannot tell."""
    if not _SYMBOL.fullmatch(symbol):
        return None
    at = [commit] if commit else []
    said = _git(root, "grep", "-l", "-z", "-w", "-F", "-e", symbol, *at, "--", empty=1)
    if said is None:
        return None
    return tuple(name.removeprefix(f"{commit}:") for name in said.split("\0") if name)


def contains(root: str, commit: str) -> bool | None:
    """Whether a commit is in the history of what is checked out; None where there is no such commit, or no telling."""
    if not _COMMIT.fullmatch(commit) or _git(root, "cat-file", "-e", f"{commit}^{{commit}}") is None:
        return None
    return _git(root, "merge-base", "--is-ancestor", commit, "HEAD") is not None


def _git(folder: str, *words: str, empty: int | None = None) -> str | None:
    """What git prints; None if it fails, except with the exit code that means that there is nothing."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command: Sequence[str] = ["git", "-C", folder, *_SAFE, *words]
    try:
        said: bytes = subprocess.check_output(  # noqa: S603 - our own words; what texts name is checked, or behind `-e`
            command,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**environment, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"},
        )
    except subprocess.CalledProcessError as error:
        return "" if error.returncode == empty else None
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return said.decode("utf-8", "surrogateescape")
