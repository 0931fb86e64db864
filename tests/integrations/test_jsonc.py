import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.integrations import jsonc
from tests.integrations.conftest import json_texts


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_json_is_read_as_python_reads_it(value):
    for text in (json.dumps(value), json.dumps(value, indent=3, ensure_ascii=False)):
        assert jsonc.parse(text).value == value


@given(json_texts())
def test_every_part_knows_its_place(text):
    def check(node):
        piece = jsonc.literal(text, node)
        assert piece == piece.strip()
        assert jsonc.parse(piece).value == node.value
        for part in node.parts:
            assert node.start < part.lead <= part.start < part.value.end <= node.tail < node.end
            check(part.value)

    check(jsonc.parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "}",
        "{]",
        '{"a"}',
        '{"a":}',
        "{,}",
        "[1,,2]",
        "[1 2]",
        "nul",
        "01",
        "'a'",
        '"\n"',
        '"\\x"',
        "{a: 1}",
        "1 2",
        "/*",
        "[NaN]",
    ],
)
def test_what_is_no_json(text):
    with pytest.raises(jsonc.Unreadable, match=r"line \d+, column \d+"):
        jsonc.parse(text)


def test_a_member_looks_like_its_neighbours():
    assert jsonc.put('{\r\n\t"a": [\r\n\t\t1\r\n\t]\r\n}', ("a", 1), {"b": 2}) == (
        '{\r\n\t"a": [\r\n\t\t1,\r\n\t\t{\r\n\t\t\t"b": 2\r\n\t\t}\r\n\t]\r\n}'
    )
    assert jsonc.put('{"a": 1}', ("b",), [2]) == '{"a": 1, "b": [2]}'
    assert jsonc.put('{"a": 1,}', ("b",), [2]) == '{"a": 1, "b": [2],}'
    assert jsonc.put('{\n  "a": 1 // one\n}', ("b",), 2) == '{\n  "a": 1, // one\n  "b": 2\n}'
    assert (
        jsonc.put('{\n    "a": {}\n}', ("a", "b"), {"c": 2})
        == '{\n    "a": {\n        "b": {\n            "c": 2\n        }\n    }\n}'
    )


def test_comments_beside_what_goes_stay():
    text = '{\n  // one\n  "a": 1, // still one\n  // two\n  "b": 2, // still two\n  "c": 3 /* three */\n}'
    assert (
        jsonc.remove(text, ("b",))
        == '{\n  // one\n  "a": 1, // still one\n  // two // still two\n  "c": 3 /* three */\n}'
    )
    assert jsonc.parse(jsonc.remove(text, ("c",))).value == {"a": 1, "b": 2}
    assert jsonc.parse(jsonc.remove(text, ("a",))).value == {"b": 2, "c": 3}
