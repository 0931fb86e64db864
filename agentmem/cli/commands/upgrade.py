"""`agentmem upgrade`."""

from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.opening import open_memory
from agentmem.cli.render import render


def upgrade(
    ctx: typer.Context,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Do it with a copy, and only show the outcome.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Bring a store that an older agentmem wrote up to date. The old file is kept; rows are counted before and after.

    Any other command does the same when it meets an older store.
    """
    render(open_memory(ctx).upgrade(dry_run=dry_run), as_json=as_json)
