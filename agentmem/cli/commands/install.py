"""`agentmem install`."""

from typing import Annotated

import typer

from agentmem import paths
from agentmem.cli import options
from agentmem.cli.inputs import piped
from agentmem.cli.render import print_json
from agentmem.cli.screen import screen
from agentmem.cli.text_install import plan_as_json, show_diffs, show_outcome, show_refusals
from agentmem.errors import UsageError
from agentmem.integrations import shells
from agentmem.integrations.agents import AGENTS
from agentmem.integrations.install import Plan, carry_out, choose, plan_files, plan_install
from agentmem.integrations.places import Machine
from agentmem.integrations.status import survey
from agentmem.paths import Home

Agents = Annotated[list[str] | None, typer.Argument(metavar="[AGENT]...", help=f"Some of {', '.join(AGENTS)}.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def install(
    ctx: typer.Context,
    *,
    agents: Agents = None,
    everyone: Annotated[bool, typer.Option("--all", "-a", help="All agents that are on this machine.")] = False,
    completions: Annotated[
        bool, typer.Option("--completions", help="Complete the words of this command in bash, zsh and fish.")
    ] = False,
    no_hooks: Annotated[bool, typer.Option("--no-hooks", help="Leave the hooks out.")] = False,
    no_mcp: Annotated[bool, typer.Option("--no-mcp", help="Leave the MCP server out.")] = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    as_json: options.AsJson = False,
) -> None:
    """Put agentmem into the settings of coding agents: hooks, which remember by themselves, and the memory tools.

    Shows the changes first. All else in the files stays as it is, and `agentmem uninstall` brings back what was there.
    """
    machine, home = Machine.here(), paths.home(ctx.obj)
    scripts = plan_files(shells.scripts(machine), shells.NAME, home) if completions else Plan(())
    plan = Plan(())
    if agents or everyone or not completions:
        chosen = choose(agents or [], machine, everyone=everyone)
        plan = plan_install(chosen, machine, home, hooks=not no_hooks, server=not no_mcp)
    plan = plan.joined(scripts)
    settle(plan, home, machine, done="changed", dry_run=dry_run, yes=yes, as_json=as_json)
    if completions and not as_json and (advice := shells.advice(machine)):
        screen().say(f"{advice}.", indent=2)


def settle(plan: Plan, home: Home, machine: Machine, *, done: str, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Show a plan, ask, carry it out, and tell how it went. Exits with 1 if a file had to be left alone."""
    here = screen()
    if not as_json:
        show_diffs(plan, here)
    if plan.writes and not dry_run and not yes:
        if piped() or as_json:
            raise UsageError("Nobody is there to confirm that", "Say --yes, or --dry-run to see the changes only.")
        if not typer.confirm("Write this?", err=True):
            typer.echo("Nothing was changed.", err=True)
            raise typer.Exit
    if not dry_run:
        plan = carry_out(plan, home)
    status = survey(machine, known) if (known := [name for name in plan.agents if name in AGENTS]) else []
    if as_json:
        print_json(plan_as_json(plan, status, written=not dry_run))
    else:
        show_outcome(plan, [] if dry_run else status, here, "would be " + done if dry_run else done)
        show_refusals(plan, here)
    if plan.refusals:
        raise typer.Exit(1)
