"""The README is true: every example in it is run, in order, as a newcomer would, and must print what stands there.

* A `console` block holds commands after `$ ` (continued after `> `) and what a terminal of 120 columns shows for them.
* A `bash` block is run whole; what it prints does not matter.
* A `python` block is run with the program's own Python; a `text` block right behind it is what it prints.
* Other blocks (`sh`, `json`, `toml` …) are not run.

An example ends with exit code 0, unless what it shows begins with `error:`.

All run in one home with the real embedding model; folder and variables carry over from one to the next. What comes
before the part on the commands is run each time, all else is `slow`. Output is compared line by line, after these are made equal, since they differ between machines and days:

* ids (8 or 32 hex digits, and the six behind a profile's name), scores (four decimals or more), sizes (`584 bytes`), durations (`3.1 s`), stamps in names (`20261130T213613Z`);
* days outside of April 2026, in which the examples play: they stand for the day of the run;
* the home, which the README calls `/home/ada`; blanks at the end of a line.

A line that is just `…` stands for any lines. An id in a command that an earlier example showed stands for the id at
that place in the real output.

`python -m tests.test_docs` writes the real output into the README wherever it differs.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path

import pytest

import agentmem
from agentmem import errors
from agentmem.cli.completions import Node, tree
from agentmem.config import Config
from agentmem.sources.formats import FORMATS

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
SHOWN_HOME = "/home/ada"

_ID = re.compile(r"\b[0-9a-f]{32}\b|\b[0-9a-f]{8}\b|(?<=[a-z]-)[0-9a-f]{6}\b")
_SAME = (
    (_ID, "<id>"),
    (re.compile(r"\d+\.\d{4,}"), "<score>"),
    (re.compile(r"\b[\d,.]+ (?:bytes|KB|MB)\b"), "<size>"),
    (re.compile(r"(?<![\w/])\d+(?:\.\d+)? (?:s|ms)\b"), "<time>"),
    (re.compile(r"\b(?!2026-04)20\d\d-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?Z)?)?"), "<today>"),
    (re.compile(r"\b20\d{6}T\d{6}Z"), "<today>"),
    (re.compile(r"\s+$"), ""),
)
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x1b\x07]*(?:\x1b\\|\x07)")
_NOT_OURS = ("AGENTMEM_", "XDG_", "COV_", "CLAUDE", "CODEX_", "GEMINI_", "COPILOT_", "CURSOR_", "OPENCODE", "VSCODE_")
"""Beginnings of variables that move what the examples look at."""
_AFTER = '\ncode=$?; env -0 >"$0.env"; pwd >"$0.pwd"; exit $code'


@dataclass(frozen=True)
class Example:
    """A piece of the README: what to run, and the lines `first` to `last` (from 0, without `last`) that show its output."""

    language: str
    line: int
    command: str
    shown: tuple[str, ...] | None
    first: int = 0
    last: int = 0

    def __str__(self) -> str:
        return f"line {self.line}: {self.command.splitlines()[0][:50]}"


@dataclass(frozen=True)
class Outcome:
    code: int
    lines: tuple[str, ...]


def blocks(text: str) -> Iterator[tuple[str, int, list[str]]]:
    """Language, number of the first line (from 0), and lines of each fenced block."""
    lines = text.splitlines()
    start = None
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start, language = number + 1, line[3:]
        else:
            yield language, start, lines[start:number]
            start = None


def examples(text: str) -> list[Example]:
    found: list[Example] = []
    for language, start, lines in blocks(text):
        if language == "console":
            found += _commands(start, lines)
        elif language in ("bash", "python"):
            found.append(Example(language, start + 1, "\n".join(lines), None))
        elif language == "text" and found and found[-1].language == "python":
            program = found.pop()
            shown = tuple(line.rstrip() for line in lines)
            found.append(Example("python", program.line, program.command, shown, start, start + len(lines)))
    return found


def _commands(start: int, lines: list[str]) -> Iterator[Example]:
    begins = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    assert not lines or begins[:1] == [0], f"line {start + 1} of the README: a console block begins with a command"
    for begin, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        first = begin + 1
        while first < end and lines[first].startswith("> "):
            first += 1
        command = "\n".join(line[2:] for line in lines[begin:first])
        shown = lines[first:end]
        if not any(shown):
            shown = []
        while shown and not shown[-1] and end < len(lines):  # an empty line between two commands is for the reader
            shown.pop()
        last = start + first + len(shown)
        yield Example("console", start + begin + 1, command, tuple(shown), start + first, last)


EXAMPLES = examples(TEXT)


class Tour:
    """Runs the examples one after the other, as one person in one place."""

    def __init__(self, root: Path) -> None:
        self._home = (root / "home").resolve()
        self._home.mkdir()
        programs = root / "bin"
        programs.mkdir()
        for name, call in (("agentmem", f"'{sys.executable}' -m agentmem"), ("python", f"'{sys.executable}'")):
            (programs / name).write_text(f'#!/bin/sh\nexec {call} "$@"\n')
            (programs / name).chmod(0o755)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_OURS)}
        ours = {"HOME": str(self._home), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
        screen = {"TERM": "xterm", "COLUMNS": "120", "NO_COLOR": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
        self._environment = {**kept, **ours, **screen}
        self._folder = self._home
        self._state = root / "state"
        self._ids: dict[str, str] = {}
        self._shown: dict[str, str] = {}

    def as_shown(self, line: str) -> str:
        """A real line with the ids that the README has for its."""
        return _ID.sub(lambda found: self._shown.get(found[0], found[0]), line)

    def run(self, example: Example) -> Outcome:
        """Run an example; its outcome, with the home named as in the README."""
        if example.language == "python":
            outcome = self._bash(f"python - <<'END_OF_PROGRAM'\n{example.command}\nEND_OF_PROGRAM")
        else:
            outcome = self._bash(_ID.sub(lambda found: self._ids.get(found[0], found[0]), example.command))
        for shown, real in matched(example.shown or (), outcome.lines) or ():
            for ours, theirs in zip(_ID.findall(shown), _ID.findall(real), strict=False):
                self._ids.update({ours: theirs, ours[:8]: theirs[:8]})
                self._shown.update({theirs: ours, theirs[:8]: ours[:8]})
        return outcome

    def _bash(self, command: str) -> Outcome:
        pty = import_module("pty")  # not on Windows
        master, slave = pty.openpty()
        running = subprocess.Popen(
            ["bash", "-c", command + _AFTER, str(self._state)],
            stdin=subprocess.DEVNULL,
            stdout=slave,
            stderr=subprocess.PIPE,  # no terminal, so that no progress bar comes between
            env=self._environment,
            cwd=self._folder,
        )
        os.close(slave)
        said = b""
        while piece := _read(master):
            said += piece
        os.close(master)
        said += running.communicate(timeout=120)[1]
        if running.returncode == 0:
            pairs = Path(f"{self._state}.env").read_bytes().decode().rstrip("\0").split("\0")
            self._environment = dict(pair.split("=", 1) for pair in pairs)
            self._folder = Path(Path(f"{self._state}.pwd").read_text(encoding="utf-8").removesuffix("\n"))
        text = _ESCAPES.sub("", said.decode("utf-8", "replace")).replace("\r\n", "\n")
        text = text.replace(str(self._home), SHOWN_HOME)
        return Outcome(running.returncode, tuple(line.rstrip() for line in text.splitlines()))


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # Linux's way to say that nobody holds the other end any more
        return b""


def normal(line: str) -> str:
    for pattern, same in _SAME:
        line = pattern.sub(same, line)
    return line


def matched(shown: tuple[str, ...], real: tuple[str, ...]) -> list[tuple[str, str]] | None:
    """The shown lines beside the real ones; None if they are not the same."""
    if not shown:
        return None if real else []
    if shown[0].strip() == "…":
        for skipped in range(len(real) + 1):
            rest = matched(shown[1:], real[skipped:])
            if rest is not None:
                return rest
        return None
    if not real or normal(shown[0]) != normal(real[0]):
        return None
    rest = matched(shown[1:], real[1:])
    return None if rest is None else [(shown[0], real[0]), *rest]


def _fails(example: Example) -> bool:
    return bool(example.shown) and example.shown[0].startswith("error:")


class Outcomes:
    """What the examples really do: each is run when it is asked for, after all before it."""

    def __init__(self, root: Path) -> None:
        self._tour = Tour(root)
        self._done: list[Outcome] = []

    def of(self, example: Example) -> Outcome:
        place = EXAMPLES.index(example)
        while len(self._done) <= place:
            self._done.append(self._tour.run(EXAMPLES[len(self._done)]))
        return self._done[place]


@pytest.fixture(scope="module")
def outcomes() -> Iterator[Outcomes]:
    """In a place whose short name leaves the lines where they break for the reader."""
    with tempfile.TemporaryDirectory(prefix="readme-", ignore_cleanup_errors=True) as root:
        yield Outcomes(Path(root))


_SLOW_FROM = TEXT.splitlines().index("## Commands")


def _cases() -> list[object]:
    slow = pytest.mark.slow
    return [pytest.param(one, id=str(one), marks=slow if one.line > _SLOW_FROM else ()) for one in EXAMPLES]


@pytest.mark.skipif(os.name == "nt" or not shutil.which("bash"), reason="the examples are for a Unix shell")
@pytest.mark.parametrize("example", _cases())
def test_an_example_does_what_the_readme_shows(example, outcomes):
    outcome = outcomes.of(example)
    assert (outcome.code != 0) == _fails(example), "\n".join(outcome.lines)
    if example.shown is not None and matched(example.shown, outcome.lines) is None:
        assert list(map(normal, outcome.lines)) == list(map(normal, example.shown)), str(example)


def test_the_comparison_notices_what_matters_and_only_that():
    assert matched(("id 0a1b2c3d, 2026-11-30 10:00",), ("id ffffffff, 2027-01-02 03:04",)) is not None
    assert matched(("said 2026-04-13",), ("said 2026-04-14",)) is None
    assert matched(("a", "…", "c"), ("a", "b", "b", "c")) == [("a", "a"), ("c", "c")]
    assert matched(("a", "…", "c"), ("a", "b")) is None
    assert matched((), ("more",)) is None
    assert normal("dashboard-23a8ec  0.06557 584 bytes 3.1 s") == "dashboard-<id>  <score> <size> <time>"


def _leaves(node: Node) -> list[Node]:
    return [one for one in node.all() if one.path and not one.children]


@pytest.mark.parametrize("node", _leaves(tree()), ids=lambda node: node.path)
def test_every_command_has_an_example_and_every_option_is_told(node):
    run = [example.command for example in EXAMPLES]
    assert any(re.search(rf"\bagentmem {node.path}\b", command) for command in run), f"no example of {node.path}"
    # `--help` is nobody's surprise; the others are looked for in the part about the command, or where all are told.
    options = [name for flag in node.flags for name in flag.names if name.startswith("--") and name != "--help"]
    assert [name for name in options if not re.search(rf"(?<![\w-]){name}(?![\w-])", TEXT)] == []


def _rows(title: str) -> dict[str, list[str]]:
    """The table below a heading: first cell -> the other cells, without back quotes."""
    part = re.split(rf"^#+ {re.escape(title)}$", TEXT, flags=re.MULTILINE)[1]
    part = re.split(r"^#+ ", part, flags=re.MULTILINE)[0]
    rows = [line.strip("|").split("|") for line in part.splitlines() if line.startswith("|")][2:]
    cells = [[cell.strip().strip("`") for cell in row] for row in rows]
    return {row[0]: row[1:] for row in cells}


def test_the_settings_are_those_that_there_are():
    told = {key: row[0] for key, row in _rows("Settings").items()}
    assert told == {field.name: str(field.default) for field in fields(Config)}
    file = next("\n".join(lines) for language, _, lines in blocks(TEXT) if language == "toml")
    assert set(tomllib.loads(file)) <= set(told)


def test_the_exit_codes_are_those_that_there_are():
    classes = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, errors.AgentmemError)]
    assert {int(code) for code in _rows("Exit codes")} == {0, 130, *(one.exit_code for one in classes)}


def test_the_formats_are_those_that_there_are():
    assert list(_rows("Transcripts")) == list(FORMATS)


def test_the_public_names_are_those_that_there_are():
    sentence = re.search(r"Public are (.+?)\.\s", TEXT, re.DOTALL)
    assert sentence is not None
    assert re.findall(r"`(\w+)`", sentence[1]) == agentmem.__all__


def test_every_file_and_folder_that_is_named_is_there():
    named = set(re.findall(r"`((?:agentmem|tests|completions|\.ci)/[\w./-]*)`", TEXT))
    named |= set(re.findall(r"\]\(([^)#:]+)\)", TEXT))
    assert len(named) > 30
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_every_folder_channel_and_reader_has_its_place_in_the_readme():
    folders = {file.parent for file in (ROOT / "agentmem").rglob("*.py")} - {ROOT / "agentmem"}
    channels = set((ROOT / "agentmem/recall/channels").glob("[a-z]*.py"))
    readers = {ROOT / f"agentmem/sources/{name}.py" for name in FORMATS}
    wanted = {path.relative_to(ROOT).as_posix() for path in folders | channels | readers}
    assert [path for path in sorted(wanted) if f"`{path}" not in TEXT] == []


def test_ci_sets_up_with_the_very_commands_of_the_readme():
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    commands = [line for language, _, lines in blocks(TEXT) if language == "sh" for line in lines]
    assert commands[:2] == ["pip install . && agentmem demo", "pip install '.[test]' && pytest"]
    assert [command for command in commands[:2] if command not in script.splitlines()] == []


def test_the_changelog_knows_this_version():
    titles = re.findall(r"^## \[(.+?)\](?: - (\d{4}-\d\d-\d\d))?$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert titles[0] == ("Unreleased", "")
    assert titles[1][0] == agentmem.__version__
    assert titles[1][1]


def _rewrite() -> None:
    """Write the real output into the README wherever it differs from what is shown."""
    lines = TEXT.splitlines()
    with tempfile.TemporaryDirectory() as root:
        tour = Tour(Path(root))
        done = [(example, tour.run(example)) for example in EXAMPLES]
    for example, outcome in done:
        if (outcome.code != 0) != _fails(example):
            sys.stderr.write(f"{example} ended with {outcome.code}\n")
    for example, outcome in reversed(done):
        if example.shown is not None and matched(example.shown, outcome.lines) is None:
            lines[example.first : example.last] = map(tour.as_shown, outcome.lines)
    README.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _rewrite()
