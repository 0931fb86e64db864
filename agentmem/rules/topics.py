"""Topic keys: how they are made, and which of them a question asks about.

Grammar of a key: `scope.attribute`, lower case, words joined by `_`. The scope is `project`, `user`, or an entity.

* A topic of the lexicon has a fixed key: `project.package_manager`, `user.theme`.
* An attribute of a thing (`*.rate_limit`) takes the thing as scope: `api.rate_limit`, `staging_database.port`. The
  thing is the noun phrase beside the attribute, at most three words, articles and words like "current" left out,
  known words made one (`db`, `数据库` and `database` are `database`).
* Where a choice is limited to a part of the project ("SQLite for tests"), that part is the scope: `tests.database`.

The same functions serve stored statements and questions, so both arrive at the same key.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from agentmem.rules.tables import (
    ASK,
    CUE,
    NAME,
    TOKEN,
    VALUE,
    WEAK,
    Mark,
    Topic,
    entity_at_end,
    find_marks,
    fold,
    lexicon,
    plain,
)

LONGEST_QUESTION = 400  # characters of a query that are looked at
ENOUGH = 0.35  # below this score a topic is not asked about

# A run of characters of a script other than Latin. (Wide ranges in a set cost a millisecond to compile; this does not.)
_RUN = re.compile(r"[^\W\x00-\u02ff]+")
_GLUE = re.compile(r"(?:\s|的|里|中|上|の|의)+$")
_LATIN_WORD = re.compile(r"[A-Za-z0-9][\w.+/-]*$", re.ASCII)
_OF = re.compile(r"\s+(?:for|of|on|in)\s+((?:the |our |my |a )?[\w./-]+(?: [\w./-]+){0,2})", re.IGNORECASE)
_UNSAFE = re.compile(r"\W+")
_STOP = frozenset(
    [
        "the",
        "our",
        "my",
        "your",
        "its",
        "their",
        "this",
        "that",
        "new",
        "current",
        "old",
        "default",
        "hard",
        "max",
        "maximum",
        "min",
        "minimum",
        "overall",
        "actual",
        "of",
        "for",
        "on",
        "in",
        "to",
        "at",
        "is",
        "are",
        "was",
        "does",
        "do",
        "what",
        "which",
        "a",
        "an",
        "and",
        "or",
        "by",
        "with",
        "from",
    ]
)


def topic_number(key: str) -> int:
    """Position of a topic in the lexicon; `KeyError` for a key that it does not hold."""
    for number, topic in enumerate(lexicon().topics):
        if topic.key == key:
            return number
    raise KeyError(key)


def entity_scope(phrase: str) -> str | None:
    """The scope that a noun phrase makes (`the staging DB` -> `staging_database`), or None where that isn't safe.

    Not safe are phrases of more than three words, without any word, or with one of more than thirty characters.
    """
    known = lexicon().entities
    words: list[str] = []
    for token in re.findall(r"[^\s_/]+", fold(plain(phrase)).lower()):
        bare = token.strip(".,:;!?()[]\"'`*")
        bare = bare.removesuffix("'s")
        if not bare or bare in _STOP:
            continue
        for part in [bare] if bare in known or bare.isascii() else _scripts(bare):
            name = known.get(part) or _UNSAFE.sub("_", part).strip("_")
            if name:
                words.append(name)
    if not 1 <= len(words) <= 3 or any(len(word) > 30 for word in words):
        return None
    return "_".join(words)


def _scripts(text: str) -> list[str]:
    """Known entities inside a run without spaces, else the run whole: `测试环境数据库` is two."""
    known = lexicon().entities
    parts: list[str] = []
    at = 0
    while at < len(text):
        size = next((n for n in range(min(14, len(text) - at), 1, -1) if text[at : at + n] in known), 0)
        if not size and parts and text[at] in "的里中上の의":
            at += 1
            continue
        if not size:
            return [text]
        parts.append(text[at : at + size])
        at += size
    return parts


def entity_before(text: str, end: int, stop: frozenset[str] = frozenset()) -> str:
    """The words just before an attribute's name that say whose it is: `API` in "the API rate limit".

    In scripts without spaces only known entities and Latin words count: anything may stand before the name there.
    """
    start = end
    for _ in range(3):
        glue = _GLUE.search(text, max(0, start - 4), start)
        place = glue.start() if glue else start
        found = entity_at_end(text[:place], max(0, place - 14)) if place and not text[place - 1].isascii() else None
        if found is not None:
            start = found[1]
            continue
        head = _LATIN_WORD.search(text, max(0, place - 40), place)
        if head is None:
            break
        word = head.group().lower()
        if word in stop or word in _STOP or word in lexicon().function_words or word.isdigit():
            break
        start = head.start()
    return text[start:end].strip().removesuffix("的").removesuffix("の").removesuffix("의").strip()


@lru_cache(maxsize=1)
def _environment() -> re.Pattern[str]:
    """A word for an environment, and what may stand between it and the end."""
    forms = [rf"\b{re.escape(form)}\b" if form.isascii() else re.escape(form) for form in lexicon().environments]
    return re.compile(rf"({'|'.join(forms)})[\w\s'-]{{0,40}}$", re.IGNORECASE)


def environment_before(text: str, end: int) -> str:
    """The environment that a sentence speaks of before a place, as `staging`; else "".

    What runs there is no newer value of what runs elsewhere.
    """
    found = _environment().search(text[max(0, end - 60) : end])
    return lexicon().environments[found[1].lower()] if found else ""


def key_of(topic: Topic, entity: str = "") -> str:
    """The key of a topic for an entity's phrase; without a usable one the topic's default scope, else `project`."""
    if not topic.key.startswith("*."):
        return topic.key
    return f"{entity_scope(entity) or topic.default or 'project'}.{topic.key[2:]}"


def topics_asked(text: str) -> list[tuple[str, float]]:
    """The topic keys that a question asks about, with a score from 0 to 1, best first; empty for other questions.

    A name of a topic counts in any question, the less the more of the question it leaves unexplained. Everyday words
    ("theme"), members ("pnpm") and cues ("install") count only when nothing at all is left. 0.1 ms for a question;
    the first call reads the lexicon (under 15 ms of CPU, import included).
    """
    words = lexicon()
    text = fold(plain(text[:LONGEST_QUESTION]))
    tokens = list(TOKEN.finditer(text))
    marks = find_marks(text, tokens)
    if not marks:
        return []
    owners = {mark.start: _owner(text, mark) for mark in marks if _attributes(mark)}
    spans = [(mark.start, mark.end) for mark in marks] + [span for _, span in owners.values()]
    left = _unexplained(text, tokens, spans)
    scores: dict[str, float] = {}

    def note(key: str, score: float) -> None:
        if score >= ENOUGH and score > scores.get(key, 0.0):
            scores[key] = round(score, 3)

    for mark in marks:
        for number in _attributes(mark):
            for scope, unexplained in _scopes(words.topics[number], text, mark, owners[mark.start][0], left):
                everyday = number in mark.topics(WEAK)
                if not everyday or (not unexplained and _is_technical(scope)):
                    note(f"{scope}.{words.topics[number].key[2:]}", 1.0 / (1 + 0.45 * unexplained))
        # "the staging database's port" asks about a port, not about the database.
        owned = 0.5 if any(start <= mark.start < end for _, (start, end) in owners.values()) else 1.0
        for role, number, _ in mark.senses:
            topic = words.topics[number]
            if topic.key.startswith("*."):
                continue
            if role in (NAME, ASK):
                hint = 0.05 if any(number in other.topics(CUE, VALUE) for other in marks if other is not mark) else 0.0
                place = mark.topics(NAME, ASK).index(number)
                note(topic.key, owned * min(1.0, 1.0 / (1 + 0.45 * len(left)) - 0.1 * place + hint))
            elif role == WEAK and not left:
                note(topic.key, owned * 0.9)
            elif role == VALUE and not left and mark.phrase not in words.common:
                note(topic.key, owned * (0.55 - 0.05 * mark.topics(VALUE).index(number)))
            elif role == CUE and not left and sum(number in other.topics(CUE) for other in marks) > 1:
                note(topic.key, 0.5)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def tasks_asked(text: str) -> bool:
    """Whether a question asks for what is still to be done, and for nothing in particular: "what is left to do?"."""
    words = lexicon()
    text = fold(plain(text[:LONGEST_QUESTION])).lower()
    spans = _spans(text, words.tasks)
    if not spans:
        return False
    tokens = list(TOKEN.finditer(text))
    return not _unexplained(text, tokens, spans + _spans(text, words.tasks_beside))


def _spans(text: str, phrases: Iterable[str]) -> list[tuple[int, int]]:
    """Where phrases stand in a text; those in Latin letters as whole words."""
    found = []
    for phrase in phrases:
        start = text.find(phrase)
        while start >= 0:
            end = start + len(phrase)
            if not (phrase.isascii() and (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum())):
                found.append((start, end))
            start = text.find(phrase, end)
    return found


def _attributes(mark: Mark) -> list[int]:
    return [number for number in mark.topics(NAME, WEAK) if lexicon().topics[number].key.startswith("*.")]


def _owner(text: str, mark: Mark) -> tuple[str, tuple[int, int]]:
    """The entity beside an attribute's name, and where it stands."""
    entity = entity_before(text, mark.start)
    if entity:
        start = text.rfind(entity, 0, mark.start)
        return entity, (start, mark.start)
    after = _OF.match(text, mark.end)
    return (after.group(1), after.span(1)) if after is not None else ("", (0, 0))


def _scopes(topic: Topic, text: str, mark: Mark, entity: str, left: list[str]) -> list[tuple[str, int]]:
    """Whose attribute a question may ask about, each with the number of words that this leaves unexplained."""
    scope, rest = entity_scope(entity) if entity else None, len(left)
    if scope is None:
        others = _nouns(text, mark)
        if 1 <= len(others) <= 3:
            scope, rest = entity_scope(" ".join(others)), 0
    if scope is not None:
        return [(scope, rest)]
    own = topic.default or "project"
    return [] if rest else [(own, 0), *([("project", 1)] if own != "project" else [])]


def _is_technical(scope: str) -> bool:
    """Whether a scope is made of known things only: `jon` has no `host`, `staging_database` has."""
    words = lexicon()
    known = set(words.entities.values())
    return all(
        part in known or part == "project" or any(sense[0] == VALUE for sense in words.latin.get(part, ()))
        for part in scope.split("_")
    )


def _nouns(text: str, mark: Mark) -> list[str]:
    """The Latin words of a question outside a mark that are not grammar and not talk about using."""
    words = lexicon()
    return [
        token.group()
        for token in TOKEN.finditer(text)
        if not mark.start <= token.start() < mark.end
        and token.group().lower() not in words.function_words
        and token.group().lower() not in words.asking_words
    ]


def _unexplained(text: str, tokens: list[re.Match[str]], spans: list[tuple[int, int]]) -> list[str]:
    """Words of a question that are neither lexicon, nor grammar, nor talk about using and preferring."""
    words = lexicon()
    covered = bytearray(len(text))
    for start, end in spans:
        covered[start:end] = b"\x01" * (end - start)
    left = [
        token.group()
        for token in tokens
        if not covered[token.start()]
        and (low := token.group().lower()) not in words.function_words
        and low not in words.asking_words
        and low.removesuffix("'s") not in words.asking_words
        and not low.isdigit()
    ]
    if text.isascii():
        return left
    for run in _RUN.finditer(text):
        # Longest known word at each place; what no word covers is counted two characters to a word.
        at, unknown = run.start(), 0
        while at < run.end():
            if covered[at]:
                at += 1
                continue
            for size in range(min(6, run.end() - at), 0, -1):
                piece = text[at : at + size]
                if piece in words.function_words or piece in words.asking_words:
                    at += size
                    break
            else:
                unknown += 1
                at += 1
        left += [run.group()] * ((unknown + 1) // 2)
    return left
