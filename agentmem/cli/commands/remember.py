"""`agentmem remember`."""

from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.inputs import words
from agentmem.cli.opening import open_memory
from agentmem.cli.render import render
from agentmem.cli.results import Remembered
from agentmem.domain.memories import MemoryKind


def remember(
    ctx: typer.Context,
    text: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="What to remember; else standard input.", show_default=False),
    ] = None,
    *,
    kind: Annotated[
        MemoryKind | None,
        typer.Option("--kind", metavar="KIND", help=f"One of {', '.join(MemoryKind)}; else the words tell."),
    ] = None,
    topic: Annotated[
        str | None,
        typer.Option(
            "--topic", metavar="KEY", help="What it is about, as project.package_manager; the newest one counts."
        ),
    ] = None,
    profile: Annotated[
        str | None, typer.Option("--profile", "-p", metavar="NAME", help="Where to; `user` holds in every project.")
    ] = None,
    importance: Annotated[
        float | None, typer.Option("--importance", min=0, max=1, metavar="0..1", help="How much it matters.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Store one memory as it is told; a newer one about the same topic supersedes the older."""
    said = words(text or [], "text to remember")
    item = open_memory(ctx, profile).remember(said, kind=kind, topic_key=topic, importance=importance)
    render(Remembered(item), as_json=as_json)
