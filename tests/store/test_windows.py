"""Scores of windows and sessions, held to a plain implementation of their definition."""

import math
import random

import numpy as np
import pytest

from agentmem.store.fulltext import K1, SESSION_BITS, B
from agentmem.store.windows import Postings, score


def plain(texts: dict[int, list[int]], asked: list[int], reach: int, parts: int) -> dict[int, float]:
    """BM25 of each message's window, term by term."""
    n, mean = len(texts), sum(map(len, texts.values())) / len(texts)
    found = {}
    for slot in texts:
        window = [text for near, text in texts.items() if abs(near - slot) <= reach]
        length = sum(map(len, window)) / parts
        total = 0.0
        for term in asked:
            df = sum(term in text for text in texts.values())
            tf = sum(text.count(term) for text in window)
            idf = math.log(1 + (n - df + 0.5) / (df + 0.5))
            total += idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / mean))
        found[slot] = total
    return found


@pytest.mark.parametrize("seed", range(5))
def test_windows_and_sessions_are_scored_as_defined(seed):
    chance = random.Random(seed)
    places = [(session << SESSION_BITS) + seq for session in (1, 2, 5) for seq in range(8) if chance.random() < 0.8]
    texts = {slot: [chance.randrange(12) for _ in range(chance.randint(1, 9))] for slot in places}
    asked = [0, 1, 2, 99]
    slots = np.array(places, dtype=np.int64)
    lengths = np.array([len(texts[slot]) for slot in places], dtype=np.int64)
    rows = [(t, i, texts[slot].count(t)) for t in range(3) for i, slot in enumerate(places) if t in texts[slot]]
    terms, at, tf = (np.array(column) for column in zip(*rows, strict=True))
    found = score(slots, lengths, Postings(terms, at, tf.astype(float)), len(asked))

    near = [s for s in places if any({0, 1, 2} & set(t) for other, t in texts.items() if abs(other - s) <= 2)]
    assert found.slots.tolist() == near
    for scores, reach, parts in ((found.scores, 0, 1), (found.three, 1, 3), (found.five, 2, 5)):
        expected = plain(texts, asked, reach, parts)
        assert scores == pytest.approx([expected[slot] for slot in near])
    sessions: dict[int, list[int]] = {}
    for slot in places:
        sessions.setdefault(slot >> SESSION_BITS, []).extend(texts[slot])
    expected = plain(sessions, asked, 0, 1)
    assert found.sessions == pytest.approx([expected[slot >> SESSION_BITS] for slot in near])
    assert found.session_squares == pytest.approx(sum(expected[slot >> SESSION_BITS] ** 2 for slot in places))


def test_terms_that_are_nowhere_find_nothing():
    nowhere = np.empty(0, dtype=np.int64)
    found = score(np.array([1, 2]), np.array([3, 4]), Postings(nowhere, nowhere, np.empty(0)), 2)
    assert len(found.slots) == 0
    assert found.population == 2
