"""`agentmem schedule`: shows first, asks, and does nothing unasked."""

import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the command is a shell script")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    file = tmp_path / "table"
    script = f'#!/bin/sh\nif [ "$1" = - ]; then cat > {file}; elif [ -e {file} ]; then cat {file}; else echo "no crontab" >&2; exit 1; fi\n'
    (folder / "crontab").write_text(script)
    (folder / "crontab").chmod(0o700)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return file


def test_it_shows_what_it_would_do_and_then_does_it(call, home: Path, table: Path):
    shown = call("schedule", "install", "--by", "cron", "--dry-run")
    assert "17 3 * * *" in shown.out and not table.exists()
    assert call("schedule", "install", "--by", "cron").code == 2  # nobody there to ask
    assert not table.exists()
    done = call("schedule", "install", "--by", "cron", "--yes", "--json").json
    assert done["installed"] and str(home) in table.read_text()
    assert call("schedule", "status", "--by", "cron", "--json").json["installed"]
    assert call("schedule", "remove", "--by", "cron", "--yes").code == 0
    assert table.read_text() == ""
    assert not call("schedule", "remove", "--by", "cron", "--yes", "--json").json["installed"]
    assert call("schedule", "status", "--by", "anacron").code == 2
