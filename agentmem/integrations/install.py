"""Installing and uninstalling: first a plan, which can be looked at, then the plan carried out.

A plan holds, for each settings file, what it holds and what it shall hold. Nothing is written before `carry_out`.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agentmem.errors import UsageError
from agentmem.integrations import disk, entries, own, toml
from agentmem.integrations.agents import AGENTS, Agent, Server, command_of
from agentmem.integrations.disk import Content, Refused
from agentmem.integrations.entries import Made, Wanted
from agentmem.integrations.jsonc import Unreadable
from agentmem.integrations.places import Machine
from agentmem.integrations.records import Record, Records
from agentmem.paths import Home

TOML_TABLE = "mcp_servers"
JSON, TOML, WHOLE = "json", "toml", "whole"
"""What kinds of files there are; those of the last kind are agentmem's own."""

_LONGEST_LINE = 400


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to one file.

    Args:
        path: the file, links resolved.
        agents: whose entries it is about.
        before: what it holds.
        after: what it shall hold.
        record: what is to be remembered of it afterwards; None: nothing.
        original: what uninstalling is to bring back.
    """

    path: Path
    agents: tuple[str, ...]
    before: Content
    after: Content
    record: Record | None = None
    original: Content | None = None

    @property
    def action(self) -> str:
        """`create`, `change`, `delete`, or `keep`."""
        if self.before.data == self.after.data:
            return "keep"
        return "create" if self.before.data is None else "delete" if self.after.data is None else "change"

    @property
    def diff(self) -> str:
        """The change as a unified diff; very long lines are cut."""
        old, new = (
            [line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + " …" for line in one.text.split("\n")]
            for one in (self.before, self.after)
        )
        lines = difflib.unified_diff(_trimmed(old), _trimmed(new), str(self.path), str(self.path), lineterm="")
        return "\n".join(line.rstrip("\r") for line in lines)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file that is left alone.

    Args:
        path: which.
        agents: whose entries are missing, or stay, because of that.
        reason: why.
        hint: what to do.
    """

    path: Path
    agents: tuple[str, ...]
    reason: str
    hint: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done.

    Args:
        agents: the agents that it is about.
        changes: all files looked at, those that stay as they are too.
        refusals: files that cannot be changed.
        notes: (agent, what the user should know).
    """

    agents: tuple[str, ...]
    changes: tuple[Change, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()

    @property
    def writes(self) -> tuple[Change, ...]:
        """The files that will be different."""
        return tuple(change for change in self.changes if change.action != "keep")

    def joined(self, other: "Plan") -> "Plan":
        """Both plans as one."""
        return Plan(
            self.agents + other.agents,
            self.changes + other.changes,
            self.refusals + other.refusals,
            self.notes + other.notes,
        )


@dataclass(slots=True)
class _File:
    """All that is wanted of one file."""

    kind: str = JSON
    agents: list[str] = field(default_factory=list)
    wanted: list[Wanted] = field(default_factory=list)
    table: Mapping[str, object] | None = None
    whole: str | None = None


def choose(names: Sequence[str], machine: Machine, *, everyone: bool) -> list[Agent]:
    """The agents that names mean.

    Raises:
        UsageError: an unknown name, or none at all.
    """
    names = known(names)
    if everyone:
        return [agent for agent in AGENTS.values() if agent.name in names or agent.is_present(machine)]
    if not names:
        found = [agent.name for agent in AGENTS.values() if agent.can_install and agent.is_present(machine)]
        seen = f"Here are {' '.join(found)}" if found else "None was found here"
        raise UsageError("For which agent?", f"{seen}; name them, or say --all.")
    return [AGENTS[name] for name in names]


def known(names: Sequence[str]) -> list[str]:
    """The names, each once.

    Raises:
        UsageError: there is no agent of that name.
    """
    if unknown := [name for name in names if name not in AGENTS]:
        raise UsageError(f"Unknown agent {unknown[0]!r}", f"Known are {', '.join(AGENTS)}.")
    return list(dict.fromkeys(names))


def plan_install(
    agents: Iterable[Agent], machine: Machine, home: Home, *, hooks: bool = True, server: bool = True
) -> Plan:
    """What installing for some agents would change.

    Args:
        agents: for which.
        machine: where they keep their settings.
        home: the store's place, which keeps the copies.
        hooks: whether to put in hooks (and OpenCode's plugin).
        server: whether to put in the MCP server.

    Raises:
        AgentmemError: agents would have no way to call agentmem.
    """
    agents = list(agents)
    files: dict[Path, _File] = {}
    program = machine.command() if any(agent.can_install for agent in agents) else ""
    for agent in agents:
        if agent.hooks and hooks:
            command = command_of(agent, program)
            wanted = {event: agent.hooks.entry(command, time) for event, time in agent.hooks.events.items()}
            file = _file(files, agent, agent.hooks.file(machine))
            file.wanted.append(
                Wanted(hooks=wanted, milliseconds=agent.hooks.milliseconds, beside=agent.hooks.beside),
            )
        if agent.plugin and hooks:
            place, content = agent.plugin
            _file(files, agent, place(machine), WHOLE).whole = content(program)
        if agent.server and server:
            file = _file(files, agent, agent.server.file(machine), _kind(agent.server))
            if file.kind == TOML:
                file.table = agent.server.entry(program)
            else:
                file.wanted.append(Wanted(server=(agent.server.table, agent.server.entry(program))))
    notes = tuple((agent.name, agent.note) for agent in agents if agent.note)
    return _planned(tuple(agent.name for agent in agents), files, Records(home), notes)


def plan_files(wanted: Mapping[Path, str], name: str, home: Home) -> Plan:
    """What writing some files that are agentmem's as a whole would change.

    Args:
        wanted: their contents.
        name: what they are for, as an agent's name is to its settings.
        home: the store's place, which keeps the copies.
    """
    files = {disk.real(path): _File(WHOLE, [name], whole=text) for path, text in wanted.items()}
    return _planned((name,), files, Records(home), ())


def plan_uninstall(names: Sequence[str], machine: Machine, home: Home) -> Plan:
    """What taking all entries of some agents out again would change.

    A file that nobody else changed meanwhile becomes what it was, to the byte.
    """
    records = Records(home)
    files: dict[Path, _File] = {}
    for name in names:
        agent = AGENTS.get(name)
        places = records.files_of(name)
        if agent and agent.hooks:
            places.append((agent.hooks.file(machine), JSON))
        if agent and agent.server:
            places.append((agent.server.file(machine), _kind(agent.server)))
        if agent and agent.plugin:
            places.append((agent.plugin[0](machine), WHOLE))
        for place, kind in places:
            one = files.setdefault(disk.real(place), _File(kind))
            one.agents = [*dict.fromkeys([*one.agents, name])]
    changes: list[Change] = []
    refusals: list[Refusal] = []
    for path, file in files.items():
        try:
            changes.append(_removal(path, file, records))
        except (Unreadable, Refused) as error:
            refusals.append(_refusal(path, file, error))
    return Plan(tuple(names), tuple(changes), tuple(refusals))


def carry_out(plan: Plan, home: Home) -> Plan:
    """Write what a plan says.

    Returns:
        The plan as it went: what could not be written has moved to the refusals.
    """
    records = Records(home)
    done: list[Change] = []
    refusals = list(plan.refusals)
    for change in plan.changes:
        try:
            _write(change, records)
            done.append(change)
        except Refused as error:
            refusals.append(Refusal(change.path, change.agents, error.message, error.hint))
    return replace(plan, changes=tuple(done), refusals=tuple(refusals))


def _kind(server: Server) -> str:
    return TOML if server.table == TOML_TABLE else JSON


def _file(files: dict[Path, _File], agent: Agent, path: Path, kind: str = JSON) -> _File:
    file = files.setdefault(disk.real(path), _File(kind))
    if agent.name not in file.agents:
        file.agents.append(agent.name)
    return file


def _planned(
    names: tuple[str, ...], files: Mapping[Path, _File], records: Records, notes: tuple[tuple[str, str], ...]
) -> Plan:
    changes: list[Change] = []
    refusals: list[Refusal] = []
    for path, file in files.items():
        try:
            changes.append(_addition(path, file, records))
        except (Unreadable, Refused) as error:
            refusals.append(_refusal(path, file, error))
    return Plan(names, tuple(changes), tuple(refusals), notes)


def _addition(path: Path, file: _File, records: Records) -> Change:
    now = disk.read(path)
    record = records.of(path)
    text, made = _with_entries(now.text, file)
    after = now if text == now.text and now.data is not None else now.with_text(text)
    original = records.before(record) if record and record.after == now.digest else None
    kept = record.made if record else ()
    if original is None:  # unknown file, or one that others changed since: without our entries it is what is theirs
        original = _without(now, file.kind, kept if record else None)
        kept = kept if original.data != now.data else ()
    if after.data == now.data and record is None:
        return Change(path, tuple(file.agents), now, after)  # the entries were there before we ever came
    added = [one for one in made if one.path not in [old.path for old in kept]]
    agents = tuple(dict.fromkeys([*(record.agents if record else ()), *file.agents]))
    folders = record.folders if record else ()
    noted = Record(file.kind, original.digest, after.digest, agents, (*kept, *added), folders)
    if after.data == now.data and record:
        noted = replace(record, agents=agents)
    return Change(path, tuple(file.agents), now, after, noted, original)


def _with_entries(text: str, file: _File) -> tuple[str, list[Made]]:
    made: list[Made] = []
    if file.whole is not None:
        if text.strip() and own.MARK not in text:
            raise Unreadable("it was not written by agentmem")
        return file.whole, made
    if file.table is not None:
        entry = _entry(text)
        if entry is not None and not own.is_server(entry):
            raise Unreadable(f"{TOML_TABLE}.{own.NAME} is another program's")
        if entry is None or any(entry.get(key) != value for key, value in file.table.items()):
            if entry is None:
                made.append(Made((TOML_TABLE, own.NAME), toml.gap_before(text)))
            text = toml.put(text, TOML_TABLE, own.NAME, file.table)
    for wanted in file.wanted:
        text, more = entries.put(text, wanted)
        made += [one for one in more if one.path not in [old.path for old in made]]
    return text, made


def _removal(path: Path, file: _File, records: Records) -> Change:
    now = disk.read(path)
    record = records.of(path)
    others = tuple(name for name in record.agents if name not in file.agents) if record else ()
    if record and others:  # Copilot CLI and VS Code share a file: it stays until the last one goes
        return Change(path, tuple(file.agents), now, now, replace(record, agents=others))
    original = records.before(record) if record and record.after == now.digest else None
    if original is None:
        original = _without(now, file.kind, record.made if record else None)
        if record and not record.before and "".join(original.text.split()) in ("", "{}"):
            original = Content(None)
    return Change(path, tuple(file.agents), now, original)


def _without(now: Content, kind: str, made: Sequence[Made] | None) -> Content:
    """A file without our entries."""
    if own.NAME.encode() not in (now.data or b""):
        return now  # it may even be unreadable; that is its owner's business then
    text = now.text
    if kind == WHOLE:
        return Content(None) if own.MARK in text else now
    if kind == JSON:
        return now.with_text(entries.strip(text, made))
    entry = _entry(text)
    if not own.is_server(entry):
        return now
    gap = next((one.was for one in made or () if one.path == (TOML_TABLE, own.NAME)), None)
    return now.with_text(toml.take(text, TOML_TABLE, own.NAME, gap))


def _entry(text: str) -> Any:
    held = toml.parse(text).get(TOML_TABLE)
    return held.get(own.NAME) if isinstance(held, dict) else None


def _write(change: Change, records: Records) -> None:
    if change.action == "keep":
        if records.of(change.path) != change.record:
            records.set(change.path, change.record)
        return
    record = records.of(change.path)
    if change.record is None:
        disk.write(change.path, change.after, expected=change.before)
        disk.remove_folders([Path(folder) for folder in record.folders] if record and not record.before else [])
        records.set(change.path, None)
        return
    if change.original is not None:
        records.keep(change.original)
    made = disk.write(change.path, change.after, expected=change.before)
    folders = (*change.record.folders, *(str(folder) for folder in made))
    records.set(change.path, replace(change.record, folders=folders))


def _refusal(path: Path, file: _File, error: Unreadable | Refused) -> Refusal:
    if isinstance(error, Refused):
        return Refusal(path, tuple(file.agents), error.message, error.hint)
    reason = f"{path} is left as it is: {error}"
    return Refusal(path, tuple(file.agents), reason, "Mend it, or put the entries in by hand, and run this again.")


def _trimmed(lines: list[str]) -> list[str]:
    return lines[:-1] if lines and not lines[-1] else lines
