import os
from pathlib import Path

import pytest

from agentmem.hook.ignored import FILE, is_ignored, patterns
from tests.hook.conftest import Hook, notes


def test_a_file_keeps_a_project_out_up_to_its_git_root(tmp_path: Path):
    inner = tmp_path / "repository/a/b"
    inner.mkdir(parents=True)
    assert not is_ignored(str(inner), [])
    (tmp_path / FILE).touch()
    assert is_ignored(str(inner), [])
    (tmp_path / "repository/.git").mkdir()
    assert not is_ignored(str(inner), [])
    (tmp_path / "repository" / FILE).touch()
    assert is_ignored(str(inner), [])


@pytest.mark.parametrize(
    ("pattern", "folder", "kept_out"),
    [
        ("/secret", "/secret", True),
        ("/secret", "/secret/deep/down", True),
        ("/secret", "/secrets", False),
        ("/secret/**", "/secret", True),
        ("/work/*/private", "/work/a/private/x", True),
        ("/work/*/private", "/work/a/b/private", False),
        ("/work/**/private", "/work/a/b/private", True),
        ("~/mine", "~/mine/x", True),
        ("/a.b", "/axb", False),
        ("/p[1]", "/p[1]", True),
    ],
)
def test_patterns(pattern, folder, kept_out):
    assert is_ignored(str(Path(folder).expanduser()), [pattern]) == kept_out


def test_a_link_into_a_kept_out_folder_is_kept_out(tmp_path: Path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    assert is_ignored(str(tmp_path / "link"), [str(tmp_path / "secret")])


def test_in_doubt_it_is_kept_out(tmp_path: Path, monkeypatch):
    assert is_ignored("/p", None)
    assert is_ignored("", ["/secret"])
    assert not is_ignored("", [])
    broken = tmp_path / "config.toml"
    broken.write_text("ignore = [")
    assert patterns(str(broken)) is None
    broken.write_text("ignore = 5")
    assert patterns(str(broken)) is None
    broken.write_text('limit = 5\nignore = ["/a", "/b"]')
    assert patterns(str(broken)) == ["/a", "/b"]
    assert patterns(str(tmp_path)) is None
    assert patterns(str(tmp_path / "none.toml")) == []
    monkeypatch.setenv("AGENTMEM_IGNORE", f"/c{os.pathsep}/d")
    assert patterns(str(broken)) == ["/c", "/d"]

    def refused(path: str) -> None:
        raise PermissionError(path)

    monkeypatch.setattr("os.lstat", refused)
    assert is_ignored("/p/q", [])


def test_the_hook_leaves_no_note_of_such_a_project(hook: Hook, idle: Path, tmp_path: Path):
    stop = {"session_id": "s", "hook_event_name": "Stop", "cwd": str(tmp_path)}
    (tmp_path / FILE).touch()
    assert hook("claude", stop).code == 0
    (tmp_path / FILE).unlink()
    (idle / "config.toml").write_text(f"ignore = [{str(tmp_path)!r}]")
    assert hook("claude", stop).code == 0
    (idle / "config.toml").write_text("not toml, but with ignore in it")
    assert hook("claude", stop).code == 0
    assert notes(idle) == []
    (idle / "config.toml").write_text("ignore = []")
    hook("claude", stop)
    assert len(notes(idle)) == 1
