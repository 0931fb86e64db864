"""`agentmem restore`."""

from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.inputs import piped
from agentmem.cli.opening import open_memory
from agentmem.cli.render import render
from agentmem.cli.results import BackupsListed
from agentmem.errors import UsageError


def restore(
    ctx: typer.Context,
    backup: Annotated[
        str | None,
        typer.Argument(metavar="BACKUP", help="The file; without it, the backups are listed.", show_default=False),
    ] = None,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what both hold.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Put a backup in the place of the store, which is kept beside it."""
    memory = open_memory(ctx)
    if backup is None:
        render(BackupsListed(str(memory.home.backups), memory.backups()), as_json=as_json)
        return
    if not yes:
        seen = memory.restore(backup, dry_run=True)
        if dry_run:
            render(seen, as_json=as_json)
            return
        if piped():
            raise UsageError("Nobody is there to confirm that", "`agentmem restore --yes BACKUP` does not ask.")
        render(seen)
        if not typer.confirm("Put the backup in the place of the store?", err=True):
            typer.echo("Nothing was changed.", err=True)
            return
    render(memory.restore(backup, dry_run=dry_run), as_json=as_json)
