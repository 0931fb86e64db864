"""Choices in a sentence: which member of which topic is chosen, and against what.

A choice is a member of the lexicon inside a frame of the language (`use … by default`). Members that are spoken
against ("not npm") make no choice of their own but tell what the chosen one is about: `bun` against `npm` is a package
manager. An unknown tool is believed where the sentence names the topic or a known rival.
"""

import re
from dataclasses import dataclass

from agentmem.rules.grammar import Choice, Grammar
from agentmem.rules.reading import Reading
from agentmem.rules.tables import CUE, NAME, VALUE, WEAK, Mark, lexicon
from agentmem.rules.topics import entity_before, entity_scope, environment_before

_JOINED = re.compile(
    r"^\s*(?:,|、|&|\+|/|,?\s*(?:and|or)\b|和|及|以及|与|と|와|과|랑|,\s*)\s*(?:the |a |an )?$", re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z0-9@][\w.@/+-]*[\w+]|[A-Za-z]")
_ARTICLE = re.compile(r"(?:the|a|an|just|only)\s+", re.IGNORECASE)
# An unknown lower-case word after "our linter is" may as well be "slow": a name has a capital, a digit or a mark.
_NAMELIKE = re.compile(r".*[A-Z0-9@/.+_-]")
_ENDS = re.compile(
    r"\s*(?:$|[.,;:!)。、]|(?:for|in|everywhere|from now on|now|instead|not|で|を|に|로|을|를|입니다|です)\b)"
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A choice found in a sentence; `used` are the spans of the text that it accounts for."""

    topic: int
    scope: str
    values: tuple[str, ...]
    rejected: tuple[str, ...]
    kind: str
    importance: float
    used: tuple[tuple[int, int], ...]


def find_choices(reading: Reading, recent: list[int]) -> list[Chosen]:
    """The choices of one sentence.

    Args:
        reading: the sentence.
        recent: topics chosen earlier in the session, newest first; they decide between topics that share a member.
    """
    text, marks, grammar = reading.text, reading.marks, reading.grammar
    members = [mark for mark in marks if mark.topics(VALUE)]
    found: list[Chosen] = []
    rejected: list[Mark] = []
    denied: list[tuple[int, int]] = []
    free: list[list[Mark]] = []
    for mark in members:
        joined = bool(free) and _JOINED.match(text[free[-1][-1].end : mark.start]) is not None
        between = text[rejected[-1].end : mark.start] if rejected else "."
        span = _rejection(text, mark, grammar)
        if span is not None or (not joined and "," not in between and _JOINED.match(between)):
            rejected.append(mark)
            denied.append(span or (mark.start, mark.end))
        elif joined:
            free[-1].append(mark)
        else:
            free.append([mark])
    for chain in free:
        frame = _frame(reading, chain, rejected)
        if frame is None:
            continue
        choice, *used = frame
        by_topic: dict[int, list[Mark]] = {}
        for mark in chain:
            topic = _topic_of(mark, marks, rejected, recent)
            if choice.trusted or _believable(reading, mark, topic, rejected):
                by_topic.setdefault(topic, []).append(mark)
        for topic, group in by_topic.items():
            if not lexicon().topics[topic].keyed:
                continue
            scope = _scope(reading, group, topic)
            limit = grammar.qualifier.match(text, group[-1].end)
            found.append(
                Chosen(
                    topic=topic,
                    scope=scope,
                    values=tuple(map(reading.written, group)),
                    rejected=tuple(reading.written(m) for m in rejected if topic in m.topics(VALUE)),
                    kind=choice.kind,
                    importance=choice.importance,
                    used=(*used, *denied, *([limit.span()] if limit and not scope else [])),
                )
            )
    if not found and not reading.assistant:
        found = _named(reading, rejected) or _contrasted(reading, rejected)
    return found


def _rejection(text: str, mark: Mark, grammar: Grammar) -> tuple[int, int] | None:
    """The span of a member and of the words that speak against it; None for a member that nothing speaks against."""
    near = max(0, mark.start - 40)
    before = grammar.reject_before.search(text[near : mark.start])
    after = grammar.reject_after.match(text, mark.end)
    if before is None and after is None:
        return None
    return near + before.start() if before else mark.start, after.end() if after else mark.end


def _frame(
    reading: Reading, chain: list[Mark], rejected: list[Mark]
) -> tuple[Choice, tuple[int, int], tuple[int, int]] | None:
    """The frame that a chain of members stands in, with the span before and the span from there on."""
    start, end = chain[0].start, chain[-1].end
    text = reading.text
    before = text[max(0, start - 120) : start]
    rivals = {topic for mark in rejected for topic in mark.topics(VALUE)}
    for choice in reading.grammar.choices:
        if reading.assistant and not choice.assistant:
            continue
        if choice.contrast and not any(rivals & set(mark.topics(VALUE)) for mark in chain):
            continue
        after = choice.after.match(text, end)
        if after is None:
            continue
        lead = choice.before.search(before)
        if lead is not None:
            return choice, (start - len(before) + lead.start(), start), (start, max(end, after.end()))
    return None


def _topic_of(mark: Mark, marks: list[Mark], rejected: list[Mark], recent: list[int]) -> int:
    topics = mark.topics(VALUE)
    if len(topics) == 1:
        return topics[0]
    for other in marks:
        for topic in other.topics(NAME, WEAK, CUE) if other is not mark else []:
            if topic in topics:
                return topic
    for other in [*rejected, *marks]:
        for topic in other.topics(VALUE) if other is not mark else []:
            if topic in topics:
                return topic
    return next((topic for topic in recent if topic in topics), topics[0])


def _believable(reading: Reading, mark: Mark, topic: int, rejected: list[Mark]) -> bool:
    """Whether a member that is also an everyday word ("make", "go") is meant as a member here."""
    if mark.phrase not in lexicon().common:
        return True
    if any(topic in other.topics(NAME, WEAK, CUE) for other in reading.marks if other is not mark):
        return True
    if any(topic in other.topics(VALUE) for other in rejected):
        return True
    inside = reading.text[: mark.start].rstrip()
    return bool(inside) and inside[-1] not in ".!?:" and reading.original[mark.start].isupper()


def _scope(reading: Reading, group: list[Mark], topic: int) -> str:
    """The part of the project that a choice is limited to, or "" for the project (or user) as a whole."""
    text, marks, grammar = reading.text, reading.marks, reading.grammar
    if lexicon().topics[topic].key.startswith("user."):
        return ""
    start, end = group[0].start, group[-1].end
    if not grammar.spaced:
        # "テストは SQLite を使って": a known part of the project just before the frame, unless it is the topic itself.
        glue = re.search(
            r"(?:は|には|では|で|里|中|上|的|에는|에서는|에선|은|는|에|용으로|の|\s)*(?:请|都|就)?(?:用|使用|采用)?\s*$",
            text[:start],
        )
        part = entity_before(text, glue.start() if glue else start)
        own = any(topic in m.topics(NAME, WEAK, CUE) and m.end <= start and m.phrase in part.lower() for m in marks)
        return "" if own or not part or part.isascii() else entity_scope(part) or ""
    limit = grammar.qualifier.match(text, end)
    if limit is None:
        return environment_before(text, start)
    phrase = limit.group("q").lower().rstrip(".")
    words = set(re.findall(r"[a-z]+", phrase))
    if words & grammar.neutral or any(
        topic in m.topics(NAME, WEAK, CUE) for m in marks if limit.start("q") <= m.start < limit.end("q")
    ):
        return ""
    names = " ".join(lexicon().topics[topic].labels["en"].split()).lower().split()
    if any(word[:5] == name[:5] for word in words for name in names):
        return ""
    return entity_scope(phrase) or ""


def _named(reading: Reading, rejected: list[Mark]) -> list[Chosen]:
    """Choices by the topic's name: "our test runner is Vitest", "use foo as the linter"."""
    text, original = reading.text, reading.original
    for mark in reading.marks:
        for topic in mark.topics(NAME, WEAK):
            if lexicon().topics[topic].key.startswith("*.") or lexicon().topics[topic].value:
                continue
            for frame in reading.grammar.named:
                lead = frame.before.search(text[max(0, mark.start - 60) : mark.start])
                if lead is None:
                    continue
                span = _named_value(reading, mark, topic, lead, frame.link)
                if span is None:
                    continue
                start, end = span
                against = tuple(reading.written(m) for m in rejected if topic in m.topics(VALUE))
                if original[start:end] in against:
                    continue
                environment = environment_before(text, mark.start)
                # Where it holds is more than the choice says, and has to be told.
                begin = mark.start if environment else mark.start - len(lead.group())
                return [
                    Chosen(
                        topic,
                        environment,
                        (original[start:end],),
                        against,
                        frame.kind,
                        frame.importance,
                        ((min(start, begin), max(end, mark.end)),),
                    )
                ]
    return []


def _named_value(
    reading: Reading, mark: Mark, topic: int, lead: re.Match[str], link: re.Pattern[str] | None
) -> tuple[int, int] | None:
    """Where the value is that a frame ties to a topic's name."""
    text = reading.text
    if link is None:
        start = mark.start - len(lead.string) + lead.start("value")
        end = start + len(lead.group("value"))
        usable = end - start > 1 and text[start:end].lower() not in lexicon().function_words
        return (start, end) if usable and _ENDS.match(text, mark.end) else None
    joined = link.match(text, mark.end)
    if joined is None:
        return None
    member = next((m for m in reading.marks if m.start == joined.end() and topic in m.topics(VALUE)), None)
    if member is not None:
        return member.start, member.end
    word = _WORD.match(text, joined.end())
    if word is None or not lexicon().topics[topic].free or topic not in mark.topics(NAME):
        return None
    written = reading.original[word.start() : word.end()]
    believed = written.lower() not in lexicon().function_words and _NAMELIKE.match(written)
    return word.span() if believed and _ENDS.match(text, word.end()) else None


def _contrasted(reading: Reading, rejected: list[Mark]) -> list[Chosen]:
    """An unknown tool against a known one: "use foo, not npm"."""
    text, original = reading.text, reading.original
    for rival in rejected:
        for frame in reading.grammar.contrasts:
            match = frame.pattern.search(text[: rival.start])
            if match is None or match.group("value").lower() in lexicon().function_words:
                continue
            start, end = match.span("value")
            topic = rival.topics(VALUE)[0]
            return [
                Chosen(
                    topic,
                    "",
                    (original[start:end],),
                    (original[rival.start : rival.end],),
                    frame.kind,
                    frame.importance,
                    ((match.start(), rival.end),),
                )
            ]
    return []
