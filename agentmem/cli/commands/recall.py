"""`agentmem recall`."""

from contextlib import nullcontext
from enum import StrEnum
from typing import Annotated, Any

import typer

from agentmem.cli import options
from agentmem.cli.batch import answer_lines
from agentmem.cli.inputs import words
from agentmem.cli.opening import open_memory
from agentmem.cli.progress import waiting
from agentmem.cli.render import print_json, render
from agentmem.cli.results import Recalled
from agentmem.domain.recall import MEMORY, MESSAGE, TYPES
from agentmem.errors import UsageError
from agentmem.memory import MOST_HITS, Memory


class Type(StrEnum):
    """The types of hits, as a choice."""

    MEMORY = MEMORY
    MESSAGE = MESSAGE


def recall(
    ctx: typer.Context,
    query: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUERY", help="The question, in any language; else standard input.", show_default=False),
    ] = None,
    *,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", "-k", min=1, max=MOST_HITS, metavar="N", help="How many hits; else the setting `limit`."
        ),
    ] = None,
    profile: options.ProfileName = None,
    kinds: options.Kinds = None,
    types: Annotated[
        list[Type] | None,
        typer.Option("--type", metavar="TYPE", help="Only hits of this type (memory, message); repeatable."),
    ] = None,
    since: options.Since = None,
    until: options.Until = None,
    reference_date: Annotated[
        str | None, typer.Option("--reference-date", metavar="WHEN", help="What “today” means in the question.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show why each hit is there.")] = False,
    everything: options.Everything = False,
    as_of: options.AsOf = None,
    known_at: options.KnownAt = None,
    sessions: Annotated[
        bool, typer.Option("--sessions", help="Name the sessions that the question is about, instead of hits.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Show messages whole.")] = False,
    no_llm: Annotated[
        bool, typer.Option("--no-llm", help="Ask no language model: the ranked memories are the answer.")
    ] = False,
    budget_ms: options.Budget = None,
    batch: Annotated[
        str | None,
        typer.Option(
            "--batch",
            metavar="FILE",
            help='Answer each line {"query", "profile"?, "k"?, "reference_date"?} of a file, or of -, with one.',
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Ask what is known. The current folder's project and the profile `user` are asked.

    Without a match that is relevant it says so, and exits with 0.
    """
    memory = open_memory(ctx, profile)
    wanted: dict[str, Any] = {
        "k": limit,
        "types": tuple(types or TYPES),
        "kinds": tuple(kinds or ()),
        "since": since,
        "until": until,
        "reference_date": reference_date,
        "everything": everything,
        "llm": not no_llm,
        "budget_ms": budget_ms,
        "as_of": as_of,
        "known_at": known_at,
        "sessions": (limit or memory.config.limit) if sessions else 0,
    }
    if batch is not None:
        if query:
            raise UsageError("A question and --batch exclude each other", "Put the question into the file.")
        for line in answer_lines(memory, batch, wanted, explain=explain):
            print_json(line, line=True)
        return
    asked = words(query or [], "question")
    asks_model = memory.config.language_model != "none" and not no_llm
    with waiting("asking the language model") if asks_model else nullcontext():
        answer = memory.recall(asked, **wanted)
    advice = _advice(memory) if answer.abstained and not as_json else ""
    render(Recalled(answer=answer, explain=explain, full=full, advice=advice, sessions=sessions), as_json=as_json)


def _advice(memory: Memory) -> str:
    """What may be the reason that nothing is known, if it is a simple one."""
    profiles = memory.profiles()
    if not profiles:
        return "Nothing is stored yet: `agentmem ingest ~/.claude/projects` begins."
    if all(profile.name != memory.profile for profile in profiles):
        return "Nothing is stored in that profile: `agentmem profile list` shows the others, `-p NAME` asks one."
    return ""
