"""Kind, weight and life of a candidate."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agentmem.domain.memories import Candidate, MemoryKind
from agentmem.domain.messages import Trust
from agentmem.ingest.classify import classify, living

AT = datetime(2026, 5, 6, tzinfo=UTC)
BASE = Candidate(
    kind=MemoryKind.FACT, content="c", quote="q", session_id="s", message_id="m", topic_key="project.linter", said_at=AT
)


@pytest.mark.parametrize("kind", list(MemoryKind))
def test_only_facts_and_instructions_supersede(kind: MemoryKind) -> None:
    """Another kind loses its key."""
    key = classify(replace(BASE, kind=kind)).topic_key
    assert (key is not None) == (kind in (MemoryKind.FACT, MemoryKind.INSTRUCTION))


def test_a_task_lives_fourteen_days_or_until_it_is_due() -> None:
    """The later of both; without a time nothing is known."""
    task = replace(BASE, kind=MemoryKind.TASK)
    assert classify(task).expires_at == AT + timedelta(days=14)
    assert classify(replace(task, occurred_at=AT + timedelta(days=30))).expires_at == AT + timedelta(days=31)
    assert classify(replace(task, said_at=None)).expires_at is None
    assert classify(BASE).expires_at is None


@pytest.mark.parametrize(
    ("trust", "told", "kept"),
    [
        (Trust.HIGH, 0.9, 0.9),
        (Trust.HIGH, 7, 1.0),
        (Trust.HIGH, -1, 0.0),
        (Trust.MEDIUM, 0.9, 0.5),
        (Trust.LOW, 0.9, 0.2),
    ],
)
def test_trust_bounds_importance(trust: Trust, told: float, kept: float) -> None:
    """What is half believed weighs half at most."""
    assert classify(replace(BASE, trust=trust, importance=told)).importance == kept


def test_twice_is_once() -> None:
    """The stage may run again."""
    once = classify(replace(BASE, kind=MemoryKind.TASK, importance=3))
    assert classify(once) == once


def test_settings_say_how_long_a_task_lives():
    task = classify(replace(BASE, kind=MemoryKind.TASK))
    assert living(task, 3).expires_at == AT + timedelta(days=3)
    due = classify(replace(BASE, kind=MemoryKind.TASK, occurred_at=AT + timedelta(days=30)))
    assert living(due, 3).expires_at == AT + timedelta(days=31)
    told = replace(task, expires_at=AT + timedelta(days=100))
    assert living(told, 3) == told
    assert living(BASE, 3) == BASE
