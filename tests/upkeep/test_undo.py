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
from agentmem.store.counts import disagreements
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
    if memory.config.embedder != "none":
        _pay(memory)
    with Store(memory.home, memory.config).reading() as connection:  # once: opening takes most of the time
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
        assert not disagreements(connection)
    return rows


def _pay(memory: Memory) -> None:
    """Compute the vectors that are owed, after LanceDB was told to look at all of it."""
    with Store(memory.home, memory.config).reading() as connection:
        generation = embeddings.current(connection)
    if generation is not None:
        VectorTable(memory.home.vectors, generation.no, generation.dimension).unsettle()
    memory.work()


def _compare_vectors(connection, generation, table, slots) -> None:
    """LanceDB has under each slot the vector of what stands there."""
    if not slots:
        return
    places, _, vectors = embeddings.vectors_at(connection, generation, slots)
    kept = table._open().search().limit(len(slots) + 1).to_arrow()
    for slot, vector in zip(places, vectors, strict=True):
        (row,) = [n for n, other in enumerate(kept["slot"].to_pylist()) if other == slot]
        assert kept["vector"][row].as_py() == pytest.approx(vector.tolist(), abs=1e-6)


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


def test_each_kind_of_mutation_is_undone_exactly(plain: Memory, said):
    """Three at once; below, each is undone alone, with vectors."""
    dumps = [(0, dump(plain))]
    for number, (_, mutate) in enumerate(mutations(plain, said), start=1):
        mutate()
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


@pytest.mark.parametrize("own", [pytest.param((), marks=pytest.mark.slow), ("Prefer tabs over spaces.",)], ids=len)
def test_lines_that_a_fork_took_over_go_back(plain: Memory, own: tuple[str, ...]):
    plain.remember("An anchor.")
    dumps = [dump(plain)]
    plain.ingest(_forked("session-b", "The gateway speaks gRPC."))
    (first,) = plain.undoable()
    dumps.append(dump(plain))
    plain.ingest(_forked("session-a", *own))
    second = plain.undoable()[0]
    assert {hit.session_id for hit in plain.recall("pnpm", types=["message"]).hits} == {"session-a"}
    before = dump(plain)
    with pytest.raises(AgentmemError, match="changed since") as caught:
        plain.undo(actions=[first.no])
    assert f"undo e{second.no}" in caught.value.hint
    assert dump(plain) == before
    plain.undo(actions=[second.no])
    assert dump(plain) == dumps[1]
    plain.ingest(_forked("session-a", *own))
    assert dump(plain).keys() == before.keys()
    plain.undo()
    plain.undo()
    assert dump(plain) == dumps[0]


def test_a_message_that_moved_is_not_brought_back_where_it_was(plain: Memory):
    plain.ingest(_forked("session-b"))
    plain.forget(plain.recall("fine", types=["message"]).hits[0].id)
    forgotten = plain.undoable()[0]
    plain.ingest(_forked("session-a"))
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
