import pytest

from agentmem.domain.messages import MessageKind
from agentmem.domain.reports import Tally
from agentmem.sources.blocks import LONGEST_CALL, call, flat, label, note, pieces, string
from agentmem.sources.own import OwnCalls


@pytest.mark.parametrize(
    ("name", "arguments", "line"),
    [
        ("Bash", {"command": "ls\n  -la", "description": "List"}, "Bash: ls -la"),
        ("Edit", {"file_path": "a.py", "new_string": "x"}, "Edit: a.py"),
        ("shell", '{"command": ["git", "status"]}', "shell: git status"),
        ("shell", "not json", "shell: not json"),
        ("TodoWrite", {"todos": []}, "TodoWrite"),
        (None, None, "tool"),
        ("x", {"command": "a <agentmem-memory>m</agentmem-memory>b"}, "x: a b"),
    ],
)
def test_a_call_is_one_line(name, arguments, line):
    assert call(name, arguments).text == line


def test_a_long_call_is_cut():
    assert len(call("Bash", {"command": "x" * 9999}).text) == LONGEST_CALL


def test_blocks_of_both_interfaces():
    tally = Tally()
    found = list(
        pieces(
            [
                {"type": "text", "text": "a"},
                {"type": "input_text", "text": "b"},
                {"text": "no type"},
                "bare",
                None,
                7,
                {"type": "text"},
                {"type": "thinking", "thinking": "x"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
                {"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "ls"}},
                {
                    "type": "tool_result",
                    "tool_use_id": "1",
                    "content": [{"type": "text", "text": "out"}, {"type": "image"}],
                },
                {"type": ["odd"]},
            ],
            tally,
        )
    )
    assert [piece.text for piece in found] == ["a", "b", "no type", "bare", "Bash: ls", "out"]
    assert found[-1].kind is MessageKind.TOOL_RESULT
    assert tally.ignored == {"block thinking": 1, "block image_url": 1, "block (none)": 1}


def test_flat_stops_at_a_depth():
    deep: object = "x"
    for _ in range(900):
        deep = [deep]
    assert flat(deep) == ""
    assert flat([{"content": [{"text": "a"}]}, "b"]) == "a\nb"


def test_strings_and_labels():
    assert string("a\x00\ud800") == "a\ufffd"
    assert string(7) == "7"
    assert string(True) is None
    assert string("") is None
    assert label(None) == "(none)"
    assert len(label("x" * 100)) == 40


def test_a_tally_has_a_bounded_number_of_keys():
    counts: dict[str, int] = {}
    for number in range(1000):
        note(counts, str(number))
    assert len(counts) == 65
    assert sum(counts.values()) == 1000


def test_own_calls_are_known_by_name_command_and_id():
    own = OwnCalls()
    result = {"type": "tool_result", "content": "Uses uv."}
    calls = [
        {"type": "tool_use", "id": "1", "name": "mcp__agentmem__recall", "input": {}},
        {"type": "tool_use", "id": "2", "name": "Bash", "input": {"command": "cd x && agentmem recall uv"}},
        {"type": "tool_use", "id": "3", "name": "Bash", "input": {"command": "cd agentmem && ls"}},
        *({**result, "tool_use_id": str(number)} for number in (1, 2, 3)),
    ]
    assert [own.covers(piece) for piece in pieces(calls, Tally())] == [True, True, False, True, True, False]
