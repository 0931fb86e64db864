"""What other tools remember, in the shapes that they write."""

import json

import pytest

from agentmem.errors import BadInput, UsageError
from tests.upkeep.transfer.stores import opened

CLAUDE = """\
# Dashboard

@docs/style.md

<!-- kept by hand -->

The dashboard is built with React and TypeScript.

## Commands

- Build: `pnpm build`
- Test: `pnpm test`
  - one file: `pnpm test -- heron.spec.ts`

Run the migrations first:

```sh
make migrate
```

| stage | host |
|---|---|
| live | egret.internal |
"""

INDEX = """\
# Memory index

- [Retry queue](retry-queue.md) — how the queue is called
- We deploy on Thursdays.
"""

TOPIC = """\
---
name: retry-queue
description: how the queue is called
metadata:
  type: project
---
The retry queue is called heron.

**Why:** the first one was a crane.
"""

MEM0 = {
    "count": 2,
    "results": [
        {"id": "a", "memory": "Prefers morning meetings", "user_id": "ada", "categories": ["work"], "metadata": None,
         "created_at": "2026-04-10T08:00:00-07:00", "updated_at": None},
        {"id": "b", "memory": "Lives in Turku", "user_id": "ada", "created_at": "2026-04-11T08:00:00Z"},
    ],
}  # fmt: skip


@pytest.fixture
def memory(own_home):
    return opened(own_home / "agentmem")


def contents(memory):
    return {item.content: item for item in memory.list(everything=True)}


def test_a_file_of_orders(memory, tmp_path):
    (tmp_path / "CLAUDE.md").write_text(CLAUDE)
    done = memory.import_from(tmp_path / "CLAUDE.md")
    assert (done.format, done.tables["memories"].new) == ("markdown", 5)
    found = contents(memory)
    assert set(found) == {
        "The dashboard is built with React and TypeScript.",
        "Build: `pnpm build`",
        "Test: `pnpm test`\n- one file: `pnpm test -- heron.spec.ts`",
        "Run the migrations first:\n```sh\nmake migrate\n```",
        "| stage | host |\n|---|---|\n| live | egret.internal |",
    }
    assert {(item.kind, item.trust, item.extractor) for item in found.values()} == {
        ("instruction", "high", "markdown/1")
    }
    assert memory.recall("how do I run the migrations?").hits[0].content.startswith("Run the migrations")
    assert "Commands" in memory.show(found["Build: `pnpm build`"].id).queries
    again = memory.import_from(tmp_path / "CLAUDE.md").tables["memories"]
    assert (again.new, again.known) == (0, 5)


def test_the_automatic_memory_of_claude_code(memory, tmp_path):
    folder = tmp_path / "projects/-home-ada-dashboard/memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text(INDEX)
    (folder / "retry-queue.md").write_text(TOPIC)
    done = memory.import_from(folder, profiles=["dashboard"])
    assert done.profiles == ("dashboard",)
    found = contents(memory.seen_from("dashboard"))
    assert set(found) == {
        "The retry queue is called heron.\n\n**Why:** the first one was a crane.",
        "We deploy on Thursdays.",
    }
    assert {item.trust for item in found.values()} == {"medium"}


def test_mem0(memory, tmp_path):
    (tmp_path / "mem0.json").write_text(json.dumps(MEM0))
    done = memory.import_from(tmp_path / "mem0.json")
    assert (done.format, done.tables["memories"].new) == ("mem0", 2)
    item = contents(memory)["Prefers morning meetings"]
    assert item.valid_from.isoformat() == "2026-04-10T15:00:00+00:00"
    assert (item.trust, memory.show(item.id).queries[0]) == ("medium", "work")


def test_lines_of_facts(memory, tmp_path):
    lines = [
        {"content": "Use pnpm", "kind": "instruction", "topic_key": "project.package_manager", "importance": 0.9},
        {"text": "The port is 8443", "created_at": 1776000000},
        {"nothing": 1},
    ]
    file = tmp_path / "facts.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines) + "not json\n")
    done = memory.import_from(file, dry_run=True)
    assert not memory.home.data.exists() or not memory.home.database.exists()
    assert done.notes == ["1 left out: without a text", "1 left out: not JSON"]
    assert memory.import_from(file).tables == done.tables
    assert contents(memory)["Use pnpm"].importance == 0.9
    assert memory.recall("which port?").hits[0].content == "The port is 8443"


def test_what_was_forgotten_stays_forgotten(memory, tmp_path):
    (tmp_path / "notes.md").write_text("* The gateway is called heron.\n")
    memory.import_from(tmp_path)
    memory.forget(contents(memory)["The gateway is called heron."].id)
    assert memory.import_from(tmp_path).tables["memories"].refused == 1


def test_secrets_are_taken_out(memory, tmp_path):
    (tmp_path / "notes.md").write_text("The key is `ghp_0123456789abcdefghijABCDEFGHIJ456789` for now.\n")
    memory.import_from(tmp_path)
    assert "ghp_0123" not in "".join(contents(memory))


def test_what_cannot_be_taken_in(memory, tmp_path):
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"role": "user", "content": "Use npm"}\n')
    with pytest.raises(BadInput, match="is a transcript"):
        memory.import_from(chat)
    (tmp_path / "empty.json").write_text("{}")
    with pytest.raises(BadInput, match="Nothing in"):
        memory.import_from(tmp_path / "empty.json")
    (tmp_path / "notes.md").write_text("We deploy on Fridays.")
    with pytest.raises(UsageError, match="no export"):
        memory.import_from(tmp_path / "notes.md", names={"a": "b"})
    (tmp_path / "a.duckdb").write_bytes(b"DUCK")
    with pytest.raises(BadInput, match="nothing that agentmem can import") as error:
        memory.import_from(tmp_path / "a.duckdb")
    assert "agentmem restore" in error.value.hint
    assert not memory.home.database.exists()
