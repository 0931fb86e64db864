"""`agentmem work`."""

from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.opening import open_memory
from agentmem.cli.progress import progress
from agentmem.cli.render import render
from agentmem.cli.results import Worked


def work(
    ctx: typer.Context,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0, help="Stop after about so long; else when nothing is owed.")
    ] = None,
    drain: Annotated[
        bool, typer.Option("--drain", help="First deal with what hooks noted down, unless another process is at it.")
    ] = False,
    restart_vectors: Annotated[
        bool, typer.Option("--restart-vectors", help="Compute all anew if the store's come from another model.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Pay what is owed, such as vectors, and exit.

    Can be stopped at any time: what is computed stays, and the next run goes on from there.
    """
    memory = open_memory(ctx)
    if drain:
        render(Worked(memory.drain(seconds=seconds).vectors), as_json=as_json)
        return
    with progress("computing vectors", quiet=as_json) as update:
        done = memory.work(seconds=seconds, restart_vectors=restart_vectors, progress=update)
    render(Worked(done), as_json=as_json)
