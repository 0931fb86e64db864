"""Which project a folder belongs to: the isolation unit of memory.

A project is its git repository, named by the folder that all worktrees share (git's *common dir*), so that worktrees
and sub-folders remember together. A folder outside git is a project of its own. Git itself is not run; its files are
read.
"""

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

USER = "user"
"""The profile of what holds in every project; recall reads it beside the project's own."""

_NOT_NAME = re.compile(r"[^\w.]+")
_DRIVE = re.compile(r"^(?:/mnt/([a-zA-Z])(?=/)|/?([a-zA-Z]):)[\\/]+")


@dataclass(frozen=True, slots=True)
class Project:
    """A project.

    Args:
        name: its profile: the folder's name and six digits of the identity's hash, the same on every run.
        identity: what makes two folders the same project: a path.
        reason: how the identity was found, in words.
    """

    name: str
    identity: str
    reason: str


def identify(folder: str) -> Project:
    """The project of a folder, which may be gone or lie on another machine."""
    folder = _normal(folder)
    path = Path(folder)
    if path.is_absolute():
        for place in (path, *path.parents):
            common = _common_dir(place / ".git")
            if common is not None:
                top = common.parent if common.name == ".git" else common
                return _project(str(common), top.name, f"{folder} belongs to the git repository {top}")
    return _project(
        folder, PurePosixPath(folder).name, f"{folder} is not inside a git repository that can be seen here"
    )


def _project(identity: str, label: str, reason: str) -> Project:
    label = _NOT_NAME.sub("-", label.removesuffix(".git")).strip("-.").lower() or "root"
    return Project(f"{label}-{sha256(identity.encode('utf-8', 'replace')).hexdigest()[:6]}", identity, reason)


def _normal(folder: str) -> str:
    r"""One spelling per place: `C:\a`, `c:/a`, `/c:/a` and `/mnt/c/a` are the same folder."""
    if found := _DRIVE.match(folder):
        folder = f"{(found[1] or found[2]).lower()}:/{folder[found.end() :]}"
    if "\\" in folder and not folder.startswith("/"):
        folder = folder.replace("\\", "/")
    return folder.rstrip("/") or "/"


def _common_dir(git: Path) -> Path | None:
    try:
        if git.is_dir():
            return git.resolve()
        if not git.is_file():
            return None
        # A worktree's .git is a file that names its own folder, whose `commondir` names the shared one.
        own = git.parent / git.read_text(encoding="utf-8", errors="replace").partition("gitdir:")[2].strip()
        pointer = own / "commondir"
        if pointer.is_file():
            return (own / pointer.read_text(encoding="utf-8", errors="replace").strip()).resolve()
        return own.resolve() if own.is_dir() else None
    except (OSError, ValueError):  # no right to look, or a name with NUL
        return None
