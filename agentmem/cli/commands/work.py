"""`agentmem work`."""

import time
from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.opening import open_memory
from agentmem.cli.progress import progress
from agentmem.cli.render import render
from agentmem.cli.results import Worked
from agentmem.ingest.vectorize import Vectorized


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
    redo: Annotated[
        str | None,
        typer.Option(
            "--redo",
            metavar="STAGE",
            help="Let language models do a stage again for all sessions: extract, summary or patterns.",
        ),
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Try again what language models failed at.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Pay what is owed, vectors and the work of language models, and exit.

    Can be stopped at any time: what is computed stays, and the next run goes on from there.
    """
    memory = open_memory(ctx)
    if drain:
        render(Worked(memory.drain(seconds=seconds).vectors), as_json=as_json)
        return
    again = memory.redo(redo) if redo is not None else None
    if retry:
        again = (again or 0) + memory.retry()
    began = time.monotonic()
    with progress("computing vectors", quiet=as_json) as update:
        done = memory.work(seconds=seconds, restart_vectors=restart_vectors, progress=update)
    models = None
    if memory.config.language_model != "none":
        left = None if seconds is None else max(0.0, seconds - (time.monotonic() - began))
        with progress("models read", "pieces", quiet=as_json) as update:
            models = memory.pay(seconds=left, progress=update)
        if models.found.memories:
            more = memory.work(seconds=left)
            done = Vectorized(done.computed + more.computed, done.reused + more.reused, more.owed)
    render(Worked(done, models, again), as_json=as_json)
