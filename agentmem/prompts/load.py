"""Prompts: one Markdown file each, with named fields and a version.

The first line is `version: N`; a `[[name]]` in the text is a field. Raising the version makes nothing owed by itself;
`agentmem work --redo` does. What stands in a field is never read for fields itself.
"""

import re
from dataclasses import dataclass
from functools import cache

_FIELD = re.compile(r"\[\[([a-z_]+)\]\]")
_VERSION = re.compile(r"version: ([0-9]+)\n+")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt.

    Args:
        name: of its file.
        version: as the file says.
        text: with its fields.
    """

    name: str
    version: int
    text: str

    @property
    def label(self) -> str:
        """Name and version, as `extract/1`."""
        return f"{self.name}/{self.version}"

    @property
    def fields(self) -> frozenset[str]:
        """The names of its fields."""
        return frozenset(_FIELD.findall(self.text))

    def fill(self, **values: str) -> str:
        """The text with each field replaced.

        Raises:
            KeyError: a field has no value, or a value no field.
        """
        wrong = self.fields ^ values.keys()
        if wrong:
            raise KeyError(f"prompt {self.label}: missing or unknown fields {', '.join(sorted(wrong))}")
        return _FIELD.sub(lambda match: values[match[1]], self.text)


@cache
def load(name: str) -> Prompt:
    """The prompt of a name.

    Raises:
        ValueError: its file does not begin with its version.
    """
    from importlib.resources import files  # late: costs more than all else here, and rules need no prompts

    text = files("agentmem.prompts").joinpath(f"{name}.md").read_text(encoding="utf-8")
    version = _VERSION.match(text)
    if version is None:
        raise ValueError(f"prompt {name} does not begin with `version: N`")
    return Prompt(name, int(version[1]), text[version.end() :].strip() + "\n")
