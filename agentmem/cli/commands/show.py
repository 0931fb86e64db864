"""`agentmem show`."""

import typer

from agentmem.cli import options
from agentmem.cli.opening import open_memory
from agentmem.cli.render import render


def show(ctx: typer.Context, wanted: options.Id, as_json: options.AsJson = False) -> None:
    """Show a memory or message with all that belongs to it: evidence, questions, the messages around it."""
    render(open_memory(ctx).show(wanted), as_json=as_json)
