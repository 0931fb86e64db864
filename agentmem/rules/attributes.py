"""Exact values in a sentence: the attribute of an entity and what it is (`API`, rate limit, `10,000 req/s`).

Also versions of lexicon members (`Postgres 16.2`) and attributes that the lexicon does not hold but whose last word
shows what they are ("the max payload size is 25 MB").
"""

import re
from dataclasses import dataclass

from agentmem.rules.grammar import VALUE_TYPES, Attribute, Grammar
from agentmem.rules.tables import NAME, VALUE, WEAK, Mark, lexicon
from agentmem.rules.topics import entity_before, entity_scope, key_of

_VALUES = {name: re.compile(pattern, 0 if name == "env" else re.IGNORECASE) for name, pattern in VALUE_TYPES.items()}
# The last word of a noun phrase that is surely the name of a setting.
_HEADS = "limit|size|timeout|interval|threshold|quota|count|retention|capacity|ttl|budget|window|depth|length|delay|duration|ratio"
_PHRASE = re.compile(
    rf"\b(?:the|our)\s+(?P<phrase>[a-z][\w-]*(?: [a-z][\w-]*){{0,3}}? (?:{_HEADS}))\s+(?:is|was|has been|are)\s+(?:now )?"
    r"(?:set (?:to|at) |(?:increased|raised|lowered|reduced|changed|bumped) (?:from \S+(?: \w+)? )?to |capped at |limited to )?"
    rf"(?P<value>{VALUE_TYPES['number']})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Exact:
    """An exact value: its key, the topic's number (None outside the lexicon), whose it is, and the value itself."""

    key: str | None
    topic: int | None
    entity: str
    value: str
    kind: str
    importance: float
    start: int
    end: int


def find_exact(
    text: str, original: str, marks: list[Mark], grammar: Grammar, known: dict[int, str], *, assistant: bool
) -> list[Exact]:
    """The exact values of one sentence (arguments as in `find_choices`).

    Args:
        known: attribute topic -> the one entity that the session has named for it so far; "" where it named several.
            An attribute without entity is read as that entity's.
    """
    found: list[Exact] = []
    for mark in marks:
        for number in mark.topics(NAME, WEAK):
            topic = lexicon().topics[number]
            if not topic.value or topic.value == "date":
                continue
            exact = _attribute(text, original, mark, number, grammar, known, assistant=assistant)
            if exact is not None and exact.key not in [other.key for other in found]:
                found.append(exact)
                break
    if not assistant:
        found += _versions(text, original, marks, grammar)
        if not found and grammar.language == "en":
            found += _unlisted(text, original)
    return found


def _attribute(
    text: str, original: str, mark: Mark, number: int, grammar: Grammar, known: dict[int, str], *, assistant: bool
) -> Exact | None:
    topic = lexicon().topics[number]
    for frame in grammar.attributes:
        if (frame.only and frame.only != topic.value) or (assistant and not frame.assistant):
            continue
        hit = _value(text, mark, topic.value, frame)
        if hit is None:
            continue
        entity, start, end = hit
        entity = entity or entity_before(text, mark.start, grammar.entity_stop)
        entity = _trim(entity, grammar)
        if not entity and not topic.default:
            entity = known.get(number, "")
        return Exact(
            key=key_of(topic, entity),
            topic=number,
            entity=entity,
            value=original[start:end],
            kind="fact",
            importance=0.8,
            start=start,
            end=end,
        )
    return None


def _value(text: str, mark: Mark, kind: str, frame: Attribute) -> tuple[str, int, int] | None:
    entity = ""
    if frame.value_first is not None:
        lead = frame.value_first.search(text[: mark.start])
        return None if lead is None else (lead.group("entity"), *lead.span("value"))
    if frame.before is not None:
        near = max(0, mark.start - 80)
        lead = frame.before.search(text[near : mark.start])
        if lead is None:
            return None
        entity = lead.groupdict().get("entity") or ""
    if frame.past is not None and frame.past.search(text[: mark.start]) is None:
        return None
    link = frame.link.match(text, mark.end) if frame.link is not None else None
    if link is None:
        return None
    for name, group in link.groupdict().items():
        if name.startswith("entity") and group:
            entity = group
    value = _VALUES[kind].match(text, link.end())
    if value is None or not value.group().strip():
        return None
    if frame.follow is not None and frame.follow.match(text, value.end()) is None:
        return None
    return entity, value.start(), value.end()


def _trim(entity: str, grammar: Grammar) -> str:
    """The entity's phrase without leading words that belong to the sentence around it."""
    words = entity.split()
    while words and words[0].lower().strip(",.:;") in grammar.entity_stop:
        words.pop(0)
    for lead in ("把", "将", "将于", "和", "在"):
        if words and words[0].startswith(lead) and len(words[0]) > len(lead):
            words[0] = words[0].removeprefix(lead)
    return " ".join(words)


def _versions(text: str, original: str, marks: list[Mark], grammar: Grammar) -> list[Exact]:
    found = []
    for mark in marks:
        if not mark.topics(VALUE) or mark.phrase in lexicon().common and not original[mark.start].isupper():
            continue
        for frame in grammar.versions:
            match = frame.after.match(text, mark.end)
            if match is None or frame.before.search(text[max(0, mark.start - 40) : mark.start]) is None:
                continue
            entity = original[mark.start : mark.end]
            scope = entity_scope(mark.phrase)
            if scope is not None:
                found.append(
                    Exact(
                        key=f"{scope}.version",
                        topic=_number_of("*.version"),
                        entity=entity,
                        value=match.group("value"),
                        kind=frame.kind,
                        importance=frame.importance,
                        start=mark.start,
                        end=match.end("value"),
                    )
                )
            break
    return found


def _unlisted(text: str, original: str) -> list[Exact]:
    """An attribute outside the lexicon. Its key is `project.` and the whole noun phrase: stable, and never shared."""
    match = _PHRASE.search(text)
    if match is None:
        return []
    words = re.findall(r"[a-z0-9]+", match.group("phrase").lower())
    safe = 2 <= len(words) <= 4 and not any(word in lexicon().function_words for word in words)
    return [
        Exact(
            key=f"project.{'_'.join(words)}" if safe else None,
            topic=None,
            entity=match.group("phrase"),
            value=original[match.start("value") : match.end("value")],
            kind="fact",
            importance=0.7,
            start=match.start("phrase"),
            end=match.end("value"),
        )
    ]


def _number_of(key: str) -> int:
    return next(number for number, topic in enumerate(lexicon().topics) if topic.key == key)
