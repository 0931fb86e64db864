"""The scripted year: the same for the same seed, and true in the end."""

from datetime import UTC, datetime
from pathlib import Path

from agentmem import Config
from agentmem.bench.story import SMALL, Said, Size, tell
from agentmem.bench.year import run

END = datetime(2026, 6, 1, tzinfo=UTC)


def test_the_same_seed_tells_the_same_year():
    assert tell(SMALL, END, 7) == tell(SMALL, END, 7)
    assert tell(SMALL, END, 7) != tell(SMALL, END, 8)


def test_the_full_year_has_what_it_promises():
    story = tell(Size(), END)
    said = [event for event in story.events if isinstance(event, Said)]
    assert (len(story.facts), len(story.tasks), len(story.duplicates)) == (300, 100, 200)
    assert (len(story.contradictions), len(story.forgotten)) == (50, 40)
    assert {len(fact.values) for fact in story.facts} == {1, 2, 3, 4, 5, 6}
    assert [event.at for event in story.events] == sorted(event.at for event in story.events)
    for value in story.forgotten:
        assert sum(value in event.content.replace(",", "") for event in said if event.role == "user") == 2


def test_a_small_year_is_true_in_the_end(own_home: Path):
    year = run(own_home / "year", Config(embedder="none"), SMALL, vectors=False)
    assert year.good, year.failures
    assert year.answered == year.questions == SMALL.facts
    assert year.reported == year.contradictions == SMALL.contradictions
    assert year.expired > 0
