import os
import re
import subprocess
import sys

import pytest

from agentmem.cli.progress import amount
from agentmem.cli.screen import harmless, one_line
from agentmem.domain.excerpt import excerpt
from tests.cli.conftest import process_environment, write

ANSI = re.compile(r"\x1b")
BOX = re.compile(r"[─-╿]")


def test_piped_text_has_no_colours_and_no_boxes(command, dashboard):
    outputs = [
        command(*arguments).out
        for arguments in (
            ("ingest", dashboard),
            ("recall", "pnpm", "--explain"),
            ("list", "--all"),
            ("stats",),
            ("doctor",),
        )
    ]
    assert all(outputs)
    assert not any(ANSI.search(text) or BOX.search(text) for text in outputs)


def test_recall_reads_well(filled):
    lines = filled("recall", "which package manager?", "-k", "1").out.splitlines()
    assert re.fullmatch(r"1\. instruction · 2026-04-14 · id [0-9a-f]{8}", lines[0])
    assert "pnpm" in lines[1]
    assert re.search(r"“Use pnpm, not npm\.?” — user, 2026-04-14, session dashboard", lines[2])


def test_the_list_has_stable_columns(filled):
    rows = [line.split("\t") for line in filled("list", "--all").out.splitlines()]
    assert {len(row) for row in rows} == {6}
    assert {row[2] for row in rows} == {"active", "superseded"}
    assert all(re.fullmatch("[0-9a-f]{8}", row[0]) for row in rows)


def test_empty_things_are_empty_on_a_pipe(call):
    assert call("list").out == ""
    assert call("profile", "list").out == ""


def test_the_question_may_come_from_a_pipe(filled):
    assert "pnpm" in filled("recall", given="which package manager?\n").out
    assert "pnpm" in filled("recall", "-", given="which package manager?").out
    assert filled("recall", given="").code == 2


def test_limits(filled):
    assert len(filled("recall", "npm", "-k", "2", "--json").json["hits"]) == 2
    assert {hit["type"] for hit in filled("recall", "npm", "--type", "memory", "--json").json["hits"]} == {"memory"}
    assert {hit["kind"] for hit in filled("recall", "npm", "--kind", "instruction", "--json").json["hits"]} == {
        "instruction"
    }
    assert filled("recall", "npm", "--until", "2026-04-01", "--json").json["hits"] == []
    assert filled("recall", "npm", "-k", "1001").code == 2
    assert filled("recall", "npm", "--kind", "opinion").code == 2
    assert filled("recall", "npm", "--since", "the flood").code == 2
    everything = filled("recall", "package manager", "--all", "--explain", "--json").json["hits"]
    assert "superseded" in [hit["explain"]["status"] for hit in everything]


def test_stored_text_cannot_steer_the_terminal(call, tmp_path):
    evil = "deploy key \x1b[31mred\x1b]0;title\x07 \x9b2J [bold]markup[/bold]"
    call("ingest", write(tmp_path / "evil.jsonl", [{"role": "user", "content": evil}]))
    shown = call("recall", "deploy key", "--full").out
    assert "[bold]markup[/bold]" in shown
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown)


def _on_a_terminal(*arguments: str, **variables: str) -> str:
    pty = pytest.importorskip("pty")
    primary, secondary = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "agentmem", *arguments],
        stdin=secondary,
        stdout=secondary,
        stderr=secondary,
        env=process_environment(TERM="xterm-256color", COLUMNS="100", **variables),
    )
    os.close(secondary)
    seen = b""
    try:
        while piece := os.read(primary, 65536):
            seen += piece
    except OSError:  # Linux says so when the other side is closed
        pass
    os.close(primary)
    assert running.wait(60) == 0
    return seen.decode()


def test_a_terminal_gets_colours_unless_they_are_unwanted(filled):
    coloured = _on_a_terminal("recall", "pnpm", "--explain")
    assert "\x1b[36m" in coloured
    assert "channel" in coloured
    plain = _on_a_terminal("recall", "pnpm", NO_COLOR="1")
    assert "pnpm" in plain
    assert not re.search(r"\x1b\[(3|4|9)\d", plain)
    assert "No memories in profile" in _on_a_terminal("list", "--kind", "pattern")


def test_excerpts_show_why_a_text_was_found():
    text = "filler words here " * 40 + "the rate limit is 10,000 per zone " + "other things follow " * 40
    short = excerpt(text, "what is the rate limit?", 200)
    assert "rate limit is 10,000" in short
    assert short.startswith("… ")
    assert short.endswith(" …")
    assert len(short) < 220
    assert excerpt("short\n text", "x", 200) == "short text"
    chinese = "无关的内容" * 60 + "包管理器是 pnpm" + "别的话" * 60
    assert "pnpm" in excerpt(chinese, "包管理器是什么", 100)
    assert excerpt("x" * 1000, "", 100) == "x" * 100 + " …"


def test_small_words():
    assert harmless("a\x1b[0m\r\nb\tc\x00") == "a[0m\nb\tc"
    assert one_line("a\n\t b") == "a b"
    assert [amount(n, "bytes") for n in (0, 999, 1_000, 2_500_000, 1_200_000_000)] == [
        "0 bytes", "999 bytes", "1 KB", "2 MB", "1.2 GB"
    ]  # fmt: skip
