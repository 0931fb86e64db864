"""Fusion and priors: the parts of a score add up to it, and each prior does what it promises."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.recall import Query
from agentmem.domain.weights import Weights
from agentmem.recall.fuse import candidates, fuse
from agentmem.recall.priors import priors
from agentmem.recall.ranking import Ranking
from agentmem.store.fulltext import SESSION_STEP
from agentmem.store.messages import Traits

BY = Weights()
NOW = datetime(2026, 5, 1, tzinfo=UTC)
SLOTS = tuple(range(SESSION_STEP + 1, SESSION_STEP + 9))


def ranking(channel: str, slots: list[int], standard: list[float], lengths: int = 10) -> Ranking:
    values = np.array(standard)
    return Ranking(
        channel, np.array(slots, dtype=np.int64), values, values, np.full(len(slots), 0.9), np.full(len(slots), lengths)
    )


def asked(text: str) -> Query:
    return Query(text=text, reference=NOW, profiles=("p",))


@given(
    words=st.lists(st.floats(0, 5), min_size=8, max_size=8),
    vectors=st.lists(st.floats(-3, 3), min_size=8, max_size=8),
    more=st.lists(st.floats(-3, 3), min_size=8, max_size=8),
    long=st.integers(1, 5_000),
)
def test_the_parts_add_up_to_the_score(words, vectors, more, long):
    rankings = [
        ranking("message words", list(SLOTS), words, long),
        ranking("question vector", [*SLOTS, -3, -2], [*vectors, 1.0, 0.5], long),
        ranking("memory words", [-2, -3], [2.0, 1.0]),
    ]
    found = candidates(rankings, 8, BY)
    for one in fuse(
        rankings, found, {slot: {"asks a question": m} for slot, m in zip(SLOTS, more, strict=True)}, 8, BY
    ):
        assert sum(part.share for part in one.parts) == pytest.approx(one.score)


def test_a_prior_decides_between_equals():
    rankings = [ranking("message words", list(SLOTS), [1.0] * 8)]
    found = candidates(rankings, 8, BY)
    best = fuse(rankings, found, {SLOTS[2]: {"speaker named": BY.named}}, 8, BY)
    assert best[0].slot == SLOTS[2]
    assert {part.channel for part in best[0].parts} == {"message words", "speaker named"}


def test_a_long_message_loses():
    long, short = ranking("message words", [5], [1.0], 4_000), ranking("question vector", [6], [0.9], 20)
    assert candidates([long, short], 2, BY).slots == (6, 5)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did Ann say about I/O?", BY.named),
        ("What did Annette say?", 0),
        ("Did Ann or Bert say it?", 0),
        ("什么时候 ann 去的？", BY.named),
    ],
)
def test_the_speaker_that_the_question_names(question, expected):
    found = {9: Traits("user", "Ann", False, NOW), 10: Traits("user", "Bert", False, NOW)}
    assert priors(asked(question), found).get(9, {}).get("speaker named", 0) == expected


def test_time_and_place():
    later = Traits("user", None, False, datetime(2026, 6, 1, tzinfo=UTC))
    assert priors(asked("port"), {2 * SESSION_STEP: later}) == {
        2 * SESSION_STEP: {"first of its session": BY.first, "said later than asked": -BY.future}
    }
