"""`agentmem bench models`."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from agentmem import config, paths
from agentmem.bench.datasets import load, names
from agentmem.bench.models import ModelCost, ModelCosts, measure, named
from agentmem.cli import options
from agentmem.cli.progress import progress
from agentmem.cli.render import render


def models(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DATA_DIR", help="Where the sets are.")],
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="For all roles, instead of the configured ones.")
    ] = None,
    sets: Annotated[list[str] | None, typer.Option("--set", help="Only this set; repeatable.")] = None,
    messages: Annotated[
        int, typer.Option("--messages", min=1, metavar="N", help="How many messages of each set are read.")
    ] = 200,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0, help="Begin nothing new after so long, for each set.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure what a language model costs: calls, tokens and seconds for 1,000 messages.

    The first messages of each set are read by the models in a store of its own. The sets are those of `bench recall`.
    """
    settings = named(config.load(paths.home(ctx.obj).settings), model)
    measured: list[ModelCost] = []
    for name in sets or names(folder):
        dataset = load(folder, name)
        with tempfile.TemporaryDirectory(prefix="agentmem-bench-") as home, progress(name, quiet=as_json) as update:
            cost = measure(dataset, Path(home), settings, most=messages, seconds=seconds, progress=update)
        measured.append(cost)
    render(ModelCosts(tuple(measured)), as_json=as_json)
