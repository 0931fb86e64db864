import json
import shutil
import sqlite3

import pytest

from agentmem.domain.messages import MessageKind, Role
from agentmem.domain.reports import Tally
from agentmem.errors import BadInput
from agentmem.sources.opencode import read_tree

TOLD = [
    (Role.USER, MessageKind.TEXT, "Prefer dark mode.", "prt_1", "/home/ada/shop"),
    (Role.ASSISTANT, MessageKind.TEXT, "Dark it is.", "prt_5", "/home/ada/shop/web"),
    (Role.TOOL, MessageKind.TOOL_CALL, "edit: a.css", "prt_6", "/home/ada/shop/web"),
    (Role.TOOL, MessageKind.TOOL_RESULT, "Edit applied", "prt_6#2", "/home/ada/shop/web"),
    (Role.TOOL, MessageKind.TOOL_CALL, "bash: make", "prt_7", "/home/ada/shop/web"),
    (Role.TOOL, MessageKind.TOOL_RESULT, "exit 2: boom", "prt_7#2", "/home/ada/shop/web"),
    (Role.SYSTEM, MessageKind.SUMMARY, "The person prefers dark mode.", "prt_9", "/home/ada/shop/web"),
]


def told(messages):
    return [(m.role, m.kind, m.content, m.source_id, m.cwd) for m in messages]


@pytest.fixture
def store(tmp_path, data):
    """A store with the fixture's session, a fork of it, and one of a sub-agent."""
    exported = json.loads((data / "opencode-export.json").read_text())
    path = tmp_path / "my store?.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = wal")
    connection.executescript(
        "CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text, title text, time_created integer);"
        "CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text);"
        "CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, data text);"
    )
    for session, parent, made in (("ses_a1", None, 1), ("ses_f2", None, 2), ("ses_c3", "ses_a1", 3)):
        connection.execute("INSERT INTO session VALUES (?, ?, '/home/ada/shop', 'x', ?)", (session, parent, made))
        mark = "" if session == "ses_a1" else session
        for one in exported["messages"]:
            info = {key: value for key, value in one["info"].items() if key not in ("id", "sessionID")}
            connection.execute(
                "INSERT INTO message VALUES (?, ?, ?, ?)",
                (mark + one["info"]["id"], session, info["time"]["created"], json.dumps(info)),
            )
            for part in one["parts"]:
                rest = {key: value for key, value in part.items() if key not in ("id", "sessionID", "messageID")}
                connection.execute(
                    "INSERT INTO part VALUES (?, ?, ?, ?)",
                    (mark + part["id"], mark + one["info"]["id"], session, json.dumps(rest)),
                )
    say(connection, "ses_f2", "Only in the fork.")
    connection.commit()
    connection.close()
    return path


def say(connection, session, text):
    connection.execute(
        "INSERT INTO message VALUES (?, ?, 99, ?)",
        (f"msg_{text}", session, json.dumps({"role": "user", "time": {"created": 1790000099000}})),
    )
    part = json.dumps({"type": "text", "text": text})
    connection.execute("INSERT INTO part VALUES (?, ?, ?, ?)", (f"prt_{text}", f"msg_{text}", session, part))


def test_export(reading):
    messages, tally = reading("opencode-export.json")
    assert told(messages) == TOLD
    assert {message.session_id for message in messages} == {"ses_a1"}
    assert messages[0].at.isoformat() == "2026-09-21T14:13:21+00:00"
    assert tally.ignored["synthetic"] == 1
    assert tally.unknown == {"part new_of_2027": 1}
    assert tally.consumed == 0


def test_a_store_in_its_place(placed, store):
    before = sorted(store.parent.iterdir())
    messages, tally = placed(store)
    assert told(messages[:-1]) == TOLD
    assert (messages[-1].content, messages[-1].session_id) == ("Only in the fork.", "ses_f2")
    assert tally.ignored["copied from another session"] == 5
    assert tally.ignored["sub-agent session"] == 1
    assert sorted(store.parent.iterdir()) == before  # nothing was written beside it


def test_a_store_as_a_stream(reading, store):
    messages, _ = reading(store.read_bytes(), name="opencode")
    assert len(messages) == len(TOLD) + 1


def test_a_store_that_is_being_written(placed, store):
    writer = sqlite3.connect(store)
    say(writer, "ses_a1", "Still in the log.")
    writer.commit()
    try:
        messages, _ = placed(store)
    finally:
        writer.close()
    assert "Still in the log." in [message.content for message in messages]


def test_one_session_of_a_store(placed, store):
    messages, _ = placed(store, session_id="ses_f2")
    assert {message.session_id for message in messages} == {"ses_f2"}
    assert len(messages) == len(TOLD) + 1


def test_another_database_is_refused_at_once(placed, tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE cookies (id text)")
    connection.close()
    with pytest.raises(BadInput, match="other is an SQLite database, but not a store of OpenCode"):
        placed(path)


def test_a_broken_store(placed, store):
    whole = store.read_bytes()
    store.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadInput, match="not a readable OpenCode store"):
        placed(store)


def test_older_tree(placed, data):
    session = data / "opencode" / "storage" / "session" / "global" / "ses_a1.json"
    messages, tally = placed(session)
    assert told(messages) == TOLD
    assert tally.consumed == 0


def test_a_session_file_without_its_tree(reading):
    messages, tally = reading("opencode/storage/session/global/ses_a1.json")
    assert messages == []
    assert tally.skipped == {"its messages stand in other files": 1}


def test_a_whole_tree(data, tmp_path):
    tally = Tally()
    assert told(read_tree(data / "opencode" / "storage", tally=tally)) == TOLD
    assert tally.ignored["sub-agent session"] == 1
    broken = tmp_path / "storage"
    shutil.copytree(data / "opencode" / "storage", broken)
    (broken / "part" / "msg_1" / "prt_1.json").write_bytes(b'{"id": ')
    (broken / "session" / "global" / "ses_b2.json").write_text('{"id": "ses_../../x", "directory": "/"}')
    tally = Tally()
    assert told(read_tree(broken, tally=tally)) == TOLD[1:]
    assert tally.skipped == {"not readable": 1}
