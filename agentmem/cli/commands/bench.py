"""`agentmem bench`."""

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from agentmem import config, paths
from agentmem.bench import models as cost
from agentmem.bench.datasets import load, names
from agentmem.bench.retrieval import run
from agentmem.cli import options
from agentmem.cli.progress import Update, progress
from agentmem.cli.render import render
from agentmem.cli.results import Benched, Metered


def recall(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DATA_DIR", help="Where the sets are.")],
    sets: Annotated[list[str] | None, typer.Option("--set", help="Only this set; repeatable.")] = None,
    embedder: Annotated[
        str | None, typer.Option("--embedder", help="Instead of the configured one; none: words.")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="At most so many questions of each set.")] = None,
    skip: Annotated[
        list[str] | None, typer.Option("--skip", help="A category of questions to leave out; repeatable.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure recall on sets of conversations and questions, each in a store of its own.

    A set is NAME_sessions.jsonl and NAME_questions.jsonl, plain or gzipped; README tells their fields.
    """
    settings = config.load(paths.home(ctx.obj).settings)
    settings = replace(settings, embedder=embedder or settings.embedder)
    measured = []
    for name in sets or names(folder):
        dataset = load(folder, name)
        with tempfile.TemporaryDirectory(prefix="agentmem-bench-") as home, progress(name, quiet=as_json) as update:
            measured.append(
                run(
                    dataset,
                    Path(home),
                    settings,
                    limit=limit,
                    skip=skip or (),
                    progress=partial(_forward, update),
                )
            )
    render(Benched(tuple(measured)), as_json=as_json)


def models(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DATA", help="Where the sets are.")],
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
    settings = cost.named(config.load(paths.home(ctx.obj).settings), model)
    measured = []
    for name in sets or names(folder):
        dataset = load(folder, name)
        with tempfile.TemporaryDirectory(prefix="agentmem-bench-") as home, progress(name, quiet=as_json) as update:
            measured.append(
                cost.measure(
                    dataset, Path(home), settings, most=messages, seconds=seconds, progress=partial(_forward, update)
                )
            )
    render(Metered(tuple(measured)), as_json=as_json)


def _forward(update: Update, _what: str, done: int, whole: int) -> None:
    update(done, whole)
