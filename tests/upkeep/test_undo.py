"""Undo brings the store back, to the row, the posting and the vector; and what cannot be undone says so."""

import shutil
import tempfile
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, precondition, rule

from agentmem import AgentmemError, Config, Memory, UsageError
from agentmem.models.fake import FakeEmbedder
from agentmem.store import embeddings
from agentmem.store.store import Store
from agentmem.store.vectors import VectorTable

DUMPED = {
    "sessions": "SELECT id, profile, agent, cwd, branch, started_at, ended_at, source FROM sessions",
    "messages": "SELECT s.id, m.* EXCLUDE (session_no, forgotten_at), m.forgotten_at IS NULL "
    "FROM messages m JOIN sessions s ON s.no = m.session_no",
    "occurrences": "SELECT s.id, o.seq, o.message_id, o.said_at, o.source_id "
    "FROM occurrences o JOIN sessions s ON s.no = o.session_no",
    "memories": "SELECT * EXCLUDE (no) FROM memories",
    "evidence": "SELECT e.memory_id, s.id, e.message_id, e.quote, e.said_at "
    "FROM evidence e JOIN sessions s ON s.no = e.session_no",
    "search_queries": "SELECT * FROM search_queries",
    "documents": "SELECT {place}, d.profile, d.length, d.dense FROM documents d",
    "postings": "SELECT {place}, d.term, d.tf FROM postings d",
    "vectors": "SELECT {place}, d.content_hash FROM vector_state d SEMI JOIN documents w ON w.slot = d.slot AND w.dense",
    "tombstones": "SELECT * FROM tombstones",
    "profiles": "SELECT name FROM profiles",
}
PLACE = (
    "coalesce((SELECT m.id FROM memories m WHERE m.no = -d.slot), "
    "(SELECT s.id || (d.slot % 16777216) FROM sessions s WHERE s.no = d.slot // 16777216))"
)


def dump(memory: Memory) -> dict[str, list[str]]:
    """All that the store holds but its own past, with what is owed paid, by content and not by number."""
    with Store(memory.home, memory.config).reading() as connection:
        generation = embeddings.current(connection)
    if generation is not None:
        VectorTable(memory.home.vectors, generation.no, generation.dimension).unsettle()
    memory.work()
    with Store(memory.home, memory.config).reading() as connection:
        rows = {
            name: sorted(map(repr, connection.execute(query.replace("{place}", PLACE)).fetchall()))
            for name, query in DUMPED.items()
        }
        generation = embeddings.current(connection)
        if generation is not None:
            table = VectorTable(memory.home.vectors, generation.no, generation.dimension)
            wanted = sorted(embeddings.slots(connection, generation).tolist())
            assert sorted(table.slots().tolist()) == wanted
            _compare_vectors(connection, generation, table, wanted)
    assert not broken(memory)
    return rows


def _compare_vectors(connection, generation, table, slots) -> None:
    """LanceDB has under each slot the vector of what stands there."""
    if not slots:
        return
    places, _, vectors = embeddings.vectors_at(connection, generation, slots)
    kept = table._open().search().limit(len(slots) + 1).to_arrow()
    for slot, vector in zip(places, vectors, strict=True):
        (row,) = [n for n, other in enumerate(kept["slot"].to_pylist()) if other == slot]
        assert kept["vector"][row].as_py() == pytest.approx(vector.tolist(), abs=1e-6)


def broken(memory: Memory) -> dict[str, int]:
    from agentmem.store.counts import disagreements

    with Store(memory.home, memory.config).reading() as connection:
        return disagreements(connection)


def test_the_fake_model_is_the_one_dumped():
    assert FakeEmbedder().dimension


TURNS = (
    ("user", "Use npm for installs."),
    ("user", "We decided to use Postgres 16.2 for billing."),
    ("assistant", "Noted."),
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


def called(memory: Memory, words: str) -> str:
    return next(
        item.id for item in memory.list(everything=True) if words in item.content and item.status != "superseded"
    )


def test_each_kind_of_mutation_is_undone_exactly_and_done_again(memory: Memory, said):
    dumps = [dump(memory)]
    names = []
    for name, mutate in mutations(memory, said):
        mutate()
        names.append(name)
        dumps.append(dump(memory))
        assert dumps[-1] != dumps[-2], name
        again = name not in ("ingest", "ingest that supersedes", "another session")
        (undone,) = memory.undo()
        assert dump(memory) == dumps[-2], name
        if again:
            memory.undo(actions=[undone.no])
        else:
            with pytest.raises(AgentmemError, match="read their transcript again"):
                memory.undo(actions=[undone.no])
            mutate()
        state = dump(memory)
        if again:  # what is told or read again is stored at another time
            assert state == dumps[-1], name
        dumps[-1] = state
    for name, before in zip(reversed(names), reversed(dumps[:-1]), strict=True):
        last = memory.undoable()[0]
        memory.undo()
        assert dump(memory) == before, f"{name} ({last.operation})"
    assert memory.profiles() == ()


def test_many_at_once(memory: Memory, said):
    memory.remember("The first fact of all.")
    before = dump(memory)
    for _, mutate in list(mutations(memory, said))[:6]:
        mutate()
    assert len(memory.undo(6)) == 6
    assert dump(memory) == before
    with pytest.raises(AgentmemError, match="nothing to undo"):
        memory.undo(since="2099-01-01")


def test_what_changed_since_stands_in_the_way(memory: Memory):
    anchor = memory.remember("An anchor.")
    item = memory.remember("The staging port is 8443.", topic_key="staging.port")
    (told,) = memory.undoable()
    memory.pin(item.id)
    pinned = memory.undoable()[0]
    with pytest.raises(AgentmemError) as caught:
        memory.undo(actions=[told.no])
    assert f"undo e{pinned.no}" in caught.value.hint
    memory.undo(actions=[pinned.no])
    memory.undo(actions=[told.no])
    assert memory.list(everything=True) == (anchor,)
    with pytest.raises(UsageError, match="undone already"):
        memory.undo(actions=[told.no])


def test_a_topic_keeps_one_memory(memory: Memory):
    item = memory.remember("The staging port is 8443.", topic_key="staging.port")
    memory.forget(item.id)
    forgotten = memory.undoable()[0]
    memory.remember("The staging port is 9443.", topic_key="staging.port")
    before = dump(memory)
    with pytest.raises(AgentmemError, match="holds that topic now"):
        memory.undo(actions=[forgotten.no])
    assert dump(memory) == before


def test_memories_that_rest_on_messages_keep_them(memory: Memory, said):
    memory.ingest(said(("user", "Use pnpm, not npm.")))
    (read,) = memory.undoable()
    item = next(one for one in memory.list() if "pnpm" in one.content)
    memory.edit(item.id, "Package manager: pnpm 9")
    with pytest.raises(AgentmemError, match="changed since"):
        memory.undo(actions=[read.no])
    memory.undo(2)
    assert memory.recall("pnpm").abstained


def test_messages_read_after_an_undo_get_their_own_vectors(memory: Memory, said):
    memory.ingest(said(("user", "We deploy to Frankfurt on Fridays."), session="a"))
    memory.work()
    memory.undo()
    memory.ingest(said(("user", "The office plant is called Gregor."), session="b"))
    dump(memory)  # compares LanceDB with the database
    assert "Gregor" in memory.recall("office plant", types=("message",)).hits[0].content


def test_an_entry_of_the_first_release_cannot_be_undone(memory: Memory):
    memory.remember("The staging port is 8443.")
    with duckdb.connect(memory.home.database) as connection:
        connection.execute("UPDATE journal SET action = NULL")
    with pytest.raises(AgentmemError, match="older agentmem"):
        memory.undo()


def test_what_is_final_says_why(memory: Memory):
    memory.remember("The staging port is 8443.")
    with duckdb.connect(memory.home.database) as connection:
        connection.execute("UPDATE journal SET operation = 'purge'")
    with pytest.raises(AgentmemError, match="deleted for good"):
        memory.undo()


def test_captured_messages_are_not_undone_by_accident(memory: Memory, said):
    item = memory.remember("The staging port is 8443.")
    memory.ingest(said(("user", "Use pnpm, not npm.")))
    with duckdb.connect(memory.home.database) as connection:
        connection.execute("UPDATE journal SET actor = 'capture' WHERE actor = 'ingest'")
    assert memory.undoable()[0].entries[0].subject == item.id


VALUES = ("npm", "pnpm", "bun")
TOLD = ("The staging port is 8443.", "The staging port is 9443.", "We deploy to Frankfurt.", "Use pnpm for installs.")


class Deeds(RuleBasedStateMachine):
    """Random mutations, with undos at random in between; each undo must give the dump that was before."""

    done = Bundle("done")

    @initialize()
    def begin(self):
        self.folder = Path(tempfile.mkdtemp())
        self.memory = Memory.open(self.folder, profile="project", config=Config(embedder="none", patience=20))
        self.memory.remember("An anchor.")
        self.stack: list[tuple[int, dict]] = []
        self.clock = 0

    def teardown(self):
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    def _do(self, mutate) -> None:
        before = dump(self.memory)
        last = _newest(self.memory)
        try:
            mutate()
        except AgentmemError:
            assert dump(self.memory) == before  # refused: nothing happened
            return
        newest = _newest(self.memory)
        if newest != last:
            self.stack.append((newest, before))

    @rule(value=st.sampled_from(VALUES), session=st.sampled_from("ab"), day=st.integers(1, 28))
    def ingest(self, value, session, day):
        self.clock += 1
        said = [
            {"role": "user", "content": f"Use {value} for installs.", "session_id": session, "id": f"m{self.clock}",
             "timestamp": f"2026-03-{day:02}T10:00:00Z"},
            {"role": "assistant", "content": f"Fine, {value}.", "session_id": session, "id": f"n{self.clock}",
             "timestamp": f"2026-03-{day:02}T10:01:00Z"},
        ]  # fmt: skip
        self._do(lambda: self.memory.ingest(said))

    @rule(text=st.sampled_from(TOLD), keyed=st.booleans())
    def remember(self, text, keyed):
        key = "staging.port" if "port" in text and keyed else None
        self._do(lambda: self.memory.remember(text, topic_key=key))

    @precondition(lambda self: self.memory.list(everything=True))
    @rule(data=st.data(), what=st.sampled_from(("edit", "pin", "unpin", "confirm", "reject", "forget")))
    def tend(self, data, what):
        item = data.draw(st.sampled_from(self.memory.list(everything=True)))
        more = {"edit": (f"{item.content} And more.",), "reject": ("it broke",)}.get(what, ())
        self._do(lambda: getattr(self.memory, what)(item.id, *more))

    @precondition(lambda self: self.stack)
    @rule()
    def undo(self):
        action, before = self.stack.pop()
        self.memory.undo(actions=[action])
        assert dump(self.memory) == before

    @precondition(lambda self: self.stack)
    @rule()
    def undo_and_redo(self):
        action, _ = self.stack[-1]
        if "ingest" in {entry.operation for entry in self.memory.log(f"e{action}")[0].entries}:
            return
        after = dump(self.memory)
        (undone,) = self.memory.undo(actions=[action])
        (redone,) = self.memory.undo(actions=[undone.no])
        assert dump(self.memory) == after
        self.stack[-1] = (redone.no, self.stack[-1][1])

    @precondition(lambda self: len(self.stack) > 2)
    @rule(data=st.data())
    def undo_an_older_one(self, data):
        """It is refused, and nothing changes; or it goes, and the store is sound."""
        action = data.draw(st.sampled_from(self.stack[:-1]))[0]
        before = dump(self.memory)
        try:
            self.memory.undo(actions=[action])
        except AgentmemError:
            assert dump(self.memory) == before
        else:
            assert not broken(self.memory)
            self.stack.clear()


def _newest(memory: Memory) -> int:
    return max((deed.no for deed in memory.log(limit=1)), default=0)


Deeds.TestCase.settings = settings(
    max_examples=6, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)
test_random_mutations_and_undos = Deeds.TestCase


class LongDeeds(Deeds):
    """The same at length."""


LongDeeds.TestCase.settings = settings(
    max_examples=40, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
TestLong = pytest.mark.slow(LongDeeds.TestCase)
