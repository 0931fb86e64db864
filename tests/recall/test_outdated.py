"""Raw messages that state what was replaced, or forgotten."""

import pytest

from agentmem import Memory
from agentmem.recall.outdated import REPLACED_BY_FORGOTTEN
from agentmem.upkeep.selection import Wanted


def changed(memory: Memory, said) -> None:
    memory.ingest(
        said(("user", "Remember: the staging API listens on port 8443."), ("assistant", "OK, staging port 8443 it is."))
    )
    memory.ingest(said(("user", "Remember: the staging API listens on port 9000."), session="s2", day="2026-05-20"))


def test_a_message_with_the_old_value_stands_below_the_new_one_and_says_so(memory: Memory, said):
    changed(memory, said)
    for question in ("which port does the staging API listen on?", "staging port 8443", "8443"):
        hits = memory.recall(question).hits
        new = next(hit for hit in hits if hit.type == "memory" and "9000" in hit.content)
        old = [hit for hit in hits if "8443" in hit.content]
        assert old and all(hit.rank > new.rank for hit in old)
        assert all(f"replaced by {new.id[:8]}" in hit.marks for hit in old if hit.role == "user")
        assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))


def test_what_an_agent_echoed_is_known_by_its_words(memory: Memory, said):
    changed(memory, said)
    hits = memory.recall("which port does the staging API listen on?").hits
    echo = next(hit for hit in hits if hit.role == "assistant")
    assert any(mark.startswith("replaced by") for mark in echo.marks)


def test_a_message_that_states_both_is_not_outdated(memory: Memory, said):
    memory.ingest(said(("user", "Use npm."), ("user", "Use pnpm, not npm.")))
    hits = memory.recall("use npm or pnpm?").hits
    assert [hit.marks for hit in hits if hit.content == "Use pnpm, not npm."] == [()]
    assert all(hit.marks for hit in hits if hit.content == "Use npm.")


def test_only_messages_asked_for_are_marked_and_nothing_is_brought_in(memory: Memory, said):
    changed(memory, said)
    hits = memory.recall("staging port 8443", types=["message"]).hits
    assert {hit.type for hit in hits} == {"message"}
    assert any(hit.marks for hit in hits)


def test_a_message_that_states_what_was_forgotten_is_left_out(memory: Memory, said):
    changed(memory, said)
    item = next(item for item in memory.list() if "9000" in item.content)
    memory.forget(item.id)
    assert all("9000" not in hit.content for hit in memory.recall("staging port 9000", k=50).hits)
    assert any("9000" in hit.content for hit in memory.recall("staging port 9000", k=50, everything=True).hits)
    memory.ingest(said(("user", "Note: the staging API port is 9000."), session="s3", day="2026-06-20"))
    assert all("9000" not in hit.content for hit in memory.recall("staging port 9000", k=50).hits)
    memory.unforget(Wanted(id=item.id))
    assert any("9000" in hit.content for hit in memory.recall("staging port 9000", k=50).hits)


@pytest.mark.parametrize("purge", [False, True])
def test_what_was_replaced_stays_so_when_what_replaced_it_is_forgotten(memory: Memory, said, purge: bool):
    changed(memory, said)
    item = next(item for item in memory.list() if "9000" in item.content)
    (memory.purge if purge else memory.forget_all)(Wanted(id=item.id))
    for everything in (False, True):
        hits = memory.recall("staging port 8443", types=["message"], everything=everything).hits
        (old,) = [hit for hit in hits if hit.role == "user" and "8443" in hit.content]
        assert old.marks == (REPLACED_BY_FORGOTTEN,)
