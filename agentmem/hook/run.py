"""`agentmem hook <agent>`: always leaves with 0, and says nothing but a briefing.

An agent waits for its hooks, so this package imports the standard library alone (and of that only what starts fast:
no pathlib, no dataclasses, no subprocess before it is needed), opens no database and prints nothing but a briefing.

    recognise the call → write a note into the spool → (print a briefing) → start the worker → leave with 0

Everything else is done by the worker (`agentmem.upkeep.drain`), which nobody waits for.
"""

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from agentmem.hook import payload as stdin
from agentmem.hook import spool, worker
from agentmem.hook.briefing import brief, say
from agentmem.hook.call import AGENTS, PROMPT, Call, recognise
from agentmem.hook.ignored import is_ignored, patterns
from agentmem.hook.place import PRIVATE_FILE, PRIVATE_FOLDER, Place, place

_OPTIONS = ("session", "transcript", "cwd", "event")
_SWEEP_EVERY = 600.0


def run() -> NoReturn:
    """Handle the call that the arguments and standard input make; never returns, never fails."""
    if not (_is_on("AGENTMEM_DISABLE") or _is_on("AGENTMEM_IN_HOOK")):
        try:
            handle(sys.argv[2:])
        except BaseException as error:  # noqa: BLE001 - an agent must never suffer from its memory
            _write_down(error)
    os._exit(0)  # at once: nothing is left to be tidied up, and every millisecond is the agent's


def handle(arguments: Sequence[str]) -> None:
    """Note down what happened, brief the agent if it wants that, and see to it that a worker comes."""
    asked, options, given = _parse(arguments)
    if given:
        payload = stdin.parse(given.encode("utf-8", "surrogateescape"))
    else:  # a plugin that says it all on the command line has nothing to pipe
        payload = {} if options or asked == "aider" else stdin.read()
    if not payload and not options and asked != "aider":
        return
    if asked == "aider":
        options.setdefault("event", "turn")
    call = recognise(asked, payload, options)
    if call is None or _is_natively_heard(call):
        return
    home = place()
    if is_ignored(call.cwd, patterns(home.settings)) or spool.is_repeated(home, call):
        return
    spool.write(home, call)
    is_first = call.takes_briefing and not spool.is_briefed(home, call)
    if is_first:
        # Before the worker, so that it need not wait for the worker's turn at the database.
        say(brief(home, call))
    if call.is_before_briefing:
        return  # likewise: the worker comes behind the first prompt
    if call.event != PROMPT or is_first or spool.is_due(home, "sweep-at-prompt", _SWEEP_EVERY):
        worker.start(home)


def _parse(arguments: Sequence[str]) -> tuple[str, dict[str, str], str]:
    """The agent, the options, and a payload given as an argument, as Codex's `notify` does."""
    agent, given = "", ""
    options: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.removeprefix("--").partition("=")
        if argument.startswith("--") and name in _OPTIONS:
            options[name] = value if equals else next(rest, "")
        elif argument.startswith("{"):
            given = argument
        elif not agent and argument in AGENTS:
            agent = argument
    return agent, options, given


def _is_natively_heard(call: Call) -> bool:
    """Whether this is Claude's hook, run by Cursor beside Cursor's own."""
    if not (call.bridged and call.agent == "cursor"):
        return False
    folders = [os.path.join(os.path.expanduser("~"), ".cursor"), os.path.join(call.cwd, ".cursor") if call.cwd else ""]
    return any(_mentions(os.path.join(folder, "hooks.json"), b"hook cursor") for folder in folders if folder)


def _mentions(file: str, words: bytes) -> bool:
    try:
        with open(file, "rb") as stream:
            return words in stream.read(1 << 20)
    except (OSError, ValueError):
        return False


def _is_on(name: str) -> bool:
    return os.environ.get(name, "") not in ("", "0")


def _write_down(error: BaseException) -> None:
    """Leave a line in the log: what failed and where, without what it was about."""
    try:
        home: Place = place()
        os.makedirs(home.log, PRIVATE_FOLDER, exist_ok=True)
        where = "?"
        trace = error.__traceback__
        while trace is not None:  # the innermost place that is ours
            file = trace.tb_frame.f_code.co_filename
            if "agentmem" in file:
                where = f"{os.path.basename(file)}:{trace.tb_lineno}"
            trace = trace.tb_next
        number = getattr(error, "errno", None)
        line = f"{type(error).__name__} at {where}{f' ({os.strerror(number)})' if number else ''}\n"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        descriptor = os.open(os.path.join(home.log, "hook.log"), flags, PRIVATE_FILE)
        if os.fstat(descriptor).st_size > 1 << 20:
            os.ftruncate(descriptor, 0)
        os.write(descriptor, line.encode())
        os.close(descriptor)
    except BaseException:  # noqa: BLE001 - there is nobody left to tell
        return
