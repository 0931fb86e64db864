"""Exact values in a sentence: the attribute of an entity and what it is (`API`, rate limit, `10,000 req/s`).

Also versions of lexicon members (`Postgres 16.2`) and attributes that the lexicon does not hold but whose last word
shows what they are ("the max payload size is 25 MB").
"""

import re
from dataclasses import dataclass

from agentmem.rules.grammar import VALUE_TYPES, Attribute, Grammar, linked
from agentmem.rules.reading import Reading
from agentmem.rules.tables import NAME, VALUE, WEAK, Mark, lexicon
from agentmem.rules.topics import entity_before, entity_scope, environment_before, key_of

# The last word of a noun phrase that is surely the name of a setting.
_HEADS = (
    "limit|size|timeout|interval|threshold|quota|count|retention|capacity|ttl|budget|window|depth|length|delay|duration|"
    "ratio"
)
_PHRASE = re.compile(
    rf"\b(?:the|our)\s+(?P<phrase>[a-z][\w-]*(?: [a-z][\w-]*){{0,3}}? (?:{_HEADS}))\s+(?:is|was|has been|are)\s+"
    r"(?:now )?(?:set (?:to|at) |(?:increased|raised|lowered|reduced|changed|bumped) (?:from \S+(?: \w+)? )?to |"
    r"capped at |limited to )?"
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


def find_exact(reading: Reading, known: dict[int, str]) -> list[Exact]:
    """The exact values of one sentence.

    Args:
        reading: the sentence.
        known: attribute topic -> the one entity that the session has named for it so far; "" where it named several.
            An attribute without entity is read as that entity's.
    """
    found: list[Exact] = []
    for mark in reading.marks:
        for number in mark.topics(NAME, WEAK):
            topic = lexicon().topics[number]
            everyday = number in mark.topics(WEAK) and not topic.key.startswith("*.")
            if not topic.value or topic.value == "date" or everyday:
                continue
            exact = _attribute(reading, mark, number, known)
            if exact is not None and exact.key not in [other.key for other in found]:
                found.append(exact)
                break
    if not reading.assistant:
        found += _versions(reading)
        if not found and reading.grammar.language == "en":
            found += _unlisted(reading.text, reading.original)
    return found


def _attribute(reading: Reading, mark: Mark, number: int, known: dict[int, str]) -> Exact | None:
    topic, grammar = lexicon().topics[number], reading.grammar
    for frame in grammar.attributes:
        if (frame.only and frame.only != topic.value) or (reading.assistant and not frame.assistant):
            continue
        hit = _value(reading.text, mark, topic.value, frame)
        if hit is None:
            continue
        entity, start, end = hit
        entity = _trim(entity or entity_before(reading.text, mark.start, grammar.entity_stop), grammar)
        if not entity and not topic.default:
            entity = known.get(number, "")
        key = key_of(topic, entity)
        # An agent explains a lot; only of a thing that it names a changed value is taken from it.
        if reading.assistant and key.startswith("project."):
            continue
        return Exact(
            key=key,
            topic=number,
            entity=entity,
            value=reading.original[start:end],
            kind="fact",
            importance=0.8,
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
    link = linked(frame.link, kind).match(text, mark.end)
    if link is None or not link.group("exact").strip():
        return None
    for name, group in link.groupdict().items():
        if name.startswith("entity") and group:
            entity = group
    if frame.follow is not None and frame.follow.match(text, link.end()) is None:
        return None
    return entity, *link.span("exact")


def _trim(entity: str, grammar: Grammar) -> str:
    """The entity's phrase without leading words that belong to the sentence around it."""
    words = entity.split()
    while words and words[0].lower().strip(",.:;") in grammar.entity_stop:
        words.pop(0)
    for lead in ("把", "将", "将于", "和", "在"):
        if words and words[0].startswith(lead) and len(words[0]) > len(lead):
            words[0] = words[0].removeprefix(lead)
    return " ".join(words)


def _versions(reading: Reading) -> list[Exact]:
    found = []
    for mark in reading.marks:
        everyday = mark.phrase in lexicon().common and not reading.original[mark.start].isupper()
        if everyday or not mark.topics(VALUE):
            continue
        for frame in reading.grammar.versions:
            match = frame.after.match(reading.text, mark.end)
            before = reading.text[max(0, mark.start - 40) : mark.start]
            if match is None or frame.before.search(before) is None:
                continue
            entity = reading.written(mark)
            scope = entity_scope(mark.phrase)
            environment = environment_before(reading.text, mark.start)
            if scope is not None:
                found.append(
                    Exact(
                        key=f"{environment}_{scope}.version" if environment else f"{scope}.version",
                        topic=_number_of("*.version"),
                        entity=entity,
                        value=match.group("value"),
                        kind=frame.kind,
                        importance=frame.importance,
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
        )
    ]


def _number_of(key: str) -> int:
    return next(number for number, topic in enumerate(lexicon().topics) if topic.key == key)
