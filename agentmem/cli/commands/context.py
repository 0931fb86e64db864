"""`agentmem context`."""

import json
import sys
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from agentmem import config as configuration
from agentmem import paths
from agentmem.cli import options
from agentmem.cli.lazy import named
from agentmem.config import Config
from agentmem.errors import AgentmemError
from agentmem.hook.ignored import is_off
from agentmem.paths import Home
from agentmem.projects import identify
from agentmem.recall.briefing import MOST_TOKENS, Briefing, brief
from agentmem.recall.injection import Briefed, event_of, injection
from agentmem.store import sessions
from agentmem.store.store import Store

VERSION = 1
_LIBRARY = "agentmem.memory:Memory"
"""Imported only to search for a first prompt: with all that it needs, every session's start would take twice as long.
For the same reason nothing here goes through the renderer."""

_HOOK_PATIENCE = 0.5  # seconds; a session does not wait for its briefing


def context(
    ctx: typer.Context,
    *,
    query: Annotated[
        str | None, typer.Option("--query", metavar="TEXT", help="The first prompt: what is known about it goes first.")
    ] = None,
    tokens: Annotated[
        int | None,
        typer.Option("--budget", min=1, max=MOST_TOKENS, metavar="N", help="How many tokens it may cost; else 2,000."),
    ] = None,
    window: Annotated[
        int | None,
        typer.Option("--window", min=1, metavar="N", help="The context window's tokens; it takes a tenth at most."),
    ] = None,
    profile: options.ProfileName = None,
    cwd: Annotated[
        str | None, typer.Option("--cwd", metavar="DIR", help="The folder that is worked in; else the current one.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The session that is told; it is not told of itself.")
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option("--hook", metavar="AGENT", help="Print the JSON that this agent's hook prints, once a session."),
    ] = None,
    event: Annotated[str | None, typer.Option("--event", metavar="NAME", help="With --hook: the hook's event.")] = None,
    source: Annotated[
        str | None,
        typer.Option("--source", metavar="WHY", help="With --hook: startup, resume, clear, compact or fork."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Print what a session should know when it starts. Nothing is known: nothing is printed.

    Instructions, facts, open tasks and the latest sessions, by importance and age, as quotations in one block of at
    most 2,000 tokens. As a hook it prints nothing when the session was told before, and never fails.
    """
    place = paths.home(ctx.obj)
    folder = cwd or str(Path.cwd())
    budget = MOST_TOKENS if tokens is None else tokens
    if (agent or session) and is_off(folder, str(place.settings)):
        return  # an agent asks, and is to be told nothing here; a person who asks without either is told
    if agent is not None:
        with suppress(AgentmemError, OSError):  # whatever is wrong, the agent is not to be bothered with it
            config = replace(configuration.load(place.settings), patience=_HOOK_PATIENCE)
            told = partial(
                _brief, place, config, profile, folder, session=session, query=query, budget=budget, window=window
            )
            _hook(told, Briefed(place.data / "state" / "briefed"), agent, session, event, source)
        return
    config = configuration.load(place.settings)
    briefing = _brief(place, config, profile, folder, session=session, query=query, budget=budget, window=window)
    if as_json:
        shape = {"version": VERSION, "profile": briefing.profile, "text": briefing.text, "tokens": briefing.tokens}
        sys.stdout.write(json.dumps({**shape, "items": list(briefing.items)}, ensure_ascii=False, indent=2) + "\n")
    elif briefing.text:
        sys.stdout.write(briefing.text + "\n")


def _hook(
    told: "partial[Briefing]",
    briefed: Briefed,
    agent: str,
    session: str | None,
    event: str | None,
    source: str | None,
) -> None:
    """Print the agent's JSON if the session is to be told anything now."""
    takes = event_of(agent, event)
    if takes is None or briefed.knows(agent, session, takes, source):
        return
    text = told().text
    if text and briefed.due(agent, session, takes, source):
        sys.stdout.write(json.dumps(injection(agent, takes, text), ensure_ascii=False) + "\n")


def _brief(
    place: Home,
    config: Config,
    profile: str | None,
    folder: str,
    *,
    session: str | None,
    query: str | None,
    budget: int,
    window: int | None,
) -> Briefing:
    if query and query.strip():
        memory = named(_LIBRARY)(place, config, profile, folder)
        found: Briefing = memory.context(session=session, query=query, budget=budget, window=window)
        return found
    store = Store(place, config)
    name = identify(folder).name
    if profile is not None:
        with store.reading() as connection:
            name = sessions.find_profile(connection, profile)
    today = datetime.now(UTC).astimezone().date()
    return brief(store, name, today, config=config, session=session, budget=budget, window=window)
