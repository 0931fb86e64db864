"""Mutations at random, with undos in between: each gives back what was there before."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from agentmem import AgentmemError, Config, Memory
from tests.upkeep.dumped import dump, forked

SAID = (
    *(f"Use {tool} for installs." for tool in ("npm", "pnpm", "bun")),
    "Remember: The janitor job cleans the reports folder.",
    "Remember: The reports folder is cleaned by the janitor job.",
    "TODO: rotate the signing keys.",
)
TOLD = (
    "The staging port is 8443.",
    "The staging port is 9443.",
    "The janitor job cleans the reports folder.",  # told directly, each wording is a memory that compaction merges
    "The reports folder is cleaned by the janitor job!",
    "Use pnpm for installs.",
)


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
        self._do(lambda: self.memory.ingest(forked(ours, f"{ours} prefers tabs.")))

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
    max_examples=6, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
TestLong = pytest.mark.slow(LongDeeds.TestCase)
