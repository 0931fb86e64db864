"""`agentmem uninstall`."""

from typing import Annotated

import typer

from agentmem import paths
from agentmem.cli import options
from agentmem.cli.commands.install import Agents, DryRun, Yes, settle
from agentmem.errors import UsageError
from agentmem.integrations import shells
from agentmem.integrations.agents import AGENTS
from agentmem.integrations.install import known, plan_uninstall
from agentmem.integrations.places import Machine


def uninstall(
    ctx: typer.Context,
    *,
    agents: Agents = None,
    everyone: Annotated[bool, typer.Option("--all", "-a", help="All agents, and the completion scripts.")] = False,
    completions: Annotated[bool, typer.Option("--completions", help="The completion scripts.")] = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    as_json: options.AsJson = False,
) -> None:
    """Take agentmem out of the settings of coding agents again. What is remembered stays.

    A file that nobody else changed meanwhile becomes what it was before, to the byte; from others only agentmem's own
    entries go.
    """
    names = known(agents or [])
    if not (names or everyone or completions):
        raise UsageError("From which agent?", "Name it, or say --all.")
    if everyone:
        names = list(AGENTS)
    if everyone or completions:
        names.append(shells.NAME)
    machine, home = Machine.here(), paths.home(ctx.obj)
    plan = plan_uninstall(names, machine, home)
    settle(plan, home, machine, done="restored", dry_run=dry_run, yes=yes, as_json=as_json)
