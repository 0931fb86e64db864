"""Without any model: what is said again in other words is evidence, and no second memory."""

import pytest

from agentmem import Memory


def counts(memory: Memory) -> dict[str, int]:
    """Evidence by content of the memories that count."""
    return {item.content: len(memory.show(item.id).evidence) for item in memory.list()}


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Remember: the reports folder is cleaned by the janitor job.", "Remember: the janitor job cleans the reports folder!"),
        ("We decided to keep the audit log in Postgres.", "We decided that the audit log is kept in Postgres."),
        ("Always run the tests before you push.", "Before you push, always run the tests."),
        ("Use pnpm, not npm.", "Please use pnpm instead of npm."),
        ("Remember: the limit is 10,000 requests.", "Remember: limit: 10000 requests."),
        ("记住：报表由 Alice 每周检查。", "记住：报表由 Ａlice 每周检查！"),
    ],
)  # fmt: skip
def test_the_same_in_other_words_is_evidence(memory: Memory, said, one, other, at_once):
    if at_once:
        memory.ingest(said(("user", one), ("user", other)))
    else:
        memory.ingest(said(("user", one), session="s1"))
        memory.ingest(said(("user", other), session="s2", day="2026-05-02"))
    assert list(counts(memory).values()) == [2]
    assert len(memory.list(everything=True)) == 1
    (item,) = memory.list()
    operations = [entry.operation for entry in memory.history(item.id)[0].journal]
    assert operations.count("remember") == 1 and operations.count("evidence") == (not at_once)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Remember: Logs are shipped to Loki.", "Remember: We never ship logs to Loki."),
        ("Remember: The limit is 10,000 requests.", "Remember: The limit is 12,000 requests."),
        ("Remember: The gateway retries requests to the ledger.", "Remember: The ledger retries requests to the gateway."),
        ("Remember: the billing service is owned by Alice.", "Remember: the billing service is owned by Bob."),
    ],
)  # fmt: skip
def test_what_says_something_else_is_kept_apart(memory: Memory, said, one, other):
    memory.ingest(said(("user", one), session="s1"))
    memory.ingest(said(("user", other), session="s2", day="2026-05-02"))
    assert sorted(counts(memory).values()) == [1, 1] or len(memory.list(everything=True)) == 2


def test_reading_it_again_adds_nothing_and_undo_takes_the_evidence_away(memory: Memory, said):
    memory.ingest(said(("user", "Remember: logs are shipped to Loki."), session="s1"))
    second = said(("user", "Remember: we ship the logs to Loki."), session="s2", day="2026-05-02")
    memory.ingest(second)
    memory.ingest(second)
    assert list(counts(memory).values()) == [2]
    memory.undo()
    assert list(counts(memory).values()) == [1]


def test_a_person_does_not_become_evidence_of_what_an_agent_said(memory: Memory, said):
    """The more trusted words are a memory of their own; compaction keeps that one of the two."""
    memory.ingest(said(("assistant", "We decided to keep the audit log in Postgres."), session="s1"))
    memory.ingest(said(("user", "We decided that the audit log is kept in Postgres."), session="s2", day="2026-05-02"))
    trusts = sorted(item.trust.value for item in memory.list())
    assert trusts == ["high", "medium"]


def test_a_value_that_returns_in_other_words_within_a_session(memory: Memory, said):
    memory.ingest(
        said(("user", "Use pnpm for installs."), ("user", "Let's switch to bun."), ("user", "No, go back to pnpm."))
    )
    (item,) = [one for one in memory.list() if one.topic_key == "project.package_manager"]
    assert "pnpm" in item.content
    assert len(memory.history(item.id)) == 2


def test_forgotten_words_do_not_come_back_as_others(memory: Memory, said):
    memory.ingest(said(("user", "Remember: logs are shipped to Loki."), session="s1"))
    memory.forget(memory.list()[0].id)
    run = memory.ingest(said(("user", "Remember: we ship the logs to Loki."), session="s2", day="2026-05-02"))
    assert run.refused == 1 and memory.list() == ()
