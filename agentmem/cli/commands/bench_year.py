"""`agentmem bench year`."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from agentmem import config, paths
from agentmem.bench.story import SMALL, Size
from agentmem.bench.year import run
from agentmem.cli import options
from agentmem.cli.progress import progress
from agentmem.cli.render import render


def year(
    ctx: typer.Context,
    small: Annotated[bool, typer.Option("--small", help="A year in which little happens.")] = False,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Which year; the same number gives the same.")] = 1,
    embedder: Annotated[
        str | None, typer.Option("--embedder", help="Instead of the configured one; none: words.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Play a scripted year of sessions to a store of its own, and see whether what it then knows is true.

    Facts change, tasks lapse, things are said twice in other words, denied, and said again after they were forgotten.
    The exit code is 1 if something does not hold that must.
    """
    settings = config.load(paths.home(ctx.obj).settings)
    settings = replace(settings, embedder=embedder or settings.embedder)
    with tempfile.TemporaryDirectory(prefix="agentmem-year-") as home, progress("sessions", quiet=as_json) as update:
        came_of_it = run(
            Path(home),
            settings,
            SMALL if small else Size(),
            seed=seed,
            vectors=settings.embedder != "none",
            progress=update,
        )
    render(came_of_it, as_json=as_json)
    if not came_of_it.good:
        raise typer.Exit(1)
