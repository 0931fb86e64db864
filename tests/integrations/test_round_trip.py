"""Done-when 8: install and uninstall give every settings file back to the byte, whatever it looks like."""

import json
import tomllib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentmem.integrations import entries, jsonc, toml
from agentmem.integrations.agents import AGENTS, hook_command
from agentmem.integrations.entries import Wanted
from tests.integrations.conftest import json_texts, toml_texts

BOM = b"\xef\xbb\xbf"
JSON_FILES = {
    "claude": (".claude/settings.json", ".claude.json"),
    "codex": (".codex/hooks.json",),
    "gemini": (".gemini/settings.json",),
    "cursor": (".cursor/hooks.json", ".cursor/mcp.json"),
    "opencode": (".config/opencode/opencode.jsonc",),
    "copilot": (".copilot/hooks/agentmem.json", ".copilot/mcp-config.json"),
    "vscode": (".config/Code/User/mcp.json",),
}
SPECIAL = ["", "\n", "{}", "{ }", "{\r\n}", "{\n}\n", "{ // nothing\n}", "/* a */ {} // b", '{"hooks": {}}', '{"hooks":{"Stop":[ ]}}\n',
           '{"a": 1 // one\n}', '{"a": 1, // one\n}', '{\n\t"a": [\n\t],\n}', '{"hooks": {"Stop": [{"hooks": []}]}}', '{"version": 1}']  # fmt: skip


def wanted(name: str) -> Wanted:
    agent = AGENTS[name]
    hooks = agent.hooks
    made = {event: hooks.entry(hook_command("agentmem", name), time) for event, time in hooks.events.items()}
    server = (agent.server.table, agent.server.entry("agentmem")) if name != "codex" else None
    return Wanted(made, hooks.milliseconds, server, hooks.beside)


def has_shape_of_settings(text: str) -> bool:
    """Whether the file is one that an agent could have: `hooks` and the tables of servers are what they must be."""
    held = jsonc.parse(text).value if text.strip() else {}
    return "agentmem" not in held or not isinstance(held["agentmem"], dict)


def _is_no_plain_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return True
    return False


@settings(max_examples=60)
@given(text=json_texts() | st.sampled_from(SPECIAL), bom=st.booleans(), name=st.sampled_from(sorted(JSON_FILES)))
def test_json_settings_come_back_to_the_byte(new_desk, text, bom, name):
    _json_round_trip(new_desk(), text, bom=bom, name=name)


@pytest.mark.slow
@settings(max_examples=150)
@given(text=json_texts(comments=False), bom=st.booleans(), name=st.sampled_from(sorted(JSON_FILES)))
def test_150_files_of_plain_json(new_desk, text, bom, name):
    json.loads(text)
    _json_round_trip(new_desk(), text, bom=bom, name=name)


@pytest.mark.slow
@settings(max_examples=150)
@given(text=json_texts().filter(_is_no_plain_json), bom=st.booleans(), name=st.sampled_from(sorted(JSON_FILES)))
def test_150_files_of_json_with_comments(new_desk, text, bom, name):
    _json_round_trip(new_desk(), text, bom=bom, name=name)


def _json_round_trip(desk, text: str, *, bom: bool, name: str) -> None:
    before = (BOM if bom else b"") + text.encode()
    for file in JSON_FILES[name]:
        desk.write(file, before)
    start = desk.files()
    first = desk.install(name)
    assert not first.refusals
    assert first.writes
    installed = desk.files()
    for file in JSON_FILES[name]:
        assert desk.read(file) != before
        assert desk.read(file).startswith(BOM) == bom
    again = desk.install(name)
    assert (again.writes, desk.files()) == ((), installed)
    assert not desk.uninstall(name).refusals
    assert desk.files() == start


@settings(max_examples=60)
@given(text=toml_texts(), bom=st.booleans())
@example(text="", bom=False)
@example(text="mcp_servers.one.command = 'x'\n", bom=True)
@example(text="[mcp_servers]\none = { command = 'x' }", bom=False)
def test_toml_settings_come_back_to_the_byte(new_desk, text, bom):
    desk = new_desk()
    tomllib.loads(text)
    before = (BOM if bom else b"") + text.encode()
    desk.write(".codex/config.toml", before)
    start = desk.files()
    assert not desk.install("codex").refusals
    held = tomllib.loads(desk.read(".codex/config.toml").removeprefix(BOM).decode())
    assert held["mcp_servers"]["agentmem"] == {"command": "agentmem", "args": ["mcp"]}
    assert desk.read(".codex/config.toml").startswith(BOM) == bom
    installed = desk.files()
    assert not desk.install("codex").writes
    assert desk.files() == installed
    assert not desk.uninstall("codex").refusals
    assert desk.files() == start


@settings(max_examples=150)
@given(
    text=json_texts() | st.sampled_from(SPECIAL),
    name=st.sampled_from(["claude", "codex", "gemini", "cursor", "copilot"]),
)
def test_taking_entries_out_of_a_changed_json_file_is_the_inverse_of_putting_them_in(text, name):
    """Without the copy too: this is what happens when the file was changed meanwhile."""
    new, made = entries.put(text, wanted(name))
    assert entries.put(new, wanted(name)) == (new, [])
    left = entries.strip(new, made)
    if ("version",) in [one.path for one in made] and left.strip() and '"version"' in left:
        left = jsonc.remove(left, ("version",))  # it stays while other hooks are there, which may need it by now
    assert left == text
    end = "\r\n" if "\r\n" in text else "\n"
    assert new.count("\r\n") - text.count("\r\n") == (new.count("\n") - text.count("\n") if end == "\r\n" else 0)


@settings(max_examples=100)
@given(text=json_texts(), name=st.sampled_from(["claude", "gemini", "cursor"]))
def test_a_change_of_someone_else_stays_and_all_other_bytes_too(text, name):
    """Another program adds an entry of its own after ours, and a member; ours goes, theirs stays where it is."""
    new, made = entries.put(text, wanted(name))
    theirs = {"hooks": [{"type": "command", "command": "theirs"}]}
    event = next(iter(wanted(name).hooks))
    many = len(jsonc.parse(new).at(("hooks", event)).parts)
    changed = jsonc.put(jsonc.put(new, ("hooks", event, many), theirs), ("new",), [1])
    left = entries.strip(changed, made)
    held, expected = jsonc.parse(left).value, jsonc.parse(text).value
    expected.setdefault("hooks", {}).setdefault(event, []).append(theirs)
    expected["new"] = [1]
    if name == "cursor":
        expected.setdefault("version", 1)  # it stays: the entry that came needs it
    assert held == expected
    if not jsonc.parse(text).at(("hooks", event, 0)):
        return  # the list that we made stays, for their entry stands in it
    # Without theirs the file is what it was, to the byte.
    undone = jsonc.remove(jsonc.remove(left, ("new",)), ("hooks", event, len(held["hooks"][event]) - 1))
    if "version" in held and "version" not in jsonc.parse(text).value:
        undone = jsonc.remove(undone, ("version",))
    assert undone == text


@settings(max_examples=100)
@given(
    text=toml_texts(),
    more=st.sampled_from(["", "[later]\nx = 1\n", "\n\n# end\n", "[mcp_servers.agentmem.env]\nA = 'b'\n"]),
)
def test_taking_the_server_out_of_a_changed_toml_file_is_the_inverse_of_putting_it_in(text, more):
    gap = toml.gap_before(text)
    entry = AGENTS["codex"].server.entry("agentmem")
    new = toml.put(text, "mcp_servers", "agentmem", entry)
    assert toml.put(new, "mcp_servers", "agentmem", entry) == new
    assert toml.take(new, "mcp_servers", "agentmem", gap) == text
    if "mcp_servers = " in text:
        return  # the entry stands in a line then; what is added cannot come right behind it
    more = more.replace("\n", jsonc.line_end(text))
    left = toml.take(new + more, "mcp_servers", "agentmem", gap)
    kept = "" if "agentmem" in more else more
    assert left in (text + kept, text + jsonc.line_end(text) + kept)


@pytest.mark.parametrize("name", sorted(JSON_FILES))
def test_files_that_were_not_there_are_gone_again_with_their_folders(desk, name):
    start, folders = desk.files(), {one for one in desk.root.rglob("*") if one.is_dir()}
    assert desk.install(name).writes
    desk.uninstall(name)
    assert desk.files() == start
    assert {one for one in desk.root.rglob("*") if one.is_dir()} == folders


def test_a_file_that_was_ours_and_changed_keeps_only_the_change(desk):
    desk.install("cursor")
    file = desk.root / ".cursor/mcp.json"
    file.write_text(jsonc.put(file.read_text(), ("mcpServers", "other"), {"command": "o"}))
    desk.uninstall("cursor")
    assert json.loads(file.read_text()) == {"mcpServers": {"other": {"command": "o"}}}
    assert not (desk.root / ".cursor/hooks.json").exists()


def test_a_second_install_after_a_change_still_undoes_everything(desk):
    before = '{\n  "model": "opus"\n}\n'
    file = desk.write(".claude/settings.json", before)
    desk.install("claude", server=False)
    file.write_text(file.read_text().replace("opus", "sonnet").replace('"timeout": 5', '"timeout": 7'))
    changed = file.read_text()
    desk.install("claude")
    assert file.read_text() == changed  # the time is the user's to choose
    desk.uninstall("claude")
    assert file.read_text() == before.replace("opus", "sonnet")


def test_without_records_the_entries_go_all_the_same(desk):
    file = desk.write(".claude/settings.json", '{"model": "opus"}')
    desk.install("claude")
    for kept in (desk.home.backups / "config").iterdir():
        kept.unlink()
    desk.uninstall("claude")
    assert file.read_text() == '{"model": "opus"}'
