"""What a model costs, measured through the command with a server on a real socket."""

import json

import pytest
from typer.testing import CliRunner

from agentmem import Config, ConfigError
from agentmem.bench.models import Meter, named
from agentmem.cli.app import app
from agentmem.models.language import ModelRole, Reply, ScriptedModel
from tests.ingest.models.scripted import Said, Script
from tests.models.fake_ollama import serving


@pytest.fixture
def sets(tmp_path):
    rows = [
        {"conv": "a", "session": "s1", "date": "2026-04-13", "turn_id": f"t{n}", "role": "user", "text": text}
        for n, text in enumerate(["The retry queue is called heron.", "It lives in the billing service.", "Thanks!"])
    ]
    (tmp_path / "tiny_sessions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "tiny_questions.jsonl").write_text("")
    return tmp_path


def call(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments], prog_name="agentmem")


def test_calls_tokens_and_seconds_for_1000_messages(sets, monkeypatch):
    script = Script(
        Said("The retry queue is called heron", "The retry queue is called heron", topic="retry_queue.name")
    )
    with serving(script) as server:
        monkeypatch.setenv("AGENTMEM_LANGUAGE_MODEL", "ollama")
        monkeypatch.setenv("AGENTMEM_OLLAMA_HOST", server.url)
        monkeypatch.setenv("AGENTMEM_EMBEDDER", "none")
        done = call("bench", "models", sets, "--model", "small", "--messages", 2, "--json")
        text = call("bench", "models", sets, "--model", "small").stdout
        missing = call("bench", "models", sets, "--model", "huge", "--seconds", 5, "--json")
    assert done.exit_code == 0, done.output
    one = json.loads(done.stdout)["sets"][0]
    assert (one["dataset"], one["messages"], one["owed"]) == ("tiny", 2, 0)
    roles = one["roles"]
    assert set(roles) >= {"extract", "verify", "classify"} and {role["model"] for role in roles.values()} == {"small"}
    calls = sum(role["calls"] for role in roles.values())
    assert one["per_1000_messages"]["calls"] == 1_000 * calls / 2
    assert one["per_1000_messages"]["prompt_tokens"] == 500 * sum(role["prompt_tokens"] for role in roles.values()) > 0
    assert one["per_1000_messages"]["reply_tokens"] > 0 and one["per_1000_messages"]["failed"] == 0
    assert {request["model"] for request in server.requests} == {"small"}
    assert "extract\tsmall\t333\t0\t" in text and "all\tsmall\t" in text
    one = json.loads(missing.stdout)["sets"][0]
    assert one["owed"] > 0 and "ollama pull huge" in one["note"]


def test_no_model_is_an_error_that_says_what_to_do(sets, own_home):
    done = call("bench", "models", sets)
    assert done.exit_code == 1 and "agentmem config set language_model" in done.stderr
    with pytest.raises(ConfigError):
        named(Config(), "small")


def test_the_meter_counts_failures_too():
    model = ScriptedModel([Reply("x", prompt_tokens=7, reply_tokens=3), RuntimeError("down")])
    meter = Meter(lambda _role: model)
    metered = meter(ModelRole.EXTRACT)
    metered.ask("a")
    with pytest.raises(RuntimeError):
        metered.ask("b")
    use = meter.uses["extract"]
    assert (use.calls, use.failed, use.prompt_tokens, use.reply_tokens) == (2, 1, 7, 3)
    assert meter(ModelRole.EXTRACT) is metered
