"""Where things live, found without third-party packages; a test compares it with `agentmem.paths`."""

import os
import sys
from typing import NamedTuple

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600


class Place(NamedTuple):
    """The folder of the store, and the configuration file, which need not exist."""

    data: str
    settings: str

    @property
    def spool(self) -> str:
        """Notes that wait for the worker."""
        return os.path.join(self.data, "spool")

    @property
    def marks(self) -> str:
        """Empty files whose names and times tell what was done lately."""
        return os.path.join(self.data, "spool", "marks")

    @property
    def lock(self) -> str:
        """Whoever holds it is the worker."""
        return os.path.join(self.data, "worker.lock")

    @property
    def log(self) -> str:
        """The folder in which failures are written down."""
        return os.path.join(self.data, "log")


def place() -> Place:
    """The home to use: `AGENTMEM_HOME`, else the platform's own folders."""
    root = os.environ.get("AGENTMEM_HOME")
    if root:
        folder = os.path.join(os.getcwd(), os.path.expanduser(root))
        return Place(folder, os.path.join(folder, "config.toml"))
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
        data = settings = os.path.join(base, "agentmem")
    elif sys.platform == "darwin":
        support = os.path.expanduser("~/Library/Application Support")
        data = os.path.join(_xdg("XDG_DATA_HOME") or support, "agentmem")
        settings = os.path.join(_xdg("XDG_CONFIG_HOME") or support, "agentmem")
    else:
        data = os.path.join(_xdg("XDG_DATA_HOME") or os.path.expanduser("~/.local/share"), "agentmem")
        settings = os.path.join(_xdg("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "agentmem")
    return Place(data, os.path.join(settings, "config.toml"))


def _xdg(name: str) -> str:
    folder = os.environ.get(name, "")
    return folder if folder.startswith("/") else ""  # the specification says to ignore relative ones
