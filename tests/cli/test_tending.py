"""Editing, pinning, rejecting, the log, undo and diff, as a person calls them."""

import json
import os
import sys

import duckdb


def ids(call) -> dict[str, str]:
    return {one["content"]: one["id"] for one in call("list", "--all", "--json").json["memories"]}


def test_edit_pin_reject_confirm(filled):
    wanted = next(key for content, key in ids(filled).items() if "pnpm" in content)
    edited = filled("edit", wanted[:8], "Package manager:", "pnpm 9").out
    assert "Said in other words: Package manager: pnpm 9" in edited
    new = ids(filled)["Package manager: pnpm 9"]
    assert "active, pinned" in filled("pin", new).out + filled("list").out
    assert filled("unpin", new, "--json").json["memory"]["pinned"] is False
    assert filled("reject", new).code == 2
    rejected = filled("reject", new, "--why", "it broke\nthe build", "--json").json["memory"]
    assert (rejected["status"], rejected["reason"]) == ("rejected", "it broke the build")
    found = filled("recall", "package manager", "--type", "memory").out
    assert "tried and rejected" in found
    assert "rejected because: it broke the build" in found
    assert "tried and rejected" in filled("context").out.lower()
    assert filled("confirm", new).code == 0
    assert filled("edit", new, "Package manager: pnpm 9.").code == 2
    assert filled("edit", wanted, "other words").code == 2
    assert "Answers" in filled("show", new).out


def test_edit_takes_words_from_standard_input(filled):
    wanted = next(key for content, key in ids(filled).items() if "pnpm" in content)
    assert filled("edit", wanted, given="Package manager: pnpm 10\n").code == 0
    assert "Package manager: pnpm 10" in ids(filled)


def test_edit_opens_the_editor(filled, tmp_path, monkeypatch):
    from agentmem.cli.commands import edit

    script = tmp_path / "editor.py"
    script.write_text("import sys; p = sys.argv[1]; t = open(p).read(); open(p, 'w').write(t.replace('dark', 'light'))")
    monkeypatch.setitem(os.environ, "VISUAL", f"{sys.executable} {script}")
    assert edit._edited("Theme: dark mode").strip() == "Theme: light mode"
    monkeypatch.setitem(os.environ, "VISUAL", "false")
    assert edit._edited("Theme: dark mode") == "Theme: dark mode"


def test_log_undo_and_redo(filled, monkeypatch):
    call = filled
    before = call("list", "--all").out
    wanted = next(key for content, key in ids(call).items() if "pnpm" in content)
    call("edit", wanted, "Package manager: bun")
    (last,) = call("log", "-k", "1", "--json").json["log"]
    assert (last["operation"], last["actor"], len(last["changes"])) == ("edit", "user", 2)
    assert "superseded" in json.dumps(last["changes"])
    assert "status: active → superseded" in call("log", last["entry"]).out
    assert "edit memory" in call("log", wanted[:8]).out
    assert call("log", "e999").code == 1
    assert call("undo").code == 2
    assert "edit" in call("undo", "--dry-run").out
    with monkeypatch.context() as patch:
        patch.setattr("agentmem.cli.commands.log.piped", lambda: False)
        assert "Nothing was undone" in call("undo", given="n\n").err
    done = call("undo", "--yes", "--json").json["undone"]
    assert [one["undoes"] for one in done] == [last["entry"]]
    assert call("list", "--all").out == before
    assert call("undo", "--yes", last["entry"]).code == 2
    assert call("undo", "--yes", done[0]["entry"]).code == 0
    assert "Package manager: bun" in call("list").out
    assert call("undo", "--yes", "--since", "1d").code == 0
    assert call("list").out == ""
    assert call("undo", "--yes", "soon").code == 2
    assert call("undo", "--yes", "1", "--since", "1d").code == 2


def test_an_id_of_e_and_digits_is_not_taken_for_an_entry(call, home):
    from agentmem.domain.ids import memory_id
    from agentmem.domain.text import normalise

    def identity(number: int) -> str:
        return memory_id("user", "fact", None, normalise(f"Fact {number} holds."))

    number = next(n for n in range(100_000) if identity(n)[0] == "e" and identity(n)[1:8].isdigit())
    call("remember", f"Fact {number} holds.", "--profile", "user", "--kind", "fact")
    (own,) = ids(call).values()
    assert "remember memory" in call("log", own[:8]).out
    assert call("log", "e9999999").code == 1


def test_diff_and_review(filled, home):
    wanted = next(key for content, key in ids(filled).items() if "pnpm" in content)
    filled("reject", wanted, "--why", "slow")
    changes = filled("diff", "--since", "1d", "--json").json["changes"]
    assert {one["memory"]["id"]: one["after"]["reason"] for one in changes}[wanted] == "slow"
    assert "rejected (slow)" in filled("diff", "--since", "1d").out
    assert filled("diff", "--since", "2020-01-01", "--until", "2020-02-01").out.startswith("No memory changed")
    assert filled("diff").code == 2
    assert filled("review").out.startswith("Nothing to review")
    with duckdb.connect(home / "memory.duckdb") as connection:
        connection.execute("UPDATE memories SET created_at = '2026-04-15'")  # they were said, and stored, in April
    filled("edit", next(key for content, key in ids(filled).items() if "dark" in content), "Theme: light mode")
    waiting = filled("review", "--json").json["unconfirmed"]
    assert waiting
    assert "Theme: light mode" not in [one["content"] for one in waiting]
    assert "unconfirmed" in filled("recall", waiting[0]["content"], "--type", "memory").out
    first = waiting[0]["id"]
    left = filled("review", "--confirm", first, "--json").json["unconfirmed"]
    assert [one["id"] for one in left] == [one["id"] for one in waiting[1:]]
    assert filled("review").out.count("\n") == max(1, len(left))
