"""Memories that name code: fresh, drifted, orphaned, or nothing where git cannot tell."""

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentmem import Config, Memory, Message
from agentmem.domain.messages import Role
from agentmem.ingest.anchoring import named


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), "-c", "user.name=ada", "-c", "user.email=ada@example.org", *words],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.strip()


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Git may take its time on a machine with much to do."""
    monkeypatch.setattr("agentmem.repository._SECONDS", 60.0)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src/cache.py").write_text("def evict_oldest():\n    return 1\n" * 9)
    (folder / "src/limits.py").write_text("LIMIT = 10\n" * 9)
    (folder / "README.md").write_text("read me\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    return folder


@pytest.fixture
def seen(own_home: Path, project: Path) -> Memory:
    return Memory.open(own_home / "agentmem", config=Config(embedder="none", patience=20), folder=str(project))


def marks(memory: Memory, question: str) -> list[str]:
    return [mark for hit in memory.recall(question, types=["memory"]).hits for mark in hit.marks]


def test_names_of_code_are_found_in_words():
    found = named("`evict_oldest()` in ./src/cache.py and limits.py, see 3f2a9c81; v1.2.3 at example.org/a, e.g. this.")
    assert found.files[:2] == ("src/cache.py", "limits.py")
    assert found.symbols == ("evict_oldest",) and found.commits == ("3f2a9c81",)
    assert named("Since commit 7807923986 it fails.").commits == ("7807923986",)
    assert not named("Call 7807923986. Use pnpm, not npm. It costs 3.50 and so on etc.")


def test_a_memory_is_fresh_then_drifted_then_orphaned(seen: Memory, project: Path):
    item = seen.remember("The eviction policy lives in src/cache.py and limits.py")
    assert marks(seen, "eviction policy") == ["fresh"]
    (project / "src/cache.py").write_text("def evict_oldest():\n    return 2\n" * 9)
    assert marks(seen, "eviction policy") == ["drifted: 1 of 2 files changed"]
    git(project, "commit", "-qam", "second")
    assert marks(seen, "eviction policy") == ["drifted: 1 of 2 files changed"]
    git(project, "rm", "-q", "src/cache.py", "src/limits.py")
    git(project, "commit", "-qm", "third")
    assert marks(seen, "eviction policy")[0].startswith("orphaned: src/cache.py, src/limits.py are gone")
    shown = seen.show(item.id)
    assert shown.code.startswith("orphaned") and [anchor.name for anchor in shown.anchors] == [
        "src/cache.py",
        "src/limits.py",
    ]


def test_symbols_and_commits_count_too(seen: Memory, project: Path):
    head = git(project, "rev-parse", "HEAD")
    seen.remember("Eviction goes through `evict_oldest`, always")
    seen.remember(f"The regression began with commit {head[:10]}, says the bisect")
    assert marks(seen, "eviction") == ["fresh"] and marks(seen, "regression bisect") == ["fresh"]
    (project / "src/cache.py").write_text("def other():\n    return 2\n")
    assert marks(seen, "eviction")[0].startswith("orphaned: evict_oldest is gone")


def test_sessions_are_tied_to_the_commit_that_is_checked_out(seen: Memory, project: Path):
    said = [
        Message(session_id="s", role=Role.USER, content=f"Remember: {words} at startup.", at=at, cwd=str(project))
        for words, at in (
            ("the janitor reads src/limits.py", datetime.now(UTC)),
            ("the porter opens src/cache.py", datetime(2020, 1, 1, tzinfo=UTC)),
        )
    ]
    seen.ingest(said)
    assert {item.content.split()[1]: seen.show(item.id).code for item in seen.list()} == {
        "janitor": "fresh",
        "porter": "",
    }


def test_nothing_is_said_where_git_cannot_tell(seen: Memory, project: Path, monkeypatch: pytest.MonkeyPatch):
    seen.remember("The eviction policy lives in src/cache.py")
    seen.remember("The retry policy lives in src/nowhere.py")
    assert marks(seen, "retry policy nowhere") == []
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "/nonexistent")
        assert marks(seen, "eviction policy") == []
        assert seen.remember("The other policy lives in src/limits.py").status == "active"
    project.rename(project.with_name("moved"))
    assert marks(seen, "eviction policy") == []
