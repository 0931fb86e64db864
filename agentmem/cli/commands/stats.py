"""`agentmem stats`."""

import typer

from agentmem.cli import options
from agentmem.cli.opening import open_memory
from agentmem.cli.render import render


def stats(ctx: typer.Context, as_json: options.AsJson = False) -> None:
    """Show what the store holds and takes, and what it still owes."""
    render(open_memory(ctx).stats(), as_json=as_json)
