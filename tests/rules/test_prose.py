"""What of a message is a person's prose, and where sentences end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.rules.prose import blot, language_of, lines, sentences


def parts(text: str) -> list[str]:
    return [text[a:b] for start, end in lines(text) for a, b in sentences(text, start, end)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use pnpm. Not npm!", ["Use pnpm.", "Not npm!"]),
        ("We run v2.3 on Render.com, e.g. for 10,000 users.", ["We run v2.3 on Render.com, e.g. for 10,000 users."]),
        ("- Use pnpm\n- Use tabs\n1. Use ruff", ["Use pnpm", "Use tabs", "Use ruff"]),
        ("用 pnpm。默认深色模式。", ["用 pnpm。", "默认深色模式。"]),
        ("pnpm を使って。npm は使わない。", ["pnpm を使って。", "npm は使わない。"]),
        ("pnpm을 써. npm은 쓰지 마.", ["pnpm을 써.", "npm은 쓰지 마."]),
        ("Before\n```\ncode here\n```\nAfter it", ["Before", "After it"]),
        ("Before\n    code here\nAfter it", ["Before", "After it"]),
        ("> quoted words\nown words", ["own words"]),
        ("2024-05-01 12:00:01 INFO started\nown words", ["own words"]),
        ("Traceback (most recent call last):\nown words", ["own words"]),
        ("@@ -1,2 +1,2 @@\n+ added line\nown words", ["own words"]),
        ('"""\npasted words\n"""\nown words', ["own words"]),
        ('{"a": 1, "b": [2, 3]}', []),
    ],
)  # fmt: skip
def test_sentences_of_prose(text: str, expected: list[str]) -> None:
    """Code, logs, diffs and quoted replies are left out; bullets fall away; numbers and hosts are not cut."""
    assert parts(text) == expected


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Use pnpm", "en"),
        ("用 pnpm，不要用 npm", "zh"),
        ("API rate limit 提高到 10,000", "zh"),
        ("pnpm を使って", "ja"),
        ("pnpm을 써", "ko"),
        ("She wrote 好 on the wall of the old house", "en"),
    ],
)
def test_language_by_script(text: str, language: str) -> None:
    """Tool names stay Latin in every language."""
    assert language_of(text) == language


def test_han_alone_follows_the_message() -> None:
    """A sentence of Han characters in a Japanese message is Japanese."""
    assert language_of("環境変数設定", "ja") == "ja"


@given(st.text())
def test_lengths_stay(text: str) -> None:
    """Blotting keeps every offset, and all spans lie inside the text."""
    assert len(blot(text)) == len(text)
    for start, end in lines(text):
        for a, b in sentences(text, start, end):
            assert 0 <= a < b <= len(text)
