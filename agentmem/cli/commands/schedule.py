"""`agentmem schedule`."""

import os
from typing import Annotated

import typer

from agentmem import paths
from agentmem.cli import options
from agentmem.cli.inputs import piped
from agentmem.cli.render import render
from agentmem.cli.screen import screen
from agentmem.errors import UsageError
from agentmem.upkeep.schedule import KINDS, Plan, Scheduled, carry_out, choose, installed, plan_install, plan_remove

By = Annotated[
    str | None, typer.Option("--by", metavar="KIND", help=f"By what: {', '.join(KINDS)}; else by what is here.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be changed.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def install(
    ctx: typer.Context, by: By = None, dry_run: DryRun = False, yes: Yes = False, as_json: options.AsJson = False
) -> None:
    """Have `agentmem compact` run once a day, for ten minutes at most. Shows what it would write, and asks."""
    kind = choose(by)
    moved = bool(ctx.obj or os.environ.get("AGENTMEM_HOME"))
    plan = plan_install(paths.home(ctx.obj), kind, moved=moved)
    _settle(plan, dry_run=dry_run, yes=yes, as_json=as_json)


def remove(
    ctx: typer.Context, by: By = None, dry_run: DryRun = False, yes: Yes = False, as_json: options.AsJson = False
) -> None:
    """Take the schedule away again."""
    del ctx  # the door's
    kind = choose(by)
    plan = plan_remove(kind)
    if not plan.words():
        render(Scheduled(kind, installed=False), as_json=as_json)
        return
    _settle(plan, dry_run=dry_run, yes=yes, as_json=as_json)


def status(ctx: typer.Context, by: By = None, as_json: options.AsJson = False) -> None:
    """Tell whether compaction is scheduled, and what the machine says of it."""
    del ctx  # the door's
    kind = choose(by)
    there, detail = installed(kind)
    render(Scheduled(kind, there, detail), as_json=as_json)


def _settle(plan: Plan, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    if dry_run:
        render(Scheduled(plan.kind, installed(plan.kind)[0], plan=plan.words(), dry=True), as_json=as_json)
        return
    if not yes:
        if piped():
            raise UsageError("Nobody is there to confirm that", "`--yes` does not ask, `--dry-run` only shows.")
        screen().complain(plan.words())
        if not typer.confirm("Do that?", err=True):
            typer.echo("Nothing was changed.", err=True)
            return
    carry_out(plan)
    there, detail = installed(plan.kind)
    render(Scheduled(plan.kind, there, detail, plan="" if not yes else plan.words()), as_json=as_json)
