"""`agentmem backfill`."""

from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.opening import open_memory
from agentmem.cli.progress import progress
from agentmem.cli.render import render
from agentmem.cli.screen import screen
from agentmem.cli.text_backfill import found
from agentmem.upkeep.places import PLACES


def backfill(
    ctx: typer.Context,
    agents: Annotated[
        list[str] | None,
        typer.Argument(metavar="AGENT", help=f"Any of {', '.join(PLACES)}; else all.", show_default=False),
    ] = None,
    *,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="WHEN", help="Leave out sessions not written to since then: 2026-04-10, 7d …"),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what there is.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Read the sessions that the agents on this machine have written so far, the newest first.

    Can be stopped at any time; the next run goes on from there. Later runs read only what has grown. Sub-agents'
    transcripts are left out. Vectors are left to `agentmem work`.
    """
    memory = open_memory(ctx)
    if not as_json and not dry_run:
        found(memory.catch_up(agents or (), since=since, dry_run=True).found, screen())
    with progress("reading", "bytes", quiet=as_json) as update:
        done = memory.catch_up(agents or (), since=since, dry_run=dry_run, progress=update)
    render(done, as_json=as_json)
