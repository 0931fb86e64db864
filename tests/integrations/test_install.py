import json
import os
import stat
import subprocess
import tomllib

import pytest

from agentmem.errors import AgentmemError, UsageError
from agentmem.integrations import disk, jsonc
from agentmem.integrations.agents import AGENTS
from agentmem.integrations.install import carry_out, choose, plan_install, plan_uninstall
from agentmem.integrations.places import Machine

OTHER = {"hooks": [{"type": "command", "command": "other"}]}


def loaded(desk, name):
    return json.loads(desk.read(name))


def test_what_claude_gets(desk):
    desk.install("claude")
    hooks = loaded(desk, ".claude/settings.json")["hooks"]
    assert list(hooks) == ["SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"]
    assert hooks["Stop"] == [{"hooks": [{"type": "command", "command": "agentmem hook claude", "timeout": 10}]}]
    assert loaded(desk, ".claude.json")["mcpServers"]["agentmem"] == {
        "type": "stdio",
        "command": "agentmem",
        "args": ["mcp"],
    }


def test_what_codex_gets(desk):
    desk.install("codex")
    hooks = loaded(desk, ".codex/hooks.json")
    assert set(hooks) == {"hooks"}  # unknown keys are rejected
    assert {key for groups in hooks["hooks"].values() for group in groups for handler in group["hooks"] for key in handler} == {
        "type", "command", "timeout",
    }  # fmt: skip
    assert hooks["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"] <= 3
    assert tomllib.loads(desk.read(".codex/config.toml").decode()) == {
        "mcp_servers": {"agentmem": {"command": "agentmem", "args": ["mcp"]}}
    }


def test_what_gemini_gets(desk):
    desk.install("gemini")
    held = loaded(desk, ".gemini/settings.json")
    assert list(held["hooks"]) == ["SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd"]
    for groups in held["hooks"].values():
        (handler,) = groups[0]["hooks"]
        assert handler["timeout"] >= 1_000  # milliseconds
        assert (handler["command"], handler["name"]) == ("agentmem hook gemini", "agentmem")
    assert held["mcpServers"]["agentmem"] == {"command": "agentmem", "args": ["mcp"]}


def test_what_cursor_gets(desk):
    desk.install("cursor")
    held = loaded(desk, ".cursor/hooks.json")
    assert held["version"] == 1
    assert list(held["hooks"]) == ["sessionStart", "stop", "preCompact", "sessionEnd"]
    assert all(entries == [{"command": "agentmem hook cursor", "timeout": 10}] for entries in held["hooks"].values())
    assert loaded(desk, ".cursor/mcp.json")["mcpServers"]["agentmem"] == {"command": "agentmem", "args": ["mcp"]}


def test_what_opencode_gets(desk):
    desk.write(".config/opencode/opencode.jsonc", "{\n  // mine\n}\n")
    desk.install("opencode")
    held = jsonc.parse(desk.read(".config/opencode/opencode.jsonc").decode()).value
    assert held == {"mcp": {"agentmem": {"type": "local", "command": ["agentmem", "mcp"], "enabled": True}}}
    assert not (desk.root / ".config/opencode/opencode.json").exists()
    plugin = desk.read(".config/opencode/plugins/agentmem.js").decode()
    assert 'const PROGRAM = "agentmem"' in plugin
    assert plugin.isascii()
    assert plugin.count("export ") == 1  # every export is taken for a plugin


def test_what_copilot_and_vs_code_share(desk):
    desk.install("copilot", "vscode")
    held = loaded(desk, ".copilot/hooks/agentmem.json")
    assert held["version"] == 1
    assert list(held["hooks"]) == ["SessionStart", "Stop", "PreCompact", "SessionEnd"]
    assert set(held["hooks"]["Stop"][0]) == {"type", "bash", "powershell", "timeoutSec"}
    copilot = loaded(desk, ".copilot/mcp-config.json")["mcpServers"]["agentmem"]
    assert copilot == {"type": "local", "command": "agentmem", "args": ["mcp"], "tools": ["*"]}
    servers = loaded(desk, ".config/Code/User/mcp.json")["servers"]
    assert servers["agentmem"] == {"type": "stdio", "command": "agentmem", "args": ["mcp"]}
    desk.uninstall("vscode")
    assert loaded(desk, ".copilot/hooks/agentmem.json") == held
    desk.uninstall("copilot")
    assert not (desk.root / ".copilot/hooks").exists()


def test_only_what_is_asked_for(desk):
    desk.install("gemini", server=False)
    assert "mcpServers" not in loaded(desk, ".gemini/settings.json")
    desk.install("cursor", hooks=False)
    assert not (desk.root / ".cursor/hooks.json").exists()


def test_all_means_the_agents_that_are_there(desk, tmp_path):
    for folder in (".cursor", ".config/opencode", ".copilot/session-state"):
        (desk.root / folder).rmdir()
    assert set(desk.install().agents) == {"claude", "codex", "gemini", "vscode"}
    assert not [name for name in desk.files() if ".cursor" in name or "opencode" in name]
    bare = Machine(tmp_path / "nobody", {"PATH": ""})
    assert choose([], bare, everyone=True) == []
    with pytest.raises(UsageError, match="which agent"):
        choose([], bare, everyone=False)
    with pytest.raises(UsageError, match="Unknown agent 'emacs'"):
        choose(["emacs"], bare, everyone=True)


def test_overrides_are_honoured(desk, tmp_path):
    moved = {
        "CLAUDE_CONFIG_DIR": "c",
        "CODEX_HOME": "x",
        "GEMINI_CLI_HOME": "g",
        "COPILOT_HOME": "p",
        "XDG_CONFIG_HOME": "f",
    }
    variables = {name: str(tmp_path / "moved" / folder) for name, folder in moved.items()}
    machine = Machine(desk.root, {**desk.machine.variables, **variables}, "linux", desk.machine.python)
    names = ["claude", "codex", "gemini", "copilot", "opencode", "vscode"]
    carry_out(plan_install([AGENTS[name] for name in names], machine, desk.home), desk.home)
    found = {
        file.relative_to(tmp_path / "moved").as_posix() for file in (tmp_path / "moved").rglob("*") if file.is_file()
    }
    assert found == {
        "c/settings.json", "c/.claude.json", "x/hooks.json", "x/config.toml", "g/.gemini/settings.json", "p/hooks/agentmem.json",
        "p/mcp-config.json", "f/opencode/opencode.json", "f/opencode/plugins/agentmem.js", "f/Code/User/mcp.json",
    }  # fmt: skip
    assert list(desk.files()) == [".copilot/hooks/agentmem.json"]  # VS Code does not know Copilot's variable
    # The record knows the files even when the variables are gone again.
    carry_out(plan_uninstall(names, desk.machine, desk.home), desk.home)
    assert not [file for file in (tmp_path / "moved").rglob("*") if file.is_file()]


def test_a_dry_run_writes_nothing(desk, tmp_path):
    desk.write(".claude/settings.json", "{}")
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")}
    assert desk.plan().writes
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")} == before


@pytest.mark.parametrize(
    "broken", ['{"a": ', '{"a": 1 "b": 2}', "[1]", "{'a': 1}", "null", '{"hooks": []}', '{"hooks": {"Stop": {}}}', b"\xff\xfe{\0}\0", '{"hooks": null}',
               "[" * 5_000]
)  # fmt: skip
def test_a_file_that_cannot_be_understood_is_left_alone_and_the_others_are_not(desk, broken):
    file = desk.write(".claude/settings.json", broken)
    before = file.read_bytes()
    plan = desk.install("claude", "gemini")
    (refusal,) = plan.refusals
    assert (refusal.path, refusal.agents) == (disk.real(file), ("claude",))
    assert str(file) in refusal.reason
    assert refusal.hint
    assert file.read_bytes() == before
    assert loaded(desk, ".gemini/settings.json")["hooks"]
    assert not desk.uninstall("claude", "gemini").refusals  # there is nothing of ours in it
    assert file.read_bytes() == before


def test_toml_that_cannot_be_understood_is_left_alone(desk):
    for broken in ("a = ", "[mcp_servers.agentmem]\ncommand = 'theirs'\n", "mcp_servers = 1"):
        file = desk.write(".codex/config.toml", broken)
        assert desk.install("codex").refusals
        assert file.read_text() == broken
        desk.uninstall("codex")
        assert file.read_text() == broken


def test_a_server_of_another_program_keeps_its_name(desk):
    text = '{"mcpServers": {"agentmem": {"command": "npx", "args": ["agentmemory"]}}}'
    file = desk.write(".cursor/mcp.json", text)
    (refusal,) = desk.install("cursor").refusals
    assert "another program" in refusal.reason
    desk.uninstall("cursor")
    assert file.read_text() == text


def test_a_read_only_file_is_left_alone(desk):
    file = desk.write(".claude/settings.json", "{}")
    file.chmod(0o444)
    (refusal,) = desk.install("claude").refusals
    assert "read-only" in refusal.reason
    assert file.read_text() == "{}"


def test_a_folder_in_the_place_of_a_file_is_left_alone(desk):
    (desk.root / ".claude/settings.json").mkdir()
    assert desk.install("claude").refusals


def test_links_are_followed_and_rights_kept(desk):
    file = desk.write("dotfiles/claude", "{}\n")
    file.chmod(0o640)
    link = desk.root / ".claude/settings.json"
    link.symlink_to("../dotfiles/claude")
    desk.install("claude")
    assert link.is_symlink()
    assert "agentmem" in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    desk.uninstall("claude")
    assert link.is_symlink()
    assert file.read_text() == "{}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_new_files_and_copies_are_private_and_nothing_is_left_lying_about(desk):
    desk.write(".claude.json", '{"oauthAccount": "secret"}')
    desk.install("claude")
    assert stat.S_IMODE((desk.root / ".claude/settings.json").stat().st_mode) == 0o600
    folder = desk.home.backups / "config"
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    desk.uninstall("claude")
    assert [file.name for file in folder.iterdir()] == ["installed.json"]  # copies of what may be private go too
    assert list(desk.files()) == [".claude.json"]


def test_a_file_that_changes_between_question_and_answer_is_left_alone(desk):
    file = desk.write(".claude/settings.json", "{}")
    plan = desk.plan("claude")
    file.write_text('{"model": "new"}')
    (refusal,) = carry_out(plan, desk.home).refusals
    assert "changed by another program" in refusal.reason
    assert file.read_text() == '{"model": "new"}'
    assert "agentmem" in desk.read(".claude.json").decode()  # the rest was done


def test_own_group_is_last_and_keeps_its_place_when_it_changes(desk):
    """Codex remembers the trust in a hook by its place."""
    file = desk.write(".codex/hooks.json", json.dumps({"hooks": {"Stop": [OTHER]}}))
    desk.install("codex")
    held = json.loads(file.read_text())
    assert held["hooks"]["Stop"][0] == OTHER
    held["hooks"]["Stop"][1]["hooks"][0]["command"] = '"/gone/agentmem" hook codex'
    held["hooks"]["Stop"].append(OTHER)
    file.write_text(json.dumps(held))
    desk.install("codex")
    stop = json.loads(file.read_text())["hooks"]["Stop"]
    assert [group["hooks"][0]["command"] for group in stop] == ["other", "agentmem hook codex", "other"]


def test_doubled_and_scattered_entries_become_one(desk):
    ours = {"type": "command", "command": "agentmem hook claude", "timeout": 10}
    stop = [{"hooks": [ours, ours]}, OTHER, {"hooks": [OTHER["hooks"][0], ours]}, {"matcher": "Bash", "hooks": [ours]}]
    file = desk.write(".claude/settings.json", json.dumps({"hooks": {"Stop": stop, "PreToolUse": [{"hooks": [ours]}]}}))
    desk.install("claude")
    assert json.loads(file.read_text())["hooks"]["Stop"] == [{"hooks": [ours]}, OTHER, OTHER]
    desk.uninstall("claude")
    assert json.loads(file.read_text()) == {"hooks": {"Stop": [OTHER, OTHER]}}


def test_seconds_where_milliseconds_belong_are_corrected(desk):
    hasty = [{"hooks": [{"type": "command", "command": "agentmem hook gemini", "timeout": 5}]}]
    file = desk.write(".gemini/settings.json", json.dumps({"hooks": {"BeforeAgent": hasty}}))
    desk.install("gemini")
    assert json.loads(file.read_text())["hooks"]["BeforeAgent"][0]["hooks"][0]["timeout"] == 5_000


def test_a_moved_program_is_followed_and_what_the_user_added_stays(desk):
    desk.write(
        ".cursor/mcp.json",
        '{"mcpServers": {"agentmem": {"command": "/old/agentmem", "args": ["mcp"], "env": {"A": "b"}}}}',
    )
    toml = "[mcp_servers.agentmem]\ncommand = '/old/agentmem' # here\nargs = [\"mcp\"]\nstartup_timeout_sec = 20\n"
    desk.write(".codex/config.toml", toml)
    desk.install("cursor", "codex")
    server = loaded(desk, ".cursor/mcp.json")["mcpServers"]["agentmem"]
    assert server == {"command": "agentmem", "args": ["mcp"], "env": {"A": "b"}}
    assert tomllib.loads(desk.read(".codex/config.toml").decode())["mcp_servers"]["agentmem"] == {
        "command": "agentmem", "args": ["mcp"], "startup_timeout_sec": 20,
    }  # fmt: skip


def test_the_command_is_a_name_on_the_search_path_or_a_quoted_path(desk, tmp_path):
    assert desk.machine.command() == "agentmem"
    scripts = tmp_path / "my tools" / "Scripts"
    scripts.mkdir(parents=True)
    (scripts / "agentmem.exe").write_text("")
    machine = Machine(desk.root, {"PATH": ""}, "win32", scripts / "python.exe")
    path = f"{tmp_path}/my tools/Scripts/agentmem.exe"
    assert machine.command() == path
    carry_out(plan_install([AGENTS["claude"], AGENTS["copilot"]], machine, desk.home), desk.home)
    assert loaded(desk, ".claude/settings.json")["hooks"]["Stop"][0]["hooks"][0]["command"] == f'"{path}" hook claude'
    copilot = loaded(desk, ".copilot/hooks/agentmem.json")["hooks"]["Stop"][0]
    assert (copilot["bash"], copilot["powershell"]) == (f'"{path}" hook copilot', f'& "{path}" hook copilot')
    assert loaded(desk, ".claude.json")["mcpServers"]["agentmem"]["command"] == path
    assert not plan_install([AGENTS["claude"]], machine, desk.home).writes
    desk.uninstall("claude", "copilot")
    assert desk.files() == {}


def test_an_environment_that_is_active_just_now_is_not_relied_on(tmp_path):
    programs = tmp_path / "venv/bin"
    programs.mkdir(parents=True)
    (programs / "agentmem").write_text("#!/bin/sh\n")
    (programs / "agentmem").chmod(0o755)
    machine = Machine(
        tmp_path, {"PATH": str(programs), "VIRTUAL_ENV": str(tmp_path / "venv")}, "linux", programs / "python"
    )
    assert machine.command() == f"{programs}/agentmem"


def test_there_must_be_a_command_that_shells_understand(tmp_path):
    with pytest.raises(AgentmemError, match="not on the search path"):
        Machine(tmp_path, {"PATH": ""}, "linux", tmp_path / "python").command()
    odd = tmp_path / "é"
    odd.mkdir()
    (odd / "agentmem").write_text("")
    with pytest.raises(AgentmemError, match="not a path that every shell"):
        Machine(tmp_path, {"PATH": ""}, "linux", odd / "python").command()


def test_agents_without_hooks_are_told_of(desk):
    plan = desk.install("pi", "aider")
    assert [agent for agent, _ in plan.notes] == ["pi", "aider"]
    assert "backfill" in plan.notes[0][1]
    assert plan.changes == ()


def test_a_foreign_plugin_file_is_left_alone(desk):
    file = desk.write(".config/opencode/plugins/agentmem.js", "export const mine = 1\n")
    assert "not written by agentmem" in desk.install("opencode").refusals[0].reason
    desk.uninstall("opencode")
    assert file.read_text() == "export const mine = 1\n"


@pytest.mark.skipif(os.system("node --version >/dev/null 2>&1") != 0, reason="needs Node.js")
def test_the_plugin_tells_of_turns_and_brings_the_briefing(desk, tmp_path):
    """OpenCode's calls as its plugin interface makes them, against a stand-in for agentmem that writes down its calls."""
    (tmp_path / "bin/agentmem").write_text(
        f'#!/bin/sh\nif [ $1 = hook ]; then echo "$*"; else echo "$*"; echo "<block>" >&3; fi 3>&1 >>{tmp_path}/calls\n'
    )
    desk.install("opencode")
    script = tmp_path / "drive.mjs"
    script.write_text(f"""
import {{ agentmem }} from "{desk.root}/.config/opencode/plugins/agentmem.mjs"
const hooks = await agentmem({{ directory: "/p" }})
await hooks.event({{ event: {{ type: "session.created", properties: {{ info: {{ id: "child", parentID: "s" }} }} }} }})
await hooks.event({{ event: {{ type: "session.idle", properties: {{ sessionID: "child" }} }} }})
await hooks.event({{ event: {{ type: "message.updated", properties: {{ sessionID: "s", info: {{ parentID: "msg" }} }} }} }})
await hooks["chat.message"]({{ sessionID: "s" }}, {{ parts: [] }})
await hooks["chat.message"]({{ sessionID: "child" }}, {{ parts: [] }})
await hooks.event({{ event: {{ type: "session.idle", properties: {{ sessionID: "s" }} }} }})
const output = {{ system: ["given"] }}
await hooks["experimental.chat.system.transform"]({{ sessionID: "s" }}, output)
await hooks["experimental.chat.system.transform"]({{ sessionID: "s" }}, output)
await hooks["experimental.chat.system.transform"]({{ sessionID: "child" }}, output)
await new Promise((done) => setTimeout(done, 500))
console.log(JSON.stringify(output.system))
""")
    plugin = desk.root / ".config/opencode/plugins/agentmem.js"
    plugin.with_suffix(".mjs").write_bytes(plugin.read_bytes())
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(["node", script], capture_output=True, text=True, env={"PATH": path}, timeout=60)
    assert done.stderr == ""
    assert json.loads(done.stdout) == ["given", "<block>", "<block>"]
    calls = (tmp_path / "calls").read_text().splitlines()
    (told,) = [line.removeprefix("hook opencode ") for line in calls if line.startswith("hook")]
    assert min(calls) == "context --session s --cwd /p"
    assert len(calls) == 2
    assert told == "--event=session.idle --session=s --cwd=/p"
