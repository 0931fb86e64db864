"""`agentmem mcp`."""

import typer

from agentmem.cli.lazy import named

_SERVER = "agentmem.mcp.front:serve"
"""The command line and the server are siblings that do not import each other; this command only starts it by name."""


def mcp(ctx: typer.Context) -> None:
    """Serve the memory to an agent as tools: recall, remember, forget, list and context.

    Speaks the Model Context Protocol over standard input and output, and ends when its input ends. Agents start it
    themselves, one for each session.
    """
    named(_SERVER)(ctx.obj)
