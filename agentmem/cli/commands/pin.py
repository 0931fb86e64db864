"""`agentmem pin`, `unpin`, `confirm` and `reject`."""

from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.opening import open_memory
from agentmem.cli.render import render
from agentmem.cli.results import Tended


def pin(ctx: typer.Context, wanted: options.Id, as_json: options.AsJson = False) -> None:
    """Keep a memory from losing weight by age; it comes first in the briefing."""
    render(Tended("pin", open_memory(ctx).pin(wanted)), as_json=as_json)


def unpin(ctx: typer.Context, wanted: options.Id, as_json: options.AsJson = False) -> None:
    """Let a memory age again."""
    render(Tended("unpin", open_memory(ctx).unpin(wanted)), as_json=as_json)


def confirm(ctx: typer.Context, wanted: options.Id, as_json: options.AsJson = False) -> None:
    """Say that a memory still holds. A rejected or expired one counts again."""
    render(Tended("confirm", open_memory(ctx).confirm(wanted)), as_json=as_json)


def reject(
    ctx: typer.Context,
    wanted: options.Id,
    why: Annotated[str, typer.Option("--why", metavar="REASON", help="What was wrong with it.")],
    as_json: options.AsJson = False,
) -> None:
    """Say that a memory did not prove right. It is shown as tried and rejected, with the reason."""
    render(Tended("reject", open_memory(ctx).reject(wanted, why)), as_json=as_json)
