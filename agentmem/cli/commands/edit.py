"""`agentmem edit`."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.inputs import piped, words
from agentmem.cli.opening import open_memory
from agentmem.cli.render import render
from agentmem.cli.results import Tended
from agentmem.errors import UsageError


def edit(
    ctx: typer.Context,
    wanted: options.Id,
    text: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="The new words; else standard input, or your editor.", show_default=False),
    ] = None,
    *,
    as_json: options.AsJson = False,
) -> None:
    """Say a memory in other words. The old one is kept as superseded; kind, topic and pin stay.

    On a terminal without TEXT, $VISUAL or $EDITOR opens with what it says now.
    """
    memory = open_memory(ctx)
    if text or piped():
        said = words(text or [], "text")
    else:
        item = memory.show(wanted).memory
        if item is None:
            raise UsageError(f"{wanted} is a message, which stays as it was said", "`agentmem list` shows memories.")
        said = _edited(item.content)
        if said.strip() == item.content.strip():
            typer.echo("Nothing was changed.", err=True)
            return
    render(Tended("edit", memory.edit(wanted, said)), as_json=as_json)


def _edited(text: str) -> str:
    """What a person made of a text in their editor."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if os.name == "nt" else "vi")
    with tempfile.TemporaryDirectory(prefix="agentmem-") as folder:
        file = Path(folder) / "memory.txt"
        file.write_text(text + "\n", encoding="utf-8")
        try:
            code = subprocess.run([*shlex.split(editor), str(file)], check=False).returncode  # noqa: S603 - their own
        except OSError as error:
            raise UsageError(f"The editor {editor!r} cannot be started", "Set EDITOR, or give the text.") from error
        return file.read_text(encoding="utf-8") if code == 0 else text
