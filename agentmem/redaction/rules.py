"""gitleaks' rules, each compiled when a text first has one of its words."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agentmem.domain.late import Late
from agentmem.redaction.values import entropy, is_stand_in

_LONG = Late(r"[A-Za-z0-9_+/=.~:%|-]{16,}")
_BEFORE, _BEHIND = 120, 40


@dataclass(frozen=True, slots=True)
class Rule:
    """One of gitleaks' rules.

    Args:
        kind: its id there.
        regex: a Python regular expression.
        words: it is only tried on a text that has one of these, in small letters.
        entropy: bits a letter that the secret has at least.
        group: the group that is the secret; 0: the first that took part, else all.
        allowed: a secret that one of these is found in is none.
    """

    kind: str
    regex: str
    words: tuple[str, ...]
    entropy: float = 0.0
    group: int = 0
    allowed: tuple[str, ...] = ()


@cache
def load() -> tuple[Rule, ...]:
    """All rules of the data file."""
    data = json.loads(Path(__file__).with_name("gitleaks.json").read_text(encoding="utf-8"))
    return tuple(
        Rule(
            kind=one["kind"],
            regex=one["regex"],
            words=tuple(one["words"]),
            entropy=one.get("entropy", 0.0),
            group=one.get("group", 0),
            allowed=tuple(one.get("allowed", ())),
        )
        for one in data["rules"]
    )


@cache
def by_word() -> dict[str, tuple[int, ...]]:
    """The numbers of the rules that each word calls for."""
    found: dict[str, tuple[int, ...]] = {}
    for no, rule in enumerate(load()):
        for word in rule.words:
            found[word] = (*found.get(word, ()), no)
    return found


@cache
def compiled(no: int) -> tuple[re.Pattern[str], tuple[re.Pattern[str], ...]]:
    """A rule's expression and what it allows. In ASCII's terms, so that a Korean particle ends a word."""
    rule = load()[no]
    return re.compile(rule.regex, re.ASCII), tuple(re.compile(one, re.ASCII) for one in rule.allowed)


def search(text: str, lowered: str) -> Iterator[tuple[int, int, str]]:
    """Where the rules find something: start, end, kind.

    What they look for is at least sixteen letters long, and a provider's name stands on the same line or not at all:
    so only the surroundings of long words are looked at.

    Args:
        text: one with a long word in it.
        lowered: the same in small letters, letter for letter.
    """
    windows = _windows(text)
    near = "\n".join(lowered[start:end] for start, end in windows)
    wanted = {no for word, numbers in by_word().items() if word in near for no in numbers}
    for no in sorted(wanted):
        rule = load()[no]
        regex, allowed = compiled(no)
        for start, end in windows:
            for match in regex.finditer(text, start, end):
                group = rule.group or next((n for n in range(1, regex.groups + 1) if match[n]), 0)
                secret = match[group]
                if len(secret) < 6 or (rule.entropy and entropy(secret) < rule.entropy) or is_stand_in(secret):
                    continue
                if not any(one.search(secret) for one in allowed):
                    yield *match.span(group), rule.kind


def _windows(text: str) -> list[tuple[int, int]]:
    """The surroundings of the long words: on their line, so many letters before and behind them."""
    found: list[tuple[int, int]] = []
    for match in _LONG.regex.finditer(text):
        first, last = match.span()
        start = max(text.rfind("\n", 0, first) + 1, first - _BEFORE)
        line_end = text.find("\n", last, last + _BEHIND)
        end = line_end if line_end >= 0 else min(len(text), last + _BEHIND)
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found
