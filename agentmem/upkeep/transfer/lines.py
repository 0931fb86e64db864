"""Exports as JSON lines: a header, a line for each row, and a last line with counts and hashes."""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from agentmem.errors import BadInput
from agentmem.store import outgoing
from agentmem.store.outgoing import Wanted
from agentmem.store.portable import Table, table
from agentmem.store.store import Connection
from agentmem.upkeep.transfer import manifest
from agentmem.upkeep.transfer.manifest import REFUSED, UPGRADE, Part, Progress, Scope
from agentmem.upkeep.transfer.typed import batch_of, from_json, to_json

if TYPE_CHECKING:
    import pyarrow as pa

HEADER, END = "export", "end"
"""What stands at `table` in the first line and the last."""

_BATCH = 5_000


def line(values: Mapping[str, Any]) -> bytes:
    """An object as a line."""
    return (json.dumps(values, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def write(connection: Connection, wanted: Wanted, out: BinaryIO, progress: Progress) -> dict[str, Part]:
    """Write the wanted tables as lines."""
    first = line({"table": HEADER, **manifest.header(Scope.of(wanted).as_json())})
    out.write(first)
    parts = {}
    for one in manifest.tables(wanted):
        digest = sha256()
        written = 0
        for batch in outgoing.read(connection, one):
            for data in _lines(one, batch):
                digest.update(data)
                out.write(data)
            written += batch.num_rows
            progress(batch.num_rows)
        parts[one.name] = Part(written, digest.hexdigest())
    out.write(_last(first, parts))
    return parts


def _lines(one: Table, batch: "pa.RecordBatch") -> Iterator[bytes]:
    for start in range(0, batch.num_rows, _BATCH):
        for row in batch.slice(start, _BATCH).to_pylist():
            values = {column.name: to_json(column, row[column.name]) for column in one.columns}
            yield line({"table": one.name, **values})


def _last(first: bytes, parts: Mapping[str, Part]) -> bytes:
    header = {"rows": 1, "sha256": sha256(first).hexdigest()}
    return line(manifest.sealed({"table": END, "parts": {HEADER: header, **manifest.parts_as_json(parts)}}))


def check(file: Path) -> dict[str, Part]:
    """Compare all lines with what the last one says.

    Raises:
        BadInput: the file is cut off or changed, or a newer program wrote it.
    """
    digests: dict[str, Any] = {}
    rows: dict[str, int] = {}
    first = last = b""
    try:
        with file.open("rb") as opened:
            for data in opened:
                if last:
                    raise BadInput(f"{file} goes on after its end", REFUSED)
                if not first:
                    first = data
                    continue
                name = _table_of(data)
                if name == END:
                    last = data
                    continue
                digests.setdefault(name, sha256()).update(data)
                rows[name] = rows.get(name, 0) + 1
        header = json.loads(first)
        if header.get("table") != HEADER:
            raise BadInput(f"{file} is no export of agentmem", REFUSED)
        manifest.check_version(header, str(file))
        if not last:
            raise BadInput(f"{file} is cut off: its last line is missing", REFUSED)
        told = json.loads(last)["parts"]
        parts = manifest.parts_of({name: part for name, part in told.items() if name != HEADER}, str(file))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(f"{file} cannot be read: {error}", REFUSED) from error
    empty = sha256().hexdigest()
    found = {
        name: Part(rows.get(name, 0), digests[name].hexdigest() if name in digests else empty)
        for name in {**parts, **digests}
    }
    if found != parts or _last(first, parts) != last:
        raise BadInput(f"{file} is damaged: it is not what was exported", REFUSED)
    return parts


def _table_of(data: bytes) -> str:
    start, _, rest = data.partition(b'{"table":"')
    name = rest.split(b'"', 1)[0]
    return "" if start or not name else name.decode("utf-8", "replace")


def read(file: Path) -> "Iterator[tuple[Table, pa.RecordBatch]]":
    """All rows, in their order; columns that an older export lacks are null.

    Raises:
        BadInput: a line is not what the format promises.
    """
    name = ""
    waiting: list[list[Any]] = []
    with file.open("rb") as opened:
        next(opened)
        for number, data in enumerate(opened, start=2):
            values = _values(data, file, number)
            if values["table"] != name or len(waiting) >= _BATCH:
                if waiting:
                    yield table(name), batch_of(table(name), waiting)
                name, waiting = values["table"], []
            if name == END:
                return
            waiting.append(_row(table(name), values, file, number))


def _values(data: bytes, file: Path, number: int) -> dict[str, Any]:
    try:
        values = json.loads(data)
    except ValueError as error:
        raise BadInput(f"Line {number} of {file} is not JSON: {error}", REFUSED) from error
    if not isinstance(values, dict) or not isinstance(values.get("table"), str):
        raise BadInput(f"Line {number} of {file} names no table", REFUSED)
    return values


def _row(one: Table, values: Mapping[str, Any], file: Path, number: int) -> list[Any]:
    unknown = set(values) - {column.name for column in one.columns} - {"table"}
    if unknown:
        raise BadInput(f"Line {number} of {file} has a field that is not known here: {min(unknown)}", UPGRADE)
    try:
        return [from_json(column, values.get(column.name)) for column in one.columns]
    except ValueError as error:
        raise BadInput(f"Line {number} of {file} is not as the format has it: {error}", REFUSED) from error
