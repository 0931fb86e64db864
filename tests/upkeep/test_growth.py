"""What of a file is read again, and what is not."""

import json
from pathlib import Path

import pytest

from agentmem import Memory
from agentmem.hook.ignored import FILE
from agentmem.ingest.growth import Growth, due
from agentmem.store import files
from agentmem.upkeep.backfill import CaughtUp, Due, read_all
from agentmem.upkeep.places import Transcript


def line(number: int, text: str = "", cwd: str = "/p") -> str:
    entry = {
        "type": "user", "uuid": f"u{number}", "sessionId": "s", "cwd": cwd, "timestamp": f"2026-04-20T10:{number // 60:02}:{number % 60:02}Z",
        "message": {"role": "user", "content": text or f"word {number}"}, "origin": {"kind": "human"},
    }  # fmt: skip
    return json.dumps(entry) + "\n"


@pytest.fixture
def read(memory: Memory):
    """Read a file as far as it is due; what was found, None if nothing was."""
    store = memory._store

    def once(file: Path, agent: str = "claude", cwd: str | None = None) -> CaughtUp | None:
        with store.reading() as connection:
            part = due(file, files.watermarks(connection).get(str(file)))
        if part is None:
            return None
        done = CaughtUp()
        read_all(store, [Due(Transcript(agent, file, part.size, 0.0, cwd), part)], done)
        return done

    return once


def test_a_file_that_grew_is_read_on(read, tmp_path: Path):
    file = tmp_path / "s.jsonl"
    file.write_text("".join(line(n) for n in range(2000)))
    assert read(file).stored.messages == 2000
    assert read(file) is None
    grown = line(2000) + line(2001)
    with file.open("a") as out:
        out.write(grown)
    done = read(file)
    assert done.stored.messages == 2
    assert len(grown) <= done.bytes <= len(grown) + (16 << 10)
    assert read(file) is None


def test_a_torn_line_is_read_once_it_is_whole(read, tmp_path: Path):
    file = tmp_path / "s.jsonl"
    whole = line(0) + line(1)
    file.write_text(whole[:-30])
    assert read(file).stored.messages == 1
    assert read(file) is None
    file.write_text(whole)
    assert read(file).stored.messages == 1


def test_another_file_under_the_same_name_is_read_from_its_start(read, tmp_path: Path):
    file = tmp_path / "s.jsonl"
    file.write_text(line(0) + line(1) + line(2))
    read(file)
    file.write_text(line(7))  # it shrank
    assert read(file).stored.messages == 1
    file.write_text(line(8) + line(7) + line(9))  # its head changed
    assert read(file).stored.messages == 2


def test_a_file_of_which_only_the_beginning_is_there_keeps_its_session(read, tmp_path: Path, memory: Memory):
    """Codex names the session in the first line alone."""
    file = tmp_path / "moved.jsonl"
    about = {"timestamp": "2026-04-20T10:00:00Z", "type": "session_meta", "payload": {"id": "01a2", "cwd": "/p"}}
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Use pnpm."}]}
    file.write_text(json.dumps(about) + "\n")
    read(file, "codex")
    for second in range(2):
        with file.open("a") as out:
            said = {"timestamp": f"2026-04-20T10:00:0{second}Z", "type": "response_item", "payload": item}
            out.write(json.dumps(said) + "\n")
        read(file, "codex")
    with memory._store.reading() as connection:
        assert connection.execute("SELECT DISTINCT id FROM sessions").fetchall() == [("01a2",)]


def test_a_document_is_read_whole_whenever_it_changed(read, tmp_path: Path):
    file = tmp_path / "session-2026-04-20T10-00-abc.json"

    def write(count: int) -> None:
        told = [
            {"id": f"m{n}", "timestamp": f"2026-04-20T10:0{n}:00Z", "type": "user", "content": f"word {n}"}
            for n in range(count)
        ]
        file.write_text(
            json.dumps({"sessionId": "g", "projectHash": "h", "startTime": "2026-04-20T10:00:00Z", "messages": told})
        )

    write(2)
    assert read(file, "gemini").stored.messages == 2
    assert read(file, "gemini") is None
    write(3)
    done = read(file, "gemini")
    assert (done.stored.messages, done.stored.known) == (1, 2)


def test_a_call_of_agentmem_before_the_watermark_is_remembered(read, tmp_path: Path, memory: Memory):
    file = tmp_path / "s.jsonl"
    call = {
        "type": "assistant", "uuid": "a1", "sessionId": "s", "cwd": "/p", "timestamp": "2026-04-20T10:30:00Z",
        "message": {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "agentmem recall x"}}]},
    }  # fmt: skip
    result = {
        "type": "user", "uuid": "a2", "sessionId": "s", "cwd": "/p", "timestamp": "2026-04-20T10:30:01Z",
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "CANARY memory"}]},
    }  # fmt: skip
    file.write_text(line(0) + json.dumps(call) + "\n")
    read(file)
    with file.open("a") as out:
        out.write(json.dumps(result) + "\n")
    read(file)
    with memory._store.reading() as connection:
        (many,) = connection.execute("SELECT count(*) FROM messages WHERE content LIKE '%CANARY%'").fetchone()
    assert many == 0


def test_a_folder_is_given_to_messages_that_name_none(read, tmp_path: Path, memory: Memory):
    file = tmp_path / "c1.jsonl"
    said = {
        "role": "user",
        "message": {"content": [{"type": "text", "text": "<user_query>\nUse pnpm.\n</user_query>"}]},
    }
    file.write_text(json.dumps(said) + "\n")
    read(file, "cursor", cwd="/home/sam/shop")
    assert [profile.name.rpartition("-")[0] for profile in memory.profiles()] == ["shop"]


def test_a_session_without_a_folder_is_in_no_projects_memory(read, tmp_path: Path, memory: Memory):
    file = tmp_path / "c1.jsonl"
    file.write_text(
        json.dumps({"role": "user", "message": {"content": [{"type": "text", "text": "Use pnpm."}]}}) + "\n"
    )
    read(file, "cursor")
    assert [profile.name for profile in memory.profiles()] == ["unknown"]


def test_kept_out_folders_are_kept_out_message_by_message(read, tmp_path: Path, memory: Memory):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / FILE).touch()
    file = tmp_path / "s.jsonl"
    file.write_text(line(0) + line(1, cwd=str(secret)) + line(2, cwd=str(secret / "below")))
    done = read(file)
    assert done.stored.messages == 1
    assert sum(done.left_out.values()) == 2
    assert read(file) is None
    with file.open("a") as out:
        out.write(line(3, cwd=str(secret)) + line(4))
    assert read(file).stored.messages == 1


def test_the_stores_own_folder_is_kept_out(read, tmp_path: Path, memory: Memory):
    file = tmp_path / "s.jsonl"
    file.write_text(line(0, cwd=str(memory.home.data / "x")))
    assert read(file).stored.messages == 0


def test_prose_is_no_transcript_of_an_agent(read, tmp_path: Path):
    file = tmp_path / "s.jsonl"
    file.write_text("User: hello\nAssistant: good day\n")
    done = read(file)
    assert done.stored.messages == 0
    assert done.unread[0].path == str(file)


def test_a_reader_that_breaks_is_told_and_the_others_go_on(memory: Memory, tmp_path: Path, monkeypatch):
    bad, good = tmp_path / "bad.jsonl", tmp_path / "good.jsonl"
    for file in (bad, good):
        file.write_text(line(0))
    real = Growth.__iter__

    def breaks(growth: Growth):
        if growth.part.path == bad:
            raise KeyError("oops")
        return real(growth)

    monkeypatch.setattr(Growth, "__iter__", breaks)
    todo = []
    for file in (bad, good):
        part = due(file, None)
        assert part is not None
        todo.append(Due(Transcript("claude", file, part.size, 0.0), part))
    done = CaughtUp()
    read_all(memory._store, todo, done)
    assert (done.read, done.stored.messages, done.unread_count) == (1, 1, 1)
    with memory._store.reading() as connection:
        assert list(files.watermarks(connection)) == [str(good)]
