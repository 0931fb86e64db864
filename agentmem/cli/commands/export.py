"""`agentmem export`."""

import sys
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.opening import open_memory
from agentmem.cli.progress import progress
from agentmem.cli.render import render
from agentmem.errors import UsageError


class Form(StrEnum):
    """The forms of an export."""

    PARQUET = "parquet"
    JSONL = "jsonl"


def export(
    ctx: typer.Context,
    *,
    form: Annotated[
        Form | None,
        typer.Option("--format", metavar="FORMAT", help="parquet or jsonl; else by the name: parquet for a folder."),
    ] = None,
    profiles: Annotated[
        list[str] | None, typer.Option("--profile", "-p", metavar="NAME", help="Only this profile; repeatable.")
    ] = None,
    since: options.Since = None,
    kinds: options.Kinds = None,
    with_messages: Annotated[bool, typer.Option("--with-messages", help="Also the messages, word for word.")] = False,
    with_vectors: Annotated[bool, typer.Option("--with-vectors", help="Also the vectors.")] = False,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="PLACE", help="A new folder or .jsonl file, or - for standard output."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Write what is stored, of all profiles, in a form that other programs read and `agentmem import` takes back.

    Parquet goes into a folder, a file a table. JSON lines go into one file. Numbers of rows and hashes stand in the
    manifest, or in the last line.
    """
    memory = open_memory(ctx)
    wanted = {"profiles": profiles or (), "since": since, "kinds": kinds or ()}
    parts = {"messages": with_messages, "vectors": with_vectors}
    if output == "-":
        if form is Form.PARQUET or as_json:
            raise UsageError("Standard output takes the export as JSON lines, and nothing else")
        memory.export(sys.stdout.buffer, **wanted, **parts)  # type: ignore[arg-type]
        return
    if output is None:
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        output = f"agentmem-export-{stamp}{'.jsonl' if form is Form.JSONL else ''}"
    with progress("exporting", "rows", quiet=as_json) as update:
        done = memory.export(output, format=form, progress=update, **wanted, **parts)  # type: ignore[arg-type]
    render(done, as_json=as_json)
