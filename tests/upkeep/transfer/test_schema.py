"""The table of tables fits the store, and the published schema fits the table."""

import json

import duckdb
import jsonschema
import pytest

from agentmem.store import migrations
from agentmem.store.portable import DERIVED, TABLES
from agentmem.upkeep.transfer import schema
from tests.upkeep.transfer.test_damaged import exports  # noqa: F401 - a fixture


@pytest.fixture(scope="module")
def columns():
    with duckdb.connect(":memory:") as connection:
        for step in migrations.pending(connection):
            migrations.run(connection, step)
        rows = connection.execute("SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal").fetchall()
    found = {}
    for table, column in rows:
        found.setdefault(table, set()).add(column)
    return found


def test_every_table_and_column_leaves_the_store_or_is_said_to_be_derived(columns):
    exported = {table.name: table for table in TABLES}
    assert set(columns) == set(exported) | set(DERIVED)
    for name, table in exported.items():
        told = {column.name for column in table.columns if not column.value or column.value.startswith("t.")}
        assert columns[name] == told | set(table.left), name


def test_the_published_schema_is_fresh():
    """`python -m agentmem.upkeep.transfer.schema` writes it anew."""
    assert schema.FILE.read_text(encoding="utf-8") == schema.text()


def test_an_export_is_as_the_schema_says(exports):  # noqa: F811
    validator = jsonschema.Draft202012Validator(json.loads(schema.FILE.read_text(encoding="utf-8")))
    lines = [json.loads(line) for line in (exports / "a.jsonl").read_bytes().splitlines()]
    assert {line["table"] for line in lines} >= {"export", "messages", "memories", "embeddings", "end"}
    for line in lines[:400]:
        validator.validate(line)
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({**lines[1], "more": 1})
