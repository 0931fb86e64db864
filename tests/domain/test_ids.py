"""Content addresses."""

from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.ids import digest, message_id

texts = st.text(st.characters())  # lone surrogates included


@given(st.lists(texts, max_size=4), st.lists(texts, max_size=4))
def test_different_fields_have_different_digests(one, other):
    assert (digest(*one) == digest(*other)) == (one == other)


@given(texts, texts, texts)
def test_a_message_id_is_128_bits_in_hex_and_always_the_same(session, role, content):
    identity = message_id(session, role, content)
    assert len(identity) == 32 and int(identity, 16) >= 0
    assert identity == message_id(session, role, content)


def test_moving_a_letter_over_the_border_changes_the_id():
    assert message_id("ab", "user", "c") != message_id("a", "buser", "c")
