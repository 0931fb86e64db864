"""Values of options without pydantic.

Typer checks every value with pydantic, also text and options that were not given, and importing that costs 0.2 CPU-s,
as much as all of DuckDB. So what needs no check, or a simple one, is settled here; anything else, and every value
that is wrong, goes to Typer, which has the words for it.
"""

from collections.abc import Callable
from enum import StrEnum
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from typer.models import ParameterInfo


class PlainHelp:
    """Laid before a Typer class: a call without `--help` needs nobody to check that value."""

    def get_help_option(self, ctx: Any) -> Any:
        option = super().get_help_option(ctx)  # type: ignore[misc]
        usual = getattr(option, "process_value", None)
        if usual is not None and "process_value" not in vars(option):
            option.process_value = lambda ctx, value: usual(ctx, value) if value else value
        return option


def spare_pydantic(command: Any, function: Callable[..., None]) -> None:
    """Give the parameters of a Typer command a shorter way for what is simple.

    Args:
        command: as Typer made it.
        function: what it was made from, with its annotations.
    """
    hints = get_type_hints(function, include_extras=True)
    for parameter in command.params:
        usual = getattr(parameter, "process_value", None)
        if usual is not None and parameter.name in hints and parameter.callback is None:
            parameter.process_value = _shorter(usual, hints[parameter.name], required=parameter.required)


def _shorter(usual: Callable[[Any, Any], Any], hint: Any, *, required: bool) -> Callable[[Any, Any], Any]:
    kind, several, least, most = _read(hint)

    def process(ctx: Any, value: Any) -> Any:
        if value is None and not required:
            return None
        if several and isinstance(value, list | tuple):
            values = [_settle(one, kind, least, most) for one in value]
            return usual(ctx, value) if None in values else values
        settled = None if several else _settle(value, kind, least, most)
        return usual(ctx, value) if settled is None else settled

    return process


def _read(hint: Any) -> tuple[Any, bool, float, float]:
    """The type of a parameter's values, whether it takes several, and the least and the most it may be."""
    about: ParameterInfo | None = None
    if get_origin(hint) is Annotated:
        hint, about, *_ = get_args(hint)
    alternatives = [one for one in get_args(hint) if one is not NoneType] if NoneType in get_args(hint) else [hint]
    kind = alternatives[0] if len(alternatives) == 1 else None
    several = get_origin(kind) is list
    least = getattr(about, "min", None)
    most = getattr(about, "max", None)
    return (
        get_args(kind)[0] if several else kind,
        several,
        float("-inf") if least is None else least,
        float("inf") if most is None else most,
    )


def _settle(value: Any, kind: Any, least: float, most: float) -> Any:
    """The value in its type; None if that takes more than this."""
    if not isinstance(value, str):
        return None
    if kind is str:
        return value
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return next((one for one in kind if one.value == value), None)
    if kind is int and value.isdecimal() and value.isascii() and len(value) < 10 and least <= int(value) <= most:
        return int(value)
    return None
