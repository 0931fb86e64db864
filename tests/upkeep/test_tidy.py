"""Postings are sorted when enough came, and a search finds the same before and after."""

import duckdb

from agentmem import Memory
from agentmem.store import fulltext
from agentmem.upkeep.tidy import tidy


def ask(memory: Memory) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in memory.recall("deploy the number 7 service").hits]


def in_order(memory: Memory) -> bool:
    with duckdb.connect(memory.home.database, read_only=True) as connection:
        terms = [term for (term,) in connection.execute("SELECT term FROM postings ORDER BY rowid").fetchall()]
    return terms == sorted(terms)


def test_postings_are_sorted_once_enough_came(memory: Memory, said, monkeypatch):
    for n in range(6):
        memory.ingest(said(("user", f"deploy the service number {n} and then {n + 1}"), session=f"s{n}"))
    before = ask(memory)
    assert not tidy(memory._store)
    assert not in_order(memory)
    monkeypatch.setattr(fulltext, "_WORTH_SORTING", 10)
    memory.work()
    assert in_order(memory)
    assert ask(memory) == before
    assert not tidy(memory._store)
    memory.ingest(said(*[("user", f"and deploy number {n}") for n in range(20)], session="more"))
    assert tidy(memory._store)
    assert not [check for check in memory.doctor(deep=True) if check.state == "failed"]
