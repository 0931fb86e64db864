"""A damaged export is refused before anything is written."""

import hashlib
import shutil
from pathlib import Path
from random import Random

import pytest

from agentmem.errors import BadInput
from tests.upkeep.transfer.stores import Maker, opened

CORRUPTIONS = 100  # of each form


@pytest.fixture(scope="module")
def exports(tmp_path_factory):
    root = tmp_path_factory.mktemp("exports")
    memory = opened(root / "store")
    Maker(memory, ["Use pnpm.", "用 pnpm，不要用 npm。"], Random(7)).fill(120)
    memory.export(root / "a.jsonl", messages=True, vectors=True)
    memory.export(root / "a", messages=True, vectors=True)
    return root


def flip(data: bytes, random: Random) -> bytes:
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << random.randrange(8))]) + data[place + 1 :]


def cut(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data))]


def hole(data: bytes, random: Random) -> bytes:
    place = random.randrange(len(data))
    return data[:place] + data[place + random.randint(1, 200) :]


def repeat(data: bytes, random: Random) -> bytes:
    place = random.randrange(len(data))
    end = place + random.randint(1, 200)
    return data[:end] + data[place:]


def wipe(data: bytes, random: Random) -> bytes:
    place = random.randrange(len(data))
    return data[:place] + b"\0" * min(300, len(data) - place) + data[place + 300 :]


def insert(data: bytes, random: Random) -> bytes:
    place = random.randrange(len(data) + 1)
    return data[:place] + random.randbytes(random.randint(1, 50)) + data[place:]


def drop_line(data: bytes, random: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    del lines[random.randrange(len(lines))]
    return b"".join(lines)


def swap_lines(data: bytes, random: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    one, other = random.sample(range(len(lines)), 2)
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


ANY = (flip, cut, hole, repeat, wipe, insert)


def damaged(change, data: bytes, random: Random) -> bytes:
    while (changed := change(data, random)) == data:
        pass
    return changed


def contents(folder: Path) -> dict[str, str]:
    return {
        str(file): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.rglob("*")
        if file.is_file() and file.name != "memory.lock"
    }


def refused(memory, place: Path, case: object) -> None:
    before = contents(memory.home.data)
    with pytest.raises(BadInput):
        memory.import_from(place)
    assert contents(memory.home.data) == before, case


@pytest.fixture
def target(own_home):
    memory = opened(own_home / "agentmem")
    memory.remember("Use pnpm")
    return memory


def test_lines(exports, target, tmp_path):
    data = (exports / "a.jsonl").read_bytes()
    for case in range(CORRUPTIONS):
        random = Random(case)
        change = random.choice((*ANY, drop_line, swap_lines))
        file = tmp_path / "damaged.jsonl"
        file.write_bytes(damaged(change, data, random))
        refused(target, file, (case, change.__name__))


def test_parquet(exports, target, tmp_path):
    for case in range(CORRUPTIONS):
        random = Random(1_000 + case)
        folder = tmp_path / str(case)
        shutil.copytree(exports / "a", folder)
        files = sorted(folder.iterdir())
        file = random.choice(files)
        what = random.choice((*ANY, "remove", "exchange"))
        if what == "remove":
            file.unlink()
        elif what == "exchange":
            one, other = random.sample([f for f in files if f.suffix == ".parquet"], 2)
            data = one.read_bytes()
            one.write_bytes(other.read_bytes())
            other.write_bytes(data)
            if one.read_bytes() == data:
                continue
        else:
            file.write_bytes(damaged(what, file.read_bytes(), random))
        refused(target, folder, (case, what, file.name))
        shutil.rmtree(folder)


def test_nothing_is_begun_where_no_store_is(exports, own_home, tmp_path):
    file = tmp_path / "damaged.jsonl"
    file.write_bytes((exports / "a.jsonl").read_bytes()[:-1])
    memory = opened(own_home / "agentmem")
    with pytest.raises(BadInput, match="damaged"):
        memory.import_from(file)
    assert not memory.home.data.exists()


def test_what_contradicts_itself_is_refused(exports, target, tmp_path, monkeypatch):
    """Rows that hang in the air are refused even if the hashes are right."""
    from agentmem.store import outgoing

    read = outgoing.read

    def without_memories(connection, table):
        return iter(()) if table.name == "memories" else read(connection, table)

    monkeypatch.setattr(outgoing, "read", without_memories)
    opened(exports / "store").export(tmp_path / "b.jsonl")
    refused(target, tmp_path / "b.jsonl", "no memories")


def test_a_newer_format_is_refused(exports, target, tmp_path, monkeypatch):
    from agentmem.upkeep.transfer import manifest

    monkeypatch.setattr(manifest, "VERSION", 2)
    opened(exports / "store").export(tmp_path / "b.jsonl")
    opened(exports / "store").export(tmp_path / "b")
    monkeypatch.undo()
    for place in (tmp_path / "b.jsonl", tmp_path / "b"):
        with pytest.raises(BadInput, match="has format 2; this program reads up to format 1"):
            target.import_from(place)
