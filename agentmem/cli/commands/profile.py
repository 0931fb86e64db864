"""`agentmem profile`."""

from pathlib import Path
from typing import Annotated

import typer

from agentmem.cli import options
from agentmem.cli.inputs import piped
from agentmem.cli.opening import open_memory
from agentmem.cli.render import render
from agentmem.cli.results import ProfileReason, Profiles, ProfileShown
from agentmem.errors import UsageError
from agentmem.projects import USER, identify
from agentmem.store.sessions import Profile


def list_(ctx: typer.Context, as_json: options.AsJson = False) -> None:
    """List all profiles with what they hold.

    On a pipe each is a line with tabs between `*` for the current folder's, name, sessions, messages, memories and
    identity.
    """
    memory = open_memory(ctx)
    render(Profiles(memory.profile, memory.profiles()), as_json=as_json)


def show(
    ctx: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="Its name or unique beginning; else the current folder's.", show_default=False
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Show what one profile holds."""
    memory = open_memory(ctx, name)
    identity = identify(str(Path.cwd())).identity if name is None else None
    empty = Profile(memory.profile, identity, None, sessions=0, messages=0, memories=0)
    found = next((one for one in memory.profiles() if one.name == memory.profile), empty)
    render(ProfileShown(found), as_json=as_json)


def delete(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its whole name.", show_default=False)],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what it holds.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Delete a profile from every file of the store, and from the backups that agentmem made. Cannot be undone.

    The agents' own transcripts stay where they are, and are not read again by hooks and sweeps. Exits with 1 if
    something is left.
    """
    memory = open_memory(ctx)
    found = memory.find_erasable(name)
    if dry_run:
        render(ProfileShown(found), as_json=as_json)
        return
    if not yes:
        if piped():
            raise UsageError("Nobody is there to confirm that", "`agentmem profile delete --yes NAME` does not ask.")
        what = f"{found.sessions:,} sessions, {found.messages:,} messages and {found.memories:,} memories"
        if not typer.confirm(f"Delete {found.name} with {what} for good?", err=True):
            typer.echo("Nothing was deleted.", err=True)
            return
    done = memory.delete_profile(found.name)
    render(done, as_json=as_json)
    if done.residue or done.unreadable:
        raise typer.Exit(1)


def why(
    ctx: typer.Context,
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="A folder, there or not.", show_default=False)] = ".",
    as_json: options.AsJson = False,
) -> None:
    """Tell which profile a folder has, and why. Recall from there asks it, and the profile `user`."""
    project = identify(str(Path(folder).expanduser().resolve()))
    stored = any(one.name == project.name for one in open_memory(ctx).profiles() if one.name != USER)
    render(ProfileReason(project, stored), as_json=as_json)
