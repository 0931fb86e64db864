r"""Turns gitleaks' rules into this program's data: `python -m agentmem.redaction.convert gitleaks.toml COMMIT`.

Go's regular expressions are almost Python's. What differs: flags in the middle of an expression, `\z`, and classes
like `[[:alnum:]]`. Two things are left out: rules about file names, and the words that may stand before a name
(`[\w.-]{0,50}?`), which cost most of the time and find nothing more. And one is opened: gitleaks wants a quote, a
space or a semicolon behind a secret; in what people write any letter may follow that is none of the secret's.
"""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

RULES = Path(__file__).with_name("gitleaks.json")

_BEFORE = r"[\w.-]{0,50}?"
_BEHIND = r"""(?:[\x60'"\s;]|\\[nr]|$)"""
_BEHIND_IN_PROSE = r"(?![A-Za-z0-9_+/=-])"
_POSIX = {
    "[:alnum:]": "a-zA-Z0-9", "[:alpha:]": "a-zA-Z", "[:digit:]": "0-9", "[:xdigit:]": "0-9A-Fa-f", "[:word:]": r"\w",
    "[:lower:]": "a-z", "[:upper:]": "A-Z",
}  # fmt: skip
_FLAG = re.compile(r"\(\?([ims]+)\)")
_REPLACED = frozenset({"generic-api-key", "curl-auth-header", "curl-auth-user", "private-key"})
"""Rules that `agentmem.redaction.own` says better for texts that are not files."""


def to_python(expression: str) -> str:
    """A regular expression of Go in Python's words.

    A flag in the middle holds to the end of its group, so that becomes a group of its own.
    """
    expression = expression.replace(r"\z", r"\Z").replace(_BEFORE, "").replace(_BEHIND, _BEHIND_IN_PROSE)
    for name, letters in _POSIX.items():
        expression = expression.replace(name, letters)
    while (flag := _FLAG.search(expression, 1 if expression.startswith("(?") else 0)) is not None:
        end = _group_end(expression, flag.end())
        inner = expression[flag.end() : end]
        expression = f"{expression[: flag.start()]}(?{flag[1]}:{inner}){expression[end:]}"
    return expression


def convert(rules: dict[str, Any], commit: str) -> dict[str, Any]:
    """The data file, from gitleaks' configuration as it is parsed."""
    kept = []
    for rule in rules["rules"]:
        if "regex" not in rule or "path" in rule or rule["id"] in _REPLACED:
            continue
        one = {"kind": rule["id"], "regex": to_python(rule["regex"]), "words": rule["keywords"]}
        re.compile(one["regex"])
        if "entropy" in rule:
            one["entropy"] = rule["entropy"]
        if "secretGroup" in rule:
            one["group"] = rule["secretGroup"]
        allowed = [
            to_python(regex)
            for allow in rule.get("allowlists", [])
            if allow.get("regexTarget", "secret") == "secret" and "paths" not in allow
            for regex in allow.get("regexes", [])
        ]
        if allowed:
            one["allowed"] = allowed
        kept.append(one)
    return {
        "source": f"https://github.com/gitleaks/gitleaks, config/gitleaks.toml at {commit}",
        "licence": "MIT, Copyright (c) 2019 Zachary Rice; its text is in gitleaks.LICENSE",
        "rules": kept,
    }


def _group_end(expression: str, start: int) -> int:
    """Where the group that `start` lies in is closed, or the end."""
    depth, place, in_class = 0, start, False
    while place < len(expression):
        letter = expression[place]
        if letter == "\\":
            place += 1
        elif in_class:
            in_class = letter != "]"
        elif letter == "[":
            in_class = True
            place += 1 + (expression[place + 1] == "^")  # a bracket right after it is a letter of the class
            continue
        elif letter == "(":
            depth += 1
        elif letter == ")":
            if depth == 0:
                return place
            depth -= 1
        place += 1
    return place


if __name__ == "__main__":
    data = convert(tomllib.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), sys.argv[2])
    RULES.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
