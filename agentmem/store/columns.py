"""All texts of a database, whatever table they are in: what is to be found everywhere must not depend on a list."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import duckdb

from agentmem.store.rows import number, registered

_SLICE = 20_000
_ID = re.compile(r"[0-9a-f]{32}")

Texts = dict[tuple[str, str], dict[str, str]]
"""(table, column) -> text -> what is to stand there instead."""


def tables(connection: duckdb.DuckDBPyConnection) -> dict[str, dict[str, str]]:
    """Table -> column -> type, of all tables of the store."""
    rows = connection.execute(
        "SELECT table_name, column_name, data_type FROM duckdb_columns() "
        "WHERE NOT internal AND database_name = current_database() ORDER BY table_name, column_index"
    ).fetchall()
    found: dict[str, dict[str, str]] = {}
    for table, column, kind in rows:
        found.setdefault(table, {})[column] = kind
    return found


def text_columns(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str, bool]]:
    """(table, column, whether it holds JSON) of all columns with texts."""
    return [
        (table, column, kind == "JSON")
        for table, kinds in tables(connection).items()
        for column, kind in kinds.items()
        if kind in ("VARCHAR", "JSON")
    ]


def slices(connection: duckdb.DuckDBPyConnection, table: str) -> list[int]:
    """Where to begin each slice of a table."""
    last = number(connection, f'SELECT coalesce(max(rowid), -1) FROM "{table}"')
    return list(range(0, last + 1, _SLICE))


def changed(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    column: str,
    start: int,
    change: Callable[[str], str],
    *,
    js: bool,
) -> dict[str, str]:
    """The texts of one slice that a change would alter, each with its new form.

    Args:
        connection: the store.
        table: which table.
        column: which column.
        start: where the slice begins.
        change: what is to become of a text.
        js: the column holds JSON; each text in it is changed by itself.
    """
    rows = connection.execute(
        f'SELECT DISTINCT "{column}"::VARCHAR FROM "{table}" '
        f'WHERE rowid >= $1 AND rowid < $2 AND "{column}" IS NOT NULL',
        [start, start + _SLICE],
    )
    found = {}
    while batch := rows.fetchmany(1_000):
        for (text,) in batch:
            new = in_json(text, change) if js else change(text)
            if new != text:
                found[text] = new
    return found


def in_json(text: str, change: Callable[[str], str]) -> str:
    """JSON with a change made to each of its texts; the same text if that alters none."""
    value = json.loads(text)
    new = _walk(value, change)
    return text if new == value else json.dumps(new, ensure_ascii=False)


def _walk(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_walk(one, change) for one in value]
    if isinstance(value, dict):
        return {change(key): _walk(one, change) for key, one in value.items()}
    return value


def replace(connection: duckdb.DuckDBPyConnection, table: str, column: str, texts: Mapping[str, str]) -> None:
    """Write the new form of each text of a column, inside a writing transaction."""
    if not texts:
        return
    with registered(connection, {"old": ("string", list(texts)), "new": ("string", list(texts.values()))}):
        connection.execute(
            f'UPDATE "{table}" SET "{column}" = n.new FROM new_rows n WHERE "{table}"."{column}"::VARCHAR = n.old'
        )


def replace_ids(connection: duckdb.DuckDBPyConnection, ids: Mapping[str, str]) -> None:
    """Put new ids in the place of old ones wherever they stand, in JSON too, inside a writing transaction."""
    if not ids:
        return

    def renamed(text: str) -> str:
        return _ID.sub(lambda match: ids.get(match[0], match[0]), text)

    for table, column, js in text_columns(connection):
        if js:
            for start in slices(connection, table):
                replace(connection, table, column, changed(connection, table, column, start, renamed, js=True))
        else:
            replace(connection, table, column, ids)


def delete_where(connection: duckdb.DuckDBPyConnection, column: str, values: Sequence[Any], kind: str) -> int:
    """Delete the rows of all tables that have one of these values in a column of this name; how many they were."""
    deleted = 0
    for table, kinds in tables(connection).items():
        if column in kinds and values:
            with registered(connection, {"value": (kind, list(values))}):
                deleted += number(connection, f'DELETE FROM "{table}" WHERE "{column}" IN (SELECT value FROM new_rows)')
    return deleted


def texts_with(connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Every text of the database."""
    for table, column, _ in text_columns(connection):
        rows = connection.execute(f'SELECT DISTINCT "{column}"::VARCHAR FROM "{table}" WHERE "{column}" IS NOT NULL')
        while batch := rows.fetchmany(1_000):
            for (text,) in batch:
                yield text
