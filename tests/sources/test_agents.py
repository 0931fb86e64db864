"""Cursor, Copilot CLI, pi, Qwen Code, Aider; and that each format is told from all others."""

import json

import pytest

from agentmem.domain.messages import MessageKind, Role, Trust
from agentmem.sources.formats import FORMATS, detect


def told(messages):
    return [(m.role, m.kind, m.content, m.source_id) for m in messages]


def lines(*entries):
    return b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)


USER, ASSISTANT, TOOL, SYSTEM = Role.USER, Role.ASSISTANT, Role.TOOL, Role.SYSTEM
TEXT, CALL, RESULT, SUMMARY = MessageKind.TEXT, MessageKind.TOOL_CALL, MessageKind.TOOL_RESULT, MessageKind.SUMMARY


def test_cursor(reading):
    messages, tally = reading("cursor.jsonl")
    assert [(m.role, m.content) for m in messages] == [
        (USER, "Use pnpm, never npm."),
        (ASSISTANT, "Switching to pnpm."),
        (TOOL, "Shell: pnpm install"),
        (USER, "Merci"),
        (ASSISTANT, "De rien"),
    ]
    assert messages[0].at.isoformat() == "2026-10-02T20:05:00+00:00"
    assert messages[1].at is None
    assert [m.source_id.split("-")[0] for m in messages] == ["1", "2", "2", "4", "5"]
    assert {message.session_id for message in messages} == {"cursor"}
    assert tally.unknown == {"new_of_2027": 1}
    assert tally.consumed == 0


def test_a_query_may_quote_its_own_tag(reading):
    text = "<user_query>\nwhat is </user_query> for?\n</user_query>"
    data = lines({"role": "user", "message": {"content": [{"type": "text", "text": text}]}})
    assert reading(data)[0][0].content == "what is </user_query> for?"


def test_copilot(reading):
    messages, tally = reading("copilot-events.jsonl")
    assert told(messages) == [
        (USER, TEXT, "Run ruff before committing.", "e1"),
        (TOOL, CALL, "bash: ruff check", "e3"),
        (TOOL, RESULT, "All checks passed!", "e5"),
        (ASSISTANT, TEXT, "Noted.", "e7"),
        (SYSTEM, SUMMARY, "The person wants ruff.", "ea"),
    ]
    first = messages[0]
    assert (first.session_id, first.cwd, first.branch) == (
        "c0c0c0c0-0000-4000-8000-000000000001",
        "/home/ada/shop",
        "main",
    )
    assert tally.unknown == {"new.of_2027": 1}


def test_copilot_s_folder_is_the_session_where_its_start_is_missing(placed, tmp_path):
    folder = tmp_path / "the-session"
    folder.mkdir()
    (folder / "events.jsonl").write_bytes(
        lines({"type": "user.message", "data": {"content": "x"}, "id": "e", "timestamp": "2026-10-04T08:00:00Z"})
    )
    assert placed(folder / "events.jsonl")[0][0].session_id == "the-session"


def test_pi(reading):
    messages, tally = reading("pi.jsonl")
    assert told(messages) == [
        (USER, TEXT, "Fix the login bug.", "m1"),
        (ASSISTANT, TEXT, "Looking.", "m2"),
        (TOOL, CALL, "read: auth.go", "m2#2"),
        (TOOL, RESULT, "package auth", "m3"),
        (TOOL, CALL, "bash: make test", "m7"),
        (TOOL, RESULT, "exit 1: 2 failed", "m7#2"),
        (SYSTEM, SUMMARY, "The login is being fixed.", "m9"),
        (SYSTEM, SUMMARY, "A branch was left.", "ma"),
    ]
    assert (messages[0].session_id, messages[0].cwd) == ("d0d0d0d0-0000-4000-8000-000000000001", "/home/ada/shop")
    assert tally.unknown == {"new_of_2027": 1}
    assert tally.ignored["custom_message"] == 1


def test_qwen(reading):
    messages, tally = reading("qwen.jsonl")
    assert told(messages) == [
        (USER, TEXT, "List the files.", "q1"),
        (ASSISTANT, TEXT, "Here.", "q3"),
        (TOOL, CALL, "list_directory: .", "q3#2"),
        (TOOL, RESULT, "must be absolute", "q4"),
        (SYSTEM, SUMMARY, "They list files.", "q8"),
    ]
    first = messages[0]
    assert (first.session_id, first.cwd, first.branch) == (
        "e0e0e0e0-0000-4000-8000-000000000001",
        "/home/ada/shop",
        "main",
    )
    assert tally.unknown == {"new_of_2027": 1}


def test_aider(placed, data):
    messages, tally = placed(data / "aider.chat.history.md")
    assert [(m.role, m.content) for m in messages] == [
        (USER, "add a retry\nto the webhook"),
        (ASSISTANT, "I'll add exponential backoff.\n\n#### Step 1\n> quoted by the model"),
        (TOOL, "Applied edit to src/webhook.py"),
        (TOOL, "Commit 1a2b3c4 feat: retry"),
        (USER, "why is it slow?"),
        (ASSISTANT, "It waits."),
        (USER, "make the timeout configurable"),
        (ASSISTANT, "Done."),
    ]
    assert len({message.session_id for message in messages}) == 2
    assert {message.cwd for message in messages} == {str(data)}
    assert {message.trust for message in messages if message.role is TOOL} == {Trust.LOW}
    assert tally.consumed == 0


def test_aider_without_the_spaces_at_the_end(reading):
    messages, _ = reading(
        b"# aider chat started at 2026-06-09 14:01:00\n\n#### first\nAnswer.\n\n#### Step 1\nDo.\n\n> Tokens: 2k\n\n#### second\n"
    )
    assert [(m.role, m.content) for m in messages] == [
        (USER, "first"), (ASSISTANT, "Answer.\n\n#### Step 1\nDo."), (USER, "second"),
    ]  # fmt: skip


FIXTURES = {
    "codex-paginated.jsonl": "codex",
    "codex-legacy.jsonl": "codex",
    "codex-fork.jsonl": "codex",
    "gemini.jsonl": "gemini",
    "gemini-legacy.json": "gemini",
    "cursor.jsonl": "cursor",
    "opencode-export.json": "opencode",
    "opencode/storage/session/global/ses_a1.json": "opencode",
    "copilot-events.jsonl": "copilot",
    "pi.jsonl": "pi",
    "qwen.jsonl": "qwen",
    "aider.chat.history.md": "aider",
    "cline/1790000000000/ui_messages.json": "cline",
    "cline/1790000000000/api_conversation_history.json": "cline",
    "cline/session_1/session_1.messages.json": "cline",
    "claude-session.jsonl": "claude",
    "claude-web.json": "claude",
    "chat.jsonl": "chat",
    "plain.txt": "plain",
}


@pytest.mark.parametrize(("name", "expected"), FIXTURES.items())
def test_each_fixture_is_told_from_all_others(data, name, expected):
    whole = (data / name).read_bytes()
    assert detect(whole) == expected
    assert detect(b"\xef\xbb\xbf" + whole) == expected


@pytest.mark.parametrize("name", [name for name in FIXTURES if name.endswith(".json") and "storage" not in name])
def test_a_document_is_known_by_its_beginning_alone(data, name):
    value = json.loads((data / name).read_bytes())
    entries = value if isinstance(value, list) else value.get("messages", value.get("loglines"))
    entries.extend(entries * 300)
    for indent in (None, 1):
        whole = json.dumps(value, indent=indent).encode()
        assert len(whole) > 1 << 16
        assert detect(whole[: 1 << 16]) == FIXTURES[name]


def test_a_line_that_does_not_end_in_the_head_is_known(data):
    long = "x" * (1 << 17)
    first = {
        "codex": {"timestamp": "t", "type": "session_meta", "payload": {"id": "s", "base_instructions": long}},
        "copilot": {"type": "user.message", "data": {"content": long}, "id": "e"},
        "qwen": {"uuid": "u", "sessionId": "s", "type": "user", "message": {"role": "user", "parts": [{"text": long}]}},
        "cursor": {"role": "user", "message": {"content": [{"type": "text", "text": long}]}},
        "pi": {"type": "message", "id": "m", "parentId": None, "message": {"role": "user", "content": long}},
        "gemini": {"id": "a", "timestamp": "t", "type": "gemini", "content": long},
    }
    for name, value in first.items():
        assert detect(json.dumps(value).encode()[: 1 << 16]) == name


@pytest.mark.parametrize(
    "data",
    [
        b'{"role":"user","content":"hi"}',
        b'{"role":"user","content":[{"type":"text","text":"hi"}],"timestamp":1}',
        b'{"type":"message","role":"user","content":"hi"}',
        b'{"role":"user","message":{"content":"hi"}}',
        b'{"id":"1","type":"user","content":"hi","role":"user"}',
        b'{"messages":[{"role":"user","content":"<task>hi</task>"}]}',
        b'{"role":"user","content":"# aider chat started at 2026-01-01 10:00:00"}',
        b'{"role":"model","parts":[{"text":"hi"}]}',
        b'{"session_id":"s","role":"user","content":"{\\"type\\":\\"session_meta\\",\\"payload\\":{}}"}',
    ],
)
def test_chats_stay_chats(data):
    assert detect(data) == "chat"


def test_every_format_names_itself():
    for source in FORMATS.values():
        assert source.LABEL
