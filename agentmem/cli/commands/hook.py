"""`agentmem hook`, as far as a person meets it: agents get to `agentmem.hook.run`, without the command line."""

import os
import sys
from typing import Annotated

import typer

from agentmem.errors import UsageError
from agentmem.hook.call import AGENTS
from agentmem.hook.run import run


def hook(
    ctx: typer.Context,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help=f"One of {', '.join(AGENTS)}.")],
    payload: Annotated[
        str | None, typer.Argument(metavar="JSON", help="What happened; else it is read from standard input.")
    ] = None,
    *,
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="The session.")] = None,
    transcript: Annotated[str | None, typer.Option("--transcript", metavar="FILE", help="Its transcript.")] = None,
    cwd: Annotated[str | None, typer.Option("--cwd", metavar="DIR", help="The folder of the project.")] = None,
    event: Annotated[
        str | None, typer.Option("--event", metavar="NAME", help="What happened: start, prompt, turn, compact or end.")
    ] = None,
) -> None:
    """Take note of what an agent did; called by the agent's own hooks.

    Reads one JSON object from standard input, leaves a note for the worker, and exits with 0 at once, whatever
    happens. At the start of a session it prints a briefing where the agent takes one. Nothing is done where
    AGENTMEM_DISABLE=1 is set, or in a project with a file `.agentmem-ignore`.
    """
    if agent not in AGENTS:
        raise UsageError(f"Unknown agent {agent!r}", f"Agents are {', '.join(AGENTS)}.")
    if ctx.obj:
        os.environ["AGENTMEM_HOME"] = ctx.obj
    given = {"session": session, "transcript": transcript, "cwd": cwd, "event": event}
    words = [f"--{name}={value}" for name, value in given.items() if value]
    sys.argv = ["agentmem", "hook", agent, *words, *([payload] if payload else [])]
    run()
