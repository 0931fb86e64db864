"""The entry of the program."""

import io
import os
import sys
from importlib import import_module

_QUICK = {"hook": "agentmem.hook.run", "mcp": "agentmem.mcp.front"}
"""First argument -> module with a `run()` that must start faster than the command line can be imported."""

_BARE = ("mcp",)
"""Those of them that take no arguments: the command line says what is wrong with any."""

_HELP = ("-h", "--help")


def main() -> None:
    """Run the command that the arguments name, and exit with its code."""
    os.umask(0o077)  # whatever is written is for the owner alone
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    first = sys.argv[1] if len(sys.argv) > 1 and sys.argv[-1] not in _HELP else ""
    if first in _BARE and len(sys.argv) > 2:
        first = ""
    try:
        import_module(_QUICK.get(first, "agentmem.cli.app")).run()
    except KeyboardInterrupt:  # before the door was reached, so that nothing was begun
        sys.exit(130)


if __name__ == "__main__":
    main()
