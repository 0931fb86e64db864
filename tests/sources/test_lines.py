import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.reports import Tally
from agentmem.sources.lines import HALF_WRITTEN, NOT_JSON, NOT_OBJECT, TOO_DEEP, TOO_LONG, Head, objects, peek, values


def parsed(data: bytes, **options):
    tally = Tally()
    return list(objects([data], tally, **options)), tally


def test_lines_are_split_on_0x0a_alone():
    data = '{"a":"x\u2028y\u0085z"}\n{"b":1}\n'.encode()
    found, tally = parsed(data)
    assert found == [{"a": "x\u2028y\u0085z"}, {"b": 1}]
    assert (tally.lines, tally.consumed) == (2, len(data))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'\xef\xbb\xbf{"a":1}\n', [{"a": 1}]),
        (b"\x00" * 37 + b'{"a":1}\n', [{"a": 1}]),
        (b'{"a":1}\r\n\r\n   \n{"b":2}\r\n', [{"a": 1}, {"b": 2}]),
        (b'{"a":1}{"b":2} {"c":3}\x00\n', [{"a": 1}, {"b": 2}, {"c": 3}]),
        (b'{"a":"raw\ttab"}\n', [{"a": "raw\ttab"}]),
    ],
)
def test_padding_and_glued_objects(data, expected):
    found, tally = parsed(data)
    assert found == expected
    assert not tally.skipped
    assert tally.consumed == len(data)


def test_what_cannot_be_used_is_counted_and_does_not_end_the_file():
    data = b"\n".join(
        [
            b"junk",
            b"[]",
            b"12",
            b'"text"',
            b"null",
            b'{"torn": "in the mid',
            b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}",
        ]
    )
    found, tally = parsed(data + b'\n{"ok":1}\n')
    assert found == [{"ok": 1}]
    assert tally.skipped == {NOT_JSON: 2, NOT_OBJECT: 4, TOO_DEEP: 1}


def test_numbers_beyond_python_s_habits():
    found, _ = parsed(b'{"n":NaN,"i":' + b"9" * 5000 + b',"e":1e999,"m":-Infinity,"k":7}\n')
    assert found[0]["i"] == float("inf")
    assert found[0]["k"] == 7


def test_invalid_utf8_is_replaced():
    assert parsed(b'{"a":"\xff\xfe"}\n')[0] == [{"a": "\ufffd\ufffd"}]


def test_half_written_last_line_is_not_consumed():
    whole = b'{"a":1}\n'
    found, tally = parsed(whole + b'{"b":"half')
    assert found == [{"a": 1}]
    assert tally.consumed == len(whole)
    assert tally.skipped == {HALF_WRITTEN: 1}


def test_complete_last_line_without_newline_is_consumed():
    data = b'{"a":1}\n{"b":2}'
    found, tally = parsed(data)
    assert found == [{"a": 1}, {"b": 2}]
    assert tally.consumed == len(data)


def test_a_number_at_the_end_may_be_half_a_number():
    tally = Tally()
    assert list(values([b"12"], tally)) == []
    assert tally.skipped == {HALF_WRITTEN: 1}
    assert tally.consumed == 0


def test_consumed_never_covers_a_line_that_was_not_taken():
    tally = Tally()
    found = objects([b'{"a":1}\n{"b":2}\n'], tally)
    next(found)
    assert tally.consumed == 0
    next(found)
    assert tally.consumed == 8


def test_long_lines_are_skipped_without_being_held():
    def chunks():
        yield b'{"a":1}\n{"big":"'
        for _ in range(1024):
            yield b"x" * (1 << 16)
        yield b'"}\n{"b":2}\n'

    tally = Tally()
    tracemalloc.start()
    try:
        found = list(objects(chunks(), tally, limit=1 << 20))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == [{"a": 1}, {"b": 2}]
    assert tally.skipped == {TOO_LONG: 1}
    assert tally.lines == 3
    assert peak < 4 << 20


def test_long_last_line_is_not_consumed():
    found, tally = parsed(b'{"a":1}\n' + b"x" * 100, limit=50)
    assert found == [{"a": 1}]
    assert tally.consumed == 8


@given(st.lists(st.binary(max_size=30), max_size=8), st.integers(1, 9))
def test_the_size_of_chunks_makes_no_difference(lines, size):
    data = b"\n".join([*lines, b'{"a":1}'])
    whole, pieces = Tally(), Tally()
    one = list(values([data], whole))
    other = list(values([data[at : at + size] for at in range(0, len(data), size)], pieces))
    assert json.dumps(one) == json.dumps(other)
    assert whole == pieces


def test_peek_gives_everything_again():
    head, chunks = peek(iter([b"ab", b"cd", b"ef"]), 3)
    assert head == b"abc"
    assert b"".join(chunks) == b"abcdef"


@pytest.mark.parametrize(
    ("head", "document"),
    [
        (b'[\n {"role":"user"}', True),
        (b'[{"role":"user","content":"x"},', True),
        (b'{\n "messages": [', True),
        (b'{"title":"x","messages":[{"role":', True),
        (b'{"messages":[{"role":"user","content":"x"}]}\n', False),
        (b'{"role":"user","content":"torn', False),
        (b"[]\n{}\n", False),
        (b"[2026-04-10 09:00] User: x", False),
    ],
)
def test_documents_are_told_from_lines(head, document):
    assert Head.of(head).document is document
