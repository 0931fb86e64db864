"""`agentmem list`."""

from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.opening import open_memory
from agentmem.cli.render import render
from agentmem.cli.results import Listed


def list_(
    ctx: typer.Context,
    *,
    limit: Annotated[
        int | None, typer.Option("--limit", "-k", min=1, metavar="N", help="At most so many; else all.")
    ] = None,
    profile: options.ProfileName = None,
    kinds: options.Kinds = None,
    since: options.Since = None,
    until: options.Until = None,
    everything: options.Everything = False,
    as_of: options.AsOf = None,
    known_at: options.KnownAt = None,
    as_json: options.AsJson = False,
) -> None:
    """List the memories of a profile and of the user, newest first.

    On a pipe each is a line with tabs between id, kind, status, day, topic and content.
    """
    memory = open_memory(ctx, profile)
    found = memory.list(
        kinds=tuple(kinds or ()),
        since=since,
        until=until,
        everything=everything,
        limit=limit,
        as_of=as_of,
        known_at=known_at,
    )
    render(Listed(memory.profile, found), as_json=as_json)
