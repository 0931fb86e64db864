import pytest

from agentmem.domain.reports import Tally
from agentmem.errors import BadInput
from agentmem.sources.documents import load


def test_values_one_behind_the_other():
    assert load([b'\xef\xbb\xbf{\n"a": 1}\n{"b"', b": 2}\n"], name="x", tally=Tally()) == [{"a": 1}, {"b": 2}]


def test_too_large_a_document_says_what_to_do():
    with pytest.raises(BadInput, match="big is a JSON document of more than 1 MiB") as caught:
        load([b"[" + b" " * (1 << 20), b"]"], name="big", tally=Tally(), limit=1 << 20)
    assert "JSONL" in caught.value.hint


def test_broken_documents():
    with pytest.raises(BadInput, match="not a complete JSON document"):
        load([b'[{"role": "us'], name="x", tally=Tally())
    with pytest.raises(BadInput, match="nested too deeply"):
        load([b"[" * 100_000], name="x", tally=Tally())


def test_complete_lines_of_a_broken_document_are_rescued():
    tally = Tally()
    assert load([b'[\n{"a": 1},\n{"b": 2},\n{"c'], name="x", tally=tally) == [{"a": 1}, {"b": 2}]
    assert tally.consumed == 0
