"""Scheduling: what is written, what is run, and that nothing of anybody else's is touched. With commands of our own."""

import os
import plistlib
import stat
import sys
from pathlib import Path

import pytest

from agentmem.errors import AgentmemError, UsageError
from agentmem.paths import Home
from agentmem.upkeep.schedule import carry_out, choose, installed, plan_install, plan_remove

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are shell scripts")

CRONTAB = """#!/bin/sh
table="$HOME/table"
case "$1" in
  -l) if [ -e "$HOME/broken" ]; then echo "you are not allowed" >&2; exit 1; fi
      if [ -e "$table" ]; then cat "$table"; else echo "no crontab for ada" >&2; exit 1; fi ;;
  -) cat > "$table" ;;
esac
"""
SYSTEMCTL = """#!/bin/sh
echo "$@" >> "$HOME/asked"
case "$*" in *list-timers*) echo "Mon 03:00 agentmem-compact.timer" ;; esac
"""


@pytest.fixture
def machine(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home, and a search path on which `crontab`, `systemctl` and `launchctl` are ours."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, script in {"crontab": CRONTAB, "systemctl": SYSTEMCTL, "launchctl": SYSTEMCTL}.items():
        (folder / name).write_text(script)
        (folder / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return own_home


@pytest.fixture
def place(own_home: Path) -> Home:
    return Home(own_home / "a store", own_home / "config.toml")


def test_systemd_gets_a_service_and_a_timer_and_loses_them(machine: Path, place: Home):
    assert choose() == ("launchd" if sys.platform == "darwin" else "systemd")
    plan = plan_install(place, "systemd", moved=True)
    assert "OnCalendar=daily" in plan.words() and "enable --now" in plan.words()
    assert not (machine / "systemd").exists()
    carry_out(plan)
    service = (machine / "systemd/user/agentmem-compact.service").read_text()
    assert f'Environment="AGENTMEM_HOME={place.data}"' in service and "compact --seconds" in service
    assert installed("systemd") == (True, "Mon 03:00 agentmem-compact.timer")
    carry_out(plan_remove("systemd"))
    assert list((machine / "systemd/user").iterdir()) == []
    asked = [
        line for line in (machine / "asked").read_text().splitlines() if "show-env" not in line and "list" not in line
    ]
    assert asked == [
        "--user daemon-reload", "--user enable --now agentmem-compact.timer",
        "--user disable --now agentmem-compact.timer", "--user daemon-reload",
    ]  # fmt: skip
    assert installed("systemd") == (False, "")
    assert plan_remove("systemd").words() == ""


def test_cron_keeps_all_other_lines(machine: Path, place: Home):
    before = "MAILTO=ada\n0 5 * * * backup --all # nightly\n"
    (machine / "table").write_text(before)
    for _ in range(2):  # twice is once
        carry_out(plan_install(place, "cron", moved=True))
    lines = (machine / "table").read_text().splitlines()
    assert lines[:2] == before.splitlines() and len(lines) == 3
    assert f"AGENTMEM_HOME='{place.data}'" in lines[2] and lines[2].startswith("17 3 * * * ")
    assert installed("cron") == (True, lines[2])
    carry_out(plan_remove("cron"))
    assert (machine / "table").read_text() == before
    assert installed("cron") == (False, "")


def test_a_table_that_cannot_be_read_is_not_written(machine: Path, place: Home):
    (machine / "table").write_text("precious\n")
    (machine / "broken").touch()
    with pytest.raises(AgentmemError, match="not allowed"):
        carry_out(plan_install(place, "cron", moved=False))
    assert (machine / "table").read_text() == "precious\n"


def test_launchd_gets_an_agent(machine: Path, place: Home):
    carry_out(plan_install(place, "launchd", moved=True))
    file = machine / "Library/LaunchAgents/agentmem.compact.plist"
    agent = plistlib.loads(file.read_bytes())
    assert agent["EnvironmentVariables"] == {"AGENTMEM_HOME": str(place.data)}
    assert agent["ProgramArguments"][-3:] == ["compact", "--seconds", "600"]
    assert installed("launchd")[0]
    carry_out(plan_remove("launchd"))
    assert not file.exists()


def test_what_fails_is_said(machine: Path, place: Home, tmp_path: Path):
    (tmp_path / "bin/systemctl").write_text("#!/bin/sh\necho 'no bus' >&2\nexit 1\n")
    with pytest.raises(AgentmemError, match="no bus"):
        carry_out(plan_install(place, "systemd", moved=False))
    with pytest.raises(UsageError):
        choose("anacron")
