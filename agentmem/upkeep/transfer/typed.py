"""Arrow's types and JSON's shapes of an export's columns."""

import base64
import json
import struct
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from agentmem.store.portable import Column, Table, Type

if TYPE_CHECKING:
    import pyarrow as pa


def arrow_type(column: Column) -> "pa.DataType":
    """The type of a column in Parquet."""
    import pyarrow as pa

    return {
        Type.TEXT: pa.string(),
        Type.JSON: pa.string(),
        Type.TIME: pa.timestamp("us", tz="UTC"),
        Type.WHOLE: pa.int64(),
        Type.NUMBER: pa.float64(),
        Type.TRUTH: pa.bool_(),
        Type.VECTOR: pa.list_(pa.float32()),
    }[column.type]


def arrow_schema(table: Table) -> "pa.Schema":
    """The columns of a table in Parquet."""
    import pyarrow as pa

    return pa.schema([pa.field(c.name, arrow_type(c), nullable=not c.required) for c in table.columns])


def naive(batch: "pa.RecordBatch") -> "pa.RecordBatch":
    """The same rows with times as the store keeps them: UTC without a zone."""
    import pyarrow as pa

    fields = [
        pa.field(field.name, pa.timestamp("us") if pa.types.is_timestamp(field.type) else field.type)
        for field in batch.schema
    ]
    return batch.cast(pa.schema(fields))


def to_json(column: Column, value: Any) -> Any:
    """A value as it stands in a line."""
    if value is None:
        return None
    if column.type is Type.TIME:
        return value.replace(tzinfo=None).isoformat() + "Z"
    if column.type is Type.JSON:
        return json.loads(value)
    if column.type is Type.VECTOR:
        return base64.b64encode(struct.pack(f"<{len(value)}f", *value)).decode()
    return value


def from_json(column: Column, value: Any) -> Any:
    """A value from a line.

    Raises:
        ValueError: it is not of the column's type.
    """
    if value is None:
        return None
    if column.type is Type.JSON:
        return json.dumps(value, ensure_ascii=False)
    if not isinstance(value, _SHAPES[column.type]) or (isinstance(value, bool) and column.type is not Type.TRUTH):
        raise ValueError(f"{column.name} is {value!r}")
    return _READERS.get(column.type, lambda same: same)(value)


_SHAPES: dict[Type, type | tuple[type, ...]] = {
    Type.TEXT: str,
    Type.TIME: str,
    Type.VECTOR: str,
    Type.WHOLE: int,
    Type.NUMBER: (int, float),
    Type.TRUTH: bool,
}


def _vector(text: str) -> list[float]:
    data = base64.b64decode(text, validate=True)
    return list(struct.unpack(f"<{len(data) // 4}f", data))


_READERS: dict[Type, Callable[[Any], Any]] = {
    Type.NUMBER: float,
    Type.TIME: lambda text: datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None),
    Type.VECTOR: _vector,
}


def batch_of(table: Table, rows: Sequence[Sequence[Any]]) -> "pa.RecordBatch":
    """Rows of values, as `from_json` gives them, as a batch."""
    import pyarrow as pa

    columns = list(zip(*rows, strict=True)) if rows else [()] * len(table.columns)
    arrays = []
    for column, values in zip(table.columns, columns, strict=True):
        kind = pa.timestamp("us") if column.type is Type.TIME else arrow_type(column)
        arrays.append(pa.array(values, kind))
    return pa.RecordBatch.from_arrays(arrays, names=[column.name for column in table.columns])
