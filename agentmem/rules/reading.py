"""One sentence as the rules read it."""

from dataclasses import dataclass

from agentmem.rules.grammar import Grammar
from agentmem.rules.tables import Mark


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence with what is known about it.

    Args:
        text: as patterns read it (`plain`, `blot`, `fold`); the same length as `original`.
        original: as written, for capitals and for the words of the result.
        marks: the lexicon's phrases in it.
        grammar: its language.
        assistant: whether the agent said it; then only decisions and changes count.
    """

    text: str
    original: str
    marks: list[Mark]
    grammar: Grammar
    assistant: bool

    def written(self, mark: Mark) -> str:
        """A mark's words as written."""
        return self.original[mark.start : mark.end]
