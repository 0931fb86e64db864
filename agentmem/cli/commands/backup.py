"""`agentmem backup`."""

from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.opening import open_memory
from agentmem.cli.render import render


def backup(
    ctx: typer.Context,
    folder: Annotated[
        str | None, typer.Argument(metavar="DIR", help="Where to; else beside the store.", show_default=False)
    ] = None,
    *,
    keep: Annotated[
        int | None, typer.Option("--keep", min=1, metavar="N", help="Leave the newest N backups there.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Copy the database as it is now, while sessions go on, and read the copy as a whole before it counts."""
    render(open_memory(ctx).back_up(folder, keep=keep), as_json=as_json)
