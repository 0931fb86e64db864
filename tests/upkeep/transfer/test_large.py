"""A large store leaves and returns in bounded memory. `AGENTMEM_LARGE=1000000` runs it at full size, with its time limits."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.upkeep.transfer.stores import Maker, opened

SIZE = int(os.environ.get("AGENTMEM_LARGE", "60000"))
ROOT = Path(__file__).parents[3]
MOST_MEMORY = 400_000_000
PROGRAM = """
import json, re, resource, sys, time
from pathlib import Path
from agentmem import Config, Memory
memory = Memory.open(sys.argv[1], config=Config(embedder="none", patience=600))
began = time.monotonic()
{call}
seconds = time.monotonic() - began
used = resource.getrusage(resource.RUSAGE_SELF)
memory = used.ru_maxrss * 1024
if Path("/proc/self/status").exists():  # a child begins with its parent's peak as `ru_maxrss`
    memory = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024
print(json.dumps({{"seconds": seconds, "cpu": used.ru_utime + used.ru_stime, "memory": memory}}))
"""


def fill(memory, size: int, first: int = 1) -> None:
    """Messages as long as those of LoCoMo, in sessions of 500, of five profiles; without an index, which export needs not.

    Sessions are numbered from `first` on.
    """
    with memory._store.writing() as connection:
        connection.execute(
            f"""
            INSERT INTO profiles SELECT 'p' || range, NULL, TIMESTAMP '2026-01-01' FROM range(5);
            INSERT INTO sessions (no, id, profile, agent, started_at, ended_at, ingested_at)
            SELECT range + {first}, 's' || range, 'p' || range % 5, 'claude',
                TIMESTAMP '2026-01-01' + range * INTERVAL 1 HOUR, TIMESTAMP '2026-01-01' + range * INTERVAL 1 HOUR,
                TIMESTAMP '2026-06-01' FROM range({size} // 500 + 1);
            INSERT INTO messages (session_no, id, role, kind, trust, content, said_at)
            SELECT range // 500 + {first}, md5(range::VARCHAR), CASE range % 2 WHEN 0 THEN 'user' ELSE 'assistant' END, 'text',
                'high', 'Step ' || range || ': we looked at module ' || range % 977 || ' and wrote down what it needs, '
                || md5((range * 7)::VARCHAR) || ' was the commit, one by one, and nobody was sure of ' || range % 313,
                TIMESTAMP '2026-01-01' + (range // 500) * INTERVAL 1 HOUR + (range % 500) * INTERVAL 1 SECOND
            FROM range({size});
            INSERT INTO occurrences (session_no, seq, message_id, said_at, source_id, stored_at)
            SELECT range // 500 + {first}, range % 500, md5(range::VARCHAR),
                TIMESTAMP '2026-01-01' + (range // 500) * INTERVAL 1 HOUR + (range % 500) * INTERVAL 1 SECOND,
                'l' || range, TIMESTAMP '2026-06-01' FROM range({size});
            """
        )


def measured(home: Path, call: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(call=call), str(home)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    print(call, {name: round(value, 1) for name, value in figures.items()})
    return figures


@pytest.mark.slow
def test_many_messages(own_home, tmp_path):
    memory = opened(own_home / "agentmem")
    fill(memory, SIZE)
    place = tmp_path / "a"
    out = measured(memory.home.data, f"memory.export({str(place)!r}, messages=True)")
    assert out["memory"] < MOST_MEMORY
    other = opened(own_home / "other")
    back = measured(other.home.data, f"memory.import_from({str(place)!r})")
    assert back["memory"] < 2 * MOST_MEMORY
    if SIZE >= 1_000_000:
        # Of processor time: what else the machine does is not measured.
        assert out["cpu"] < 60
        assert back["cpu"] < 300
    assert other.stats().counts.messages == SIZE
    hits = other.seen_from("p3").recall("Step 1700 module 723", types=("message",)).hits
    assert hits[0].content.startswith("Step 1700:")
    measured(other.home.data, f"memory.export({str(tmp_path / 'b')!r}, messages=True)")
    assert (tmp_path / "b/manifest.json").read_bytes() == (place / "manifest.json").read_bytes()


@pytest.mark.slow
def test_readers_skip_what_a_condition_rules_out(own_home, tmp_path):
    import pyarrow.parquet as pq

    memory = opened(own_home / "agentmem")
    fill(memory, 300_000)
    memory.export(tmp_path / "a", messages=True)
    metadata = pq.ParquetFile(tmp_path / "a/messages.parquet").metadata
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    assert all(20_000 <= group.num_rows <= 60_000 for group in groups[:-1])
    columns = {metadata.schema.column(n).name: n for n in range(metadata.num_columns)}
    profile = [group.column(columns["profile"]).statistics for group in groups]
    said_at = [group.column(columns["said_at"]).statistics for group in groups]
    of_p3 = [at for name, at in zip(profile, said_at, strict=True) if name.min <= "p3" <= name.max]
    assert len(of_p3) <= len(groups) // 2
    assert all(one.compression == "ZSTD" for one in (groups[0].column(n) for n in range(metadata.num_columns)))
    assert all(at.min < at.max for at in said_at)


@pytest.mark.slow
def test_an_import_that_is_killed_is_finished_by_the_next(own_home, tmp_path):
    there = opened(own_home / "there")
    Maker(there, ["Use pnpm.", "用 pnpm，不要用 npm。"], random.Random(3)).fill(1_000)
    fill(there, 30_000, first=1_000)
    there.export(tmp_path / "a", messages=True)
    here = opened(own_home / "here")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "AGENTMEM_HOME": str(here.home.data)}
    environment["AGENTMEM_EMBEDDER"] = "none"
    call = [sys.executable, "-m", "agentmem", "import", str(tmp_path / "a"), "--json"]
    killed = 0
    reached = []
    for moment in range(8):
        process = subprocess.Popen(call, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(1.5 + moment * 0.7)
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        process.communicate()
        assert all(check.state != "failed" for check in here.doctor(deep=True))
        reached.append(here.stats().counts.messages)
    assert killed >= 4, reached
    done = subprocess.run(call, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    here.export(tmp_path / "b", messages=True)
    assert (tmp_path / "b/manifest.json").read_bytes() == (tmp_path / "a/manifest.json").read_bytes()
    assert not list(here.home.data.glob("scratch/*"))
