"""What a value looks like: drawn at random, chosen as a password, or a mere stand-in."""

import math
import re
from collections import Counter
from itertools import pairwise

from agentmem.domain.late import Late

_STAND_IN = Late(
    r"""
    [<{\[(*].*                      # <token>, {{ secret }}, [redacted:…], ***
    | .*(?:\$\{|\{\{|%\(|\$\(|\*{3}|\.{3}|…|<[a-z_ -]+>).*
    | \$\w+ | %\w+%? | @\w+
    | (?P<one>.)(?P=one)*           # one letter over and over
    | (?:x{3,}|.*x{4,}.*)
    | .*(?:example|placeholder|change[-_]?(?:me|it|this)|replace[-_]?(?:me|this|with)|redacted|insert[-_]|dummy|sample
        |your[-_ ]?|fake|mock|todo|goes[-_]?here).*
    | (?:test|pass|password|passwd|pwd|secret|token|admin|user|username|foo|bar|baz|abc|demo|example|key|api|none|null
        |nil|true|false|undefined|empty|default|string|str|bytes|int|bool|optional|hunter|qwerty|letmein|root|guest|public
        |postgres|mysql|redis|localhost|basic|bearer|digest|required|optional|hidden|unset|invalid|valid|wrong|correct
        |some|my|the|a|an|new|old|changed?)[-_\d!.]*
    | (?:test|password|secret|token|some|my|dev|local)[-_a-z]{2,}\d{0,4}!?
    | (?:process|os|env|config|settings|self|this|args|request|req|options|params|secrets|vars|local|data|var)\.\S*
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REFERENCE = Late(r"[A-Za-z_]+\d?(?:(?:\.|::|->)[A-Za-z_]+\d?)*|[a-z]+(?:-[a-z]+)+\d?|[A-Z]+(?:-[A-Z]+)+\d?")
_PATH = Late(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.@-]+(?:[/\\][\w.@-]*)*|[\w.-]+(?:/[\w.-]+)+\.\w{1,5}")
_NUMBER = Late(r"[\d.,:_/+-]+(?:ms|s|m|h|d|k|kb|mb|gb|px|%)?", re.IGNORECASE)
_HEX = Late(r"[0-9a-fA-F]+")
_UUID = Late(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def entropy(text: str) -> float:
    """Shannon's entropy of the letters of a text, in bits a letter."""
    size = len(text)
    return -sum(n / size * math.log2(n / size) for n in Counter(text).values())


def is_stand_in(value: str) -> bool:
    """Whether a value only stands where a secret would: a placeholder, a variable, the word `password`."""
    return _STAND_IN.regex.fullmatch(value) is not None


def is_reference(value: str) -> bool:
    """Whether a value is a name, a path or a number rather than something that was chosen to be kept secret."""
    if _REFERENCE.regex.fullmatch(value):
        return not is_scrambled(value)
    return bool(_PATH.regex.fullmatch(value) or _NUMBER.regex.fullmatch(value))


def is_scrambled(value: str) -> bool:
    """Whether capitals and small letters follow each other as in no word or name."""
    classes = [0 if c.islower() else 1 if c.isupper() else 2 for c in value]
    changes = sum(one != other for one, other in pairwise(classes))
    return len(value) >= 12 and {0, 1} <= set(classes) and changes / len(value) >= 0.4


def is_password(value: str) -> bool:
    """Whether a value that stands where a password stands is one."""
    return len(value) >= 6 and " " not in value and not is_stand_in(value) and not is_reference(value)


def is_key(value: str) -> bool:
    """Whether a value that stands where a key or token stands is one: long, and no word."""
    if len(value) < 10 or " " in value or is_stand_in(value) or is_reference(value):
        return False
    return (any(map(str.isdigit, value)) or is_scrambled(value)) and entropy(value) >= 2.8


def is_random(value: str) -> bool:
    """Whether a value was drawn at random from capitals, small letters and digits.

    In a random one every second letter is of another class than the one before it; in `OrderTokenFactoryV2` every
    third. Hexadecimal numbers are left alone: nearly all of them are hashes.
    """
    if _HEX.regex.fullmatch(value) or _UUID.regex.fullmatch(value):
        return False
    classes = [0 if c.islower() else 1 if c.isupper() else 2 if c.isdigit() else 3 for c in value]
    if not {0, 1, 2} <= set(classes) or classes.count(2) < 2:
        return False
    changes = sum(one != other for one, other in pairwise(classes))
    return changes / len(value) >= 0.42 and entropy(value) >= 4.0
