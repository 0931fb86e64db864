"""Undo brings the store back, to the row, the posting and the vector; and what cannot be undone says so."""

import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from agentmem import AgentmemError, Config, Memory, Message, UsageError
from agentmem.domain.messages import Role
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
REWORDED = (("user", "Remember: logs are shipped to Loki."), ("user", "Remember: we ship the logs to Loki."))
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


def test_each_kind_of_mutation_is_undone_exactly(own_home: Path, said):
    memory = Memory.open(own_home / "agentmem", profile="project", config=Config(embedder="none", patience=20))
    dumps = [dump(memory)]
    names = []
    for name, mutate in mutations(memory, said):
        mutate()
        names.append(name)
        dumps.append(dump(memory))
        assert dumps[-1] != dumps[-2], name
    _undone_one_by_one(memory, names, dumps)


@pytest.mark.slow
def test_each_kind_of_mutation_is_undone_exactly_and_done_again(memory: Memory, said):
    dumps = [dump(memory)]
    names = []
    for name, mutate in mutations(memory, said):
        mutate()
        names.append(name)
        dumps.append(dump(memory))
        assert dumps[-1] != dumps[-2], name
        again = name not in ("ingest", "ingest that supersedes", "another session", "rewordings", "a task")
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
    _undone_one_by_one(memory, names, dumps)


def _undone_one_by_one(memory: Memory, names: list[str], dumps: list[dict[str, list[str]]]) -> None:
    for name, before in zip(reversed(names), reversed(dumps[:-1]), strict=True):
        last = memory.undoable()[0]
        memory.undo()
        assert dump(memory) == before, f"{name} ({last.operation})"
    assert memory.profiles() == ()


def _forked(session: str, *own: str) -> list[Message]:
    """A session of an agent whose forks repeat lines under their ids; the smaller session id keeps them."""
    lines = ("We use pnpm, not npm.", "Fine, pnpm.", *own)
    roles = (Role.USER, Role.ASSISTANT, *[Role.USER] * len(own))
    return [
        Message(
            session_id=session, role=role, content=text, agent="claude", source_id=f"u{text}",
            at=datetime(2026, 4, 20, 10, len(text) % 60, tzinfo=UTC),
        )
        for role, text in zip(roles, lines, strict=True)
    ]  # fmt: skip


@pytest.mark.parametrize("own", [(), ("Prefer tabs over spaces.",)], ids=["nothing of its own", "lines of its own"])
def test_lines_that_a_fork_took_over_go_back(own_home: Path, own: tuple[str, ...]):
    memory = Memory.open(own_home / "agentmem", profile="project", config=Config(embedder="none", patience=20))
    memory.remember("An anchor.")
    dumps = [dump(memory)]
    memory.ingest(_forked("session-b", "The gateway speaks gRPC."))
    (first,) = memory.undoable()
    dumps.append(dump(memory))
    memory.ingest(_forked("session-a", *own))
    second = memory.undoable()[0]
    assert {hit.session_id for hit in memory.recall("pnpm", types=["message"]).hits} == {"session-a"}
    before = dump(memory)
    with pytest.raises(AgentmemError, match="changed since") as caught:
        memory.undo(actions=[first.no])
    assert f"undo e{second.no}" in caught.value.hint
    assert dump(memory) == before
    memory.undo(actions=[second.no])
    assert dump(memory) == dumps[1]
    memory.ingest(_forked("session-a", *own))
    assert dump(memory).keys() == before.keys()
    memory.undo()
    memory.undo()
    assert dump(memory) == dumps[0]


def test_a_message_that_moved_is_not_brought_back_where_it_was(own_home: Path):
    memory = Memory.open(own_home / "agentmem", profile="project", config=Config(embedder="none", patience=20))
    memory.ingest(_forked("session-b"))
    memory.forget(memory.recall("fine", types=["message"]).hits[0].id)
    forgotten = memory.undoable()[0]
    memory.ingest(_forked("session-a"))
    with pytest.raises(AgentmemError, match="changed since"):
        memory.undo(actions=[forgotten.no])
    memory.undo()
    memory.undo(actions=[forgotten.no])
    assert memory.recall("fine", types=["message"]).hits


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


SAID = (
    *(f"Use {tool} for installs." for tool in ("npm", "pnpm", "bun")),
    "Remember: logs are shipped to Loki.",
    "Remember: we ship the logs to Loki.",
    "TODO: rotate the signing keys.",
)
TOLD = ("The staging port is 8443.", "The staging port is 9443.", "We ship logs to Loki!", "Use pnpm for installs.")


class Deeds(RuleBasedStateMachine):
    """Random mutations, with undos at random in between; each undo must give the dump that was before."""

    @initialize()
    def begin(self):
        self.folder = Path(tempfile.mkdtemp())
        self.memory = Memory.open(self.folder, profile="project", config=Config(embedder="none", patience=20))
        self.memory.remember("An anchor.")
        self.stack: list[tuple[list[int], dict]] = []
        self.clock = 0
        self.now = dump(self.memory)

    def teardown(self):
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    def _do(self, mutate) -> None:
        before = self.now
        last = _newest(self.memory)
        try:
            mutate()
        except AgentmemError:
            assert dump(self.memory) == before  # refused: nothing happened
            return
        done = [deed.no for deed in self.memory.log(limit=9) if deed.no > last]  # a compaction does several things
        self.now = dump(self.memory)
        if done:
            self.stack.append((done, before))
        else:
            assert self.now == before

    @rule(text=st.sampled_from(SAID), session=st.sampled_from("ab"), day=st.integers(1, 28))
    def ingest(self, text, session, day):
        self.clock += 1
        said = [
            {"role": role, "content": content, "session_id": session, "id": f"{role}{self.clock}",
             "timestamp": f"2026-03-{day:02}T10:0{minute}:00Z"}
            for minute, (role, content) in enumerate((("user", text), ("assistant", f"Fine: {text}")))
        ]  # fmt: skip
        self._do(lambda: self.memory.ingest(said))

    @rule(ours=st.sampled_from("xyz"))
    def ingest_a_fork(self, ours):
        self._do(lambda: self.memory.ingest(_forked(ours, f"{ours} prefers tabs.")))

    @rule(text=st.sampled_from(TOLD), keyed=st.booleans())
    def remember(self, text, keyed):
        key = "staging.port" if "port" in text and keyed else None
        self._do(lambda: self.memory.remember(text, topic_key=key))

    @rule(data=st.data(), what=st.sampled_from(("edit", "pin", "unpin", "confirm", "reject", "forget")))
    def tend(self, data, what):
        item = data.draw(st.sampled_from(self.memory.list(everything=True)))
        more = {"edit": (f"{item.content} And more.",), "reject": ("it broke",)}.get(what, ())
        self._do(lambda: getattr(self.memory, what)(item.id, *more))

    @rule()
    def compact(self):
        self._do(self.memory.compact)

    @precondition(lambda self: self.stack)
    @rule()
    def undo(self):
        actions, before = self.stack.pop()
        self.memory.undo(actions=actions)
        self.now = dump(self.memory)
        assert self.now == before

    @precondition(lambda self: self.stack)
    @rule()
    def undo_and_redo(self):
        actions, before = self.stack[-1]
        if any("ingest" in {one.operation for one in self.memory.log(f"e{no}")[0].entries} for no in actions):
            return
        undone = self.memory.undo(actions=actions)
        assert dump(self.memory) == before
        redone = self.memory.undo(actions=[deed.no for deed in undone])
        assert dump(self.memory) == self.now
        self.stack[-1] = ([deed.no for deed in redone], before)

    @precondition(lambda self: len(self.stack) > 2)
    @rule(data=st.data())
    def undo_an_older_one(self, data):
        """It is refused, and nothing changes; or it goes, and the store is sound."""
        actions, _ = data.draw(st.sampled_from(self.stack[:-1]))
        try:
            self.memory.undo(actions=actions)
        except AgentmemError:
            assert dump(self.memory) == self.now
        else:
            assert not broken(self.memory)
            self.now = dump(self.memory)
            self.stack.clear()


def _newest(memory: Memory) -> int:
    return max((deed.no for deed in memory.log(limit=1)), default=0)


Deeds.TestCase.settings = settings(
    max_examples=2, stateful_step_count=7, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
test_random_mutations_and_undos = Deeds.TestCase


class LongDeeds(Deeds):
    """The same at length."""


LongDeeds.TestCase.settings = settings(
    max_examples=16, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
TestLong = pytest.mark.slow(LongDeeds.TestCase)
