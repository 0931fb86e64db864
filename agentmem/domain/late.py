"""Regular expressions that are compiled when first used: all of them would cost each start a tenth of a second."""

import re
from functools import cached_property


class Late:
    """An expression that is compiled late.

    Args:
        text: the expression.
        flags: as `re.compile` takes them.
    """

    def __init__(self, text: str, flags: int = 0) -> None:
        self._text = text
        self._flags = flags

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled expression."""
        return re.compile(self._text, self._flags)
