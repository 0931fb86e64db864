"""The agents: their files, their events, and the entries that they take. One table, `AGENTS`, says it all.

The names, units and limits were measured or read in each agent's own documentation in November 2026: Codex 0.171,
Gemini CLI 0.61, OpenCode 1.18 by running them; Claude Code, Cursor, VS Code and Copilot CLI from what they publish.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from agentmem.integrations.places import Machine

Entry = dict[str, Any]
Place = Callable[[Machine], Path]


@dataclass(frozen=True, slots=True)
class Hooks:
    """How an agent runs commands on its events.

    Args:
        file: the settings that name them.
        events: event -> how long its hook may take, in the agent's own unit.
        entry: from the command line and that time to what stands in the event's list.
        milliseconds: whether the unit is the millisecond; else it is the second.
        beside: members that the file must have beside `hooks`.
    """

    file: Place
    events: Mapping[str, int]
    entry: Callable[[str, int], Entry]
    milliseconds: bool = False
    beside: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Server:
    """How an agent is told of an MCP server.

    Args:
        file: the settings that name it.
        table: the object or TOML table of servers in it.
        entry: from the program to the server's entry.
    """

    file: Place
    table: str
    entry: Callable[[str], Entry]


@dataclass(frozen=True, slots=True)
class Agent:
    """A coding agent.

    Args:
        name: what it is called in commands.
        title: what its makers call it.
        signs: files and folders of which one is there if the agent is.
        programs: commands of which one is there if the agent is.
        hooks: how it runs hooks; None if it runs none, or none that can be installed.
        server: how it is told of an MCP server.
        plugin: a file of ours that it loads as code, and from the command to its content.
        note: what the user should know.
    """

    name: str
    title: str
    signs: Callable[[Machine], tuple[Path, ...]]
    programs: tuple[str, ...]
    hooks: Hooks | None = None
    server: Server | None = None
    plugin: tuple[Place, Callable[[str], str]] | None = None
    note: str = ""

    def is_present(self, machine: Machine) -> bool:
        """Whether the agent is, or was, used on a machine."""
        return any(sign.exists() for sign in self.signs(machine)) or any(map(machine.find, self.programs))

    @property
    def can_install(self) -> bool:
        """Whether there is anything to put into its settings."""
        return bool(self.hooks or self.server or self.plugin)


def quoted(program: str) -> str:
    """A program as the first word of a command line for a POSIX shell; `cmd` reads it too."""
    return program if program.replace("/", "").replace("-", "").replace("_", "").isalnum() else f'"{program}"'


def hook_command(program: str, agent: str) -> str:
    """The command line of an agent's hooks."""
    return f"{quoted(program)} hook {agent}"


def _grouped(command: str, seconds: int) -> Entry:
    return {"hooks": [{"type": "command", "command": command, "timeout": seconds}]}


def _gemini(command: str, milliseconds: int) -> Entry:
    return {"hooks": [{"type": "command", "command": command, "timeout": milliseconds, "name": "agentmem"}]}


def _cursor(command: str, seconds: int) -> Entry:
    return {"command": command, "timeout": seconds}


def _copilot(command: str, seconds: int) -> Entry:
    # PowerShell takes a quoted path for a string unless it is told to call it.
    powershell = f"& {command}" if command.startswith('"') else command
    return {"type": "command", "bash": command, "powershell": powershell, "timeoutSec": seconds}


def _stdio(program: str) -> Entry:
    return {"type": "stdio", "command": program, "args": ["mcp"]}


def _plain(program: str) -> Entry:
    return {"command": program, "args": ["mcp"]}


def _opencode_config(machine: Machine) -> Path:
    found = [file for name in ("opencode.json", "opencode.jsonc") if (file := machine.opencode / name).exists()]
    return found[0] if found else machine.opencode / "opencode.json"


def _opencode_plugin(program: str) -> str:
    source = resources.files("agentmem.integrations").joinpath("opencode.js").read_text(encoding="utf-8")
    return source.replace("@PROGRAM@", program)


# Copilot CLI and VS Code both read ~/.copilot/hooks. With names in this spelling one entry serves both: VS Code has no
# "agentStop", and two entries would fire twice in Copilot CLI. What arrives on standard input tells which one called.
_COPILOT_EVENTS = {"SessionStart": 10, "Stop": 10, "PreCompact": 10, "SessionEnd": 10}
COPILOT_FILE = "agentmem.json"

AGENTS: dict[str, Agent] = {
    agent.name: agent
    for agent in (
        Agent(
            name="claude",
            title="Claude Code",
            signs=lambda machine: (machine.claude, machine.claude_state),
            programs=("claude",),
            hooks=Hooks(
                file=lambda machine: machine.claude / "settings.json",
                # The time of SessionEnd also lifts the 1.5 s that all hooks of that event have together.
                events={"SessionStart": 10, "UserPromptSubmit": 5, "Stop": 10, "PreCompact": 10, "SessionEnd": 10},
                entry=_grouped,
            ),
            server=Server(lambda machine: machine.claude_state, "mcpServers", _stdio),
        ),
        Agent(
            name="codex",
            title="Codex CLI",
            signs=lambda machine: (machine.codex,),
            programs=("codex",),
            hooks=Hooks(
                file=lambda machine: machine.codex / "hooks.json",
                # Codex gives SessionEnd 3 s at most.
                events={"SessionStart": 10, "UserPromptSubmit": 5, "Stop": 10, "PreCompact": 10, "SessionEnd": 3},
                entry=_grouped,
            ),
            server=Server(lambda machine: machine.codex / "config.toml", "mcp_servers", _plain),
        ),
        Agent(
            name="gemini",
            title="Gemini CLI",
            signs=lambda machine: (machine.gemini,),
            programs=("gemini",),
            hooks=Hooks(
                file=lambda machine: machine.gemini / "settings.json",
                # PreCompress is left out: it fires before every request, compressed or not.
                events={"SessionStart": 10_000, "BeforeAgent": 5_000, "AfterAgent": 10_000, "SessionEnd": 10_000},
                entry=_gemini,
                milliseconds=True,
            ),
            server=Server(lambda machine: machine.gemini / "settings.json", "mcpServers", _plain),
        ),
        Agent(
            name="cursor",
            title="Cursor",
            signs=lambda machine: (machine.cursor,),
            programs=("cursor", "cursor-agent"),
            hooks=Hooks(
                file=lambda machine: machine.cursor / "hooks.json",
                events={"sessionStart": 10, "stop": 10, "preCompact": 10, "sessionEnd": 10},
                entry=_cursor,
                beside={"version": 1},
            ),
            server=Server(lambda machine: machine.cursor / "mcp.json", "mcpServers", _plain),
        ),
        Agent(
            name="opencode",
            title="OpenCode",
            signs=lambda machine: (
                machine.opencode,
                machine.folder("XDG_DATA_HOME", machine.home / ".local" / "share") / "opencode",
            ),
            programs=("opencode",),
            server=Server(
                _opencode_config,
                "mcp",
                lambda program: {"type": "local", "command": [program, "mcp"], "enabled": True},
            ),
            plugin=(lambda machine: machine.opencode / "plugins" / "agentmem.js", _opencode_plugin),
        ),
        Agent(
            name="copilot",
            title="Copilot CLI",
            # Not the folder itself: VS Code's hooks lie in it too.
            signs=lambda machine: tuple(
                machine.copilot / name for name in ("session-state", "config.json", "settings.json")
            ),
            programs=("copilot",),
            hooks=Hooks(
                file=lambda machine: machine.copilot / "hooks" / COPILOT_FILE,
                events=_COPILOT_EVENTS,
                entry=_copilot,
                beside={"version": 1},
            ),
            server=Server(
                lambda machine: machine.copilot / "mcp-config.json",
                "mcpServers",
                lambda program: {"type": "local", "command": program, "args": ["mcp"], "tools": ["*"]},
            ),
        ),
        Agent(
            name="vscode",
            title="VS Code",
            signs=lambda machine: (machine.vscode,),
            programs=("code",),
            hooks=Hooks(
                file=lambda machine: machine.vscode_hooks / COPILOT_FILE,
                events=_COPILOT_EVENTS,
                entry=_copilot,
                beside={"version": 1},
            ),
            server=Server(lambda machine: machine.vscode / "mcp.json", "servers", _stdio),
        ),
        Agent(
            name="pi",
            title="pi",
            signs=lambda machine: (machine.home / ".pi" / "agent",),
            programs=("pi",),
            note="pi takes extensions in TypeScript only; `agentmem backfill pi` reads its sessions.",
        ),
        Agent(
            name="qwen",
            title="Qwen Code",
            signs=lambda machine: (machine.home / ".qwen",),
            programs=("qwen",),
            note="Qwen Code's hooks do not bring context in reliably; `agentmem backfill qwen` reads its sessions.",
        ),
        Agent(
            name="aider",
            title="Aider",
            signs=lambda machine: (machine.home / ".aider.conf.yml", machine.home / ".aider"),
            programs=("aider",),
            note="Aider has no hooks; `agentmem backfill aider` reads its history files.",
        ),
        Agent(
            name="cline",
            title="Cline",
            signs=lambda machine: (
                machine.home / ".cline",
                machine.vscode / "globalStorage" / "saoudrizwan.claude-dev",
            ),
            programs=("cline",),
            note="Cline tells its hooks of no transcript; `agentmem backfill cline` reads its sessions.",
        ),
    )
}


def command_of(agent: Agent, program: str) -> str:
    """The command line of an agent's hooks, one for both agents that share a file."""
    return hook_command(program, "copilot" if agent.name == "vscode" else agent.name)
