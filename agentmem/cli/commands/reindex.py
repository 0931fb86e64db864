"""`agentmem reindex`."""

from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.opening import open_memory
from agentmem.cli.progress import progress
from agentmem.cli.render import render


def reindex(
    ctx: typer.Context,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="Which embedding model; it becomes the setting.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0, help="Stop after about so long; else when all is done.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Compute all vectors with another model.

    The old vectors serve until the new ones are complete, then they go. Can be stopped at any time: this command,
    `work` and the hooks' worker go on from there.
    """
    memory = open_memory(ctx)
    with progress("computing vectors", quiet=as_json) as update:
        done = memory.reindex(model, seconds=seconds, progress=update)
    render(done, as_json=as_json)
