import pytest

from agentmem.domain.messages import Role
from agentmem.sources.formats import detect


def test_file(reading):
    messages, tally = reading("plain.txt")
    assert [(m.role.value, m.content) for m in messages] == [
        ("user", "Use uv, not pip.\nAnd pin the versions.\n\n```yaml\nuser: root\n```"),
        ("assistant", "Fine."),
        ("user", "助手 is not a turn here."),
        ("assistant", "好的。"),
    ]
    assert messages[0].at is not None
    assert messages[0].at.isoformat() == "2026-04-10T09:00:00+00:00"
    assert messages[1].at is None
    assert len({message.session_id for message in messages}) == 1
    assert messages[0].session_id.startswith("plain-")
    assert tally.ignored == {"before the first turn": 2}
    assert tally.consumed == 0


@pytest.mark.parametrize(
    ("marker", "role"),
    [
        ("User:", Role.USER), ("HUMAN:", Role.USER), ("me:", Role.USER), ("You:", Role.USER), ("user :", Role.USER),
        ("Assistant:", Role.ASSISTANT), ("AI：", Role.ASSISTANT), ("System:", Role.SYSTEM),
        ("**User:**", Role.USER), ("**Assistant**:", Role.ASSISTANT), ("## User\n", Role.USER), ("### **AI**\n", Role.ASSISTANT),
        ("用户：", Role.USER), ("助手:", Role.ASSISTANT), ("使用者：", Role.USER), ("ユーザー：", Role.USER),
        ("アシスタント：", Role.ASSISTANT), ("사용자:", Role.USER), ("어시스턴트:", Role.ASSISTANT),
        ("[2026-04-10 09:00] User:", Role.USER),
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_markers(reading, marker, role, end):
    messages, _ = reading(f"{marker} hello\nthere".replace("\n", end).encode())
    assert [(m.role, m.content) for m in messages] == [(role, "hello\nthere")]


def test_you_beside_me_is_the_other_one(reading):
    messages, _ = reading(b"Me: hello\nYou: hi\n")
    assert [message.role for message in messages] == [Role.USER, Role.ASSISTANT]


def test_empty_turns_and_injected_memory(reading):
    messages, tally = reading(b"User:\nAssistant: <agentmem-memory>old</agentmem-memory>new\n")
    assert [message.content for message in messages] == ["new"]
    assert tally.ignored == {"no text": 1}


@pytest.mark.parametrize(
    "text",
    [
        b"just some text\n",
        b"name: x\nservices:\n  user: root\n",
        b"image: db\nuser: root\npassword: x\n",
        b"The user: is wrong\n",
        b"users: 3\n",
        b"## Users\n\ntext",
        b"User hello\n",
        b"\x89PNG\r\n\x1a\n\x00\x00User: x\nAssistant: y\n",
    ],
)
def test_other_text_is_no_chat(text):
    assert detect(text) == ""
