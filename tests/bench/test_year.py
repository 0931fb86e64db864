"""The scripted year: the same for the same seed, and true in the end."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentmem import Config
from agentmem.bench.story import SMALL, Said, Size, tell
from agentmem.bench.year import _says, run

END = datetime(2026, 6, 1, tzinfo=UTC)


def test_the_same_seed_tells_the_same_year():
    year = tell(SMALL, END, 7)
    assert year == tell(SMALL, END, 7)
    assert year != tell(SMALL, END, 8)


def test_the_full_year_has_what_it_promises():
    story = tell(Size(), END)
    said = [event for event in story.events if isinstance(event, Said)]
    assert (len(story.facts), len(story.tasks), len(story.duplicates)) == (300, 100, 200)
    assert (len(story.contradictions), len(story.forgotten)) == (50, 40)
    assert {len(fact.values) for fact in story.facts} == {1, 2, 3, 4, 5, 6}
    assert [event.at for event in story.events] == sorted(event.at for event in story.events)
    for value in story.forgotten:
        assert sum(value in event.content.replace(",", "") for event in said if event.role == "user") == 2


TINY = Size(facts=2, tasks=2, duplicates=2, contradictions=2, forgotten=1, most_changes=2, pause_days=90)


@pytest.mark.parametrize("size", [TINY, pytest.param(SMALL, marks=pytest.mark.slow)], ids=["tiny", "small"])
def test_a_year_is_true_in_the_end(own_home: Path, size: Size):
    year = run(own_home / "year", Config(embedder="none"), size, vectors=False)
    assert year.good, year.failures
    assert year.answered == year.questions == size.facts
    assert year.reported == year.contradictions == size.contradictions
    assert year.expired > 0


def test_digits_of_an_id_are_no_value():
    assert _says("[a9275bc1, 2026-04-01] “Backups are kept.”", "9275") is False
    assert _says("Raised to 9,275 req/s, version 3.9275.", "9275") is True
