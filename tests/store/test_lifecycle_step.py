"""The step to versions: what an old store says of its past is kept."""

from datetime import UTC, datetime

import duckdb

from agentmem import Memory
from agentmem.store import memories, schema, versions
from agentmem.store.migrations import run
from agentmem.store.store import Store

JANUARY, MARCH = datetime(2026, 1, 5, tzinfo=UTC), datetime(2026, 3, 5, tzinfo=UTC)


def old_store(memory: Memory) -> None:
    memory.home.data.mkdir(parents=True)
    with duckdb.connect(memory.home.database) as connection:
        run(connection, schema.m001_first_tables)
        connection.execute(
            """
            INSERT INTO profiles VALUES ('project', NULL, '2026-01-01');
            INSERT INTO sessions VALUES (1, 's1', 'project', 'claude', NULL, NULL, NULL, NULL, 'x', '2026-03-06');
            INSERT INTO messages VALUES (1, 'a', 'user', 'text', 'high', NULL, 'use npm', '2026-01-05', NULL),
                (1, 'b', 'user', 'text', 'high', NULL, 'use pnpm', '2026-03-05', NULL);
            INSERT INTO occurrences VALUES (1, 0, 'a', '2026-01-05', 'm1'), (1, 1, 'b', '2026-03-05', 'm2'),
                (1, 2, 'b', '2026-03-06', 'm3');
            INSERT INTO memories VALUES
                (1, 'one', 'project', 'fact', 'k', 'npm', 0.5, NULL, '2026-01-05', '2026-01-06', NULL, NULL,
                    'superseded', 'two', 'high', 'rules/1'),
                (2, 'two', 'project', 'fact', 'k', 'pnpm', 0.5, NULL, '2026-03-05', '2026-03-06', NULL, NULL,
                    'active', NULL, 'high', 'rules/1'),
                (3, 'three', 'project', 'fact', NULL, 'told', 0.5, NULL, '2026-02-01', '2026-02-01', NULL, NULL,
                    'forgotten', NULL, 'high', 'told/1');
            INSERT INTO journal VALUES
                (1, '2026-01-06', 'ingest', 'ingest', 'project', 's1', NULL, '{"messages": 1, "source": "x"}'),
                (2, '2026-01-06', 'ingest', 'remember', 'project', 'one', NULL,
                    '{"status": "active", "valid_from": "2026-01-05 00:00:00+00:00", "superseded_by": null}'),
                (3, '2026-03-06', 'ingest', 'ingest', 'project', 's1', NULL, '{"messages": 2, "source": "x"}'),
                (4, '2026-03-06', 'ingest', 'remember', 'project', 'two', NULL,
                    '{"status": "active", "valid_from": "2026-03-05 01:00:00+01:00", "superseded_by": null}'),
                (5, '2026-03-06', 'ingest', 'supersede', 'project', 'one', '{"status": "active"}',
                    '{"status": "superseded", "valid_from": "2026-01-05 00:00:00+00:00", "superseded_by": "two"}'),
                (6, '2026-02-01', 'told', 'remember', 'project', 'three', NULL, '{"status": "active"}'),
                (7, '2026-04-01', 'user', 'forget', 'project', 'three', '{"status": "active"}',
                    '{"status": "forgotten"}');
            """
        )


def test_an_old_store_keeps_its_past(memory: Memory):
    old_store(memory)
    with Store(memory.home, memory.config).reading() as connection:
        then = versions.known(connection, datetime(2026, 2, 15, tzinfo=UTC))
        assert {no: (one.status, one.superseded_by) for no, one in then.items()} == {
            1: ("active", None),
            3: ("active", None),
        }
        today = versions.known(connection)
        assert {no: one.status for no, one in today.items()} == {1: "superseded", 2: "active", 3: "forgotten"}
        assert today[1].superseded_by == "two"
        assert (today[1].valid_from, today[2].valid_from) == (JANUARY, MARCH)
        stored = connection.execute("SELECT strftime(stored_at, '%m-%d') FROM occurrences ORDER BY seq").fetchall()
        assert stored == [("01-06",), ("03-06",), ("03-06",)]
    (first, second) = sorted(memory.list(everything=True), key=lambda item: item.id)[:2]
    assert (first.pinned, first.recalled, first.reason) == (False, 0, None)
    assert len(list(memory.home.backups.iterdir())) == 1
    assert second.id == "three"
    memory.remember("The port is 8443.")
    assert len(memory.list(everything=True)) == 4


def test_numbers_are_given_once(memory: Memory):
    item = memory.remember("The port is 8443.")
    with Store(memory.home, memory.config).writing() as connection:
        memories.remove(connection, item.id)
        assert versions.known(connection) == {}
    memory.remember("The port is 9443.")
    with Store(memory.home, memory.config).reading() as connection:
        assert list(versions.known(connection)) == [2]
