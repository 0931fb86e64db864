"""`agentmem log`, `undo` and `diff`."""

from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.inputs import piped
from agentmem.cli.opening import open_memory
from agentmem.cli.render import render
from agentmem.cli.results import Differed, Logged, Undone
from agentmem.cli.screen import screen
from agentmem.cli.text_tending import previewed
from agentmem.errors import UsageError
from agentmem.upkeep.log import actions_called

_USUAL = 20


def log(
    ctx: typer.Context,
    about: Annotated[
        str | None,
        typer.Argument(metavar="[ID|ENTRY]", help="A memory, message or session; or an entry, as e12, with all of it."),
    ] = None,
    *,
    since: options.Since = None,
    until: options.Until = None,
    limit: Annotated[
        int, typer.Option("--limit", "-k", min=1, metavar="N", help="At most so many.", show_default=True)
    ] = _USUAL,
    as_json: options.AsJson = False,
) -> None:
    """Show what was done to the store, newest first."""
    memory = open_memory(ctx)
    deeds = memory.log(about, since=since, until=until, limit=limit)
    render(Logged(deeds, whole=about is not None, contents=memory.contents(deeds)), as_json=as_json)


def undo(
    ctx: typer.Context,
    wanted: Annotated[
        list[str] | None,
        typer.Argument(metavar="[N|ENTRY]...", help="How many of the last actions (else one), or which, as e12."),
    ] = None,
    *,
    since: options.Since = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be undone.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Take back what was done, all of it or nothing. What was captured in the background is only undone by its entry.

    Rows, index and vectors are as they were before. Undoing is an action too, and can be undone.
    """
    memory = open_memory(ctx)
    last, actions = actions_called(wanted or [])
    if since is not None and wanted:
        raise UsageError("--since and a number or entry exclude each other", "`agentmem log` shows what there is.")
    last = None if since is not None else last
    deeds = memory.undoable(last, since=since, actions=actions)
    if dry_run:
        render(Logged(deeds, contents=memory.contents(deeds)), as_json=as_json)
        return
    if not yes:
        if piped():
            raise UsageError("Nobody is there to confirm that", "`agentmem undo --yes` does not ask.")
        previewed(deeds, memory.contents(deeds), screen())
        if not typer.confirm("Undo that?", err=True):
            typer.echo("Nothing was undone.", err=True)
            return
    render(Undone(memory.undo(actions=[deed.no for deed in deeds])), as_json=as_json)


def diff(
    ctx: typer.Context,
    since: Annotated[
        str, typer.Option("--since", metavar="WHEN", help="The earlier time: 2026-04-10, 7d, 'last week'")
    ],
    until: Annotated[str | None, typer.Option("--until", metavar="WHEN", help="The later time; else now.")] = None,
    *,
    profile: options.ProfileName = None,
    as_json: options.AsJson = False,
) -> None:
    """Show which memories came, changed or went between two times."""
    render(Differed(open_memory(ctx, profile).diff(since, until)), as_json=as_json)
