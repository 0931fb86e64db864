"""The part of a long text that says why it was found."""

import re

_WORD = re.compile(r"\w+")
_BEFORE = 60  # characters shown in front of the first word that was asked for


def excerpt(text: str, question: str, room: int) -> str:
    """At most about `room` characters of a text on one line, around the words of a question.

    Args:
        text: a message.
        question: what was asked.
        room: how much may be shown.
    """
    text = " ".join(text.split())
    if len(text) <= room:
        return text
    start = max(0, _densest(text.lower(), question.lower(), room) - _BEFORE)
    if start:
        start = (
            text.find(" ", start, start + _BEFORE) + 1 or start
        )  # begin with a whole word, in scripts that have them
    end = start + room
    if end >= len(text):
        start, end = max(0, len(text) - room), len(text)
    return ("… " if start else "") + text[start:end].strip() + (" …" if end < len(text) else "")


def _densest(text: str, question: str, room: int) -> int:
    """Where the stretch begins that has the most different words of the question; long words count for more."""
    wanted = {part for word in _WORD.findall(question) for part in _parts(word)}
    places = [(at, word) for word in wanted for at in _places(text, word)]
    best, where = 0, 0
    for start, _ in sorted(places):
        seen = {word for at, word in places if start <= at < start + room - _BEFORE}
        weight = sum(len(word) for word in seen)
        if weight > best:
            best, where = weight, start
    return where


def _parts(word: str) -> list[str]:
    """What to look for: the word; pairs of letters where a question is written without blanks; nothing for "is"."""
    if word.isascii():
        return [word] if len(word) > 2 else []
    return [word[i : i + 2] for i in range(max(1, len(word) - 1))]


def _places(text: str, word: str) -> list[int]:
    """Where a word begins, the first times."""
    places: list[int] = []
    at = text.find(word)
    while at >= 0 and len(places) < 20:
        places.append(at)
        at = text.find(word, at + len(word))
    return places
