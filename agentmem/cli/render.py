"""The one place that prints results: as JSON, or as text for whatever standard output is."""

import json
import sys

from agentmem.cli.as_json import as_json as shape
from agentmem.cli.as_text import as_text
from agentmem.cli.results import Result
from agentmem.cli.screen import screen


def render(result: Result, *, as_json: bool = False) -> None:
    """Print a result."""
    if as_json:
        print_json(shape(result))
    else:
        as_text(result, screen())


def print_json(value: dict[str, object], *, line: bool = False) -> None:
    """Print JSON.

    Args:
        value: what to print.
        line: on one line, sent off at once.
    """
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=None if line else 2) + "\n")
    if line:
        sys.stdout.flush()
