"""`agentmem forget`."""

from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.inputs import piped
from agentmem.cli.opening import open_memory
from agentmem.cli.render import render
from agentmem.cli.results import Forgotten
from agentmem.cli.screen import one_line
from agentmem.errors import UsageError
from agentmem.upkeep.inspect import Shown


def forget(
    ctx: typer.Context,
    wanted: options.Id,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Hide a memory or message. Its value does not come back when a transcript is read again."""
    memory = open_memory(ctx)
    if not yes:
        if piped():
            raise UsageError("Nobody is there to confirm that", "`agentmem forget --yes ID` does not ask.")
        if not typer.confirm(f"Forget “{_words(memory.show(wanted))}”?", err=True):
            typer.echo("Nothing was forgotten.", err=True)
            return
    render(Forgotten(memory.forget(wanted)), as_json=as_json)


def _words(shown: Shown) -> str:
    thing = shown.memory or shown.message
    text = one_line(thing.content) if thing else ""
    return text if len(text) <= 200 else text[:200] + " …"
