"""Commands that are imported when they are called: `--help` must not pay for DuckDB."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from agentmem.cli.door import at_the_door
from agentmem.cli.values import PlainHelp, spare_pydantic


@dataclass(frozen=True, slots=True)
class Entry:
    """A command.

    Args:
        target: its function, as `module:function`. The docstring is the help text.
        line: what it does, in the list of commands.
        example: one call of it.
    """

    target: str
    line: str
    example: str


@dataclass(frozen=True, slots=True)
class Group:
    """Commands that share a first word."""

    line: str
    commands: Mapping[str, Entry]


class Command(PlainHelp, TyperCommand):
    """A command."""


class Commands(PlainHelp, TyperGroup):
    """A group whose commands come from a table."""

    table: Mapping[str, Entry | Group] = {}

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, entry in self.table.items():
            self.commands[name] = _group(name, entry) if isinstance(entry, Group) else Waiting(name, entry)


class Waiting(TyperCommand):
    """Stands in the list of commands for one whose module is not imported yet."""

    def __init__(self, name: str, entry: Entry) -> None:
        super().__init__(name, short_help=entry.line, rich_markup_mode=None)
        self._entry = entry

    def load(self) -> Any:
        """The command itself."""
        app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        register = app.command(
            self.name,
            cls=Command,
            context_settings={"help_option_names": ["-h", "--help"]},
            epilog=f"\b\nExample:\n  {self._entry.example}",
        )
        function = named(self._entry.target)
        register(at_the_door(function))
        command = get_command(app)
        spare_pydantic(command, function)
        return command

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        return self.load().make_context(info_name, args, parent=parent, **extra)


def _group(name: str, group: Group) -> Commands:
    found = Commands(
        name=name,
        help=group.line,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    found.commands.update({word: Waiting(word, entry) for word, entry in group.commands.items()})
    return found


def named(target: str) -> Callable[..., Any]:
    """What a name (`module:function`) stands for; its module is imported now."""
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)  # type: ignore[no-any-return]
