"""`agentmem history`."""

import typer

from agentmem.cli import options
from agentmem.cli.opening import open_memory
from agentmem.cli.render import render
from agentmem.cli.results import History


def history(ctx: typer.Context, wanted: options.Id, as_json: options.AsJson = False) -> None:
    """Show all versions of a memory, oldest first, with their evidence and what happened to them."""
    render(History(open_memory(ctx).history(wanted)), as_json=as_json)
