"""`agentmem config`."""

from dataclasses import fields
from typing import Annotated

import typer

from agentmem import config, paths
from agentmem.cli import options
from agentmem.cli.render import render
from agentmem.cli.results import Setting, Settings, SettingsFile
from agentmem.config import Config
from agentmem.errors import UsageError

KEYS = tuple(field.name for field in fields(Config))
Key = Annotated[str, typer.Argument(metavar="KEY", help=f"One of {', '.join(KEYS)}.")]


def show(ctx: typer.Context, as_json: options.AsJson = False) -> None:
    """Show all settings in force: the defaults, over them config.toml, over that the environment (AGENTMEM_<KEY>)."""
    settings = paths.home(ctx.obj).settings
    render(Settings(str(settings), config.load(settings)), as_json=as_json)


def get(ctx: typer.Context, key: Key, as_json: options.AsJson = False) -> None:
    """Print one setting, as it is in force."""
    found = config.load(paths.home(ctx.obj).settings)
    if key not in KEYS:
        raise UsageError(f"Unknown setting {key!r}", f"Known are {', '.join(KEYS)}.")
    render(Setting(key, getattr(found, key)), as_json=as_json)


def set_(
    ctx: typer.Context,
    key: Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="The new value.")],
    as_json: options.AsJson = False,
) -> None:
    """Change one setting in config.toml; the others stay."""
    if key not in KEYS:
        raise UsageError(f"Unknown setting {key!r}", f"Known are {', '.join(KEYS)}.")
    changed = config.save(paths.home(ctx.obj).settings, key, value)
    render(Setting(key, getattr(changed, key)), as_json=as_json)


def path(ctx: typer.Context, as_json: options.AsJson = False) -> None:
    """Print where the settings are kept; the file need not exist."""
    settings = paths.home(ctx.obj).settings
    render(SettingsFile(str(settings), settings.exists()), as_json=as_json)
