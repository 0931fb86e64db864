"""Projects that are kept out: by a file `.agentmem-ignore` in them, or by the setting `ignore`.

In doubt a project is kept out: when a folder cannot be looked into, or the settings cannot be read. The hook asks
here before it writes a note, and the worker asks again for the folder that each message names.
"""

import os
import re
from collections.abc import Sequence

FILE = ".agentmem-ignore"


def patterns(settings: str) -> list[str] | None:
    """The setting `ignore` in force; None if it cannot be known.

    Args:
        settings: config.toml. The variable `AGENTMEM_IGNORE` goes before it.
    """
    variable = os.environ.get("AGENTMEM_IGNORE")
    if variable is not None:
        return [pattern for pattern in variable.split(os.pathsep) if pattern]
    try:
        with open(settings, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return []
    except OSError:
        return None
    if b"ignore" not in data:
        return []  # spares the hook the parser
    import tomllib

    try:
        value = tomllib.loads(data.decode("utf-8-sig")).get("ignore", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return None
    return value if isinstance(value, list) and all(isinstance(one, str) for one in value) else None


def is_off(folder: str, settings: str) -> bool:
    """Whether an agent in a folder is to be offered nothing: by `AGENTMEM_DISABLE`, or as the project is kept out.

    Args:
        folder: that the agent works in.
        settings: config.toml.
    """
    switched = os.environ.get("AGENTMEM_DISABLE", "") not in ("", "0")
    return switched or is_ignored(folder, patterns(settings))


def is_ignored(folder: str, wanted: Sequence[str] | None) -> bool:
    """Whether a project is to be kept out.

    Args:
        folder: a folder of it; empty: nobody knows, and it is kept out if there are patterns that might mean it.
        wanted: patterns as `patterns` gives them. `*` stands for any part of a name, `**` for any folders. A folder
            that matches is kept out with all below.
    """
    if wanted is None:
        return True
    if not folder:
        return bool(wanted)
    if any(_matches(place, pattern) for pattern in wanted for place in {folder, os.path.realpath(folder)}):
        return True
    return _is_marked(folder)


def _is_marked(folder: str) -> bool:
    """Whether the file lies in the folder, or above it up to the root of its git repository."""
    if not os.path.isabs(folder):
        return False
    place = os.path.normpath(folder)
    while True:
        try:
            if _exists(os.path.join(place, FILE)):
                return True
            if _exists(os.path.join(place, ".git")):
                return False
        except (OSError, ValueError):
            return True
        above = os.path.dirname(place)
        if above == place:
            return False
        place = above


def _exists(path: str) -> bool:
    """Like os.path.lexists, but not being let in is an error and not a no."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _matches(folder: str, pattern: str) -> bool:
    pattern = _slashed(os.path.expanduser(pattern)).rstrip("/")
    pattern = pattern.removesuffix("/**")
    wild = {"**": ".*", "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}
    parts = [wild.get(piece) or re.escape(piece) for piece in re.split(r"(\*\*/?|\*|\?)", pattern)]
    flags = re.IGNORECASE if os.name == "nt" else 0
    return bool(re.fullmatch("".join(parts) + "(?:/.*)?", _slashed(folder).rstrip("/"), flags | re.DOTALL))


def _slashed(path: str) -> str:
    return path.replace("\\", "/") if os.name == "nt" else path
