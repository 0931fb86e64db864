"""`agentmem status`."""

import typer

from agentmem.cli import options
from agentmem.cli.commands.install import Agents
from agentmem.cli.render import print_json
from agentmem.cli.screen import screen
from agentmem.cli.text_install import show_status, status_as_json
from agentmem.integrations.install import known
from agentmem.integrations.places import Machine
from agentmem.integrations.status import survey


def status(ctx: typer.Context, *, agents: Agents = None, as_json: options.AsJson = False) -> None:
    """Show for each coding agent whether its hooks and the memory tools are in place, and what is wrong with them."""
    del ctx  # the store is not asked
    found = survey(Machine.here(), known(agents or []))
    if as_json:
        print_json(status_as_json(found))
    else:
        show_status(found, screen())
