"""Undo brings the store back, to the row, the posting and the vector; and what cannot be undone says so."""

from pathlib import Path

import duckdb
import pytest

from agentmem import AgentmemError, Config, Memory, UsageError
from agentmem.models.fake import FakeEmbedder
from tests.upkeep.dumped import dump, forked


@pytest.fixture(autouse=True)
def _each_wording_has_its_row(monkeypatch):
    """Else ingest takes rewordings for what is known, and leaves compaction nothing to merge."""
    monkeypatch.setattr("agentmem.ingest.pipeline.restated", lambda _connection, proposals: list(proposals))


@pytest.fixture
def dense(memory: Memory) -> Memory:
    """With vectors, which a dump compares as well; each takes a second."""
    return memory


@pytest.fixture
def plain(own_home: Path) -> Memory:
    """Without vectors."""
    return Memory.open(own_home / "agentmem", profile="project", config=Config(embedder="none", patience=20))


def test_the_fake_model_is_the_one_dumped():
    assert FakeEmbedder().dimension


TURNS = (
    ("user", "Use npm for installs."),
    ("user", "We decided to use Postgres 16.2 for billing."),
    ("assistant", "Noted."),
)
REWORDED = (
    ("user", "Remember: The janitor job cleans the reports folder."),
    ("user", "Remember: The reports folder is cleaned by the janitor job."),
)
LATER = (("user", "Actually, use pnpm, not npm."), ("assistant", "Switched to pnpm."))


def mutations(memory: Memory, said):
    """Each kind of mutation, in an order in which each finds something to do."""
    yield "ingest", lambda: memory.ingest(said(*TURNS, session="s1"))
    yield "ingest that supersedes", lambda: memory.ingest(said(*LATER, day="2026-05-01", session="s1"))
    yield "another session", lambda: memory.ingest(said(("user", "Use pnpm, not npm."), day="2026-06-01", session="s2"))
    yield "remember", lambda: memory.remember("The staging port is 8443.", topic_key="staging.port")
    yield "remember a newer value", lambda: memory.remember("The staging port is 9443.", topic_key="staging.port")
    yield "edit", lambda: memory.edit(called(memory, "9443"), "The staging port is 9444.")
    yield "pin", lambda: memory.pin(called(memory, "9444"))
    yield "confirm", lambda: memory.confirm(called(memory, "9444"))
    yield "unpin", lambda: memory.unpin(called(memory, "9444"))
    yield "reject", lambda: memory.reject(called(memory, "9444"), "the port was taken")
    yield "forget", lambda: memory.forget(called(memory, "Postgres"))
    yield "remember what was forgotten", lambda: memory.remember(memory.show(called(memory, "Postgres")).memory.content)
    yield "forget a message", lambda: memory.forget(memory.recall("Noted", types=("message",)).hits[0].id)
    yield "rewordings", lambda: memory.ingest(said(*REWORDED, day="2026-06-02", session="s3"))
    yield "merge", memory.compact
    yield "a task", lambda: memory.ingest(said(("user", "TODO: rotate the signing keys."), session="s4"))
    yield "expire", memory.compact


def called(memory: Memory, words: str) -> str:
    return next(
        item.id for item in memory.list(everything=True) if words in item.content and item.status != "superseded"
    )


def test_each_kind_of_mutation_is_undone_exactly(plain: Memory, said):
    """Three at once; below, each is undone alone, with vectors."""
    dumps = [(0, dump(plain))]
    for number, (name, mutate) in enumerate(mutations(plain, said), start=1):
        last = plain.log(limit=1)[0].no if number > 1 else 0
        mutate()
        assert plain.log(limit=1)[0].no > last, name
        if number % 3 == 0:
            dumps.append((number, dump(plain)))
    done, (last, _) = number, dumps[-1]
    assert plain.undo(done - last)
    for (_, after), (before, _) in zip(reversed(dumps[1:]), reversed(dumps[:-1]), strict=True):
        assert dump(plain) == after
        plain.undo(last - before)
        last = before
    assert dump(plain) == dumps[0][1]
    assert plain.profiles() == ()


@pytest.mark.slow
def test_each_kind_of_mutation_is_undone_exactly_and_done_again(dense: Memory, said):
    dumps = [dump(dense)]
    names = []
    for name, mutate in mutations(dense, said):
        mutate()
        names.append(name)
        dumps.append(dump(dense))
        assert dumps[-1] != dumps[-2], name
        again = name not in ("ingest", "ingest that supersedes", "another session", "rewordings", "a task")
        (undone,) = dense.undo()
        assert dump(dense) == dumps[-2], name
        if again:
            dense.undo(actions=[undone.no])
        else:
            with pytest.raises(AgentmemError, match="read their transcript again"):
                dense.undo(actions=[undone.no])
            mutate()
        state = dump(dense)
        if again:  # what is told or read again is stored at another time
            assert state == dumps[-1], name
        dumps[-1] = state
    _undone_one_by_one(dense, names, dumps)


def _undone_one_by_one(memory: Memory, names: list[str], dumps: list[dict[str, list[str]]]) -> None:
    for name, before in zip(reversed(names), reversed(dumps[:-1]), strict=True):
        (undone,) = memory.undo()
        assert dump(memory) == before, f"{name} ({undone.entries[0].subject})"
    assert memory.profiles() == ()


@pytest.mark.parametrize("own", [pytest.param((), marks=pytest.mark.slow), ("Prefer tabs over spaces.",)], ids=len)
def test_lines_that_a_fork_took_over_go_back(plain: Memory, own: tuple[str, ...]):
    plain.remember("An anchor.")
    dumps = [dump(plain)]
    plain.ingest(forked("session-b", "The gateway speaks gRPC."))
    (first,) = plain.undoable()
    dumps.append(dump(plain))
    plain.ingest(forked("session-a", *own))
    second = plain.undoable()[0]
    assert {hit.session_id for hit in plain.recall("pnpm", types=["message"]).hits} == {"session-a"}
    before = dump(plain)
    with pytest.raises(AgentmemError, match="changed since") as caught:
        plain.undo(actions=[first.no])
    assert f"undo e{second.no}" in caught.value.hint
    assert dump(plain) == before
    plain.undo(actions=[second.no])
    assert dump(plain) == dumps[1]
    plain.ingest(forked("session-a", *own))
    assert dump(plain).keys() == before.keys()
    plain.undo()
    plain.undo()
    assert dump(plain) == dumps[0]


def test_a_message_that_moved_is_not_brought_back_where_it_was(plain: Memory):
    plain.ingest(forked("session-b"))
    plain.forget(plain.recall("fine", types=["message"]).hits[0].id)
    forgotten = plain.undoable()[0]
    plain.ingest(forked("session-a"))
    with pytest.raises(AgentmemError, match="changed since"):
        plain.undo(actions=[forgotten.no])
    plain.undo()
    plain.undo(actions=[forgotten.no])
    assert plain.recall("fine", types=["message"]).hits


def test_many_at_once(plain: Memory, said):
    plain.remember("The first fact of all.")
    before = dump(plain)
    for _, mutate in list(mutations(plain, said))[:3]:
        mutate()
    assert len(plain.undo(3)) == 3
    assert dump(plain) == before
    with pytest.raises(AgentmemError, match="nothing to undo"):
        plain.undo(since="2099-01-01")


def test_what_changed_since_stands_in_the_way(plain: Memory):
    anchor = plain.remember("An anchor.")
    item = plain.remember("The staging port is 8443.", topic_key="staging.port")
    (told,) = plain.undoable()
    plain.pin(item.id)
    pinned = plain.undoable()[0]
    with pytest.raises(AgentmemError) as caught:
        plain.undo(actions=[told.no])
    assert f"undo e{pinned.no}" in caught.value.hint
    plain.undo(actions=[pinned.no])
    plain.undo(actions=[told.no])
    assert plain.list(everything=True) == (anchor,)
    with pytest.raises(UsageError, match="undone already"):
        plain.undo(actions=[told.no])


def test_a_topic_keeps_one_memory(plain: Memory):
    item = plain.remember("The staging port is 8443.", topic_key="staging.port")
    plain.forget(item.id)
    forgotten = plain.undoable()[0]
    plain.remember("The staging port is 9443.", topic_key="staging.port")
    before = dump(plain)
    with pytest.raises(AgentmemError, match="holds that topic now"):
        plain.undo(actions=[forgotten.no])
    assert dump(plain) == before


def test_memories_that_rest_on_messages_keep_them(plain: Memory, said):
    plain.ingest(said(("user", "Use pnpm, not npm.")))
    (read,) = plain.undoable()
    item = next(one for one in plain.list() if "pnpm" in one.content)
    plain.edit(item.id, "Package manager: pnpm 9")
    with pytest.raises(AgentmemError, match="changed since"):
        plain.undo(actions=[read.no])
    plain.undo(2)
    assert plain.recall("pnpm").abstained


def test_messages_read_after_an_undo_get_their_own_vectors(dense: Memory, said):
    dense.ingest(said(("user", "We deploy to Frankfurt on Fridays."), session="a"))
    dense.work()
    dense.undo()
    dense.ingest(said(("user", "The office plant is called Gregor."), session="b"))
    dump(dense)  # compares LanceDB with the database
    assert "Gregor" in dense.recall("office plant", types=("message",)).hits[0].content


def test_an_entry_of_the_first_release_cannot_be_undone(plain: Memory):
    plain.remember("The staging port is 8443.")
    with duckdb.connect(plain.home.database) as connection:
        connection.execute("UPDATE journal SET action = NULL")
    with pytest.raises(AgentmemError, match="older agentmem"):
        plain.undo()


def test_what_is_final_says_why(plain: Memory):
    plain.remember("The staging port is 8443.")
    with duckdb.connect(plain.home.database) as connection:
        connection.execute("UPDATE journal SET operation = 'purge'")
    with pytest.raises(AgentmemError, match="deleted for good"):
        plain.undo()


def test_captured_messages_are_not_undone_by_accident(plain: Memory, said):
    item = plain.remember("The staging port is 8443.")
    plain.ingest(said(("user", "Use pnpm, not npm.")))
    with duckdb.connect(plain.home.database) as connection:
        connection.execute("UPDATE journal SET actor = 'capture' WHERE actor = 'ingest'")
    assert plain.undoable()[0].entries[0].subject == item.id
