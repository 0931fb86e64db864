"""`agentmem scrub`."""

from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.inputs import piped
from agentmem.cli.opening import open_memory
from agentmem.cli.progress import progress
from agentmem.cli.render import render
from agentmem.errors import UsageError


def scrub(
    ctx: typer.Context,
    pattern: Annotated[
        list[str] | None,
        typer.Option("--pattern", metavar="REGEX", help="Take out what this matches; its first group if it has one."),
    ] = None,
    new_rules: Annotated[
        bool, typer.Option("--new-rules", help="Take out what all rules find today; the same as no --pattern.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be taken out.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Take secrets out of all that is stored, and prove it.

    Messages, memories, index, vectors, journal, notes, logs and the backups that agentmem made. What is taken out
    cannot be brought back. Exits with 1 if something is left.
    """
    if pattern and new_rules:
        raise UsageError("--pattern and --new-rules exclude each other")
    memory = open_memory(ctx)
    if not (dry_run or yes):
        if piped():
            raise UsageError("Nobody is there to confirm that", "`--dry-run` shows what it would do, `--yes` does it.")
        with progress("looking") as update:
            found = memory.scrub(pattern or (), dry_run=True, progress=update)
        render(found)
        if (found.secrets or found.texts or found.files) and not typer.confirm("Take that out for good?", err=True):
            typer.echo("Nothing was changed.", err=True)
            return
    with progress("scrubbing", quiet=as_json) as update:
        done = memory.scrub(pattern or (), dry_run=dry_run, progress=update)
    render(done, as_json=as_json)
    if done.residue or done.unreadable:
        raise typer.Exit(1)
