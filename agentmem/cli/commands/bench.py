"""`agentmem bench`."""

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from agentmem import config, paths
from agentmem.bench import ablation, plot
from agentmem.bench import own as own_store
from agentmem.bench import scale as growth
from agentmem.bench.comparison import compared, earlier
from agentmem.bench.datasets import Dataset, load, names
from agentmem.bench.measures import DEPTHS
from agentmem.bench.retrieval import Progress, Result, only, run
from agentmem.cli import options
from agentmem.cli.opening import open_memory
from agentmem.cli.progress import Update, progress
from agentmem.cli.render import render
from agentmem.cli.results import Ablated, Benched, Scaled
from agentmem.config import Config

Folder = Annotated[Path, typer.Argument(metavar="DATA_DIR", help="Where the sets are.")]
Sets = Annotated[list[str] | None, typer.Option("--set", help="Only this set; repeatable.")]
Model = Annotated[str | None, typer.Option("--embedder", help="Instead of the configured one; none: words.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="At most so many questions of each set.")]
Skip = Annotated[list[str] | None, typer.Option("--skip", help="A category of questions to leave out; repeatable.")]
Plot = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE.svg", help="Draw quality against latency into this file.")
]


def recall(
    ctx: typer.Context,
    folder: Folder,
    sets: Sets = None,
    embedder: Model = None,
    limit: Limit = None,
    skip: Skip = None,
    channels: Annotated[
        str | None, typer.Option("--channels", help="Ask only these, as in message-words,question-vector.")
    ] = None,
    depths: Annotated[list[int] | None, typer.Option("--k", min=1, max=100, help="Tell R@k; repeatable.")] = None,
    before: Annotated[
        Path | None, typer.Option("--compare", metavar="FILE", help="An earlier run's --json to compare with.")
    ] = None,
    picture: Plot = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure recall on sets of conversations and questions, each in a store of its own.

    A set is NAME_sessions.jsonl and NAME_questions.jsonl, plain or gzipped; README tells their fields.
    """
    weights = only(channels.split(",") if channels else ())
    then = earlier(before) if before else {}
    if picture:
        plot.check(picture)
    measured = []
    for dataset, home, settings, update in _stores(ctx, folder, sets, embedder, quiet=as_json):
        measured.append(
            run(
                dataset,
                home,
                settings,
                limit=limit,
                skip=skip or (),
                weights=weights,
                depths=depths or DEPTHS,
                progress=update,
            )
        )
    if picture:
        plot.write(picture, [dot for one in measured for dot in _dots(one)], "nDCG@10")
    render(Benched(tuple(measured), compared(measured, then)), as_json=as_json)


def _dots(one: Result) -> Iterable[plot.Dot]:
    for label, level in (("turns", one.turns), ("sessions", one.sessions)):
        if level:
            yield plot.Dot(one.dataset, label, one.milliseconds["p50"], level.overall["nDCG@10"].value)


def ablate(
    ctx: typer.Context,
    folder: Folder,
    sets: Sets = None,
    embedder: Model = None,
    limit: Limit = None,
    skip: Skip = None,
    picture: Plot = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure what each channel and each part of the ranking is worth: the same questions without it."""
    if picture:
        plot.check(picture)
    measured = []
    for dataset, home, settings, update in _stores(ctx, folder, sets, embedder, quiet=as_json):
        measured.append(ablation.ablate(dataset, home, settings, limit=limit, skip=skip or (), progress=update))
    if picture:
        dots = [plot.Dot(one.dataset, each.name, each.p50, each.r10) for one in measured for each in one.variants]
        plot.write(picture, dots, "R@10")
    render(Ablated(tuple(measured)), as_json=as_json)


def scale(
    ctx: typer.Context,
    sizes: Annotated[
        list[int] | None, typer.Option("--messages", min=1_000, help="A number of messages; repeatable.")
    ] = None,
    embedder: Model = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="So many questions at each size.")] = 100,
    as_json: options.AsJson = False,
) -> None:
    """Tell how long an answer takes in a made-up store of 10,000, 100,000 and 1,000,000 messages."""
    settings = config.load(paths.home(ctx.obj).settings)
    settings = replace(settings, embedder=embedder or settings.embedder)
    with (
        tempfile.TemporaryDirectory(prefix="agentmem-bench-") as home,
        progress("messages", quiet=as_json) as update,
    ):
        found = growth.run(
            Path(home), settings, sizes=sizes or growth.SIZES, questions=limit, progress=partial(_forward, update)
        )
    render(Scaled(found), as_json=as_json)


def own(
    ctx: typer.Context, profile: options.ProfileName = None, limit: Limit = None, as_json: options.AsJson = False
) -> None:
    """Measure recall on your own store: does each memory's question bring the memory back? Nothing is written."""
    memory = open_memory(ctx, profile)
    with progress("questions", quiet=as_json) as update:
        found = own_store.own(memory, limit, update)
    render(found, as_json=as_json)


def _stores(
    ctx: typer.Context, folder: Path, sets: list[str] | None, embedder: str | None, *, quiet: bool
) -> Iterator[tuple[Dataset, Path, Config, Progress]]:
    """Each set with an empty folder for its store, the settings, and where progress is told."""
    settings = config.load(paths.home(ctx.obj).settings)
    settings = replace(settings, embedder=embedder or settings.embedder)
    for name in sets or names(folder):
        dataset = load(folder, name)
        with tempfile.TemporaryDirectory(prefix="agentmem-bench-") as home, progress(name, quiet=quiet) as update:
            yield dataset, Path(home), settings, partial(_forward, update)


def _forward(update: Update, _what: str, done: int, whole: int) -> None:
    update(done, whole)
