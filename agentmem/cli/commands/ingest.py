"""`agentmem ingest`."""

from dataclasses import dataclass, field
from typing import Annotated

import typer

from agentmem.cli import inputs, options
from agentmem.cli.opening import open_memory
from agentmem.cli.progress import Update, progress
from agentmem.cli.render import render
from agentmem.cli.results import IngestReport, InputRead
from agentmem.domain.reports import Tally
from agentmem.errors import AgentmemError, BadInput, ModelMismatch, ModelUnavailable, UsageError
from agentmem.ingest.pay import Paid
from agentmem.ingest.pipeline import Ingestion
from agentmem.ingest.vectorize import Vectorized
from agentmem.memory import Memory
from agentmem.sources.formats import FORMATS, read

_BAD = 4


def ingest(
    ctx: typer.Context,
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATHS", help="Files, folders, or - for standard input.", show_default=False),
    ] = None,
    *,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile", "-p", metavar="NAME", help="Put all into this profile, rather than each session's project."
        ),
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The session of lines that do not name theirs.")
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="NAME", help=f"One of {', '.join(FORMATS)}; else the content tells."),
    ] = None,
    sweep: Annotated[
        bool, typer.Option("--sweep", help="Read what has grown of all agents' transcripts on this machine.")
    ] = False,
    no_vectors: Annotated[bool, typer.Option("--no-vectors", help="Leave the vectors to `agentmem work`.")] = False,
    no_models: Annotated[
        bool, typer.Option("--no-models", help="Leave what language models are to read to `agentmem work`.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Read transcripts into the memory: messages word for word, and what the rules learn from them.

    Folders are read with all below them. What is stored already is recognised, so a transcript can be read
    again at any time, and a run that was stopped goes on where it was.
    """
    if sweep:
        if paths or session or form or profile:
            raise UsageError("--sweep finds the transcripts itself", "Name no files, session, format or profile.")
        with progress("reading", "bytes", quiet=as_json) as update:
            render(open_memory(ctx).catch_up(progress=update), as_json=as_json)
        return
    if not paths and not inputs.piped():
        raise UsageError("There is nothing to read", "Name files or folders, or pipe a transcript in.")
    memory = open_memory(ctx, profile)
    run = _Run(memory.ingestion(), session, form)
    sources = inputs.find(paths or [inputs.STDIN])
    size = sum(source.size for source in sources)
    done = 0
    with progress("reading", "bytes", quiet=as_json) as update:
        for source in sources:
            run.take(source, done, size, update)
            done += source.size
    vectors, note = Vectorized(), ""
    if no_vectors:
        vectors = Vectorized(owed=memory.stats().owed)
    else:
        vectors, note = _pay(memory, quiet=as_json)
    models = None
    if memory.config.language_model != "none" and not no_models:
        models = _let_models_work(memory, quiet=as_json)
        if models.found.memories and not no_vectors:
            vectors, note = _pay(memory, quiet=as_json)
    report = IngestReport(
        inputs=tuple(run.read),
        passed_over=run.passed_over,
        stored=run.ingestion.done,
        profile=profile or memory.profile,
        vectors=vectors,
        note=note,
        models=models,
    )
    render(report, as_json=as_json)
    if run.bad:
        raise typer.Exit(_BAD)


@dataclass(slots=True)
class _Run:
    """What is read so far; one bad input does not keep the others from being read."""

    ingestion: Ingestion
    session: str | None
    form: str | None
    read: list[InputRead] = field(default_factory=list)
    passed_over: int = 0
    bad: bool = False

    def take(self, source: inputs.Source, done: int, size: int, update: Update) -> None:
        tally = Tally()
        count = 0
        error: BadInput | None = None
        try:
            with inputs.opened(source, lambda position: update(done + position, size)) as stream:
                try:
                    said = read(stream, name=source.name, tally=tally, format=self.form, session_id=self.session)
                except inputs.Unreadable:
                    raise
                except BadInput as unlike:
                    if not source.named:
                        self.passed_over += 1
                        return
                    raise BadInput(f"{source.label} is not a transcript in any known format.", unlike.hint) from unlike
                try:
                    self.ingestion.take(said, source=source.path)
                finally:
                    count = stream.count
        except BadInput as bad:
            error = bad
            self.bad |= source.named
        self.read.append(
            InputRead(
                name=source.path,
                size=count,
                messages=tally.messages,
                skipped=tally.skipped,
                unknown=tally.unknown,
                ignored=tally.ignored,
                error=_named(error.message, source.label) if error else "",
                hint=error.hint if error else "",
            )
        )


def _named(message: str, path: str) -> str:
    return message if path in message else f"{path}: {message}"


def _pay(memory: Memory, *, quiet: bool) -> tuple[Vectorized, str]:
    """The vectors for which there is time, and why there are none. The transcripts are stored whatever happens here."""
    try:
        with progress("computing vectors", quiet=quiet) as update:
            return memory.work(seconds=memory.config.vector_seconds, progress=update), ""
    except (ModelMismatch, ModelUnavailable) as error:
        return Vectorized(owed=memory.stats().owed), _sentence(error)


def _let_models_work(memory: Memory, *, quiet: bool) -> Paid:
    with progress("models read", "pieces", quiet=quiet) as update:
        return memory.pay(progress=update)


def _sentence(error: AgentmemError) -> str:
    return f"{error.message.rstrip('.')}. {error.hint}".strip()
