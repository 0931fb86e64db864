"""What is in place for each agent, and what stands in the way of it working. Nothing is changed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.integrations import disk, jsonc, own, toml
from agentmem.integrations.agents import AGENTS, Agent, Hooks
from agentmem.integrations.disk import Refused
from agentmem.integrations.entries import LEAST_MILLISECONDS
from agentmem.integrations.jsonc import Node, Unreadable
from agentmem.integrations.places import Machine

IN_PLACE, PARTLY, MISSING, UNKNOWN, NONE = "in place", "partly", "missing", "unreadable", "none"
"""How much of it is there; `none` where the agent takes no such thing."""

WARNING, NOTE = "warning", "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that the user should know.

    Args:
        code: what it is, in a word that stays the same.
        state: `warning` if something does not work because of it, else `note`.
        text: what was seen, and where.
        hint: what to do about it.
    """

    code: str
    state: str
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class AgentStatus:
    """What is in place for an agent.

    Args:
        agent: its name.
        title: what its makers call it.
        present: whether it is on this machine.
        hooks: how much of the hooks (or of the plugin) is in place.
        server: whether the MCP server is.
        files: the settings files that count.
        findings: what else was seen.
    """

    agent: str
    title: str
    present: bool
    hooks: str
    server: str
    files: tuple[str, ...]
    findings: tuple[Finding, ...]


def survey(machine: Machine, names: Sequence[str] = ()) -> list[AgentStatus]:
    """How it stands with some agents, or with all.

    Args:
        machine: where they keep their settings.
        names: which; none means all.
    """
    return [look(AGENTS[name], machine) for name in names or AGENTS]


def look(agent: Agent, machine: Machine) -> AgentStatus:
    """How it stands with one agent."""
    findings: list[Finding] = []
    hooks, server, files = NONE, NONE, []
    if agent.hooks:
        path = agent.hooks.file(machine)
        files.append(str(path))
        root = _document(path, findings)
        hooks = UNKNOWN if root is None else _hooks(agent.hooks, path, root, machine, findings)
    if agent.plugin:
        path = agent.plugin[0](machine)
        files.append(str(path))
        hooks = _plugin(path, findings)
    if agent.server:
        path = agent.server.file(machine)
        files.append(str(path))
        held = _servers(path, agent.server.table, findings)
        entry = held.get(own.NAME) if held is not None else None
        server = UNKNOWN if held is None else IN_PLACE if own.is_server(entry) else MISSING
        if server == IN_PLACE and isinstance(entry, dict):
            program = entry.get("command")
            findings.extend(_gone(str(program[0] if isinstance(program, list) else program), path, machine))
    if hooks in (IN_PLACE, PARTLY):
        findings.extend(_CHECKS.get(agent.name, lambda _machine: iter(()))(machine))
    if not agent.can_install and agent.note and agent.is_present(machine):
        findings.append(Finding("transcripts", NOTE, agent.note))
    unique = tuple(dict.fromkeys(findings))
    return AgentStatus(
        agent.name, agent.title, agent.is_present(machine), hooks, server, tuple(dict.fromkeys(files)), unique
    )


def _document(path: Path, findings: list[Finding]) -> Node | None:
    """The JSON in a file; an empty object if there is none; None if it cannot be read."""
    try:
        content = disk.read(path)
        if content.bom:
            findings.append(_bom(path))
        root = jsonc.parse(content.text if content.text.strip() else "{}")
    except (Unreadable, Refused) as error:
        findings.append(_unreadable(path, error))
        return None
    return root


def _bom(path: Path) -> Finding:
    text = f"{path} begins with a byte order mark, with which the agent may not read it"
    return Finding("bom", WARNING, text, "Save it as UTF-8 without BOM.")


def _unreadable(path: Path, error: Exception) -> Finding:
    return Finding("unreadable", WARNING, f"{path} cannot be read: {error}", "Mend it; until then it is left alone.")


def _hooks(hooks: Hooks, path: Path, root: Node, machine: Machine, findings: list[Finding]) -> str:
    found = {event: list(own.handlers(_value(root, "hooks", event), ("hooks", event))) for event in hooks.events}
    for event, places in found.items():
        if len(places) > 1:
            text = f"{path} has {len(places)} entries of agentmem for {event}"
            findings.append(Finding("double", WARNING, text, "`agentmem install` leaves one."))
    for handler in (handler for places in found.values() for _, _, handler, _ in places):
        time = handler.get("timeout")
        if hooks.milliseconds and isinstance(time, int | float) and time < LEAST_MILLISECONDS:
            text = f"{path} gives a hook {time} ms; the unit there is the millisecond"
            findings.append(Finding("time", WARNING, text, "`agentmem install` corrects it."))
        line = next(iter(own.calls(handler).values()))
        quoted = re.match(r'"([^"]+)"', line)
        findings.extend(_gone(quoted[1] if quoted else line.split()[0], path, machine))
    there = sum(bool(places) for places in found.values())
    if there < len(found) and there:
        lacking = ", ".join(event for event, places in found.items() if not places)
        findings.append(Finding("partly", WARNING, f"{path} lacks {lacking}", "`agentmem install` adds them."))
    return IN_PLACE if there == len(found) else PARTLY if there else MISSING


def _plugin(path: Path, findings: list[Finding]) -> str:
    try:
        return IN_PLACE if own.MARK in disk.read(path).text else MISSING
    except (Unreadable, Refused) as error:
        findings.append(_unreadable(path, error))
        return UNKNOWN


def _servers(path: Path, table: str, findings: list[Finding]) -> dict[str, Any] | None:
    """The MCP servers that a file names; None if it cannot be read."""
    if path.suffix != ".toml":
        root = _document(path, findings)
        return None if root is None else _object(_value(root, table))
    try:
        content = disk.read(path)
        if content.bom:
            findings.append(_bom(path))
        return _object(toml.parse(content.text).get(table))
    except (Unreadable, Refused) as error:
        findings.append(_unreadable(path, error))
        return None


def _gone(program: str, path: Path, machine: Machine) -> Iterator[Finding]:
    """A program that would not be found."""
    if machine.find(program) is None:
        text = f"{path} calls {program}, which is not there"
        yield Finding("gone", WARNING, text, "`agentmem install` writes the right path.")


def _claude(machine: Machine) -> Iterator[Finding]:
    settings = _quietly(machine.claude / "settings.json")
    if settings.get("disableAllHooks") is True:
        yield _disabled(machine.claude / "settings.json", "disableAllHooks")
    plugins = _object(settings.get("enabledPlugins"))
    if any(name.startswith("agentmem@") and enabled for name, enabled in plugins.items()):
        yield _twice(
            "Claude Code's plugin agentmem", "`claude plugin uninstall agentmem` or `agentmem uninstall claude`"
        )


def _codex(machine: Machine) -> Iterator[Finding]:
    path = machine.codex / "hooks.json"
    try:
        config = toml.parse(disk.read(machine.codex / "config.toml").text)
        root = jsonc.parse(disk.read(path).text)
    except (Unreadable, Refused):
        return  # said already
    features = _object(config.get("features"))
    if False in (features.get("hooks"), features.get("codex_hooks")):
        yield _disabled(machine.codex / "config.toml", "features.hooks")
    trusted = _object(_object(config.get("hooks")).get("state"))
    waiting = []
    for events in own.events(root):
        event = str(events[1])
        for _, place, _, _ in own.handlers(_value(root, "hooks", event), events):
            key = f"{re.sub(r'(?<!^)(?=[A-Z])', '_', event).lower()}:{place[2]}:{place[4] if len(place) > 4 else 0}"
            states = [_object(trusted.get(f"{name}:{key}")) for name in {str(path), str(disk.real(path))}]
            if not any(state.get("trusted_hash") for state in states):
                waiting.append(event)
            if any(state.get("enabled") is False for state in states):
                yield Finding(
                    "disabled", WARNING, f"Codex has the hook of {event} switched off", "Open `codex`, /hooks."
                )
    if waiting:
        text = f"Codex does not run these hooks yet, for want of trust: {', '.join(waiting)}"
        yield Finding("trust", WARNING, text, "Open `codex`, say /hooks and trust them.")


def _gemini(machine: Machine) -> Iterator[Finding]:
    settings = _quietly(machine.gemini / "settings.json")
    for first, second in (("hooksConfig", "enabled"), ("tools", "enableHooks")):
        if _object(settings.get(first)).get(second) is False:
            yield _disabled(machine.gemini / "settings.json", f"{first}.{second}")
    if (machine.gemini / "extensions" / "agentmem").exists():
        yield _twice(
            "Gemini's extension agentmem", "`gemini extensions uninstall agentmem` or `agentmem uninstall gemini`"
        )


def _cursor(machine: Machine) -> Iterator[Finding]:
    yield from _bridged(machine, "Cursor")


def _vscode(machine: Machine) -> Iterator[Finding]:
    yield from _bridged(machine, "VS Code")
    for value in (_quietly(machine.vscode / "settings.json").get("chat.hookFilesLocations"),):
        if _object(value).get("~/.copilot/hooks") is False:
            yield _disabled(machine.vscode / "settings.json", "chat.hookFilesLocations")


def _copilot(machine: Machine) -> Iterator[Finding]:
    for name in ("settings.json", "config.json"):
        if _quietly(machine.copilot / name).get("disableAllHooks") is True:
            yield _disabled(machine.copilot / name, "disableAllHooks")


def _bridged(machine: Machine, title: str) -> Iterator[Finding]:
    claude = _quietly(machine.claude / "settings.json").get("hooks")
    lists = _object(claude).values()
    if any(True for items in lists for _ in own.handlers(items, ())):
        text = f"{title} also runs the hooks of Claude Code's settings; of two equal calls agentmem drops one"
        yield Finding("bridged", NOTE, text)


def _twice(by: str, hint: str) -> Finding:
    return Finding("double", WARNING, f"{by} does the same as the entries in the settings", f"Keep one: {hint}.")


def _disabled(path: Path, setting: str) -> Finding:
    return Finding("disabled", WARNING, f"{setting} in {path} switches hooks off", "Without them nothing is captured.")


def _quietly(path: Path) -> dict[str, Any]:
    """The object in a file; empty if there is none that can be read."""
    try:
        return _object(jsonc.parse(disk.read(path).text).value)
    except (Unreadable, Refused):
        return {}


def _value(root: Node, *path: str) -> Any:
    node = root.at(path)
    return node.value if node else None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


_CHECKS = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "cursor": _cursor,
    "vscode": _vscode,
    "copilot": _copilot,
}
