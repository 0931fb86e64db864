"""Exports as a folder of Parquet files, one a table, with a manifest."""

import json
from collections.abc import Iterator, Mapping
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentmem.errors import BadInput
from agentmem.paths import PRIVATE_FILE
from agentmem.store import outgoing
from agentmem.store.outgoing import Wanted
from agentmem.store.portable import Table, table
from agentmem.store.store import Connection
from agentmem.upkeep.transfer import manifest
from agentmem.upkeep.transfer.manifest import REFUSED, UPGRADE, Part, Progress, Scope
from agentmem.upkeep.transfer.typed import arrow_schema, naive

if TYPE_CHECKING:
    import pyarrow as pa

_LEAST_ROWS = 20_000
"""Pieces smaller than this are put together into one row group: a reader's parallel work comes in row groups."""

_MOST_BYTES = 64_000_000
_COMPRESSION = "zstd"


def write(connection: Connection, wanted: Wanted, folder: Path, progress: Progress) -> dict[str, Part]:
    """Write the wanted tables and the manifest into an empty folder.

    Row groups hold some 50,000 rows of one or few profiles and neighbouring days, with statistics, so that readers
    skip those that a condition rules out.
    """
    parts = {}
    for one in manifest.tables(wanted):
        file = folder / f"{one.name}.parquet"
        file.touch(mode=PRIVATE_FILE)
        rows = _write(connection, one, file, progress)
        parts[one.name] = Part(rows, _digest(file))
    (folder / manifest.FILE).touch(mode=PRIVATE_FILE)
    (folder / manifest.FILE).write_bytes(_manifest(Scope.of(wanted).as_json(), parts))
    return parts


def _write(connection: Connection, one: Table, file: Path, progress: Progress) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = arrow_schema(one)
    written = 0
    with pq.ParquetWriter(file, schema, compression=_COMPRESSION) as writer:
        waiting: list[pa.RecordBatch] = []

        def flush() -> None:
            if waiting:
                writer.write_table(pa.Table.from_batches(waiting))
                waiting.clear()

        for batch in outgoing.read(connection, one):
            waiting.append(batch.cast(schema))
            written += batch.num_rows
            if sum(b.num_rows for b in waiting) >= _LEAST_ROWS or sum(b.nbytes for b in waiting) >= _MOST_BYTES:
                flush()
            progress(batch.num_rows)
        flush()
    return written


def _manifest(scope: Mapping[str, Any], parts: Mapping[str, Part]) -> bytes:
    values = {**manifest.header(scope), "parts": manifest.parts_as_json(parts)}
    return (json.dumps(manifest.sealed(values), ensure_ascii=False, indent=2) + "\n").encode()


def check(folder: Path) -> dict[str, Part]:
    """Compare every file with the manifest.

    Raises:
        BadInput: a file is missing, cut off or changed, or a newer program wrote it.
    """
    place = folder / manifest.FILE
    try:
        data = place.read_bytes()
        told = json.loads(data)
        manifest.check_version(told, str(place))
        again = (
            json.dumps(manifest.sealed({k: v for k, v in told.items() if k != "digest"}), ensure_ascii=False, indent=2)
            + "\n"
        )
        values = manifest.unsealed(data, told, again.encode(), str(place))
        parts = manifest.parts_of(values["parts"], str(place))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(f"{place} cannot be read: {error}", REFUSED) from error
    for name, part in parts.items():
        file = folder / f"{name}.parquet"
        if not file.is_file():
            raise BadInput(f"{file} is missing", REFUSED)
        if _digest(file) != part.sha256:
            raise BadInput(f"{file} is damaged: it is not what was exported", REFUSED)
    return parts


def read(folder: Path, parts: Mapping[str, Part]) -> "Iterator[tuple[Table, pa.RecordBatch]]":
    """All rows, in their order; columns that an older export lacks are null.

    Raises:
        BadInput: a file does not hold what the manifest says, or has a column that is not known here.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name, part in parts.items():
        one = table(name)
        file = folder / f"{name}.parquet"
        wanted = arrow_schema(one)
        seen = 0
        try:
            with pq.ParquetFile(file) as opened:
                unknown = [column for column in opened.schema_arrow.names if column not in wanted.names]
                if unknown:
                    raise BadInput(f"{file} has a column that is not known here: {unknown[0]}", UPGRADE)
                for batch in opened.iter_batches(20_000):
                    seen += batch.num_rows
                    yield one, naive(_complete(batch, wanted))
        except (pa.ArrowException, OSError) as error:
            raise BadInput(f"{file} cannot be read: {error}", REFUSED) from error
        if seen != part.rows:
            raise BadInput(f"{file} has {seen:,} rows instead of {part.rows:,}", REFUSED)


def _complete(batch: "pa.RecordBatch", wanted: "pa.Schema") -> "pa.RecordBatch":
    import pyarrow as pa

    columns = [
        batch.column(field.name).cast(field.type)
        if field.name in batch.schema.names
        else pa.nulls(batch.num_rows, field.type)
        for field in wanted
    ]
    return pa.RecordBatch.from_arrays(columns, names=wanted.names)


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()
