"""`agentmem forget`."""

from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.inputs import piped
from agentmem.cli.opening import open_memory
from agentmem.cli.render import render
from agentmem.cli.results import Forgotten, ForgottenAll
from agentmem.cli.screen import screen
from agentmem.cli.text_forget import warning
from agentmem.errors import UsageError
from agentmem.upkeep.selection import Selection, Wanted


def forget(
    ctx: typer.Context,
    wanted: Annotated[
        str | None, typer.Argument(metavar="ID", help="An id, or its first digits (four at least).", show_default=False)
    ] = None,
    *,
    query: Annotated[
        str | None, typer.Option("--query", metavar="PHRASE", help="All that contains these words in this order.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="All of a session, and what only it supports.")
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option("--profile", "-p", metavar="NAME", help="All of a profile; with --query or --session, where."),
    ] = None,
    purge: Annotated[
        bool, typer.Option("--purge", help="Really delete it, from every file of the store. Cannot be undone.")
    ] = False,
    lift: Annotated[bool, typer.Option("--unforget", help="Take forgetting back.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what is meant.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Hide a memory or message, or many. Its value does not come back when a transcript is read again.

    With --purge it is deleted, and with a memory also the messages that it was drawn from and whatever else says its
    value; only a digest stays, so that it is known if it comes again.
    """
    within = profile if query is not None or session is not None else None
    whole = profile if within is None else None
    meant = Wanted(id=wanted, query=query, session=session, profile=whole)
    memory = open_memory(ctx, within)
    if lift:
        if purge:
            raise UsageError("--purge and --unforget exclude each other")
        render(memory.unforget(meant), as_json=as_json)
        return
    chosen = memory.find_forgettable(meant, purging=purge)
    if dry_run:
        render(ForgottenAll(chosen, purged=purge, dry=True), as_json=as_json)
        return
    if not yes:
        _ask(chosen, purge=purge)
    if purge:
        render(ForgottenAll(memory.purge(meant), purged=True), as_json=as_json)
    elif wanted is not None:
        render(Forgotten(memory.forget(wanted)), as_json=as_json)
    else:
        render(ForgottenAll(memory.forget_all(meant)), as_json=as_json)


def _ask(chosen: Selection, *, purge: bool) -> None:
    if piped():
        raise UsageError("Nobody is there to confirm that", "`agentmem forget --yes …` does not ask.")
    warning(chosen, screen(), purged=purge)
    if not typer.confirm("Delete it for good?" if purge else "Forget it?", err=True):
        typer.echo("Nothing was forgotten.", err=True)
        raise typer.Exit
