"""Nothing of what the redactor finds gets into any file of the store, whichever way it comes."""

import json
from pathlib import Path

import pytest

from agentmem import Config, Memory, UsageError
from agentmem.hook import spool
from agentmem.hook.call import recognise
from agentmem.hook.place import place
from tests.redaction.secrets import Positive, positives


def residue(folder: Path, secrets: set[str]) -> dict[str, str]:
    """Secret -> the first file that it lies in, as bytes of UTF-8 or of JSON."""
    found = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            held = file.read_bytes()
            for secret in secrets:
                if secret.encode() in held or json.dumps(secret)[1:-1].encode() in held:
                    found.setdefault(secret, file.name)
    return found


@pytest.fixture(scope="module")
def corpus() -> list[Positive]:
    return list(positives())


def test_no_file_of_the_store_holds_a_secret_of_the_corpus(memory, corpus, own_home):
    from agentmem.redaction.redactor import Redactor

    redact = Redactor(b"k" * 32)
    known = [one for one in corpus if not any(secret in redact(one.text) for secret in one.secrets)]
    assert len(known) >= 0.97 * len(corpus)
    run = memory.ingest(
        {"role": ("user", "assistant", "tool")[n % 3], "content": one.text, "session_id": f"s{n % 7}"}
        for n, one in enumerate(known)
    )
    memory.work()
    assert run.redacted == len(known)
    assert residue(own_home, {secret for one in known for secret in one.secrets}) == {}
    assert memory.recall("password").hits


def test_reading_a_transcript_again_finds_its_redacted_messages_known(memory, corpus):
    said = [{"role": "user", "content": one.text, "session_id": "s", "id": str(n)} for n, one in enumerate(corpus)]
    assert memory.ingest(said).messages == len(said)
    again = memory.ingest(said)
    assert (again.messages, again.known, again.memories) == (0, len(said), 0)


def test_a_message_that_is_all_private_is_not_stored(memory):
    run = memory.ingest(
        [
            {"role": "user", "content": "<private>my salary is 1</private>", "session_id": "s"},
            {"role": "user", "content": "We use Postgres 16. <private>unless Ada objects", "session_id": "s"},
        ]
    )
    assert run.messages == 1
    assert [hit.content for hit in memory.recall("salary Ada Postgres", types=("message",)).hits] == [
        "We use Postgres 16. "
    ]


def test_what_is_told_is_redacted_too(memory, corpus, own_home):
    secret = corpus[0]
    kept = memory.remember(f"Deploy with {secret.text}")
    assert secret.secrets[0] not in kept.content
    assert "[redacted:" in kept.content
    assert residue(own_home, set(secret.secrets)) == {}
    with pytest.raises(UsageError, match="nothing to remember"):
        memory.remember("<private>all of it</private>")


def test_settings_add_patterns_and_allow_some(own_home):
    config = Config(embedder="none", redact_patterns=(r"PRJ-\d+",), redact_allow=(r"hunter2!+",))
    memory = Memory.open(own_home / "agentmem", profile="p", config=config)
    assert memory.remember("Project PRJ-77 has password=hunter2!!").content.startswith("Project [redacted:pattern:")
    assert "hunter2!!" in memory.remember("Project PRJ-77 has password=hunter2!!").content


def test_the_spool_holds_no_word_of_what_was_said(own_home, corpus):
    for n, one in enumerate(corpus[::20]):
        payload = {
            "hook_event_name": "UserPromptSubmit", "session_id": f"s{n}", "transcript_path": f"/tmp/{n}.jsonl",
            "cwd": "/work", "prompt": one.text, "last_assistant_message": one.text, "reason": one.text,
        }  # fmt: skip
        call = recognise("claude", payload, {})
        assert call is not None
        assert not spool.is_repeated(place(), call)
        spool.write(place(), call)
    assert len(list((own_home / "agentmem" / "spool").glob("*.json"))) == len(corpus[::20])
    assert residue(own_home, {secret for one in corpus for secret in one.secrets}) == {}


def test_the_key_is_made_once_and_for_its_owner_only(memory, own_home):
    memory.remember("password=Kraken-77-x")
    key = own_home / "agentmem" / "redaction.key"
    assert key.stat().st_mode & 0o777 == 0o600
    first = memory.remember("the other password=Kraken-77-x").content
    again = Memory.open(own_home / "agentmem", profile="p", config=Config(embedder="none"))
    assert again.remember("the other password=Kraken-77-x").content == first
    assert not list(key.parent.glob(".redaction*"))
