"""`agentmem demo`."""

import tempfile
from contextlib import suppress
from importlib.resources import files
from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.render import render
from agentmem.cli.results import Demonstrated
from agentmem.domain.messages import Role
from agentmem.domain.reports import Tally
from agentmem.errors import ModelUnavailable
from agentmem.memory import Memory
from agentmem.sources.formats import read

_SESSION = files("agentmem.cli") / "data" / "session.jsonl"
_PROFILE = "zone-dashboard"
_TODAY = "2026-04-15"  # the session is of the day before; the answers must not depend on when the demo is run
_HITS = 2
QUESTIONS = (
    "What package manager does the user prefer?",
    "What is the API rate limit?",
    "Which theme is the default?",
    "How many days ago was the April 10 incident?",
    "Which end-to-end test is still to be written?",
    "Which database does the billing service use?",
)


def demo(
    ctx: typer.Context,
    questions: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUESTION", help="Ask these instead of the usual ones.", show_default=False),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """See it work: a sample session is read into a temporary store, and questions about it are answered.

    Your own store is not touched. Nothing goes over the network.
    """
    del ctx  # the demo has a store of its own, whatever `--home` says
    with tempfile.TemporaryDirectory(prefix="agentmem-demo-", ignore_cleanup_errors=True) as home:
        render(_run(home, questions or QUESTIONS), as_json=as_json)


def _run(home: str, questions: tuple[str, ...] | list[str]) -> Demonstrated:
    memory = Memory.open(home, profile=_PROFILE)
    with _SESSION.open("rb") as stream:
        said = list(read(stream, name=_PROFILE, tally=Tally()))
    report = memory.ingest(said, source="demo")
    with suppress(ModelUnavailable):  # search is by words alone then
        memory.work(seconds=memory.config.vector_seconds)
    return Demonstrated(
        said=tuple((one.role.value, one.content) for one in said if one.role is Role.USER),
        report=report,
        memories=memory.list(everything=True),
        answers=tuple(memory.recall(question, k=_HITS, reference_date=_TODAY) for question in questions),
    )
