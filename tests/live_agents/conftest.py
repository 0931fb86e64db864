"""The real agents, from npm, in a home of their own, with a model server that answers on the loopback interface.

Codex, Gemini CLI and OpenCode are run without a terminal, with no network but the loopback: installation, sessions, their
resumption, forks and compaction, what reaches the model's request, and the way back. Not run are

* Claude Code, Copilot CLI, Qwen Code and pi, whose hooks and transcripts are tested by samples, and Cursor and VS Code, which
  are no command-line programs;
* the agents' screens: Codex's dialogue in which hooks are trusted (its option to go without is used instead), `/compact`,
  `/compress` and `/rewind` when typed (compaction is started as the agents start it themselves, by a conversation that is
  too long), and a terminal that is closed, which `tests/upkeep/test_drain.py` does to the hooks alone;
* real models, and Windows and macOS.

On a machine that has much to do a briefing may miss its deadline of a second. That is what agentmem promises, and no
failure: the tests tell it by the time that each call of agentmem took, try another session, and are skipped where none is in
time. Every process has a time-out and is stopped with all that it started.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from agentmem import Config, paths
from agentmem.hook.briefing import DEADLINE
from agentmem.store.store import Store
from tests.live_agents.model import Model

ROOT = Path(__file__).parents[2]

PACKAGES = {"codex": "@openai/codex@0.171.0", "gemini": "@google/gemini-cli@0.61.0", "opencode": "opencode-ai@1.18.33"}
"""What was tested last. A newer version may store or call differently: raise these one by one, and look."""

BRIEFING = "Reference data from agentmem"
"""How every briefing begins."""

_INSTALL_SECONDS = 120
_SECONDS = 60  # for a command; a session of an agent takes two to four
_SESSIONS = 8  # that are tried until a briefing is in time

_CALLED = """\
#!/bin/sh
PYTHONPATH="{root}"
export PYTHONPATH
case $1 in hook|context) ;; *) exec "{python}" -m agentmem "$@" ;; esac
: >"{calls}/$$.began"
"{python}" -m agentmem "$@"
code=$?
: >"{calls}/$$.ended"
exit $code
"""
"""agentmem as the agents find it: it leaves behind when it was called for a hook or a briefing, and when it was done."""

_QUIET = {
    "GEMINI_CLI_NO_RELAUNCH": "true", "GEMINI_API_KEY": "none", "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
}  # fmt: skip


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the agents' programs; `AGENTMEM_LIVE_AGENTS` names a prefix that has them already."""
    named = os.environ.get("AGENTMEM_LIVE_AGENTS")
    if named:
        return Path(named) / "node_modules/.bin"
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm: the agents themselves were not run")
    prefix = tmp_path_factory.mktemp("agents")
    command = [npm, "install", "--prefix", str(prefix), "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        done = subprocess.run(
            [*command, *PACKAGES.values()], capture_output=True, text=True, timeout=_INSTALL_SECONDS, cwd=prefix
        )
    except subprocess.TimeoutExpired:
        pytest.skip("npm's registry did not answer in time: the agents themselves were not run")
    if done.returncode:
        pytest.skip(f"npm cannot install the agents, so they were not run: {done.stderr.strip()[-300:]}")
    return prefix / "node_modules/.bin"


@dataclass(frozen=True)
class Spoken:
    """A message in the store."""

    session: str
    agent: str
    role: str
    kind: str
    content: str


class Desk:
    """A home with one agent in it, a project, and agentmem on the search path."""

    def __init__(self, home: Path, programs: Path, model: Model) -> None:
        self.home = home
        self.model = model
        self.project = home / "work" / "aviary"
        self.project.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        own, self._calls = home / "own-bin", home / "calls"
        own.mkdir()
        self._calls.mkdir()
        command = own / "agentmem"
        command.write_text(_CALLED.format(root=ROOT, python=sys.executable, calls=self._calls))
        command.chmod(0o755)
        kept = {name: value for name, value in os.environ.items() if name in ("LANG", "TMPDIR", "AGENTMEM_HOME")}
        self.environment = {
            **kept,
            **_QUIET,
            "PATH": f"{own}:{programs}:{os.environ['PATH']}",
            "HOME": str(home),
            "AGENTMEM_EMBEDDER": "none",
            "GOOGLE_GEMINI_BASE_URL": model.url,
        }

    def write(self, name: str, content: str) -> Path:
        file = self.home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        return file

    def run(self, *command: str, seconds: float = _SECONDS) -> str:
        """What a command prints; it must succeed, and in time."""
        with tempfile.TemporaryFile(
            "w+", errors="replace"
        ) as out:  # a pipe would stay open with whatever it left behind
            running = subprocess.Popen(
                command, cwd=self.project, env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            try:
                code = running.wait(seconds)
            except subprocess.TimeoutExpired:
                code = None
                os.killpg(running.pid, signal.SIGKILL)
                running.wait(10)
            out.seek(0)
            printed = out.read()
        assert code == 0, f"{' '.join(command)}: {'too slow' if code is None else code}\n{printed[-4000:]}"
        return printed

    def asked(self, *command: str) -> list[str]:
        """What a run of an agent sends to the model: its requests, as JSON text."""
        before = len(self.model.requests)
        self.run(*command)
        sent = self.model.asked()[before:]
        assert sent, "the agent asked the model nothing"
        return sent

    def briefed(self, command: Callable[[str], list[str]], what: str) -> str:
        """A new session that is told of something: the request of its model.

        A briefing that is not there within a second is left out: then another session is tried. Where agentmem was
        called and answered in time, there is no excuse.
        """
        for attempt in range(_SESSIONS):
            began = time.time()
            asked = self.asked(*command(f"What is known? ({attempt})"))[-1]
            if what in asked:
                assert asked.count(BRIEFING) == 1
                return asked
            took = self._slowest(began)
            assert took > DEADLINE * 0.8, f"agentmem answered within {took:.2f} s, and the session was not briefed"
        began = time.monotonic()
        self.run("agentmem", "context")
        took = time.monotonic() - began
        assert took > DEADLINE * 0.4, f"a briefing takes {took:.2f} s, and none of {_SESSIONS} was in time"
        pytest.skip(f"the machine has too much to do: a briefing takes {took:.1f} s, and has {DEADLINE:.0f} s")

    def _slowest(self, since: float) -> float:
        """The seconds that the slowest call of agentmem took, of those that an agent began since then."""
        took = [0.0]
        for began in self._calls.glob("*.began"):
            ended = began.with_suffix(".ended")
            if (at := began.stat().st_mtime) >= since - 0.05:
                took.append(ended.stat().st_mtime - at if ended.exists() else DEADLINE)
        return max(took)

    def said(self) -> list[Spoken]:
        """All that is in the store, in order."""
        store = Store(paths.home(self.environment["AGENTMEM_HOME"]), Config(embedder="none", patience=20))
        if not store.exists():
            return []
        with store.reading() as connection:
            rows = connection.execute(
                "SELECT s.id, s.agent, m.role, m.kind, m.content FROM occurrences o "
                "JOIN messages m ON m.session_no = o.session_no AND m.id = o.message_id "
                "JOIN sessions s ON s.no = o.session_no ORDER BY s.no, o.seq"
            ).fetchall()
        return [Spoken(*row) for row in rows]

    def told(self) -> Counter[str]:
        """How often each thing that the user said is in the store."""
        return Counter(one.content for one in self.said() if one.role == "user")

    def captured(self, *words: str, seconds: float = 90) -> None:
        """Wait until the user's words are in the store, by the agent's own hooks."""
        deadline = time.monotonic() + seconds
        while not all(self.told()[one] for one in words):
            assert time.monotonic() < deadline, (words, self.told(), self.run("agentmem", "doctor"))
            time.sleep(0.3)

    def recalled(self, question: str) -> str:
        return self.run("agentmem", "recall", "-k", "3", question)


@pytest.fixture
def model() -> Iterator[Model]:
    with Model() as served:
        yield served


@pytest.fixture
def desk(own_home: Path, programs: Path, model: Model) -> Desk:
    return Desk(own_home, programs, model)


@pytest.fixture
def unchanged() -> Callable[[Path], Callable[[], None]]:
    """From a file to the check that it is as it was, or not there as it was."""

    def watch(file: Path) -> Callable[[], None]:
        before = file.read_bytes() if file.exists() else None

        def check() -> None:
            assert (file.read_bytes() if file.exists() else None) == before

        return check

    return watch
