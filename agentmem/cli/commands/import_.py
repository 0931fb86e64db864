"""`agentmem import`."""

import sys
from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.opening import open_memory
from agentmem.cli.progress import progress
from agentmem.cli.render import render
from agentmem.errors import UsageError


def import_(
    ctx: typer.Context,
    place: Annotated[str, typer.Argument(metavar="PATH", help="The folder or file; - reads standard input.")],
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would come of it.")] = False,
    profiles: Annotated[
        list[str] | None,
        typer.Option(
            "--profile", "-p", metavar="NAME", help="Only this profile of the export, repeatable; else where to."
        ),
    ] = None,
    names: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="OLD=NEW", help="Another name for a profile of the export; repeatable."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Merge an export into the store. What is known changes nothing; what was forgotten here does not come back.

    An export that is damaged or cut off is refused before anything is written. Also takes in what other tools remember:
    Markdown files (CLAUDE.md, MEMORY.md, a folder of notes), exports of mem0, and JSON lines with a text in each.
    """
    memory = open_memory(ctx)
    with progress("importing", "messages", quiet=as_json) as update:
        done = memory.import_from(
            sys.stdin.buffer if place == "-" else place,
            dry_run=dry_run,
            profiles=profiles or (),
            names=dict(map(_pair, names or ())),
            progress=update,
        )
    render(done, as_json=as_json)


def _pair(text: str) -> tuple[str, str]:
    old, sign, new = text.partition("=")
    if not (old and sign and new):
        raise UsageError(f"{text!r} is not OLD=NEW", "As in `agentmem import DIR --map dashboard-669a96=dashboard`.")
    return old, new
