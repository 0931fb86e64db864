"""Options that several commands share, so that they read the same everywhere."""

from typing import Annotated

import typer

from agentmem.domain.memories import MemoryKind

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON with a version number, errors too.")]
ProfileName = Annotated[
    str | None,
    typer.Option(
        "--profile", "-p", metavar="NAME", help="Which profile, by name or unique beginning; else the current folder's."
    ),
]
Kinds = Annotated[
    list[MemoryKind] | None,
    typer.Option("--kind", metavar="KIND", help=f"Only memories of this kind ({', '.join(MemoryKind)}); repeatable."),
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="WHEN", help="Nothing older: 2026-04-10, 7d, 'last week' …")
]
Until = Annotated[str | None, typer.Option("--until", metavar="WHEN", help="Nothing as new as this.")]
AsOf = Annotated[
    str | None,
    typer.Option("--as-of", metavar="WHEN", help="What was true then, and said by then; of a day, its end."),
]
KnownAt = Annotated[str | None, typer.Option("--known-at", metavar="WHEN", help="What the store knew then.")]
Everything = Annotated[
    bool, typer.Option("--all", "-a", help="Also superseded, expired and forgotten memories, with their status.")
]
Budget = Annotated[
    int | None,
    typer.Option(
        "--budget-ms", min=0, metavar="MS", help="How long language models may take; what is not ready is left out."
    ),
]
Id = Annotated[str, typer.Argument(metavar="ID", help="An id, or its first digits (four at least).")]
