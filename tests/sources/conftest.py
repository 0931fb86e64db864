"""Reading bytes as a transcript, for the tests of all formats."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from agentmem.domain.messages import Message
from agentmem.domain.reports import Tally
from agentmem.sources.formats import read

DATA = Path(__file__).parents[1] / "data" / "transcripts"

Reading = Callable[..., tuple[list[Message], Tally]]


@pytest.fixture(scope="session")
def reading() -> Reading:
    """Read bytes, or a file of the fixtures by name; gives the messages and the tally."""

    def run(data: bytes | str, *, name: str = "x", **options: str | None) -> tuple[list[Message], Tally]:
        if isinstance(data, str):
            name, data = Path(data).stem, (DATA / data).read_bytes()
        tally = Tally()
        return list(read(io.BytesIO(data), name=name, tally=tally, **options)), tally

    return run


@pytest.fixture(scope="session")
def placed() -> Reading:
    """Read a file in its place; gives the messages and the tally."""

    def run(path: Path, **options: str | None) -> tuple[list[Message], Tally]:
        tally = Tally()
        with path.open("rb") as stream:
            return list(read(stream, name=path.stem, tally=tally, path=path, **options)), tally

    return run


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of the fixtures."""
    return DATA
