"""Which sessions a question is about: by all of their messages and words, and never by what was forgotten."""

import math

import numpy as np
import pytest

from agentmem.domain.weights import DATES, WORDS, Weights
from agentmem.memory import Memory
from agentmem.recall.fuse import Candidates
from agentmem.recall.ranking import Ranking
from agentmem.recall.sessions import foremost
from agentmem.store.fulltext import SESSION_STEP

A, B = SESSION_STEP, 2 * SESSION_STEP
BY = Weights(whole=1.0, period=3.0)


def test_two_good_messages_outweigh_one_a_little_better():
    found = Candidates((A + 1, B + 1, B + 2), ({"x": 2.1}, {"x": 2.0}, {"x": 2.0}))
    assert foremost([], found, {}, 5, BY) == [
        (B + 2, pytest.approx(2.0 + math.log(2))),
        (A + 1, pytest.approx(2.1)),
    ]


def test_all_words_of_a_session_the_period_and_the_priors_count():
    found = Candidates((A, B), ({"x": 1.0}, {"x": 1.0, DATES: 2.0}))
    two = np.array([A, B], dtype=np.int64)
    ranking = Ranking(WORDS, two, two * 0.0, two * 0.0, two * 0.0, sessions=np.array([0.5, 0.25]))
    scores = dict(foremost([ranking], found, {A: {"speaker named": 2.5}}, 5, BY))
    assert scores == {A: pytest.approx(1 + 2.5 + 0.5), B: pytest.approx(1 + 2 + 0.25 + 3)}
    assert len(foremost([ranking], found, {}, 1, BY)) == 1


def test_recall_names_sessions_with_their_best_message(memory: Memory, said):
    memory.ingest(said(("user", "The zebra server moves to Oslo."), ("assistant", "Noted."), session="one"))
    memory.ingest(said(("user", "Lunch was good."), ("user", "The zebra server has 64 GB."), session="two"))
    memory.ingest(said(("user", "Please rename the button."), session="three"))
    answer = memory.recall("How many GB has the zebra server?", sessions=5)
    assert answer.sessions[0].session_id == "two"
    assert {one.session_id for one in answer.sessions} >= {"one", "two"}
    assert answer.sessions[0].message is not None
    assert "64 GB" in answer.sessions[0].message.content
    assert memory.recall("How many GB has the zebra server?").sessions == ()
    assert memory.recall("Qwxyz?", sessions=5).sessions == ()
