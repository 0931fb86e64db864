"""`agentmem compact`."""

from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.opening import open_memory
from agentmem.cli.progress import progress
from agentmem.cli.render import render


def compact(
    ctx: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0, metavar="N", help="Stop after about N seconds.")
    ] = None,
    no_llm: Annotated[
        bool, typer.Option("--no-llm", help="Ask no language model: what is merged keeps the words of one.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Merge memories that say the same, let tasks expire, note contradictions, and tidy all parts of the store.

    Can be stopped at any time and run again; a second run changes nothing. Works beside live sessions.
    """
    memory = open_memory(ctx)
    with progress("merging", quiet=as_json) as update:
        done = memory.compact(dry_run=dry_run, seconds=seconds, llm=not no_llm, progress=update)
    render(done, as_json=as_json)
