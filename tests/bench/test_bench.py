"""Measuring: the measures themselves, and a small set through the whole way."""

import gzip
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from agentmem import BadInput, Config, Memory, NotFound, UsageError
from agentmem.bench import datasets, measures, plot, scale
from agentmem.bench.ablation import ablate
from agentmem.bench.abstention import curve
from agentmem.bench.comparison import compared, earlier
from agentmem.bench.own import own
from agentmem.bench.retrieval import only, run

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


def test_channels_can_be_chosen(folder: Path, tmp_path: Path):
    result = run(
        datasets.load(folder, "tiny"),
        tmp_path / "store",
        Config(embedder="none"),
        weights=only(["topic"]),
        depths=[1, 3],
    )
    assert result.turns.overall["R@3"].value == 0.0
    assert "R@10" not in result.turns.overall
    assert result.answered == 0.0
    with pytest.raises(UsageError, match="telepathy"):
        only(["telepathy"])
    assert "question vector" not in only(["question-vector"]).without


def test_each_part_is_left_out_in_turn(folder: Path, tmp_path: Path):
    found = ablate(datasets.load(folder, "tiny"), tmp_path / "store", Config(embedder="fake"))
    reached = {variant.name: variant.r10 for variant in found.variants}
    assert found.questions == 3
    assert reached["everything"] == 1.0
    assert len(reached) == 13
    assert found.variants[0].name == "everything"


def test_the_store_is_asked_its_own_questions(memory: Memory, said):
    memory.ingest(said(("assistant", "Hello.")))
    with pytest.raises(NotFound, match="question of its own"):
        own(memory)
    memory.ingest(said(("user", "We always use pnpm, never npm."), ("assistant", "Noted.")))
    found = own(memory)
    assert found.memories == 1
    assert found.questions >= 1
    assert found.measures["hit@5"].value == 1.0
    assert found.missed == ()
    assert own(memory, limit=1).questions == 1


def test_a_run_is_compared_with_an_earlier_one(folder: Path, tmp_path: Path):
    result = run(datasets.load(folder, "tiny"), tmp_path / "store", Config(embedder="none"))
    then = {"value": 0.25, "low": 0.2, "high": 0.3}
    kept = tmp_path / "then.json"
    kept.write_text(json.dumps({"sets": [{"dataset": "tiny", "turns": {"overall": {"MRR": then}}}]}))
    (difference,) = compared([result], earlier(kept))
    assert (difference.measure, difference.before, difference.after, difference.sure) == ("MRR", 0.25, 1.0, True)
    kept.write_text("[]")
    with pytest.raises(BadInput, match="is not a run"):
        earlier(kept)


def test_the_curve_of_abstention():
    points = curve([0.1 * n for n in range(1, 11)], [0.05, 0.35], [])
    assert [point.answered for point in points] == pytest.approx([1.0, 1.0, 1.0, 1.0, 0.9, 0.8])
    assert [point.unanswerable for point in points] == [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    assert all(point.elsewhere is None for point in points)
    assert curve([], [0.1], []) == []


def test_a_picture_is_drawn_where_it_was_asked_for(tmp_path: Path):
    file = tmp_path / "recall.svg"
    plot.check(file)
    plot.write(file, [plot.Dot("tiny & co", "turns", 12.0, 0.5), plot.Dot("other", "turns", 6.0, 0.25)], "R@10")
    root = ET.parse(file).getroot()
    assert len(root.findall("{http://www.w3.org/2000/svg}circle")) == 2
    assert "tiny & co, turns: R@10 50.0%, 12 ms" in "".join(root.itertext())
    with pytest.raises(UsageError, match="SVG"):
        plot.check(tmp_path / "recall.png")
    with pytest.raises(UsageError, match="no folder"):
        plot.check(tmp_path / "none" / "recall.svg")


def test_a_made_up_store_is_asked_with_and_without_vectors(tmp_path: Path):
    found = scale.run(tmp_path / "store", Config(embedder="fake"), sizes=[100], questions=2)
    assert [(one.messages, one.embedder == "none") for one in found] == [(100, True), (100, False)]
    assert all(0 < one.milliseconds["p50"] <= one.milliseconds["p95"] for one in found)
