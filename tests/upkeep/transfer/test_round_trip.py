"""What leaves a store comes back the same: bytes for JSON lines, rows for Parquet.

`AGENTMEM_EXAMPLES=40` tries so many stores of up to 5,000 rows.
"""

import os
import tempfile
from pathlib import Path
from random import Random

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentmem.store import counts
from agentmem.store.portable import TABLES
from tests.upkeep.transfer.stores import Maker, opened, texts

EXAMPLES = int(os.environ.get("AGENTMEM_EXAMPLES", "8"))
ALL = {"messages": True, "vectors": True}


def returns(rows: int, said: list[str], random) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        first = opened(root / "first")
        Maker(first, said, random).fill(rows)
        first.export(root / "a.jsonl", **ALL)
        first.export(root / "a", **ALL)
        for form in ("jsonl", "parquet"):
            source = root / ("a.jsonl" if form == "jsonl" else "a")
            second = opened(root / form)
            second.import_from(source)
            again = root / f"again-{form}"
            second.export(again.with_suffix(".jsonl"), **ALL)
            assert again.with_suffix(".jsonl").read_bytes() == (root / "a.jsonl").read_bytes()
            second.export(again, **ALL)
            assert rows_of(again) == rows_of(root / "a")
            with second._store.reading() as connection:
                assert counts.disagreements(connection) == {}
            known = second.import_from(source)
            assert {table: merged.new for table, merged in known.tables.items() if merged.new} == {}
            with first._store.reading() as one, second._store.reading() as other:
                assert index_of(one) == index_of(other)


def rows_of(folder: Path) -> dict[str, list]:
    return {
        table.name: duckdb.sql(f"SELECT * FROM '{folder / table.name}.parquet'").fetchall()
        for table in TABLES
        if (folder / f"{table.name}.parquet").exists()
    }


def index_of(connection) -> list:
    """The index, without the numbers that each store gives."""
    return connection.execute(
        "SELECT profile, term, tf, length, dense, sign(slot) FROM documents JOIN postings USING (slot) ORDER BY ALL"
    ).fetchall()


@pytest.mark.parametrize(("rows", "seed"), [(0, 1), (150, 2)])
def test_a_small_store_returns(rows, seed):
    returns(rows, ["Use pnpm.", "用 pnpm，不要用 npm。", 'é\u2028\\n"', "🦜\x07"], Random(seed))


@pytest.mark.slow
@given(st.integers(0, 5_000), texts, st.randoms(use_true_random=False))
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
def test_a_store_of_any_size_returns(rows, said, random):
    returns(rows, said, random)
