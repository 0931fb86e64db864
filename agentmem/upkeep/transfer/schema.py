"""The published JSON Schema of the lines of an export, made from the table of tables.

`python -m agentmem.upkeep.transfer.schema` writes it anew; a test holds both together.
"""

import json
from pathlib import Path
from typing import Any

from agentmem.store.portable import TABLES, Column, Table, Type
from agentmem.upkeep.transfer.lines import END, HEADER
from agentmem.upkeep.transfer.manifest import VERSION

FILE = Path(__file__).with_name(f"export-{VERSION}.schema.json")

_HASH = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_SHAPES: dict[Type, dict[str, Any]] = {
    Type.TEXT: {"type": "string"},
    Type.TIME: {"type": "string", "format": "date-time", "pattern": "Z$"},
    Type.WHOLE: {"type": "integer"},
    Type.NUMBER: {"type": "number"},
    Type.TRUTH: {"type": "boolean"},
    Type.JSON: {"type": "object"},
    Type.VECTOR: {
        "type": "string",
        "contentEncoding": "base64",
        "description": "32-bit floats, little-endian",
    },
}


def schema() -> dict[str, Any]:
    """The schema of one line."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of an export of agentmem, format {VERSION}",
        "description": "The first line is the header, the last one the end; between them stand the rows, by table.",
        "oneOf": [
            {"$ref": f"#/$defs/{HEADER}"},
            *({"$ref": f"#/$defs/{table.name}"} for table in TABLES),
            {"$ref": f"#/$defs/{END}"},
        ],
        "$defs": {HEADER: _header(), **{table.name: _row(table) for table in TABLES}, END: _end()},
    }


def text() -> str:
    """The schema as its file has it."""
    return json.dumps(schema(), indent=2) + "\n"


def _object(properties: dict[str, Any], description: str) -> dict[str, Any]:
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _header() -> dict[str, Any]:
    texts = {"type": "array", "items": {"type": "string"}}
    return _object(
        {
            "table": {"const": HEADER},
            "agentmem": {"const": "export"},
            "version": {"const": VERSION},
            "messages": {"type": "boolean"},
            "vectors": {"type": "boolean"},
            "profiles": texts,
            "since": {"type": ["string", "null"]},
            "kinds": texts,
        },
        "What was asked for.",
    )


def _row(table: Table) -> dict[str, Any]:
    columns = {column.name: _value(column) for column in table.columns}
    return _object({"table": {"const": table.name}, **columns}, table.about)


def _value(column: Column) -> dict[str, Any]:
    shape = dict(_SHAPES[column.type])
    if column.choices:
        shape["enum"] = list(column.choices)
    if not column.required:
        shape["type"] = [shape["type"], "null"]
    return shape


def _end() -> dict[str, Any]:
    part = _object(
        {"rows": {"type": "integer", "minimum": 0}, "sha256": _HASH}, "Of the bytes of its lines, with their line ends."
    )
    return _object(
        {
            "table": {"const": END},
            "parts": {"type": "object", "additionalProperties": part},
            "digest": _HASH,
        },
        "How many lines each table has; `digest` is the SHA-256 of this object without it.",
    )


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
