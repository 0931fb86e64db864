"""Measuring: the measures themselves, and a small set through the whole way."""

import gzip
import json
from pathlib import Path

import pytest

from agentmem import BadInput, Config, NotFound
from agentmem.bench import datasets, measures
from agentmem.bench.retrieval import run

TURNS = [
    ("a", "s1", "t1", "user", "The retry queue is called heron."),
    ("a", "s1", "t2", "assistant", "Noted."),
    ("a", "s2", "t3", "user", "Our invoice service is written in Elixir."),
    ("b", "s1", "u1", "user", "The cat of the office is called Ziggurat."),
]
QUESTIONS = [
    ("a", "q1", "What is the retry queue called?", ["t1"], ["s1"], "names"),
    ("a", "q2", "Which language is the invoice service written in?", ["t3"], ["s2"], "facts"),
    ("b", "q3", "What is the cat of the office called?", ["u1"], ["s1"], "names"),
    ("a", "q4", "quantum chromodynamics lattice", [], [], "abstention"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with gzip.open(tmp_path / "tiny_sessions.jsonl.gz", "wt") as out:
        for conv, session, turn, role, text in TURNS:
            row = {"conv": conv, "session": session, "date": None, "turn_id": turn, "role": role, "text": text}
            out.write(json.dumps(row) + "\n")
    with (tmp_path / "tiny_questions.jsonl").open("w") as out:
        for conv, qid, question, turns, sessions, category in QUESTIONS:
            row = {
                "conv": conv, "qid": qid, "question": question, "evidence": turns,
                "evidence_sessions": sessions, "category_name": category, "question_date": None,
            }  # fmt: skip
            out.write(json.dumps(row) + "\n")
    return tmp_path


def test_a_small_set_is_measured_through_ingest_and_recall(folder: Path, tmp_path: Path):
    assert datasets.names(folder) == ["tiny"]
    result = run(datasets.load(folder, "tiny"), tmp_path / "store", Config(embedder="none"))
    assert result.messages == len(TURNS)
    assert result.turns.questions == 3
    assert result.turns.overall["hit@1"].value == 1.0
    assert set(result.turns.categories) == {"names", "facts"}
    assert result.sessions.overall["MRR"].value == 1.0
    assert result.answered == 1.0
    assert result.abstained == 1.0


def test_the_measures_are_those_of_the_field():
    ranked = ["x", "a", "y", "b"]
    assert measures.recall_at(ranked, {"a", "b", "c"}, 2) == pytest.approx(1 / 3)
    assert measures.hit_at(ranked, {"b"}, 3) == 0.0
    assert measures.reciprocal_rank(ranked, {"a", "b"}) == 0.5
    assert measures.gain(["a", "b"], {"a", "b"}) == 1.0
    assert measures.gain(["x", "a"], {"a"}) == pytest.approx(0.6309, abs=1e-4)


def test_what_is_no_set_is_said(tmp_path: Path):
    with pytest.raises(NotFound):
        datasets.names(tmp_path)
    (tmp_path / "bad_sessions.jsonl").write_text("{not json\n")
    with pytest.raises(BadInput, match="line 1"):
        datasets.load(tmp_path, "bad")
