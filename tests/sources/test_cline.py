import shutil

from agentmem.domain.messages import MessageKind, Role, Trust
from agentmem.sources.formats import detect


def told(messages):
    return [(m.role, m.content, m.trust) for m in messages]


def test_what_the_person_saw(placed, data):
    messages, tally = placed(data / "cline" / "1790000000000" / "ui_messages.json")
    assert told(messages) == [
        (Role.USER, "Use vitest.", Trust.HIGH),
        (Role.ASSISTANT, "I will.", Trust.MEDIUM),
        (Role.TOOL, "command: npx vitest", Trust.LOW),
        (Role.TOOL, "1 passed", Trust.LOW),
        (Role.TOOL, "editedExistingFile: a.ts", Trust.LOW),
        (Role.ASSISTANT, "Which folder?", Trust.MEDIUM),
        (Role.USER, "tests/", Trust.HIGH),
        (Role.ASSISTANT, "Done.", Trust.MEDIUM),
    ]
    assert {message.session_id for message in messages} == {"1790000000000"}
    assert messages[1].cwd == "/home/ada/shop"
    assert messages[0].at.isoformat() == "2026-09-21T14:13:20.001000+00:00"
    assert tally.unknown == {"new_of_2027": 1}


def test_what_the_model_saw(placed, data, tmp_path):
    folder = tmp_path / "1790000000000"
    folder.mkdir()
    shutil.copy(data / "cline" / "1790000000000" / "api_conversation_history.json", folder)
    messages, _ = placed(folder / "api_conversation_history.json")
    assert told(messages) == [
        (Role.USER, "Use vitest.", Trust.HIGH),
        (Role.ASSISTANT, "I will.", Trust.MEDIUM),
        (Role.TOOL, "execute_command: npx vitest", Trust.LOW),
        (Role.TOOL, "1 passed", Trust.LOW),
        (Role.ASSISTANT, "Which folder?", Trust.MEDIUM),
        (Role.USER, "tests/", Trust.MEDIUM),
        (Role.ASSISTANT, "Done.", Trust.MEDIUM),
    ]
    assert {message.session_id for message in messages} == {"1790000000000"}


def test_a_task_is_told_by_one_of_its_files(placed, data):
    messages, tally = placed(data / "cline" / "1790000000000" / "api_conversation_history.json")
    assert messages == []
    assert tally.ignored == {"told by ui_messages.json": 1}


def test_command_line_session(placed, data):
    messages, _ = placed(data / "cline" / "session_1" / "session_1.messages.json")
    assert [(m.kind, m.content) for m in messages] == [
        (MessageKind.TEXT, "Use vitest."),
        (MessageKind.TEXT, "I will."),
        (MessageKind.TOOL_CALL, "run_commands: npx vitest"),
        (MessageKind.TOOL_RESULT, "1 passed"),
    ]
    first = messages[0]
    assert (first.session_id, first.cwd, first.branch) == ("session_1", "/home/ada/shop", "main")


def test_sub_agents_are_left_out(reading, data):
    whole = (data / "cline" / "session_1" / "session_1.messages.json").read_text()
    messages, tally = reading(whole.replace('"version": 1,', '"version": 1, "origin": {"subagent": "x"},').encode())
    assert messages == []
    assert tally.ignored["sub-agent session"] == 1


def test_other_lists_of_messages_are_chats():
    assert detect(b'[{"role":"user","content":[{"type":"text","text":"hello"}]}]') == "chat"
    assert detect(b'{"messages":[{"role":"user","content":"x","ts":1790000000000}],"session_id":"s"}') == "chat"
    assert detect(b'[{"role":"user","content":[{"type":"text","text":"<task>x</task>"}]}]') == "cline"
