"""Whatever way a text comes in, the secrets in it do not."""

import json

import pytest

from agentmem import Config, Memory
from agentmem.redaction.redactor import Redactor
from agentmem.store import counts
from tests.redaction.test_stored import residue
from tests.upkeep.transfer.stores import opened

TOKEN = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
OTHER = "gh" + "p_" + "zY9xW7vU5tS3rQ1pN9mL7kJ5hG3fE1dC9bA7"
SECRETS = {TOKEN, OTHER, "hunter2-Kraken"}


@pytest.fixture
def there(own_home, said, monkeypatch):
    """A store whose rules knew nothing of the secrets in it."""
    with monkeypatch.context() as patched:
        patched.setattr(Redactor, "__call__", lambda _self, text: text)
        memory = opened(own_home / "there")
        memory.ingest(
            said(
                ("user", f"Use npm. The token is {TOKEN}."),
                ("assistant", f"Noted: {TOKEN}"),
                ("user", "Use pnpm, not npm. password=hunter2-Kraken"),
            )
        )
        memory.remember(f"Deploy with {TOKEN}", kind="fact")
        memory.forget(memory.remember(f"The old token was {OTHER}", kind="fact").id)
        memory.edit(memory.remember("The port is 1", kind="fact").id, f"The port is 2, the token {TOKEN}")
    return memory


@pytest.fixture(params=["a", "a.jsonl"])
def export(request, there, tmp_path):
    there.export(tmp_path / request.param, messages=True, vectors=True)
    return tmp_path / request.param


def test_an_export_s_secrets_are_redacted(there, export, own_home, said):
    here = opened(own_home / "here")
    rehearsed = here.import_from(export, dry_run=True)
    assert not here.home.data.exists()
    done = here.import_from(export)
    assert rehearsed.tables == done.tables
    assert any("secrets" in note for note in done.notes)
    assert residue(here.home.data, SECRETS) == {}
    with here._store.reading() as connection:
        assert counts.disagreements(connection) == {}
    assert all(check.state != "failed" for check in here.doctor(deep=True))
    ours, theirs = here.stats().counts, there.stats().counts
    assert (ours.messages, ours.memories) == (theirs.messages, theirs.memories)
    assert [(item.kind, item.status) for item in here.list(everything=True)] == [
        (item.kind, item.status) for item in there.list(everything=True)
    ]
    assert "[redacted:github-pat:" in here.recall("deploy with").hits[0].content
    again = here.import_from(export)
    assert {table: merged.new for table, merged in again.tables.items() if merged.new} == {}
    # The transcript, read here, gives what the import gave.
    read = here.ingest(said(("user", f"Use npm. The token is {TOKEN}."), ("assistant", f"Noted: {TOKEN}")))
    assert (read.messages, read.known) == (0, 2)
    here.import_from(export)
    assert "forgotten" in {i.status for i in here.list(everything=True) if i.content.startswith("The old token")}


def test_what_was_redacted_elsewhere_stays_as_it_is(own_home, said, tmp_path):
    there = opened(own_home / "there")
    there.ingest(said(("user", f"Use npm. The token is {TOKEN}."), ("user", "password=hunter2-Kraken")))
    there.export(tmp_path / "a.jsonl", messages=True)
    here = opened(own_home / "here")
    assert here.import_from(tmp_path / "a.jsonl").notes == []
    here.export(tmp_path / "b.jsonl", messages=True)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_settings_hold_for_an_import_too(own_home, tmp_path):
    there = opened(own_home / "there")
    there.remember("Project PRJ-77 is called heron", kind="fact")
    there.export(tmp_path / "a")
    config = Config(embedder="none", redact_patterns=(r"PRJ-\d+",))
    here = Memory.open(own_home / "here", profile="project", config=config)
    here.import_from(tmp_path / "a")
    assert [item.content[:30] for item in here.list()] == ["Project [redacted:pattern:" + here.list()[0].content[26:30]]
    assert residue(here.home.data, {"PRJ-77"}) == {}


@pytest.mark.parametrize("name", ["CLAUDE.md", "facts.json", "mem0.jsonl"])
def test_other_tools_files(name, own_home, tmp_path):
    text = f"Deploy with {TOKEN}"
    told = {
        "CLAUDE.md": f"# Rules\n\n- {text}\n",
        "facts.json": json.dumps([{"content": text, "kind": "fact", "topic_key": f"deploy.{TOKEN}"}]),
        "mem0.jsonl": json.dumps({"id": "1", "memory": text, "user_id": "ada", "created_at": "2026-01-01T00:00:00Z"}),
    }
    (tmp_path / name).write_text(told[name])
    memory = opened(own_home / "here")
    assert memory.import_from(tmp_path / name).tables["memories"].new == 1
    assert residue(own_home, SECRETS) == {}


def test_the_name_of_a_speaker(own_home):
    memory = opened(own_home / "here")
    memory.ingest([{"role": "user", "name": f"ada {TOKEN}", "content": "Use pnpm.", "session_id": "s"}])
    assert residue(own_home, SECRETS) == {}


def test_commands_that_change_a_memory(own_home):
    memory = opened(own_home / "here")
    item = memory.remember(f"Deploy with {TOKEN}", kind="fact", topic_key=f"deploy.{TOKEN}")
    edited = memory.edit(item.id, f"Deploy with {OTHER}")
    memory.reject(edited.id, f"{TOKEN} has expired, password=hunter2-Kraken")
    assert residue(own_home, SECRETS) == {}
