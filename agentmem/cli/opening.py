"""From the context of a command to the memory that it works on."""

import typer

from agentmem.memory import Memory


def open_memory(ctx: typer.Context, profile: str | None = None) -> Memory:
    """The memory at `--home`, seen from a profile; None: that of the current folder."""
    return Memory.open(ctx.obj, profile=profile)
