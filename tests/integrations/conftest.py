"""A machine with every agent on it, in a folder of its own, and settings files of all the kinds that people have."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import strategies as st

from agentmem import paths
from agentmem.integrations.install import Plan, carry_out, choose, plan_install, plan_uninstall
from agentmem.integrations.places import Machine
from agentmem.paths import Home

FOLDERS = (".claude", ".codex", ".gemini", ".cursor", ".config/opencode", ".copilot/session-state", ".config/Code/User")


class Desk:
    """A user's home with agents in it, and what `agentmem install` does there."""

    def __init__(self, root: Path, **variables: str) -> None:
        programs = root / "bin"
        programs.mkdir(parents=True, exist_ok=True)
        (programs / "agentmem").write_text("#!/bin/sh\n")
        (programs / "agentmem").chmod(0o755)
        self.root = root / "home"
        for folder in FOLDERS:
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        self.machine = Machine(self.root, {"PATH": str(programs), **variables}, "linux", programs / "python")
        self.home: Home = paths.home(root / "store")

    def plan(self, *names: str, **options: bool) -> Plan:
        agents = choose(names, self.machine, everyone=not names)
        return plan_install(agents, self.machine, self.home, **options)

    def install(self, *names: str, **options: bool) -> Plan:
        return carry_out(self.plan(*names, **options), self.home)

    def uninstall(self, *names: str) -> Plan:
        return carry_out(plan_uninstall(names, self.machine, self.home), self.home)

    def files(self) -> dict[str, bytes]:
        """All files of the user, links followed."""
        found = [file for file in self.root.rglob("*") if file.is_file()]
        return {file.relative_to(self.root).as_posix(): file.read_bytes() for file in found}

    def write(self, name: str, content: str | bytes) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def read(self, name: str) -> bytes:
        return (self.root / name).read_bytes()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def new_desk(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Desk]:
    """A fresh home each time, for tests that try many files."""
    return lambda: Desk(tmp_path_factory.mktemp("desk"))


# Settings as people write them.

EVENTS = ("Stop", "SessionStart", "PreToolUse", "BeforeAgent", "stop")
_words = st.text(st.sampled_from("abz 0_-/\\\"'{}[],:#日本語é\u2028\U0001f600"), max_size=8)
_plain = st.none() | st.booleans() | st.integers(-9, 10**12) | st.sampled_from([1.5, -2e300]) | _words
_values = st.recursive(
    _plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_words, inner, max_size=3), max_leaves=6
)
_handler = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.sampled_from(["x", "other-tool hook", "my-agentmem-fork.sh", "é"])}
)
_group = st.fixed_dictionaries({"hooks": st.lists(_handler, max_size=2)}, optional={"matcher": st.just("Bash")})
_hooks = st.dictionaries(st.sampled_from(EVENTS), st.lists(_group | _handler, max_size=3), max_size=3)
_servers = st.dictionaries(st.sampled_from(["one", "two", "3"]), st.just({"command": "x", "args": ["agentmem"]}))
objects = st.fixed_dictionaries(
    {},
    optional={
        "model": _plain,
        "hooks": _hooks,
        "mcpServers": _servers,
        "mcp": _servers,
        "servers": _servers,
        "version": st.just(1),
        "": _values,
        "permissions": _values,
        "agentmem": _values,
    },
)


@st.composite
def json_texts(draw: st.DrawFn, *, comments: bool = True) -> str:
    """JSON with any layout, and perhaps with comments and trailing commas."""
    end = draw(st.sampled_from(["\n", "\r\n"]))
    unit = draw(st.sampled_from(["", "  ", "    ", "\t", "   ", " \t"]))
    airy = draw(st.booleans())
    colon = draw(st.sampled_from([": ", ":", " : "]))
    trailing = comments and draw(st.booleans())
    odd = comments and draw(st.booleans())

    def remark() -> str:
        if not odd or draw(st.integers(0, 4)):
            return ""
        note = draw(st.sampled_from(["", " a, b", " {", ' "', " agentmem", " 註"]))
        return f" //{note}{end}" if draw(st.booleans()) else f" /*{note}{end} */"

    def write(value: object, depth: int) -> str:
        if not isinstance(value, dict | list):
            return json.dumps(value, ensure_ascii=draw(st.booleans()))
        brackets = "{}" if isinstance(value, dict) else "[]"
        several = airy and (depth == 0 or draw(st.booleans()))
        inner = end + unit * (depth + 1) if several else draw(st.sampled_from(["", " "]))
        pieces = []
        for key in value:
            name = f"{json.dumps(key)}{colon}" if isinstance(value, dict) else ""
            held = value[key] if isinstance(value, dict) else key
            pieces.append(f"{remark()}{inner}{name}{write(held, depth + 1)}{remark()}")
        body = ",".join(pieces) + ("," if trailing and pieces and draw(st.booleans()) else "") + remark()
        close = end + unit * depth if several else draw(st.sampled_from(["", " "]))
        return brackets[0] + body + close + brackets[1]

    text = write(draw(objects), 0)
    return remark().lstrip() + text + draw(st.sampled_from(["", end, end + end, " "])) + remark()


_keys = st.sampled_from(["model", "a-b", '"quoted key"', "x.y", "approval_policy", "'lit'"])
_toml_values = st.sampled_from(
    ["1", "true", '"text # no comment"', "'lit'", "[1, 2, # why\n 3,\n]", '"""\n[mcp_servers.agentmem]\n"""', "nan", "1.50",
     "{ a = 1, b = { c = 2 } }", "2026-11-30", '"日本語"', "0x1F"]
)  # fmt: skip
_headers = st.sampled_from(
    [
        "[features]",
        "[mcp_servers.other]",
        '[mcp_servers."x y"]',
        "[[fruit]]",
        "  [tools]",
        "[projects.'/a b']",
        "[hooks.state]",
    ]
)


@st.composite
def toml_texts(draw: st.DrawFn) -> str:
    """TOML as in Codex's config: comments, odd blanks, multi-line strings, arrays, no table twice."""
    end = draw(st.sampled_from(["\n", "\r\n"]))
    lines: list[str] = []

    def pairs() -> None:
        for key in draw(st.lists(_keys, max_size=3, unique=True)):
            space = draw(st.sampled_from(["", " ", "\t"]))
            note = draw(st.sampled_from(["", "  # note", " # [mcp_servers.agentmem]"]))
            lines.append(f"{space}{key}{space}={space}{draw(_toml_values)}{note}")
            lines.extend(draw(st.lists(st.sampled_from(["", "# remark", "   "]), max_size=2)))

    pairs()
    if draw(st.integers(0, 5)) == 0:
        lines.append(draw(st.sampled_from(["mcp_servers = { }", "mcp_servers = {one = { command = 'x' }}"])))
        headers = [one for one in draw(st.lists(_headers, max_size=3, unique=True)) if "mcp_servers" not in one]
    else:
        headers = draw(st.lists(_headers, max_size=4, unique=True))
    for header in headers:
        lines.extend([*draw(st.lists(st.sampled_from(["", "# about the next"]), max_size=2)), header])
        pairs()
    return end.join(lines).replace("\r\n", "\n").replace("\n", end) + draw(st.sampled_from(["", end, end * 2]))
