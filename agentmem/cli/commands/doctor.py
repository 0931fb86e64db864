"""`agentmem doctor`."""

from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.opening import open_memory
from agentmem.cli.render import render
from agentmem.cli.results import Examined
from agentmem.upkeep.doctor import FAILED


def doctor(
    ctx: typer.Context,
    deep: Annotated[
        bool, typer.Option("--deep", help="Also compare the parts of the store with each other, which reads all of it.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Check that everything is as it should be, changing nothing. Exits with 1 if a check failed."""
    checks = open_memory(ctx).doctor(deep=deep)
    render(Examined(checks), as_json=as_json)
    if any(check.state == FAILED for check in checks):
        raise typer.Exit(1)
