"""The form of a topic key that a model proposes: `scope.attribute`, as in `project.package_manager`.

Lower case, each part one to four words of ASCII letters and digits joined by `_`, two parts or three. The scope is
`project`, `user` or the thing itself (`staging_database.port`). What is not of that form after folding is no key:
the memory is then kept beside others rather than in the place of one.
"""

import re
import unicodedata

LONGEST = 80
_UNSAFE = re.compile(r"[^a-z0-9]+")
_PART = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+){0,3}")


def normalised_key(text: str) -> str | None:
    """The key in its one form, or None if it is none: ` Project.Package-Manager` is `project.package_manager`."""
    plain = unicodedata.normalize("NFKD", text.strip().casefold()).encode("ascii", "ignore").decode()
    parts = [_UNSAFE.sub("_", part).strip("_") for part in plain.split(".")]
    key = ".".join(parts)
    if not 2 <= len(parts) <= 3 or len(key) > LONGEST or not all(map(_PART.fullmatch, parts)):
        return None
    return key
