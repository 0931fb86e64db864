"""Where the agents keep their settings, with every override that they honour."""

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agentmem.errors import AgentmemError


@dataclass(frozen=True, slots=True)
class Machine:
    """What the places depend on.

    Args:
        home: the user's home folder.
        variables: the environment.
        platform: as `sys.platform` has it.
        python: the interpreter that runs agentmem.
    """

    home: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    platform: str = sys.platform
    python: Path = Path(sys.executable)

    @classmethod
    def here(cls) -> "Machine":
        """This machine."""
        return cls(Path.home(), dict(os.environ))

    def folder(self, variable: str, otherwise: Path) -> Path:
        """The folder that a variable names, else another one."""
        named = self.variables.get(variable)
        return Path(named).expanduser() if named else otherwise

    def find(self, program: str) -> str | None:
        """Where a program is on the search path."""
        return shutil.which(program, path=self.variables.get("PATH", os.defpath))

    @property
    def claude(self) -> Path:
        """Claude Code's folder."""
        return self.folder("CLAUDE_CONFIG_DIR", self.home / ".claude")

    @property
    def claude_state(self) -> Path:
        """The file in which Claude Code keeps the user's MCP servers, among much else."""
        inside = "CLAUDE_CONFIG_DIR" in self.variables
        return (self.claude if inside else self.home) / ".claude.json"

    @property
    def codex(self) -> Path:
        """Codex's folder."""
        return self.folder("CODEX_HOME", self.home / ".codex")

    @property
    def gemini(self) -> Path:
        """Gemini CLI's folder; the variable moves the home, not the folder in it."""
        return self.folder("GEMINI_CLI_HOME", self.home) / ".gemini"

    @property
    def cursor(self) -> Path:
        """Cursor's folder."""
        return self.home / ".cursor"

    @property
    def opencode(self) -> Path:
        """OpenCode's folder, the same on all systems."""
        return self.folder("XDG_CONFIG_HOME", self.home / ".config") / "opencode"

    @property
    def copilot(self) -> Path:
        """Copilot CLI's folder."""
        return self.folder("COPILOT_HOME", self.home / ".copilot")

    @property
    def vscode_hooks(self) -> Path:
        """Where VS Code looks for the user's hooks: Copilot's usual folder, wherever that of the CLI is moved."""
        return self.home / ".copilot" / "hooks"

    @property
    def vscode(self) -> Path:
        """The folder of VS Code's user settings."""
        if portable := self.variables.get("VSCODE_PORTABLE"):
            return Path(portable) / "user-data" / "User"
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support" / "Code" / "User"
        if self.platform == "win32":
            return self.folder("APPDATA", self.home / "AppData" / "Roaming") / "Code" / "User"
        return self.folder("XDG_CONFIG_HOME", self.home / ".config") / "Code" / "User"

    def command(self) -> str:
        """How the agents shall call agentmem: by name if it is on the search path, else where it lies.

        Raises:
            AgentmemError: it is not installed as a command, or where shells might not find it.
        """
        found = self.find("agentmem")
        # The search path of an active virtual environment is not the one that agents are started with.
        passing = self.variables.get("VIRTUAL_ENV")
        if found and not (passing and Path(found).parent.parent == Path(passing)):
            return "agentmem"
        beside = self.python.parent / ("agentmem.exe" if self.platform == "win32" else "agentmem")
        place = str(beside if beside.exists() else found or "").replace("\\", "/")
        hint = "Install it with `pipx install agentmem` or `uv tool install agentmem`."
        if not place:
            raise AgentmemError("The command agentmem is not on the search path", hint)
        if not place.isascii() or any(character in place for character in '"$`\n'):
            raise AgentmemError(f"{place} is not a path that every shell understands", hint)
        return place
