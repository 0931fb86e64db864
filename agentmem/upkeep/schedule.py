"""Compaction once a day, by what the machine has for that: a systemd user timer, a launchd agent, or a line of cron's.

What would be written is worked out first, and is all that is written. Nothing of anybody else's is touched: files have
names of our own, and the line of cron's ends in a mark of ours.
"""

import os
import plistlib
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.parsers.expat import ExpatError

from agentmem.errors import AgentmemError, UsageError
from agentmem.paths import Home

SYSTEMD, LAUNCHD, CRON = "systemd", "launchd", "cron"
KINDS = (SYSTEMD, LAUNCHD, CRON)

_NAME = "agentmem-compact"
_LABEL = "agentmem.compact"
_MARK = "# agentmem compact"
_SECONDS = 600  # a run stops after ten minutes; the next goes on
_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What is written, and what is run afterwards.

    Args:
        kind: `systemd`, `launchd` or `cron`.
        files: new contents by path; None: the file goes.
        crontab: the whole of the new table; None: it stays as it is.
        commands: to run, in order.
    """

    kind: str
    files: dict[Path, str | None]
    crontab: str | None
    commands: tuple[tuple[str, ...], ...]

    def words(self) -> str:
        """The plan as text."""
        parts = []
        for path, content in self.files.items():
            parts.append(f"remove {path}" if content is None else f"write {path}\n\n{content}")
        if self.crontab is not None:
            ours = [line for line in self.crontab.splitlines() if line.endswith(_MARK)]
            parts.append(f"crontab, the line\n\n{ours[0]}" if ours else "crontab, without the line of agentmem's")
        parts += ["run " + " ".join(command) for command in self.commands]
        return "\n".join(parts)


@dataclass(frozen=True, slots=True)
class Scheduled:
    """How things stand.

    Args:
        kind: what it is, or would be, done by.
        installed: whether it is set up.
        detail: what the machine says of it.
        plan: what was done, or would be; empty for a look.
        dry: nothing was done.
    """

    kind: str
    installed: bool
    detail: str = ""
    plan: str = ""
    dry: bool = False


def choose(kind: str | None = None) -> str:
    """What this machine has for running things regularly.

    Raises:
        UsageError: an unknown kind, or there is nothing of the sort here.
    """
    if kind is not None:
        if kind not in KINDS:
            raise UsageError(f"Unknown kind of schedule {kind!r}", f"Known are {', '.join(KINDS)}.")
        return kind
    if sys.platform == "darwin":
        return LAUNCHD
    if shutil.which("systemctl") and _runs(["systemctl", "--user", "show-environment"]):
        return SYSTEMD
    if shutil.which("crontab"):
        return CRON
    raise UsageError(
        "There is neither systemd, launchd nor cron here",
        f"Have `{' '.join(_command())}` run once a day by whatever there is.",
    )


def plan_install(home: Home, kind: str, *, moved: bool) -> Plan:
    """What setting it up would write and run.

    Args:
        home: the store that is to be compacted.
        kind: `systemd`, `launchd` or `cron`.
        moved: the store is not where it is by itself, so that the schedule must say where.

    Raises:
        AgentmemError: the table of cron's cannot be read.
    """
    command = _command()
    if kind == SYSTEMD:
        folder = _config_folder() / "systemd" / "user"
        environment = f'Environment="AGENTMEM_HOME={home.data}"\n' if moved else ""
        quoted = " ".join(f'"{part}"' if " " in part else part for part in command)
        service = (
            "[Unit]\nDescription=Put the memory of coding agents in order\n\n"
            f"[Service]\nType=oneshot\n{environment}ExecStart={quoted}\nNice=19\nIOSchedulingClass=idle\n"
        )
        timer = (
            "[Unit]\nDescription=Put the memory of coding agents in order once a day\n\n"
            "[Timer]\nOnCalendar=daily\nRandomizedDelaySec=1h\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"
        )
        return Plan(
            kind,
            {folder / f"{_NAME}.service": service, folder / f"{_NAME}.timer": timer},
            None,
            (("systemctl", "--user", "daemon-reload"), ("systemctl", "--user", "enable", "--now", f"{_NAME}.timer")),
        )
    if kind == LAUNCHD:
        agent: dict[str, object] = {
            "Label": _LABEL,
            "ProgramArguments": command,
            "StartCalendarInterval": {"Hour": 3, "Minute": 17},
            "ProcessType": "Background",
            "LowPriorityIO": True,
        }
        if moved:
            agent["EnvironmentVariables"] = {"AGENTMEM_HOME": str(home.data)}
        file = _launchd_file()
        return Plan(kind, {file: plistlib.dumps(agent).decode()}, None, (("launchctl", "load", "-w", str(file)),))
    words = " ".join(shlex.quote(part) for part in command)
    where = f"AGENTMEM_HOME={shlex.quote(str(home.data))} " if moved else ""
    line = f"17 3 * * * {where}{words} >/dev/null 2>&1 {_MARK}".replace("%", r"\%")
    return Plan(kind, {}, "".join(f"{kept}\n" for kept in [*_others(), line]), ())


def plan_remove(kind: str) -> Plan:
    """What taking it away would write and run; empty where it is not set up."""
    if kind == SYSTEMD:
        folder = _config_folder() / "systemd" / "user"
        files = {path: None for path in (folder / f"{_NAME}.timer", folder / f"{_NAME}.service") if path.exists()}
        stop = ("systemctl", "--user", "disable", "--now", f"{_NAME}.timer")
        return Plan(kind, {**files}, None, (stop, ("systemctl", "--user", "daemon-reload")) if files else ())
    if kind == LAUNCHD:
        file = _launchd_file()
        if not file.exists():
            return Plan(kind, {}, None, ())
        return Plan(kind, {file: None}, None, (("launchctl", "unload", "-w", str(file)),))
    if not _ours():
        return Plan(kind, {}, None, ())
    return Plan(kind, {}, "".join(f"{kept}\n" for kept in _others()), ())


def carry_out(plan: Plan) -> None:
    """Write and run what a plan says. What is to go is stopped before its files are removed.

    Raises:
        AgentmemError: a command failed; its words are in the message.
    """
    going = bool(plan.files) and all(content is None for content in plan.files.values())
    if going:
        _run_all(plan.commands[:1])
    for path, content in plan.files.items():
        if content is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
    if plan.crontab is not None:
        _run(("crontab", "-"), plan.crontab)
    _run_all(plan.commands[1:] if going else plan.commands)


def installed(kind: str) -> tuple[bool, str]:
    """Whether it is set up, and what the machine says of it."""
    if kind == SYSTEMD:
        timer = _config_folder() / "systemd" / "user" / f"{_NAME}.timer"
        if not timer.exists():
            return False, ""
        said = _said(["systemctl", "--user", "list-timers", "--all", "--no-legend", f"{_NAME}.timer"])
        return True, said or f"{timer} is there, but systemd does not know it"
    if kind == LAUNCHD:
        file = _launchd_file()
        try:
            arguments = plistlib.loads(file.read_bytes())["ProgramArguments"]
        except (OSError, ValueError, KeyError, ExpatError):
            return False, ""
        return True, " ".join(arguments)
    lines = _ours()
    return bool(lines), lines[0] if lines else ""


def _command() -> list[str]:
    found = shutil.which("agentmem")
    program = [found] if found else [sys.executable, "-m", "agentmem"]
    return [*program, "compact", "--seconds", str(_SECONDS)]


def _config_folder() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def _launchd_file() -> Path:
    return Path.home() / "Library" / "LaunchAgents" / f"{_LABEL}.plist"


def _table() -> list[str]:
    """The lines of the user's crontab; none where there is no table.

    Raises:
        AgentmemError: it cannot be read, and so must not be written.
    """
    code, printed, complaint = _ask(("crontab", "-l"))
    if code == 0:
        return printed.splitlines()
    if "no crontab" in complaint.lower():
        return []
    raise AgentmemError(f"`crontab -l` failed: {complaint or f'exit code {code}'}", "Nothing was changed.")


def _ours() -> list[str]:
    return [line for line in _table() if line.rstrip().endswith(_MARK)]


def _others() -> list[str]:
    return [line for line in _table() if not line.rstrip().endswith(_MARK)]


def _runs(command: Sequence[str]) -> bool:
    try:
        return _ask(command)[0] == 0
    except AgentmemError:
        return False


def _said(command: Sequence[str]) -> str:
    """What a command prints; nothing if it fails."""
    try:
        code, printed, _ = _ask(command)
    except AgentmemError:
        return ""
    return printed.rstrip("\n") if code == 0 else ""


def _run_all(commands: Sequence[Sequence[str]]) -> None:
    for command in commands:
        _run(command)


def _run(command: Sequence[str], given: str | None = None) -> None:
    code, _, complaint = _ask(command, given)
    if code:
        raise AgentmemError(f"`{' '.join(command)}` failed: {complaint or f'exit code {code}'}")


def _ask(command: Sequence[str], given: str | None = None) -> tuple[int, str, str]:
    """Run a command: its exit code, what it prints, and what it complains of.

    Raises:
        AgentmemError: it cannot be run, or does not come to an end.
    """
    pipe = subprocess.PIPE
    try:
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:  # noqa: S603 - fixed words
            try:
                words = None if given is None else given.encode(errors="surrogateescape")
                printed, complaint = process.communicate(words, timeout=_PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AgentmemError(f"`{' '.join(command)}` cannot be run: {error}") from error
    return process.returncode, printed.decode(errors="surrogateescape"), complaint.decode(errors="replace").strip()
