"""Extraction by rule: from the messages of a session to candidates, without any model.

Precision comes before recall, because the verbatim messages are searched anyway. What a person states counts; what
they ask, suppose, quote or paste does not, and neither do requests for the moment ("fix the test"). Of the agent's own
words only decisions, happenings and changed values count, with less weight; tools, system and summaries give nothing.

All patterns live in `agentmem/rules/*.toml`; nothing here knows a language. One set intersection (English) or one
search for trigger words decides per message, and again per sentence, whether patterns are tried at all: 45 to 60 µs for
an average chat message of 25 words (two shared cores, Python 3.11), under 0.2 s for a message of 1 MB.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from agentmem.domain.ids import message_id
from agentmem.domain.memories import Candidate, MemoryKind
from agentmem.domain.messages import Message, MessageKind, Role, Trust
from agentmem.ingest.classify import classify
from agentmem.ingest.said import Found, Sentence, Session
from agentmem.rules.attributes import Exact, find_exact
from agentmem.rules.choices import Chosen, find_choices
from agentmem.rules.grammar import Grammar, SentencePattern, grammar
from agentmem.rules.prose import LONG, blot, language_of, lines, sentences
from agentmem.rules.reading import Reading
from agentmem.rules.tables import Mark, find_marks, fold, lexicon, plain
from agentmem.rules.topics import entity_scope, topic_number
from agentmem.rules.wording import gist, heading, label, questions, templates, tidy

EXTRACTOR = "rules/1"

_WORDS = re.compile(r"[a-z]+(?:['-][a-z]+)*|\d")
_SPEAKERS = frozenset(role.value for role in Role) | {"human", "ai", "me", "you"}
_LEFTOVER = re.compile(r"[^\W\d_]+", re.UNICODE)


def extract(messages: Sequence[Message]) -> list[Candidate]:
    """The candidates that the messages of one session support, in the order they were said.

    Args:
        messages: of one session, in order. Earlier ones help to read later ones ("rate limit is now 20,000").

    Returns: candidates whose quote is a literal slice of the message; no two of one message alike. A value that comes
    back later in the session is a candidate again: only so can it supersede what was said in between. The same messages
    always give the same candidates. Never raises on any text.
    """
    session = Session()
    found: dict[tuple[str, str, str | None, str], Candidate] = {}
    for message in messages:
        if message.kind is not MessageKind.TEXT or message.role not in (Role.USER, Role.ASSISTANT):
            continue
        session.turn += 1
        hints = _hints(message.content)
        if hints is not None and not hints:
            continue
        for sentence in _sentences(message, hints):
            for candidate in _candidates(sentence, session):
                found.setdefault(
                    (candidate.message_id, candidate.kind, candidate.topic_key, candidate.content), candidate
                )
    return list(found.values())


def _hints(content: str) -> frozenset[str] | None:
    """The cheap test: trigger words of a message, without which nothing comes of it; None to look at each sentence."""
    if len(content) > LONG or (not content.isascii() and language_of(content) != "en"):
        return None
    english = grammar("en")
    words = frozenset(_WORDS.findall(content.lower().replace("\u2019", "'")))
    if _may_choose(words, content, english):
        return None
    return words & english.by_word.keys() | words & english.correction_words


def _sentences(message: Message, hints: frozenset[str] | None) -> Iterator[Sentence]:
    content = message.content
    text = blot(plain(content))
    whole = "" if text.isascii() else language_of(text[:2_000])
    for line_start, line_end in lines(text):
        for start, end in sentences(text, line_start, line_end):
            language = language_of(text[start:end], whole)
            rules = grammar(language)
            readable = fold(text[start:end]) if language == "zh" else text[start:end]
            words: frozenset[str] = frozenset()
            if rules.spaced:
                lowered = readable.lower()
                if hints is not None and not any(hint in lowered for hint in hints):
                    continue
                words = frozenset(_WORDS.findall(lowered))
                # Triggers are far cheaper than guards, and most sentences have none.
                if words.isdisjoint(rules.by_word.keys() | rules.correction_words) and not _may_choose(
                    words, readable, rules
                ):
                    continue
            sentence = Sentence(content[start:end], readable, words, rules, message)
            if _asks(readable, rules):
                cut = _tail(sentence)
                if cut is not None and not _asks(cut.text, rules):
                    yield cut
            else:
                yield sentence


def _asks(text: str, rules: Grammar) -> bool:
    return text.rstrip("\"')*_ ").endswith(("?", "？")) or rules.question.search(text) is not None


def _tail(sentence: Sentence) -> Sentence | None:
    """The sentence up to where a question or a doubt is tagged on ("… , can you help?"); None where nothing is."""
    cut = sentence.grammar.tail.search(sentence.text, min(15, len(sentence.text)))
    if cut is None:
        return None
    return replace(sentence, original=sentence.original[: cut.start()], text=sentence.text[: cut.start()])


def _candidates(sentence: Sentence, session: Session) -> list[Candidate]:
    """What one sentence gives. Doubt is looked for last: it is the dearest test, and few sentences get so far."""
    corrected = _corrected(sentence, session)
    found = [corrected] if corrected else list(_propose(sentence, session))
    if found and not corrected and sentence.grammar.doubt.search(sentence.text) is not None:
        head = _tail(sentence)
        if head is not None and sentence.grammar.doubt.search(head.text) is None:
            found = list(_propose(head, session))
        else:
            found = list(_propose(sentence, session, doubtful=True))
    for proposal in found:
        session.note(sentence, proposal)
    return [proposal.candidate for proposal in found]


def _corrected(sentence: Sentence, session: Session) -> Found | None:
    """What the sentence in which a person just named a value says with the value that they now say they meant."""
    again = session.corrected(sentence)
    if again is None:
        return None
    meant, key, value = again
    for found in _from_marks(meant, find_marks(meant.text), session):
        if (found.candidate.topic_key, found.value) == (key, value):
            return replace(found, candidate=replace(found.candidate, quote=sentence.quote))
    return None


def _propose(sentence: Sentence, session: Session, *, doubtful: bool = False) -> Iterator[Found]:
    made = general = False
    if not doubtful and _may_choose(sentence.words, sentence.text, sentence.grammar):
        marks = find_marks(sentence.text)
        for proposal in _from_marks(sentence, marks, session) if marks else ():
            made = True
            yield proposal
    for pattern in _triggered(sentence):
        if (sentence.assistant and not pattern.assistant) or (doubtful and not pattern.allow_doubt):
            continue
        # One memory of a sentence as a whole is enough, and none where its value is already kept under its topic.
        if not pattern.topic and (made or general):
            continue
        candidate = _from_pattern(sentence, pattern)
        if candidate is not None:
            made = made or bool(pattern.topic)
            general = general or not pattern.topic
            yield Found(candidate)


def _may_choose(words: frozenset[str], text: str, rules: Grammar) -> bool:
    """Whether a sentence can hold a member in a frame, or the name of a topic with a value."""
    if not rules.spaced:
        return True
    if not words.isdisjoint(rules.choice_words) and (
        not words.isdisjoint(rules.value_heads) or rules.capitals.search(text) is not None
    ):
        return True
    if words.isdisjoint(rules.name_heads):
        return False
    return ":" in text or not words.isdisjoint(rules.named_words) or not words.isdisjoint(rules.attribute_words)


def _triggered(sentence: Sentence) -> list[SentencePattern]:
    """The patterns that have a trigger word in the sentence, in the order of the file."""
    rules = sentence.grammar
    if rules.spaced:
        numbers = {number for word in sentence.words for number in rules.by_word.get(word, ())}
        return [rules.patterns[number] for number in sorted(numbers)]
    return [pattern for pattern in rules.patterns if any(trigger in sentence.text for trigger in pattern.triggers)]


def _from_marks(sentence: Sentence, marks: list[Mark], session: Session) -> Iterator[Found]:
    reading = Reading(sentence.text, sentence.original, marks, sentence.grammar, sentence.assistant)
    for choice in find_choices(reading, session.recent):
        yield Found(_choice_candidate(sentence, choice), choice.topic, value=" ".join(choice.values))
    for exact in find_exact(reading, session.entities):
        yield Found(_exact_candidate(sentence, exact), exact.topic, exact.entity, exact.value)


def _choice_candidate(sentence: Sentence, choice: Chosen) -> Candidate:
    topic = lexicon().topics[choice.topic]
    words = templates(sentence.grammar, sentence.message.content)
    name = label(topic, sentence.grammar, sentence.message.content)
    value = words["joiner"].join(choice.values)
    rejected = words["joiner"].join(dict.fromkeys(choice.rejected))
    row = words["choice_not"] if rejected else words["choice"]
    statement = heading(row.format(topic=name, value=value, rejected=rejected))
    # What else the sentence says (where, why, from when) must not be lost.
    if _says_more(sentence, choice):
        statement += words["stop"] + tidy(sentence.original, sentence.grammar)
    key = topic.key if not choice.scope else f"{choice.scope}.{topic.key.partition('.')[2]}"
    return _candidate(
        sentence,
        kind=choice.kind,
        content=statement,
        key=key,
        importance=choice.importance,
        ask=questions(words["ask_choice"], topic=name, value=value),
        occurred_at=_first_date(sentence),
    )


def _says_more(sentence: Sentence, choice: Chosen) -> bool:
    """Whether a sentence holds more than the choice made of it."""
    kept = bytearray(b"\x01" * len(sentence.text))
    for start, end in choice.used:
        kept[start:end] = bytes(end - start)
    rest = "".join(char if keep else " " for char, keep in zip(sentence.text, kept, strict=True))
    function, frames = lexicon().function_words, sentence.grammar.choice_words
    words = [word for word in _LEFTOVER.findall(rest) if word.lower() not in function and word.lower() not in frames]
    # A script without spaces leaves particles and endings; two of them are no statement yet.
    return bool(words) if sentence.grammar.spaced else sum(map(len, words)) > 5


def _exact_candidate(sentence: Sentence, exact: Exact) -> Candidate:
    words = templates(sentence.grammar, sentence.message.content)
    if exact.topic is None:
        ask = questions(words["ask_attribute_bare"], topic=exact.entity)
    else:
        name = label(lexicon().topics[exact.topic], sentence.grammar, sentence.message.content)
        rows = words["ask_attribute"] if exact.entity else words["ask_attribute_bare"]
        ask = questions(rows, topic=name, entity=exact.entity)
    return _candidate(
        sentence,
        kind=exact.kind,
        content=tidy(sentence.original, sentence.grammar),
        key=exact.key,
        importance=exact.importance,
        ask=ask,
        occurred_at=_first_date(sentence),
    )


def _from_pattern(sentence: Sentence, pattern: SentencePattern) -> Candidate | None:
    match = pattern.pattern.search(sentence.text)
    if match is None or (pattern.deny is not None and pattern.deny.search(sentence.text) is not None):
        return None
    if pattern.dated and (sentence.grammar.vague.match(sentence.text) or len(sentence.text) < 8):
        return None
    dates = sentence.dates() if pattern.dated or pattern.kind == MemoryKind.TASK else []
    if pattern.dated and not dates:
        return None
    # Of several dates the one said with the happening counts, not one of an earlier clause.
    date = next((date for date in dates if date.span[1] > match.start()), dates[0] if dates else None)
    said = sentence.message.at
    if pattern.dated and date is not None and said is not None and (date.start > said) != pattern.future:
        return None
    groups = match.groupdict()
    value = next((text for name, text in groups.items() if text and name.startswith("value")), "")
    about = next((text for name, text in groups.items() if text and name.startswith("gist")), "") or sentence.text
    words = templates(sentence.grammar, sentence.message.content)
    key: str | None = None
    content = tidy(sentence.original, sentence.grammar)
    who = _speaker(sentence.message) or words["who"]
    if pattern.topic:
        topic = lexicon().topics[topic_number(pattern.topic)]
        key = _personal(topic.key, sentence.message)
        name = label(topic, sentence.grammar, sentence.message.content)
        value = sentence.original[slice(*_span(match, "value"))].strip()
        content = f"{heading(name)}: {value}{words['stop']}{content}" if value else content
        ask = questions(words["ask_user" if topic.key.startswith("user.") else "ask_choice"], topic=name, value=value)
    elif pattern.about:
        name = label(lexicon().topics[topic_number(pattern.about)], sentence.grammar, sentence.message.content)
        ask = questions(words["ask_about"], topic=name)
    else:
        day = date.start.date().isoformat() if date is not None else ""
        ask = questions(words[f"ask_{pattern.kind}"], gist=gist(about), date=day, who=who)
        scope = entity_scope(groups["attribute"]) if pattern.made_key and groups.get("attribute") else None
        key = _personal(pattern.made_key + scope, sentence.message) if scope else None
    return _candidate(
        sentence,
        kind=pattern.kind,
        content=content,
        key=key,
        importance=pattern.importance,
        ask=ask,
        occurred_at=date.start if date is not None else None,
    )


def _span(match: re.Match[str], group: str) -> tuple[int, int]:
    return next(
        (match.span(name) for name, text in match.groupdict().items() if text and name.startswith(group)), (0, 0)
    )


def _first_date(sentence: Sentence) -> datetime | None:
    dates = sentence.dates()
    return dates[0].start if dates else None


def _speaker(message: Message) -> str:
    """The speaker's name where the transcript has a person's."""
    name = (message.speaker or "").strip()
    return "" if name.lower() in _SPEAKERS else name


def _personal(key: str, message: Message) -> str:
    """`user.location` is the speaker's own where a chat has several named people."""
    scope = entity_scope(_speaker(message)) if key.startswith("user.") and _speaker(message) else None
    return f"{scope}.{key.partition('.')[2]}" if scope else key


def _candidate(
    sentence: Sentence,
    *,
    kind: str,
    content: str,
    key: str | None,
    importance: float,
    ask: tuple[str, ...],
    occurred_at: datetime | None,
) -> Candidate:
    message = sentence.message
    name = _speaker(message)
    candidate = Candidate(
        kind=MemoryKind(kind),
        content=f"{name}: {content}" if name else content,
        quote=sentence.quote,
        session_id=message.session_id,
        message_id=message_id(message.session_id, message.role, message.content),
        topic_key=key,
        said_at=message.at,
        occurred_at=occurred_at,
        importance=round(importance * (0.6 if sentence.assistant else 1.0), 2),
        trust=Trust.MEDIUM if sentence.assistant else message.trust,
        search_queries=ask,
        extractor=EXTRACTOR,
    )
    return classify(candidate)
