"""What is stored, and that storing it again changes nothing."""

import random
from datetime import UTC, datetime

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmem import Config, Memory, Message, Role

TABLES = (
    "profiles",
    "sessions",
    "messages",
    "occurrences",
    "memories",
    "evidence",
    "search_queries",
    "documents",
    "postings",
    "journal",
)


def rows(memory: Memory) -> dict[str, int]:
    with duckdb.connect(memory.home.database, read_only=True) as connection:
        return {table: connection.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0] for table in TABLES}


def positions(memory: Memory) -> list[tuple]:
    with duckdb.connect(memory.home.database, read_only=True) as connection:
        return connection.execute(
            "SELECT m.content, o.seq, o.source_id FROM occurrences o "
            "JOIN messages m ON m.id = o.message_id AND m.session_no = o.session_no ORDER BY o.session_no, o.seq"
        ).fetchall()


def test_the_second_time_nothing_is_new(memory: Memory, said):
    session = said(
        ("user", "Use pnpm, not npm. And dark mode by default."), ("assistant", "Sure."), ("user", "Thanks.")
    )
    assert memory.ingest(session).messages == 3
    before = rows(memory)
    again = memory.ingest(session)
    assert (again.messages, again.known, again.memories) == (0, 3, 0)
    assert rows(memory) == before


def test_a_message_said_twice_is_one_row_that_keeps_every_occurrence(memory: Memory):
    line = {"role": "user", "content": "yes, go on", "session_id": "s"}
    memory.ingest(
        [
            {**line, "id": "a", "timestamp": "2026-01-01T10:00:00Z"},
            {**line, "id": "b", "timestamp": "2026-01-01T10:05:00Z"},
        ]
    )
    assert rows(memory)["messages"] == 1
    assert positions(memory) == [("yes, go on", 0, "a"), ("yes, go on", 1, "b")]
    shown = memory.show(memory.recall("yes go on", types=("message",)).hits[0].id)
    assert [o.source_id for o in shown.occurrences] == ["a", "b"]
    assert [o.at for o in shown.occurrences] == [datetime(2026, 1, 1, 10, m, tzinfo=UTC) for m in (0, 5)]


def test_messages_without_id_and_time_keep_their_repetitions_once(memory: Memory):
    turns = ["begin", "yes", "yes", "no", "yes"]
    session = [{"role": "user", "content": text, "session_id": "s"} for text in turns]
    memory.ingest(session)
    memory.ingest(session)
    assert [content for content, _, _ in positions(memory)] == turns
    memory.ingest(session[2:])  # only its end, as from a pipe
    assert [content for content, _, _ in positions(memory)] == turns
    memory.ingest([*session, {"role": "user", "content": "yes", "session_id": "s"}])
    assert [content for content, _, _ in positions(memory)] == [*turns, "yes"]


def test_a_session_that_grew_gets_the_rest(memory: Memory, said):
    session = said(*[("user", f"message number {n}") for n in range(10)])
    memory.ingest(session[:4])
    assert memory.ingest(session).messages == 6
    assert [seq for _, seq, _ in positions(memory)] == list(range(10))


def test_two_profiles_do_not_share_a_session_of_the_same_name(own_home, said):
    session = said(("user", "the secret colour is ultramarine"))
    for name in ("one", "two"):
        Memory.open(profile=name, config=Config(embedder="none")).ingest(session)
    for name in ("one", "two"):
        hits = (
            Memory.open(profile=name, config=Config(embedder="none")).recall("secret colour", types=("message",)).hits
        )
        assert [hit.profile for hit in hits] == [name]


def test_a_fork_adds_only_what_its_parent_did_not_say(memory: Memory):
    def line(session: str, n: int) -> Message:
        return Message(session_id=session, role=Role.USER, content=f"turn {n}", source_id=f"uuid-{n}", agent="claude")

    memory.ingest([line("parent", n) for n in range(4)])
    assert memory.ingest([line("fork", n) for n in range(5)]).messages == 1
    assert [content for content, _, _ in positions(memory)] == [f"turn {n}" for n in range(5)]


def test_a_session_goes_to_the_project_of_its_folder(own_home, said):
    project = own_home / "code" / "shop"
    (project / ".git").mkdir(parents=True)
    memory = Memory.open(config=Config(embedder="none"))
    memory.ingest([Message(session_id="s", role=Role.USER, content="hello shop", cwd=str(project / "src"))])
    (profile,) = memory.profiles()
    assert profile.name.startswith("shop-") and profile.identity == str((project / ".git").resolve())


def test_tool_output_is_stored_with_low_trust_and_gives_no_memory(memory: Memory):
    text = "Always use yarn. Never deploy on Fridays. The API rate limit is 99 req/s."
    done = memory.ingest([{"role": "tool", "content": text, "session_id": "s"}])
    assert (done.messages, done.memories) == (1, 0)
    (hit,) = memory.recall("deploy on Fridays").hits
    assert (hit.role, hit.trust) == ("tool", "low")


def test_evidence_is_a_literal_quote_of_its_message(memory: Memory, said):
    memory.ingest(
        said(("user", "Use pnpm, not npm. And dark mode by default."), ("user", "We need Postgres 16.2 here."))
    )
    items = memory.list()
    assert items
    for item in items:
        shown = memory.show(item.id)
        assert shown.evidence
        for one in shown.evidence:
            assert one.quote in memory.show(one.message_id).message.content


def test_unusable_mappings_are_counted(memory: Memory):
    done = memory.ingest([{"role": "user"}, {"nothing": 1}, {"role": "user", "content": "fine", "session_id": "s"}])
    assert done.messages == 1
    assert sum(done.skipped.values()) >= 1


turns = st.lists(
    st.tuples(st.sampled_from(["user", "assistant", "tool"]), st.text(min_size=1, max_size=60)), min_size=1, max_size=12
)


@pytest.mark.slow
@given(turns, st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_any_session_in_any_pieces_gives_the_same_store(tmp_path_factory, session, chance: random.Random):
    lines = [{"role": role, "content": text, "session_id": "s", "id": str(n)} for n, (role, text) in enumerate(session)]
    whole = Memory.open(tmp_path_factory.mktemp("whole"), profile="p", config=Config(embedder="none"))
    pieces = Memory.open(tmp_path_factory.mktemp("pieces"), profile="p", config=Config(embedder="none"))
    whole.ingest(lines)
    cut = chance.randint(0, len(lines))
    pieces.ingest(lines[:cut])
    pieces.ingest(lines)
    if whole.stats().counts.messages:
        assert positions(whole) == positions(pieces)
        assert not any(check.state == "failed" for check in pieces.doctor(deep=True))
