"""Forgetting: by id, phrase, session and profile; for good, and not after all; and what comes in later."""

import shutil
from pathlib import Path

import duckdb
import numpy as np
import pytest

from agentmem import Config, Memory, NotFound, UsageError
from agentmem.upkeep.selection import Wanted

TOKEN = "zanzibar-4711-quokka"


def turns(memory: Memory, said, *contents: str, session: str = "s1", day: str = "2026-04-20") -> None:
    memory.ingest(said(*[("user", content) for content in contents], session=session, day=day))


def one(memory: Memory, words: str):
    return next(item for item in memory.list(everything=True) if words in item.content)


def everything(memory: Memory) -> str:
    """All text of the database, whatever table it is in."""
    with memory._store.reading() as connection:
        names = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        return repr([connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in names])


def files_with(folder: Path, value: bytes) -> list[str]:
    return [str(file) for file in folder.rglob("*") if file.is_file() and value in file.read_bytes()]


@pytest.mark.parametrize(
    "again",
    [
        "Remember: the staging API listens on port 8443.",
        "Remember: The staging API is listening on port 8,443!",
        "Actually, the staging API port is 8443.",
    ],
)
def test_a_forgotten_value_does_not_come_back_in_slightly_other_words(memory: Memory, said, again: str):
    turns(memory, said, "Remember: the staging API listens on port 8443.")
    memory.forget(one(memory, "8443").id)
    turns(memory, said, again, session="s2", day="2026-05-20")
    assert [item.content for item in memory.list() if "8443" in item.content.replace(",", "")] == []


def test_another_value_of_the_same_topic_comes_in(memory: Memory, said):
    turns(memory, said, "Remember: the staging API listens on port 8443.")
    memory.forget(one(memory, "8443").id)
    turns(memory, said, "Remember: the staging API listens on port 9000.", session="s2", day="2026-05-20")
    assert [item.content for item in memory.list() if "9000" in item.content]


def test_telling_a_forgotten_value_brings_it_back(memory: Memory, said):
    turns(memory, said, "Remember: the staging API listens on port 8443.")
    memory.forget(one(memory, "8443").id)
    memory.remember("The staging API listens on port 8,443")
    assert [item.status for item in memory.list() if "443" in item.content] == ["active"]
    turns(memory, said, "Note that the staging API listens on port 8443.", session="s2", day="2026-05-20")
    assert [item.status for item in memory.list() if "443" in item.content]


def test_unforgetting_gives_back_what_was(memory: Memory, said):
    turns(memory, said, "Use npm for the packages.", "Use pnpm, not npm.", "The sky over the office is green.")
    before = {item.id: (item.status, item.superseded_by) for item in memory.list(everything=True)}
    hits = [hit.id for hit in memory.recall("green sky").hits]
    for item in memory.list(everything=True):
        memory.forget(item.id)
    assert memory.list() == ()
    for identity in before:
        memory.unforget(Wanted(id=identity))
    assert {item.id: (item.status, item.superseded_by) for item in memory.list(everything=True)} == before
    assert [hit.id for hit in memory.recall("green sky").hits] == hits
    assert memory.stats().counts.tombstones == 0
    with pytest.raises(NotFound):
        memory.unforget(Wanted(id=next(iter(before))))


def test_a_phrase_is_forgotten_wherever_it_stands_and_when_it_is_said_later(memory: Memory, said):
    turns(
        memory,
        said,
        "Project Blue Heron starts in May.",
        "The heron is blue.",
        "We talk about project  BLUE heron often.",
    )
    chosen = memory.find_forgettable(Wanted(query="blue heron"))
    assert sorted(message.content[:3] for message in chosen.messages) == ["Pro", "We "]
    memory.forget_all(Wanted(query="blue heron"))
    turns(memory, said, "Blue Heron is late.", "The office moves.", session="s2", day="2026-05-01")
    for question in ("blue heron", "heron", "project"):
        assert all("lue heron" not in hit.content.lower() for hit in memory.recall(question, k=50).hits)
    assert memory.recall("office moves").hits
    memory.unforget(Wanted(query="blue heron"))
    found = {hit.content for hit in memory.recall("blue heron", k=50, types=["message"]).hits}
    assert {"Blue Heron is late.", "Project Blue Heron starts in May."} <= found


def test_a_session_is_forgotten_with_what_only_it_supports(memory: Memory, said):
    turns(memory, said, "Use pnpm, not npm.", "Dark mode by default.", session="first")
    turns(memory, said, "Use pnpm, not npm.", session="second", day="2026-05-01")
    memory.forget_all(Wanted(session="first"))
    assert [item.topic_key for item in memory.list()] == ["project.package_manager"]
    assert {hit.session_id for hit in memory.recall("pnpm", types=["message"]).hits} == {"second"}
    memory.unforget(Wanted(session="first"))
    assert len(memory.list()) == 2
    with pytest.raises(NotFound):
        memory.forget_all(Wanted(session="third"))


def test_a_profile_is_forgotten_and_others_are_not(memory: Memory, said):
    turns(memory, said, "Use pnpm, not npm.")
    memory.seen_from("other").ingest(said(("user", "Use yarn, not npm."), session="o1"))
    memory.forget_all(Wanted(profile="other"))
    assert memory.seen_from("other").list() == ()
    assert memory.list()


def test_one_of_the_four_must_be_said(memory: Memory, said):
    turns(memory, said, "Use pnpm, not npm.")
    for wanted in (Wanted(), Wanted(id="abcd", query="x")):
        with pytest.raises(UsageError):
            memory.find_forgettable(wanted)
    with pytest.raises(UsageError, match="no words"):
        memory.find_forgettable(Wanted(query=" … "))


def secret_store(memory: Memory, said) -> Memory:
    memory.ingest(
        said(
            ("user", f"Remember: the deploy token is {TOKEN}."),
            ("assistant", f"Noted, I will deploy with {TOKEN}."),
            ("user", "Use pnpm, not npm."),
        )
    )
    turns(memory, said, "The office moves to Hamburg in May.", session="s2", day="2026-04-21")
    memory.work()
    memory.home.backups.mkdir()
    shutil.copy(memory.home.database, memory.home.backups / "memory-1-20260101T000000.duckdb")
    return memory


def test_a_purge_leaves_no_residue_in_any_file(memory: Memory, said):
    secret_store(memory, said)
    with memory._store.reading() as connection:
        (vector,) = connection.execute(
            "SELECT e.vector FROM embeddings e JOIN vector_state v USING (content_hash) "
            "JOIN memories m ON v.slot = -m.no WHERE contains(m.content, $1)",
            [TOKEN],
        ).fetchall()[0]
    raw = np.asarray(vector, dtype=np.float32).tobytes()
    assert files_with(memory.home.vectors, raw), "else the test of the vectors shows nothing"
    memory._store.checkpoint()
    assert files_with(memory.home.data, TOKEN.encode())
    memory.forget(one(memory, TOKEN).id)  # what was forgotten before can still be purged
    gone = memory.purge(Wanted(id=one(memory, TOKEN).id))
    assert {message.role for message in gone.messages} == {"assistant", "user"}
    assert files_with(memory.home.data, TOKEN.encode()) == []
    assert "quokka" not in everything(memory)
    assert files_with(memory.home.data, raw) == []
    assert memory.recall("Hamburg").hits and memory.recall("pnpm").hits
    assert [check.detail for check in memory.doctor(deep=True) if check.state == "failed"] == []


def test_neither_the_log_to_replay_nor_what_is_exported_later_tells_what_was_purged(own_home: Path, said):
    memory = Memory.open(own_home / "agentmem", profile="project", config=Config(embedder="none", patience=20))
    turns(memory, said, f"Remember: the deploy token is {TOKEN}.", "Use pnpm, not npm.")
    item = one(memory, TOKEN)
    memory.edit(item.id, f"The deploy token is {TOKEN}, for now.")  # the journal and the history hold it as well
    assert memory.recall("deploy token").hits  # leaves a note in the spool
    with duckdb.connect(memory.home.database) as connection:  # as a process leaves it that died
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        connection.execute("INSERT INTO search_queries VALUES ($1, $2)", [item.id, f"what is {TOKEN}?"])
    replayed = memory.home.database.with_name(memory.home.database.name + ".wal")
    assert TOKEN.encode() in replayed.read_bytes(), "else the test of the log shows nothing"
    memory.purge(Wanted(query=TOKEN))
    assert files_with(memory.home.data, TOKEN.encode()) == []
    memory.export(own_home / "lines.jsonl", format="jsonl", messages=True)
    memory.export(own_home / "tables", format="parquet", messages=True)
    copy = memory.back_up(own_home / "copies").made.place
    assert "pnpm" in (own_home / "lines.jsonl").read_text()
    assert files_with(own_home, TOKEN.encode()) == []
    for file in (own_home / "tables").rglob("*.parquet"):  # compressed
        assert "quokka" not in repr(duckdb.read_parquet(str(file)).fetchall())
    other = Memory.open(own_home / "other", profile="project", config=memory.config)
    other.restore(copy)
    assert "quokka" not in everything(other) and "pnpm" in everything(other)


def test_what_was_purged_is_not_stored_when_it_is_said_again(memory: Memory, said):
    secret_store(memory, said)
    memory.purge(Wanted(id=one(memory, TOKEN).id))
    before = memory.stats().counts
    secret_store_again = said(
        ("user", f"Remember: the deploy token is {TOKEN}."),
        ("assistant", f"Noted, I will deploy with {TOKEN}."),
        ("user", "Use pnpm, not npm."),
    )
    assert memory.ingest(secret_store_again).messages == 0
    turns(memory, said, f"Remember: the deploy token is {TOKEN}!", session="s9", day="2026-06-01")
    memory._store.checkpoint()
    assert "quokka" not in everything(memory)
    assert files_with(memory.home.data, TOKEN.encode()) == []
    assert memory.stats().counts.memories == before.memories


def test_a_purged_phrase_is_not_stored_in_any_message(memory: Memory, said):
    secret_store(memory, said)
    memory.purge(Wanted(query=TOKEN))
    turns(memory, said, f"By the way, {TOKEN} works for the cluster as well.", "Hello.", session="s9", day="2026-06-01")
    memory._store.checkpoint()
    assert files_with(memory.home.data, TOKEN.encode()) == []
    assert memory.recall("hello").hits
    memory.unforget(Wanted(query=TOKEN))
    turns(memory, said, f"By the way, {TOKEN} works for the cluster as well.", "Hello.", session="s9", day="2026-06-01")
    assert memory.recall(TOKEN).hits


def test_a_purge_that_was_killed_is_finished_later(memory: Memory, said, monkeypatch: pytest.MonkeyPatch):
    secret_store(memory, said)
    with monkeypatch.context() as patch:
        patch.setattr("agentmem.store.store.rewrite", lambda _database: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            memory.purge(Wanted(id=one(memory, TOKEN).id))
    assert memory.finish_purge()
    assert files_with(memory.home.data, TOKEN.encode()) == []
    assert not memory.finish_purge()


def test_a_purged_bare_message_does_not_make_others_come_twice(memory: Memory):
    """Messages without id and time are counted; a purged one still counts."""
    lines = [{"role": "user", "content": text, "session_id": "bare"} for text in ("yes", f"it is {TOKEN}", "yes", "no")]
    memory.ingest(lines)
    memory.purge(Wanted(query=TOKEN))
    assert memory.ingest(lines).messages == 0
    with duckdb.connect(memory.home.database, read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM occurrences").fetchall() == [(4,)]
