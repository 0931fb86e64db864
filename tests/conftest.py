"""What every test gets: a home of its own, and a wall around the real one."""

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from agentmem import Config, Memory

settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
settings.load_profile("default")

_REAL_HOME = Path.home().resolve()
_WRITING = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.copyfile", "shutil.rmtree", "os.chmod"}
_guarded = False


def _inside_real_home(path: object) -> bool:
    if not isinstance(path, (str, bytes, os.PathLike)):
        return False
    place = Path(os.path.abspath(os.fsdecode(path)))  # noqa: PTH100 - must not follow links of the test
    return _REAL_HOME in place.parents and not _is_work_of_tools(place)


def _is_work_of_tools(place: Path) -> bool:
    """Caches of Python and of the test tools may lie in the home when the checkout does."""
    checkout = Path(__file__).resolve().parents[1]
    return checkout in place.parents or "__pycache__" in place.parts or Path(sys.prefix).resolve() in place.parents


def _wall(event: str, arguments: tuple[object, ...]) -> None:
    if not _guarded:
        return
    writes = event in _WRITING
    if event == "open":
        _, mode, flags = arguments
        writes = (isinstance(mode, str) and any(letter in mode for letter in "wax+")) or (
            mode is None and isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
        )
    if writes and any(_inside_real_home(argument) for argument in arguments[:2]):
        raise PermissionError(f"a test tried to write into the real home: {event} {arguments[:2]}")


sys.addaudithook(_wall)

# Started in the background, a process ignores these, and so would all that the tests start and then stop by a signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder for this test alone; writing into the real one raises."""
    global _guarded  # noqa: PLW0603 - an audit hook cannot be taken away again, only switched
    home = tmp_path_factory.mktemp("home")
    for name in ("HOME", "USERPROFILE", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home))
    for name in [name for name in os.environ if name.startswith("AGENTMEM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AGENTMEM_HOME", str(home / "agentmem"))
    _guarded = True
    yield home
    _guarded = False


@pytest.fixture
def memory(own_home: Path) -> Memory:
    """A memory with a profile, and an embedder whose vectors can be worked out by hand."""
    return Memory.open(own_home / "agentmem", profile="project", config=Config(embedder="fake", patience=20))


@pytest.fixture
def said():
    """Messages of the generic shape from (role, content) pairs, a minute apart."""

    def build(*turns: tuple[str, str], day: str = "2026-04-20", session: str = "s1") -> list[dict[str, object]]:
        return [
            {"role": role, "content": content, "timestamp": f"{day}T10:{minute:02}:00Z", "session_id": session}
            for minute, (role, content) in enumerate(turns)
        ]

    return build
