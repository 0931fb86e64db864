"""Takes secrets out of a text, before anything is written.

Each becomes `[redacted:kind:1a2b]`; the last part is cut from a hash with a key of the store's own, so that
equal secrets stay recognisable as equal and cannot be guessed from it. What stands between `<private>` and
`</private>` goes without a trace.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from agentmem.domain.late import Late
from agentmem.errors import ConfigError
from agentmem.redaction import rules
from agentmem.redaction.own import HIGH_ENTROPY, OWN_RULES, assigned, high_entropy

VERSION = 1
"""Goes up when the rules find more; what was stored under an older one may be scrubbed."""

_PRIVATE = Late(r"<(?P<end>/)?private>", re.IGNORECASE)
_MARK = Late(r"\[redacted:[\w-]+:[0-9a-f]{4}\]")
_LEAST = 8  # letters that a text with a secret in it has
_RUNS = bytes(ord("x") if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in "_+/=.~:%|-") else ord(" ")
              for byte in range(256))  # fmt: skip
_LONG, _VERY_LONG = b"x" * 16, b"x" * 32


@dataclass(frozen=True, slots=True)
class Found:
    """A secret in a text.

    Args:
        start: where it begins.
        end: where it ends.
        kind: the rule that found it.
    """

    start: int
    end: int
    kind: str


class Redactor:
    """Finds secrets and takes them out.

    Args:
        key: of the store, for the marks.
        patterns: further regular expressions; the first group is the secret, else all of the match.
        allowed: regular expressions; what one of them matches whole is no secret.
        where: where the patterns were given, for the error.

    Raises:
        ConfigError: a pattern is no regular expression.
    """

    def __init__(
        self, key: bytes, patterns: Sequence[str] = (), allowed: Sequence[str] = (), where: str = "redact_patterns"
    ) -> None:
        self.key = key
        self._patterns = tuple(expression(pattern, where) for pattern in patterns)
        self._allowed = tuple(expression(pattern, "redact_allow") for pattern in allowed)

    def __call__(self, text: str) -> str:
        """The text without its private parts and secrets; the same object if there are none."""
        text = without_private(text)
        found = self.find(text)
        if not found:
            return text
        pieces = []
        place = 0
        for one in found:
            pieces += [text[place : one.start], self.mark(text[one.start : one.end], one.kind)]
            place = one.end
        return "".join([*pieces, text[place:]])

    def mark(self, secret: str, kind: str) -> str:
        """What stands where a secret stood."""
        digest = blake2b(secret.encode("utf-8", "surrogatepass"), key=self.key).hexdigest()
        return f"[redacted:{kind}:{digest[-4:]}]"

    def find(self, text: str) -> list[Found]:
        """The secrets of a text, in order, none overlapping another."""
        if len(text) < _LEAST:
            return []
        return self._merged(text, self._all(text))

    def find_own(self, text: str) -> list[Found]:
        """What the patterns alone find, in order, none overlapping another."""
        return self._merged(text, (one for pattern in self._patterns for one in _matches(pattern, text, "pattern")))

    def _merged(self, text: str, all_of_them: Iterable[Found]) -> list[Found]:
        found = sorted(all_of_them, key=lambda one: one.start)
        if not found:
            return []
        marks = [match.span() for match in _MARK.regex.finditer(text)]
        merged: list[Found] = []
        for one in found:
            if any(first < one.end and one.start < last for first, last in marks) or self._is_allowed(text, one):
                continue
            if merged and one.start < merged[-1].end:
                last_one = merged[-1]
                kind = last_one.kind if last_one.end - last_one.start >= one.end - one.start else one.kind
                merged[-1] = Found(last_one.start, max(one.end, last_one.end), kind)
            else:
                merged.append(one)
        return merged

    def _all(self, text: str) -> Iterator[Found]:
        lowered = text.lower()
        if len(lowered) != len(text):  # a few letters of Turkish and the like become two
            lowered = "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)
        runs = text.encode("utf-8", "replace").translate(_RUNS)
        for pattern in self._patterns:
            yield from _matches(pattern, text, "pattern")
        if _LONG in runs:
            for start, end, kind in rules.search(text, lowered):
                yield Found(start, end, kind)
        for start, end, kind in assigned(text, lowered):
            yield Found(start, end, kind)
        for rule in OWN_RULES:
            if rule.is_called_for(lowered, long=_LONG in runs):
                for match in rule.expression.regex.finditer(text):
                    name = match.lastgroup
                    if name and rule.accepts(match[name]):
                        yield Found(*match.span(name), rule.kind)
        if _VERY_LONG in runs:
            for start, end in high_entropy(text):
                yield Found(start, end, HIGH_ENTROPY)

    def _is_allowed(self, text: str, one: Found) -> bool:
        return any(pattern.fullmatch(text, one.start, one.end) for pattern in self._allowed)


def _matches(pattern: re.Pattern[str], text: str, kind: str) -> Iterable[Found]:
    for match in pattern.finditer(text):
        start, end = match.span(1) if pattern.groups and match[1] else match.span()
        if end > start:
            yield Found(start, end, kind)


def without_private(text: str) -> str:
    """The text without what stands between `<private>` and `</private>`; one that is not closed reaches to the end."""
    if "<" not in text or "private>" not in text.lower():
        return text
    kept = []
    depth = place = 0
    for tag in _PRIVATE.regex.finditer(text):
        if tag["end"]:
            if depth == 1:
                place = tag.end()
            depth = max(0, depth - 1)
        else:
            if depth == 0:
                kept.append(text[place : tag.start()])
            depth += 1
    if depth == 0:
        kept.append(text[place:])
    return "".join(kept)


def expression(pattern: str, where: str) -> re.Pattern[str]:
    """A pattern of the user's, compiled.

    Raises:
        ConfigError: it is none.
    """
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ConfigError(
            f"{pattern!r} in {where} is no regular expression: {error}", "Python's `re` tells how they are written."
        ) from None
