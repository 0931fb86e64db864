"""All of a store as text, to be compared before a change and after it was undone; and a session that was forked."""

from datetime import UTC, datetime

import pytest

from agentmem import Memory, Message
from agentmem.domain.messages import Role
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


def forked(session: str, *own: str) -> list[Message]:
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
