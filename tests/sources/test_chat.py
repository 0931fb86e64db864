import json

import pytest

from agentmem.domain.messages import MessageKind, Role, Trust
from agentmem.errors import BadInput
from agentmem.sources.formats import detect


def lines(*entries):
    return b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)


def test_file(reading):
    messages, tally = reading("chat.jsonl")
    assert [(m.role.value, m.kind.value, m.content) for m in messages] == [
        ("user", "text", "We use uv, not pip."),
        ("assistant", "text", "Noted."),
        ("tool", "tool_call", "Read: a.py"),
        ("tool", "tool_result", "x = 1"),
        ("system", "text", "Be brief."),
        ("user", "text", "部署只用 make ship。"),
        ("tool", "tool_call", "shell: ls -la"),
        ("user", "text", "I prefer tabs."),
    ]
    first = messages[0]
    assert (first.session_id, first.source_id, first.speaker, first.trust) == ("s1", "m1", "Ada", Trust.HIGH)
    assert [m.at.isoformat() if m.at else None for m in messages[:4]] == [
        "2026-04-10T09:00:00+00:00", "2026-04-10T09:00:01+00:00", "2026-04-10T09:00:01+00:00", None,
    ]  # fmt: skip
    assert messages[5].at is not None
    assert messages[5].at.microsecond == 500_000
    assert (messages[-1].speaker, messages[-1].trust) == ("Grace", Trust.HIGH)
    assert (tally.lines, tally.messages) == (7, 8)


@pytest.mark.parametrize(
    ("named", "role"),
    [("Human", Role.USER), ("ai", Role.ASSISTANT), ("model", Role.ASSISTANT), ("bot", Role.ASSISTANT),
     ("developer", Role.SYSTEM), ("function", Role.TOOL), ("tool", Role.TOOL)],
)  # fmt: skip
def test_roles(reading, named, role):
    messages, _ = reading(lines({"role": named, "content": "x"}))
    assert [m.role for m in messages] == [role]
    assert messages[0].kind is (MessageKind.TOOL_RESULT if role is Role.TOOL else MessageKind.TEXT)


def test_names_and_unknown_roles(reading):
    messages, tally = reading(
        lines(
            {"role": "user", "content": "a"},
            {"role": "Anne-Marie O'Neill", "content": "b"},
            {"role": "critic", "content": "c"},
            {"role": "some_event", "content": "d"},
            {"speaker": "Caroline", "text": "e"},
            {"content": "f"},
        )
    )
    assert [(m.content, m.speaker, m.trust) for m in messages[1:]] == [
        ("b", "Anne-Marie O'Neill", Trust.HIGH), ("c", "critic", Trust.MEDIUM), ("e", "Caroline", Trust.HIGH),
    ]  # fmt: skip
    assert tally.skipped == {"role some_event": 1, "no role": 1}


def test_session_id_without_one_is_stable_while_the_file_grows(reading):
    first = {"role": "user", "content": "hello", "timestamp": "2026-04-10"}
    one = reading(lines(first), name="stdin")[0]
    two = reading(lines(first, {"role": "assistant", "content": "hi"}), name="stdin")[0]
    other = reading(lines({**first, "content": "bye"}), name="stdin")[0]
    assert one[0].session_id == two[0].session_id == two[1].session_id
    assert one[0].session_id.startswith("stdin-")
    assert len(one[0].session_id) == len("stdin-") + 8
    assert other[0].session_id != one[0].session_id
    assert reading(lines(first), session_id="mine")[0][0].session_id == "mine"


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    "shape",
    [
        lambda m: m,
        lambda m: {"messages": m},
        lambda m: {"title": "x", "conversation": m},
        lambda m: [{"messages": m[:1]}, {"messages": m[1:]}],
        lambda m: [m[:1], m[1:]],
        lambda m: {"conversations": [{"id": "c1", "messages": m}]},
    ],
)
def test_documents(reading, shape, indent):
    said = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
    messages, _ = reading(json.dumps(shape(said), indent=indent).encode())
    assert [(m.role.value, m.content) for m in messages] == [("user", "hello"), ("assistant", "hi")]


def test_conversations_have_sessions_of_their_own(reading):
    talk = [{"role": "user", "content": "hello"}]
    data = json.dumps([{"id": "c1", "messages": talk}, {"messages": talk}, {"messages": [*talk, *talk]}], indent=1)
    sessions = [message.session_id for message in reading(data.encode(), name="export")[0]]
    assert sessions[0] == "c1"
    assert sessions[1].startswith("export-")


def test_long_results_are_cut_and_long_words_are_not(reading):
    messages, _ = reading(lines({"role": "user", "content": "w" * 9000}, {"role": "tool", "content": "r" * 9000}))
    assert [len(message.content) for message in messages] == [9000, 2000]


def test_own_memory_does_not_come_back(reading):
    messages, tally = reading(
        lines(
            {"role": "user", "content": "<agentmem-memory>old news</agentmem-memory>Fix it."},
            {"role": "assistant", "content": None,
             "tool_calls": [{"id": "c", "function": {"name": "agentmem_recall", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": "old news"},
            {"role": "function", "name": "agentmem.recall", "content": "old news"},
        )
    )  # fmt: skip
    assert [message.content for message in messages] == ["Fix it."]
    assert tally.ignored["agentmem's own"] == 3


def test_wrapped_messages(reading):
    inner = {"id": "msg_1", "role": "assistant", "content": [{"type": "text", "text": "hi"}]}
    messages, _ = reading(lines({"id": "outer", "session_id": "s", "time": 1775811600, "message": inner}))
    assert (messages[0].source_id, messages[0].session_id, messages[0].role) == ("outer", "s", Role.ASSISTANT)
    assert messages[0].at is not None


def test_nothing_said_is_no_message(reading):
    messages, tally = reading(lines({"role": "user", "content": ""}, {"role": "user", "content": None},
                                    {"role": "user", "content": " \n"}, {"role": "user", "content": 7}))  # fmt: skip
    assert messages == []
    assert tally.ignored == {"no text": 4}


def test_broken_document(reading):
    with pytest.raises(BadInput, match="not a complete"):
        reading(b'[\n{"role": "user",\n"content": "cut o')


@pytest.mark.parametrize(
    "head",
    [
        b'{"role":"user","content":"hi"}\n',
        b'log line\n[]\n{"x":1}\n{"role":"user","content":"hi"}\n',
        b'{"role":"user","content":"torn o',
        b'[{"role":"user","content":"' + b"x" * 65536,
        b'\xef\xbb\xbf{"speaker":"Ada","text":"hi"}',
        b'{"messages":[{"role":"user","content":"hi"}]}\n',
        b'{"message":{"role":"user","content":"hi"},"ts":1}',
    ],
)
def test_detected(head):
    assert detect(head) == "chat"
