"""Merging: by content address, with respect for what was forgotten, keeping chains and evidence."""

from datetime import UTC, datetime

import pytest

from agentmem.domain.ids import memory_id
from agentmem.domain.text import normalise
from agentmem.errors import AgentmemError, BadInput, NotFound, UsageError
from agentmem.ingest import statements
from agentmem.store import counts, tombstones
from tests.upkeep.transfer.stores import opened


@pytest.fixture
def here(own_home):
    return opened(own_home / "here")


@pytest.fixture
def there(own_home):
    return opened(own_home / "there")


@pytest.fixture
def moved(tmp_path, here, there):
    """Export one, import it into the other."""

    def move(source=there, target=here, **options):
        place = tmp_path / f"export-{len(list(tmp_path.iterdir()))}.jsonl"
        source.export(place, messages=True)
        done = target.import_from(place, **options)
        with target._store.reading() as connection:
            assert counts.disagreements(connection) == {}
        return done

    return move


def by_content(memory, everything=True):
    return {item.content: item for item in memory.list(everything=everything)}


SAID = (("user", "Use npm."), ("assistant", "Done."), ("user", "Use pnpm, not npm."))


def test_chains_evidence_and_journal_come_along(here, there, said, moved):
    there.ingest(said(*SAID))
    done = moved()
    assert (done.tables["memories"].new, done.tables["messages"].new) == (2, 3)
    assert by_content(here) == by_content(there)
    for item in here.list(everything=True):
        ours, theirs = here.history(item.id), there.history(item.id)
        assert [(v.memory, v.evidence) for v in ours] == [(v.memory, v.evidence) for v in theirs]
        assert [[(e.operation, e.at, e.after) for e in v.journal] for v in ours] == [
            [(e.operation, e.at, e.after) for e in v.journal] for v in theirs
        ]
    assert here.recall("which package manager?").hits[0].content == "Package manager: pnpm (not npm)"
    assert here.recall("Done", types=("message",)).hits[0].content == "Done."


def test_what_was_forgotten_here_does_not_come_back(here, there, said, moved):
    there.ingest(said(*SAID))
    moved()
    gone = by_content(here)["Package manager: pnpm (not npm)"]
    here.forget(gone.id)
    # A store that knows only the tombstone, as after a purge.
    with here._store.writing() as connection:
        for table, key in (("memories", "id"), ("evidence", "memory_id"), ("search_queries", "memory_id")):
            connection.execute(f"DELETE FROM {table} WHERE {key} = $1", [gone.id])
        connection.execute("DELETE FROM journal WHERE subject = $1", [gone.id])
        from agentmem.store import fulltext

        slots = connection.execute(
            "SELECT slot FROM documents d WHERE slot < 0 AND -slot NOT IN (SELECT no FROM memories)"
        )
        fulltext.remove(connection, [slot for (slot,) in slots.fetchall()])
    done = moved()
    assert (done.tables["memories"].refused, done.tables["evidence"].refused) == (1, 1)
    assert done.tables["journal"].refused > 0
    assert gone.content not in by_content(here)


def test_what_was_forgotten_there_is_forgotten_here(here, there, said, moved):
    there.ingest(said(*SAID))
    moved()
    there.forget(by_content(there)["Package manager: pnpm (not npm)"].id)
    done = moved()
    assert done.forgotten == 1
    assert done.tables["tombstones"].new > 0
    assert by_content(here)["Package manager: pnpm (not npm)"].status == "forgotten"
    here.ingest(said(("user", "Use pnpm, not npm."), session="other"))
    assert "Package manager: pnpm (not npm)" not in by_content(here, everything=False)


def test_what_was_told_again_since_then_stays(here, there, moved):
    there.remember("The gateway is called heron")
    moved()
    there.forget(by_content(there)["The gateway is called heron"].id)
    here.forget(by_content(here)["The gateway is called heron"].id)
    here.remember("The gateway is called heron")
    done = moved()
    assert (done.forgotten, done.tables["tombstones"].new) == (0, 0)
    assert done.tables["tombstones"].refused > 0
    assert by_content(here)["The gateway is called heron"].status == "active"


def test_the_later_value_of_a_topic_counts(here, there, said, moved):
    here.ingest(said(("user", "Use npm."), day="2026-04-20"))
    there.ingest(said(("user", "Use pnpm."), day="2026-04-22", session="s2"))
    moved()
    assert {c: i.status for c, i in by_content(here).items()} == {
        "Package manager: npm": "superseded",
        "Package manager: pnpm": "active",
    }
    old = by_content(here)["Package manager: npm"]
    assert old.superseded_by == by_content(here)["Package manager: pnpm"].id
    assert [entry.operation for entry in here.history(old.id)[0].journal][-1] == "supersede"
    moved(here, there)
    assert {c: i.status for c, i in by_content(there).items()} == {c: i.status for c, i in by_content(here).items()}


def test_the_earlier_value_of_a_topic_does_not_count(here, there, said, moved):
    here.ingest(said(("user", "Use npm."), day="2026-04-23"))
    there.ingest(said(("user", "Use pnpm."), day="2026-04-22", session="s2"))
    done = moved()
    assert done.superseded == 1
    assert list(by_content(here, everything=False)) == ["Package manager: npm"]


def test_a_successor_that_is_new_replaces_here_too(here, there, moved):
    old = there.remember("The queue is called heron")
    moved()
    new = there.remember("Messages wait in a queue named egret")
    with there._store.writing() as connection:
        connection.execute(
            "UPDATE memories SET status = 'superseded', superseded_by = $1 WHERE id = $2", [new.id, old.id]
        )
    moved()
    assert by_content(here)[old.content].superseded_by == new.id


def test_a_session_that_went_on_on_both_sides(here, there, said, moved):
    start = said(*SAID)
    here.ingest(start)
    there.ingest(start)
    here.ingest([{"role": "user", "content": "here", "timestamp": "2026-04-20T11:00:00Z", "session_id": "s1"}])
    there.ingest([{"role": "user", "content": "there", "timestamp": "2026-04-20T12:00:00Z", "session_id": "s1"}])
    there.ingest([{"role": "user", "content": "yes", "session_id": "s1"}] * 3)
    done = moved()
    assert (done.tables["messages"].new, done.tables["occurrences"].new) == (2, 4)
    shown = here.show(here.recall("there", types=("message",)).hits[0].id)
    assert [one.content for one in shown.context][-4:] == ["here", "there", "yes", "yes"]
    assert moved().tables["occurrences"].new == 0


def test_a_message_that_was_forgotten_there_is_hidden_here(here, there, said, moved):
    there.ingest(said(("user", "The quarterly zeppelin budget is 40 crowns.")))
    moved()
    hit = there.recall("zeppelin budget", types=("message",)).hits[0]
    there.forget(hit.id)
    moved()
    assert here.recall("zeppelin budget", types=("message",)).hits == ()


def test_another_name_for_a_profile(here, there, said, moved):
    there.ingest(said(("user", "Use npm.")))
    there.ingest(said(*SAID))
    there.forget(there.remember("The gateway is called heron").id)
    done = moved(names={"project": "dashboard"})
    assert done.profiles == ("dashboard",)
    dashboard = here.seen_from("dashboard")
    items = by_content(dashboard)
    assert all(i.id == memory_id("dashboard", i.kind, i.topic_key, normalise(i.content)) for i in items.values())
    old, new = items["Package manager: npm"], items["Package manager: pnpm (not npm)"]
    assert old.superseded_by == new.id
    entry = next(e for e in dashboard.history(old.id)[0].journal if e.operation == "supersede")
    assert entry.after["superseded_by"] == new.id
    dashboard.ingest(said(("user", "The gateway is called heron"), session="again"))
    assert items["The gateway is called heron"].status == "forgotten"
    assert not moved(names={"project": "dashboard"}).tables["memories"].new


def test_two_profiles_become_one(here, there, said, moved):
    there.ingest(said(*SAID))
    there.seen_from("other").ingest(said(*SAID, ("user", "The port is 8443.")))
    done = moved(names={"other": "project"})
    assert done.profiles == ("project",)
    assert done.tables["messages"].new == 4
    moved(names={"other": "project"})


def test_only_one_profile(here, there, said, moved):
    there.ingest(said(*SAID))
    there.seen_from("other").ingest(said(("user", "Use yarn."), session="s9"))
    done = moved(profiles=["other"])
    assert [one.name for one in here.profiles()] == ["other"]
    assert done.tables["memories"].new == 1
    with pytest.raises(UsageError, match="no profile 'nobody'"):
        moved(profiles=["nobody"])


def test_a_rehearsal_tells_the_same_and_writes_nothing(here, there, said, moved):
    there.ingest(said(*SAID))
    rehearsed = moved(dry_run=True)
    assert not here.home.data.exists()
    done = moved()
    assert rehearsed.tables == done.tables
    assert moved(dry_run=True).tables["memories"].known == 2


def test_without_messages_the_quotations_come(here, there, said, tmp_path):
    there.ingest(said(*SAID))
    assert "messages" not in there.export(tmp_path / "a").rows
    here.import_from(tmp_path / "a")
    assert here.stats().counts.messages == 0
    assert all(check.state != "failed" for check in here.doctor(deep=True))
    item = by_content(here)["Package manager: pnpm (not npm)"]
    assert here.show(item.id).evidence[0].quote == "Use pnpm, not npm."
    here.export(tmp_path / "b")
    assert (tmp_path / "a/manifest.json").read_bytes() == (tmp_path / "b/manifest.json").read_bytes()
    here.ingest(said(*SAID))
    assert here.stats().counts.messages == 3
    assert all(check.state != "failed" for check in here.doctor(deep=True))


def test_a_part_of_a_store(here, there, said, tmp_path):
    there.ingest(said(*SAID, day="2026-03-01", session="old"))
    there.ingest(said(("user", "We decided to use Postgres 16.2 for billing."), day="2026-04-20", session="new"))
    there.seen_from("other").ingest(said(("user", "Use yarn."), session="s9"))
    rows = there.export(tmp_path / "since", since="2026-04-01", messages=True, profiles=["project"]).rows
    assert (rows["sessions"], rows["messages"], rows["profiles"]) == (1, 1, 1)
    assert there.export(tmp_path / "kind", kinds=["instruction"]).rows["memories"] == 3
    assert there.export(tmp_path / "one", profiles=["other"]).rows["memories"] == 1
    here.import_from(tmp_path / "since")
    assert all(check.state != "failed" for check in here.doctor(deep=True))
    assert [item.kind for item in here.list()] == ["fact"] * len(here.list())
    with pytest.raises(NotFound):
        there.export(tmp_path / "x", profiles=["nobody"])
    with pytest.raises(UsageError, match="is there already"):
        there.export(tmp_path / "one")


def test_what_is_no_export(here, tmp_path):
    with pytest.raises(NotFound, match="nothing at"):
        here.import_from(tmp_path / "nowhere")
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadInput):
        here.import_from(tmp_path / "folder")


def test_the_import_is_noted_and_stays_out_of_the_next_export(here, there, said, moved, tmp_path):
    there.ingest(said(*SAID))
    moved()
    with here._store.reading() as connection:
        (after,) = connection.execute("SELECT after FROM journal WHERE operation = 'import'").fetchall()[0]
    assert '"memories": 2' in after
    here.export(tmp_path / "again.jsonl")
    assert '"operation":"import"' not in (tmp_path / "again.jsonl").read_text()


def test_an_older_store_is_exported_without_being_changed(own_home, tmp_path):
    from tests.upkeep.transfer.test_upgrade import old_store

    memory = old_store(own_home / "old")
    before = memory.home.database.read_bytes()
    assert memory.export(tmp_path / "a.jsonl").rows["memories"] == 8
    assert memory.home.database.read_bytes() == before


def test_times_are_utc(there, said, tmp_path):
    import pyarrow.parquet as pq

    there.ingest(said(*SAID))
    there.export(tmp_path / "a", messages=True)
    rows = pq.read_table(tmp_path / "a/messages.parquet").to_pylist()
    assert rows[0]["said_at"] == datetime(2026, 4, 20, 10, tzinfo=UTC)


def test_a_phrase_that_was_purged_here_does_not_come_back(here, there, said, moved):
    there.ingest(said(("user", "The vault is behind the heron picture."), ("user", "Use pnpm.")))
    with here._store.writing() as connection:
        digest = next(iter(statements.phrases("project", "heron picture", (2,))))
        tombstones.bury(connection, "project", digest, [digest], purged=True, words=2)
    moved()
    with here._store.reading() as connection:
        rows = connection.execute("SELECT content, purged_by FROM messages ORDER BY content").fetchall()
    assert rows == [("", digest), ("Use pnpm.", None)]
    assert here.recall("heron picture", types=("message",)).hits == ()


def test_an_import_cannot_be_undone_by_accident(here, there, said, moved):
    there.ingest(said(*SAID))
    moved()
    with pytest.raises(AgentmemError, match=r"agentmem restore|nothing to undo"):
        here.undo()
