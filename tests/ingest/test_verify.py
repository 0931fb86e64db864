"""The machine's check of a quote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.memories import Candidate, MemoryKind
from agentmem.ingest.verify import verify


def quoting(quote: str) -> Candidate:
    return Candidate(kind=MemoryKind.FACT, content="c", quote=quote, session_id="s", message_id="m")


SOURCE = "First line.\nUse  ‘pnpm’, not “npm” — ever.\nＡＰＩ 速率限制是 １０ 次/秒。"


@pytest.mark.parametrize(
    ("quote", "literal"),
    [
        ("Use  ‘pnpm’, not “npm”", "Use  ‘pnpm’, not “npm”"),
        ("Use 'pnpm', not \"npm\" - ever", "Use  ‘pnpm’, not “npm” — ever"),
        ("First line. Use 'pnpm'", "First line.\nUse  ‘pnpm"),
        ("first line", "First line"),
        ("API 速率限制是 10 次/秒", "ＡＰＩ 速率限制是 １０ 次/秒"),
        ("...First line...", "First line"),
    ],
)
def test_a_quote_becomes_the_source_s_own_words(quote: str, literal: str) -> None:
    """Blanks, width, quotation marks, dashes and case may differ; what is kept stands in the source."""
    checked = verify(quoting(quote), SOURCE)
    assert checked is not None
    assert literal in checked.quote
    assert checked.quote in SOURCE


@pytest.mark.parametrize("quote", ["", "  ", "Use yarn", "line. First", "...", "Use pnpm not npm never"])
def test_what_the_source_does_not_say_is_dropped(quote: str) -> None:
    """No quote, no memory."""
    assert verify(quoting(quote), SOURCE) is None


@given(st.text(), st.data())
def test_every_slice_of_a_message_is_verified(text: str, data: st.DataObject) -> None:
    """A literal slice passes unchanged."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    piece = text[start:end]
    checked = verify(quoting(piece), text)
    assert (checked is None) == (not piece.strip())
    assert checked is None or checked.quote == piece


@given(st.text(), st.text())
def test_what_passes_is_literal(quote: str, text: str) -> None:
    """Whatever is kept is a slice of the source."""
    checked = verify(quoting(quote), text)
    assert checked is None or checked.quote in text
