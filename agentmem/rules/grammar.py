"""The patterns of a language, read from its TOML file.

A language file holds, besides `[words]` (for `agentmem.rules.tables`):

`[macros]`      `%name%` in any expression of the file stands for one of these.
`[guards]`      sentences that make no memory: `question`, `doubt`; `tail` is where a doubt begins that follows a
                statement; `opening` are words that say nothing at the start; `vague` subjects that need a context.
`[triggers]`    words without which a family of patterns need not be tried (English; elsewhere all are tried).
`[reject]`      what stands `before` or `after` a member that is spoken against.
`[[choice]]`    frames around a member of the lexicon (`pnpm`): `before` ends where the member begins, `after` begins
                where it ends.
`[[named]]`     the name of a topic followed by `link` and a value, or `before` it with a group `value`.
`[[contrast]]`  an unknown value against a known member.
`[[attribute]]` the name of an attribute, `link`, and a value of its type; `follow` must come after the value.
`[[version]]`   a member and its version.
`[[pattern]]`   whole sentences; groups `value` `gist` `attribute` (numbered variants allowed).
`[correction]`  what is said in place of a value just named: `value` is the group, English `triggers` are necessary.
`[templates]`   wording of what is stored.

All code is the same for all languages. `by_word` maps a trigger word to the positions of its patterns.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from agentmem.rules.tables import NAME, VALUE, WEAK, lexicon

FOLDER = Path(__file__).parent
NEVER = re.compile(r"(?!)")

# What a value of an attribute looks like, by the topic's `value`.
_UNIT = r"(?:\s?(?:%|[A-Za-zµ]+(?:/[A-Za-z]+)?|[\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7a3]{1,4}))?"
VALUE_TYPES = {
    "number": r"[~≈<>≤≥]?\s?[$€£¥₩]?\d[\d,._]*(?:\s?[kKmM万萬만억億亿](?![a-z]))?" + _UNIT,
    "port": r"\d{2,5}(?!\d|\.\d|%)",
    "version": r"v?\d+(?:\.\d+)*[\w.-]*(?!\s*(?:%|weeks|days|years|months))",
    "url": (r"(?:https?://[^\s,;)>\]]+|(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:/[^\s,;)]*)?|localhost(?::\d+)?(?:/\S*)?)"),
    "path": r"(?:~|\.{1,2})?/?(?:[\w@.-]+/)+[\w@.-]*|(?:~|\.{1,2})?/[\w@.-]+",
    "region": (
        r"[a-z]{2}-(?:[a-z]+-)+\d|(?:us|europe|asia|australia)-[a-z]+\d|"
        r"(?:east|west|north|south|central)\w* ?(?:us|europe|asia)\d?"
    ),
    "level": r"(?:debug|info|warn|warning|error|trace|verbose|fatal)\b",
    "host": r"(?:(?:[\w-]+\.)+[a-z]{2,}|\d{1,3}(?:\.\d{1,3}){3}|localhost)(?::\d+)?",
    "env": r"[A-Z][A-Z0-9]*_[A-Z0-9_]+",
    "money": r"[$€£¥₩]\s?\d[\d,.]*[kKmM]?|\d[\d,.]*\s?(?:dollars|euros|usd|eur|gbp|元|円|원|块)",
    "time": (
        r"\d{1,2}:\d\d(?:\s?[ap]m)?|\d{1,2}\s?[ap]m|(?:[\d*/,-]+\s){4}[\d*/,-]+|"
        r"(?:every|daily|weekly|nightly)\b[^.,;]{0,30}"
    ),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A frame in which a member of the lexicon is chosen."""

    name: str
    kind: str
    before: re.Pattern[str]
    after: re.Pattern[str]
    importance: float
    assistant: bool
    trusted: bool
    contrast: bool


@dataclass(frozen=True, slots=True)
class Named:
    """A frame that ties a topic's name to a value."""

    name: str
    kind: str
    before: re.Pattern[str]
    link: re.Pattern[str] | None
    importance: float


@dataclass(frozen=True, slots=True)
class Attribute:
    """A frame that ties the attribute of an entity to a value; `only` limits it to one type of value."""

    name: str
    before: re.Pattern[str] | None
    link: str
    follow: re.Pattern[str] | None
    past: re.Pattern[str] | None
    value_first: re.Pattern[str] | None
    only: str
    assistant: bool


@dataclass(frozen=True, slots=True)
class Version:
    """A frame in which a member is named with its version."""

    kind: str
    before: re.Pattern[str]
    after: re.Pattern[str]
    importance: float


@dataclass(frozen=True, slots=True)
class SentencePattern:
    """A sentence that makes a memory as a whole."""

    name: str
    kind: str
    pattern: re.Pattern[str]
    deny: re.Pattern[str] | None
    triggers: frozenset[str]
    topic: str
    about: str
    made_key: str
    importance: float
    assistant: bool
    allow_doubt: bool
    dated: bool
    future: bool


@dataclass(frozen=True, slots=True)
class Grammar:
    """All patterns of one language."""

    language: str
    spaced: bool
    question: re.Pattern[str]
    doubt: re.Pattern[str]
    tail: re.Pattern[str]
    opening: re.Pattern[str]
    vague: re.Pattern[str]
    qualifier: re.Pattern[str]
    neutral: frozenset[str]
    entity_stop: frozenset[str]
    reject_before: re.Pattern[str]
    reject_after: re.Pattern[str]
    choices: tuple[Choice, ...]
    named: tuple[Named, ...]
    contrasts: tuple[SentencePattern, ...]
    attributes: tuple[Attribute, ...]
    versions: tuple[Version, ...]
    patterns: tuple[SentencePattern, ...]
    by_word: dict[str, tuple[int, ...]]
    choice_words: frozenset[str]
    named_words: frozenset[str]
    attribute_words: frozenset[str]
    value_heads: frozenset[str]
    name_heads: frozenset[str]
    capitals: re.Pattern[str]
    correction: re.Pattern[str]
    correction_words: frozenset[str]
    templates: dict[str, Any]
    templates_hant: dict[str, Any]


@lru_cache(maxsize=256)
def linked(link: str, kind: str) -> re.Pattern[str]:
    """An attribute frame's `link` with a value of a type behind it (group `exact`).

    One expression, so that a link that could end early goes on to where the value is.
    """
    flags = 0 if kind == "env" else re.IGNORECASE
    return re.compile(f"(?:{link})(?P<exact>{VALUE_TYPES[kind]})", flags)


@lru_cache(maxsize=8)
def grammar(language: str) -> Grammar:
    """The grammar of `en`, `zh`, `ja` or `ko`; read and compiled at first use."""
    data = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    macros = {f"%{name}%": text for name, text in data["macros"].items()}
    macros["%language%"] = _languages()

    def expand(expression: str) -> str:
        for _ in range(3):
            for macro, text in macros.items():
                expression = expression.replace(macro, text)
        return expression

    def rx(expression: str | None, *, at_end: bool = False, cased: bool = False) -> re.Pattern[str]:
        if expression is None:
            return NEVER
        ending = r"$" if at_end else ""
        return re.compile(f"(?:{expand(expression)}){ending}", 0 if cased else re.IGNORECASE)

    def optional(expression: str | None, *, at_end: bool = False) -> re.Pattern[str] | None:
        return None if expression is None else rx(expression, at_end=at_end)

    def pattern(row: dict[str, Any], *, at_end: bool = False) -> SentencePattern:
        return SentencePattern(
            name=row.get("name", ""),
            kind=row["kind"],
            pattern=rx(row["pattern"], at_end=at_end, cased=row.get("cased", False)),
            deny=optional(row.get("deny")),
            triggers=_words(row.get("triggers", "")),
            topic=row.get("topic", ""),
            about=row.get("about", ""),
            made_key=row.get("made_key", ""),
            importance=row.get("importance", 0.5),
            assistant=row.get("assistant", False),
            allow_doubt=row.get("allow_doubt", False),
            dated=row.get("dated", False),
            future=row.get("future", False),
        )

    guards, families = data["guards"], data.get("triggers", {})
    patterns = tuple(pattern(row) for row in data["pattern"])
    value_heads, name_heads, capitals = (
        _heads(_words(families["everyday"])) if families else (frozenset[str](), frozenset[str](), NEVER)
    )
    choice_words, attribute_words = _words(families.get("choice", "")), _words(families.get("attribute", ""))
    spaced = bool(families)
    triggers = frozenset[str]().union(*(p.triggers for p in patterns))
    return Grammar(
        language=language,
        spaced=spaced,
        question=rx(guards["question"]),
        doubt=rx(guards["doubt"]),
        tail=rx(guards["tail"]),
        opening=rx(guards["opening"]),
        vague=rx(guards["vague"]),
        qualifier=rx(guards["qualifier"]),
        neutral=_words(guards["neutral"]),
        entity_stop=_words(guards["entity_stop"]),
        reject_before=rx(data["reject"]["before"], at_end=True),
        reject_after=rx(data["reject"]["after"]),
        choices=tuple(
            Choice(
                name=row["name"],
                kind=row["kind"],
                before=rx(row["before"], at_end=True),
                after=rx(row["after"]),
                importance=row["importance"],
                assistant=row.get("assistant", False),
                trusted=row.get("trusted", False),
                contrast=row.get("contrast", False),
            )
            for row in data["choice"]
        ),
        named=tuple(
            Named(
                name=row["name"],
                kind=row["kind"],
                before=rx(row["before"], at_end=True),
                link=optional(row.get("link")),
                importance=row["importance"],
            )
            for row in data["named"]
        ),
        contrasts=tuple(pattern(row, at_end=True) for row in data["contrast"]),
        attributes=tuple(
            Attribute(
                name=row["name"],
                before=optional(row.get("before"), at_end=True),
                link=expand(row.get("link", "")),
                follow=optional(row.get("follow")),
                past=optional(row.get("past")),
                value_first=optional(row.get("value_first"), at_end=True),
                only=row.get("only", ""),
                assistant=row.get("assistant", False),
            )
            for row in data["attribute"]
        ),
        versions=tuple(
            Version(
                kind=row["kind"],
                before=rx(row["before"], at_end=True),
                after=rx(row["after"]),
                importance=row["importance"],
            )
            for row in data["version"]
        ),
        patterns=patterns,
        by_word={word: tuple(n for n, p in enumerate(patterns) if word in p.triggers) for word in triggers},
        choice_words=choice_words,
        named_words=_words(families.get("named", "")),
        attribute_words=attribute_words,
        value_heads=value_heads,
        name_heads=name_heads | _words(families.get("heads", "")),
        capitals=capitals,
        correction=rx(data["correction"]["pattern"]),
        correction_words=_words(data["correction"].get("triggers", "")),
        templates=data["templates"],
        templates_hant=data.get("templates_hant", data["templates"]),
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(text.replace("%digits%", "0 1 2 3 4 5 6 7 8 9").split())


def _heads(everyday: frozenset[str]) -> tuple[frozenset[str], frozenset[str], re.Pattern[str]]:
    """The words without which a sentence holds no member and no name of the lexicon: one for each phrase, and of a
    phrase of several rather one that is not `everyday`.

    Third: members that are everyday words, where they have a capital inside a sentence.
    """
    values: set[str] = set()
    names: set[str] = set()
    capitals: set[str] = set()
    known = lexicon()
    for phrase, senses in known.latin.items():
        parts = re.findall(r"[a-z]+(?:['-][a-z]+)*", phrase) or [""]
        word = max(parts, key=lambda part: (part not in known.function_words, part not in everyday, len(part)))
        roles = {sense[0] for sense in senses}
        if VALUE in roles and phrase in known.common:
            capitals.add(phrase.capitalize())
        elif VALUE in roles:
            values.update((word, word + "s") if len(word) > 2 else (word,))
        if roles & {NAME, WEAK}:
            names.update((word, word + "s") if len(word) > 2 else (word,))
    shouted = re.compile(rf"(?<=[a-z,:] )(?:{'|'.join(map(re.escape, sorted(capitals)))})(?!\w)")
    return frozenset(values - {"", "i"}), frozenset(names - {"", "i"}), shouted


def _languages() -> str:
    """An expression for the names of human languages: the values of `user.reply_language`."""
    words = lexicon()
    number = next(i for i, topic in enumerate(words.topics) if topic.key == "user.reply_language")
    names = [
        phrase
        for table in (words.latin, words.other)
        for phrase, senses in table.items()
        if any(sense[0] == "form" and sense[1] == number for sense in senses)
    ]
    return "(?:" + "|".join(sorted(map(re.escape, names), key=len, reverse=True)) + ")"
