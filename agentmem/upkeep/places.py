"""Where each agent keeps its transcripts: one table for sweep, backfill and doctor.

Folders that a variable moves are looked for there alone, as the agent itself does.
"""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SUB_AGENT = "sub-agent's transcript"


@dataclass(frozen=True, slots=True)
class Machine:
    """What the places depend on.

    Args:
        home: the user's home folder.
        variables: the environment.
        platform: as `sys.platform` says it.
        projects: folders of known projects, for agents that write into the project.
    """

    home: Path = field(default_factory=Path.home)
    variables: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    platform: str = sys.platform
    projects: Sequence[str] = ()

    def folder(self, variable: str, default: str) -> Path:
        """The folder that a variable names, else one below the home folder."""
        named = self.variables.get(variable)
        return Path(named).expanduser() if named else self.home / default

    @property
    def app_data(self) -> Path:
        """Where desktop programs keep their data."""
        if self.platform == "darwin":
            return self.home / "Library/Application Support"
        if self.platform == "win32":
            return Path(self.variables.get("APPDATA") or self.home / "AppData/Roaming")
        return self.folder("XDG_CONFIG_HOME", ".config")


@dataclass(frozen=True, slots=True)
class Transcript:
    """A transcript on disk.

    Args:
        agent: whose.
        path: the file.
        size: in bytes.
        modified: when it was last written to, in seconds since the epoch.
        cwd: the project's folder where the place tells it and the file does not.
    """

    agent: str
    path: Path
    size: int
    modified: float
    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where one agent keeps its transcripts.

    Args:
        roots: the folders that hold them.
        patterns: of the files below a root, as `Path.glob` takes them.
        excluded: why a file that fits is left out all the same; empty if it is not.
        cwd: the project's folder, by the path.
    """

    roots: Callable[[Machine], Sequence[Path]]
    patterns: tuple[str, ...]
    excluded: Callable[[Path], str] = lambda _path: ""
    cwd: Callable[[Path], str | None] = lambda _path: None


def _claude(machine: Machine) -> list[Path]:
    # Claude Desktop keeps a whole such folder for each of its sessions.
    inside = (machine.app_data / "Claude/local-agent-mode-sessions").glob("*/*/local_*/.claude/projects")
    return [machine.folder("CLAUDE_CONFIG_DIR", ".claude") / "projects", *sorted(inside)]


def _codex(machine: Machine) -> list[Path]:
    root = machine.folder("CODEX_HOME", ".codex")
    return [root / "sessions", root / "archived_sessions"]


def _opencode(machine: Machine) -> list[Path]:
    if named := machine.variables.get("OPENCODE_DB"):
        return [Path(named).expanduser()]
    return [machine.folder("XDG_DATA_HOME", ".local/share") / "opencode"]


def _pi(machine: Machine) -> list[Path]:
    return [machine.folder("PI_CODING_AGENT_DIR", ".pi/agent") / "sessions"]


def _aider(machine: Machine) -> list[Path]:
    named = machine.variables.get("AIDER_CHAT_HISTORY_FILE")
    return [*([Path(named).expanduser()] if named else []), *(Path(folder) for folder in machine.projects)]


def _cline(machine: Machine) -> list[Path]:
    editors = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
    tasks = [machine.app_data / name / "User/globalStorage/saoudrizwan.claude-dev/tasks" for name in editors]
    return [machine.folder("CLINE_DIR", ".cline") / "data/sessions", *tasks]


def _sub_agent(path: Path) -> str:
    return SUB_AGENT if "subagents" in path.parts or path.name.startswith("agent-") else ""


def _gemini_sub_agent(path: Path) -> str:
    return "" if path.parent.name == "chats" else SUB_AGENT


def _gemini_cwd(path: Path) -> str | None:
    try:
        return (path.parent.parent / ".project_root").read_text(encoding="utf-8").strip() or None
    except (OSError, ValueError):
        return None


def _cursor_cwd(path: Path) -> str | None:
    """The folder of a project by its slug, in which every sign but letters and digits is a dash."""
    try:
        slug = path.parts[path.parts.index("agent-transcripts") - 1]
    except (ValueError, IndexError):
        return None
    return _unslugged(Path(path.anchor), slug.strip("-").lower())


def _unslugged(folder: Path, slug: str) -> str | None:
    if not slug:
        return str(folder)
    try:
        inside = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
    except OSError:
        return None
    for name in inside:
        own = "".join(letter if letter.isalnum() else "-" for letter in name).strip("-").lower()
        if own and (slug == own or slug.startswith(own + "-")):
            found = _unslugged(folder / name, slug[len(own) :].lstrip("-"))
            if found:
                return found
    return None


PLACES: dict[str, Place] = {
    "claude": Place(_claude, ("*/*.jsonl", "*/*/subagents/**/*.jsonl"), _sub_agent),
    "codex": Place(_codex, ("**/rollout-*.jsonl", "**/rollout-*.jsonl.zst")),
    "gemini": Place(
        lambda machine: [machine.folder("GEMINI_CLI_HOME", "") / ".gemini/tmp"],
        ("*/chats/session-*.json", "*/chats/session-*.jsonl", "*/chats/*/*.jsonl"),
        _gemini_sub_agent,
        _gemini_cwd,
    ),
    "cursor": Place(
        lambda machine: [machine.home / ".cursor/projects"],
        ("*/agent-transcripts/**/*.jsonl", "*/agent-transcripts/**/*.txt"),
        _sub_agent,
        _cursor_cwd,
    ),
    "opencode": Place(_opencode, ("opencode.db", "storage/session/**/ses_*.json")),
    "copilot": Place(
        lambda machine: [machine.folder("COPILOT_HOME", ".copilot") / "session-state"], ("*/events.jsonl", "*.jsonl")
    ),
    "pi": Place(_pi, ("*/*.jsonl",)),
    "qwen": Place(lambda machine: [machine.home / ".qwen/projects"], ("*/*.jsonl", "*/chats/*.jsonl"), _sub_agent),
    "aider": Place(_aider, (".aider.chat.history.md",), cwd=lambda path: str(path.parent)),
    "cline": Place(_cline, ("*/*.messages.json", "*/api_conversation_history.json")),
}
"""Agent -> where its transcripts lie. VS Code's own are named by its hooks, and have no folder that is documented."""


def find(agent: str, machine: Machine, left_out: Counter[str] | None = None) -> Iterator[Transcript]:
    """The transcripts of an agent on this machine, in no particular order.

    Args:
        agent: a name from `PLACES`.
        machine: where to look.
        left_out: counts what was passed over, by reason.
    """
    place = PLACES[agent]
    seen: set[Path] = set()
    for root in place.roots(machine):
        files = [root] if root.is_file() else [file for pattern in place.patterns for file in root.glob(pattern)]
        for file in files:
            if file in seen:
                continue
            seen.add(file)
            if why := place.excluded(file.relative_to(root) if file != root else file):
                if left_out is not None:
                    left_out[why] += 1
                continue
            try:
                about = file.stat()
            except OSError:  # it was deleted just now, or is a link that leads nowhere
                continue
            yield Transcript(agent, file, about.st_size, about.st_mtime, place.cwd(file))


def of_session(agent: str, session: str, machine: Machine) -> Transcript | None:
    """The transcript of a session whose file carries its id in its name or in that of its folder."""
    if agent not in PLACES or len(session) < 8:
        return None
    wanted = [one for one in find(agent, machine) if session in f"{one.path.parent.name}/{one.path.name}"]
    if not wanted and agent == "gemini":  # its files carry the first digits
        wanted = [one for one in find(agent, machine) if one.path.stem.endswith(f"-{session[:8]}")]
    return max(wanted, key=lambda one: one.modified, default=None)
