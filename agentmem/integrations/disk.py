"""Settings files on disk: read exactly, written in one step, links followed, rights kept."""

import codecs
import contextlib
import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from agentmem.errors import AgentmemError
from agentmem.integrations.jsonc import Unreadable

_LARGEST = 64 * 1024 * 1024


class Refused(AgentmemError):
    """A settings file that is left alone: it cannot be read, understood or written."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a settings file holds.

    Args:
        data: its bytes; None if there is no file.
    """

    data: bytes | None

    @property
    def bom(self) -> bool:
        """Whether it begins with a byte order mark, which several agents cannot read."""
        return bool(self.data) and (self.data or b"").startswith(codecs.BOM_UTF8)

    @property
    def text(self) -> str:
        """Its text, without the mark.

        Raises:
            Unreadable: it is not UTF-8.
        """
        try:
            return (self.data or b"").decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            raise Unreadable(f"it is not UTF-8 (byte {error.start})") from error

    def with_text(self, text: str) -> "Content":
        """The same file with another text; a mark that was there stays, none is ever added."""
        return Content((codecs.BOM_UTF8 if self.bom else b"") + text.encode("utf-8"))

    @property
    def digest(self) -> str:
        """SHA-256 of its bytes; empty if there is no file."""
        return "" if self.data is None else hashlib.sha256(self.data).hexdigest()


def real(path: Path) -> Path:
    """The file itself, behind any links."""
    return Path(os.path.realpath(path))


def read(path: Path) -> Content:
    """What a file holds, now.

    Raises:
        Refused: it is no plain file, is huge, or the system does not let us read it.
    """
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode) or about.st_size > _LARGEST:
            raise Refused(f"{path} is no settings file", "Move it away, or put the entries in by hand.")
        return Content(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return Content(None)
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}", "Check your rights to it.") from error


def write(path: Path, content: Content, *, expected: Content) -> list[Path]:
    """Give a file another content, or delete it, in one step.

    Args:
        path: the file; links are followed.
        content: what it shall hold.
        expected: what it held when the change was thought out.

    Returns:
        Folders that had to be made, outermost first.

    Raises:
        Refused: it was changed meanwhile, is read-only, or the system does not let us write.
    """
    path = real(path)
    if read(path).data != expected.data:
        raise Refused(f"{path} was changed by another program just now", "Run the command again.")
    mode = stat.S_IMODE(path.stat().st_mode) if expected.data is not None else 0o600
    if not mode & stat.S_IWUSR:
        raise Refused(f"{path} is read-only", f"`chmod u+w {path}` lets it be changed.")
    try:
        if content.data is None:
            path.unlink(missing_ok=True)
            return []
        made = _make_folders(path.parent)
        _swap(path, content.data, mode)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}", "Check your rights to its folder.") from error
    return made


def remove_folders(folders: list[Path]) -> None:
    """Remove folders that are empty, innermost first."""
    for folder in sorted(folders, key=lambda one: len(one.parts), reverse=True):
        with contextlib.suppress(OSError):
            folder.rmdir()


def _make_folders(folder: Path) -> list[Path]:
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return missing[::-1]


def _swap(path: Path, data: bytes, mode: int) -> None:
    """Write a new file beside the old one and put it in its place, so that a reader sees one or the other."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".agentmem", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as new:
            new.write(data)
            new.flush()
            os.fsync(new.fileno())
        Path(name).chmod(mode)
        if path.exists() and hasattr(os, "chown"):
            about = path.stat()
            with contextlib.suppress(OSError):  # only root may give files away
                os.chown(name, about.st_uid, about.st_gid)
        Path(name).replace(path)
    except BaseException:  # Ctrl-C as well must leave no temporary file behind
        Path(name).unlink(missing_ok=True)
        raise
