"""How much is found, how much is found wrongly, and what becomes of it."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem import ConfigError
from agentmem.redaction.redactor import Redactor, without_private
from tests.redaction.harmless import harmless
from tests.redaction.secrets import positives

REDACT = Redactor(b"k" * 32)
GITHUB = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"


@pytest.mark.parametrize("seed", [1, 20])
def test_at_least_97_of_100_secrets_are_found(seed):
    all_of_them = list(positives(seed))
    missed = Counter(one.kind for one in all_of_them if any(secret in REDACT(one.text) for secret in one.secrets))
    assert len(all_of_them) >= 400
    assert len({one.kind for one in all_of_them}) >= 40
    assert missed.total() <= 0.03 * len(all_of_them), missed


@pytest.mark.parametrize("seed", [2, 30])
def test_at_most_one_of_100_harmless_texts_is_changed(seed):
    all_of_them = list(harmless(seed))
    changed = Counter(one.kind for one in all_of_them if REDACT(one.text) != one.text)
    assert len(all_of_them) >= 2_000
    assert changed.total() <= 0.01 * len(all_of_them), changed


def test_what_is_redacted_stays_as_it_is():
    """A message that is read again has the same id, so redacting twice must be redacting once."""
    for one in positives(3):
        once = REDACT(one.text)
        assert REDACT(once) == once


def test_equal_secrets_get_equal_marks_and_other_stores_others():
    one, other = REDACT(f"use {GITHUB}"), REDACT(f"export TOKEN={GITHUB}\n")
    assert one.removeprefix("use ") in other
    assert one.startswith("use [redacted:github-pat:")
    assert Redactor(b"q" * 32)(f"use {GITHUB}") != one


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <private>b</private> c", "a  c"),
        ("a <private>b\nc\n</private>d", "a d"),
        ("a <PRIVATE>b", "a "),
        ("<private>a<private>b</private>c</private>d", "d"),
        ("</private>a", "</private>a"),
        ("a < private> b", "a < private> b"),
        ("List<privateKey>", "List<privateKey>"),
    ],
)
def test_what_is_private_goes_without_a_trace(text, kept):
    assert without_private(text) == kept
    assert REDACT(text) == kept


def test_patterns_and_what_is_allowed_can_be_set():
    redact = Redactor(b"k", [r"PRJ-\d{4}", r"badge (\w+)"], ["gh" + "p_.*"])
    assert (
        redact("PRJ-1234 badge 77aa") == f"{redact.mark('PRJ-1234', 'pattern')} badge {redact.mark('77aa', 'pattern')}"
    )
    assert redact(f"use {GITHUB}") == f"use {GITHUB}"
    with pytest.raises(ConfigError, match="no regular expression"):
        Redactor(b"k", ["("])


def test_the_half_of_a_private_key_is_a_secret_too():
    whole = next(one for one in positives() if one.kind == "private key block" and "\\n" not in one.text)
    half = whole.text[: len(whole.text) // 2]
    assert not any(line in REDACT(half) for line in whole.secrets)


@given(st.text(), st.sampled_from([one.text for one in positives(4)]), st.text())
def test_any_text_can_be_redacted(before, secret, after):
    text = f"{before}\n{secret}\n{after}"
    once = REDACT(text)
    assert REDACT(once) == once
    assert without_private(once) == once


@pytest.mark.parametrize(
    "filler", ["a", "A1b", "pass=", "token: ", "key_", "://", "x:y@", "-----BEGIN PRIVATE KEY-----", "/", "İ"]
)
def test_the_time_grows_with_the_text_and_not_faster(filler):
    import time

    def seconds(size: int) -> float:
        text = (filler * size)[:size]
        started = time.process_time()
        REDACT.find(text)
        return time.process_time() - started

    seconds(1_000)
    assert seconds(400_000) < 4.0
