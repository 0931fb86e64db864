"""`agentmem review`."""

from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.inputs import piped
from agentmem.cli.opening import open_memory
from agentmem.cli.render import render
from agentmem.cli.results import Reviewed
from agentmem.cli.screen import one_line
from agentmem.domain.memories import MemoryItem
from agentmem.memory import Memory
from agentmem.projects import USER

_QUESTION = "[c]onfirm, [r]eject, [f]orget, [s]kip, [q]uit"


def review(
    ctx: typer.Context,
    *,
    confirm: Annotated[
        list[str] | None, typer.Option("--confirm", metavar="ID", help="Say that this one still holds; repeatable.")
    ] = None,
    settle: Annotated[
        list[str] | None,
        typer.Option("--settle", metavar="ID", help="Let both sides of this contradiction stand; repeatable."),
    ] = None,
    ask: Annotated[bool, typer.Option("--ask", help="Go through them one by one.")] = False,
    profile: options.ProfileName = None,
    as_json: options.AsJson = False,
) -> None:
    """List what wants a person's word: memories that nobody said, recalled or confirmed for long (the setting
    `unconfirmed_days`), and contradictions that compaction found.
    """
    memory = open_memory(ctx, profile)
    for wanted in confirm or ():
        memory.confirm(wanted)
    for wanted in settle or ():
        memory.settle(wanted)
    waiting = memory.unconfirmed()
    if ask and not piped() and not as_json:
        _go_through(memory, waiting)
        return
    disagreeing = memory.contradictions((memory.profile, USER))
    render(Reviewed(memory.profile, waiting, disagreeing), as_json=as_json)


def _go_through(memory: Memory, waiting: tuple[MemoryItem, ...]) -> None:
    for number, item in enumerate(waiting, start=1):
        typer.echo(f"{number} of {len(waiting)}: {item.kind} of {item.valid_from:%Y-%m-%d}: {one_line(item.content)}")
        said = typer.prompt(_QUESTION, default="s").strip().lower()[:1]
        if said == "q":
            return
        if said == "c":
            memory.confirm(item.id)
        elif said == "f":
            memory.forget(item.id)
        elif said == "r":
            memory.reject(item.id, typer.prompt("Why"))
    typer.echo("That is all.")
