"""How what was found is worded: labels, contents and the questions that a memory answers, from the templates."""

import re
from typing import Any

from agentmem.rules.grammar import Grammar
from agentmem.rules.tables import Topic, fold, has_kana

LONGEST_GIST = 90
_MARKUP = re.compile(r"\*\*|__|(?<!\w)[*_]|[*_](?!\w)")
_BLANKS = re.compile(r"\s+")
_BRACKET = re.compile(r"\[(?:image|photo|picture|video|file|attachment|screenshot|pasted)\b[^\]\n]*\]", re.IGNORECASE)
_EDGE = " ,;:—–-、。，.!！?？\x01"


def templates(grammar: Grammar, sentence: str) -> dict[str, Any]:
    """The wording for a sentence's language and, in Chinese, its script."""
    return grammar.templates_hant if is_traditional(grammar, sentence) else grammar.templates


def is_traditional(grammar: Grammar, sentence: str) -> bool:
    """Whether a Chinese sentence is written in traditional characters."""
    return grammar.language == "zh" and not has_kana(sentence) and fold(sentence) != sentence


def label(topic: Topic, grammar: Grammar, sentence: str) -> str:
    """What a topic is called in the language and script of a sentence."""
    return topic.labels["hant" if is_traditional(grammar, sentence) else grammar.language]


def tidy(sentence: str, grammar: Grammar) -> str:
    """The sentence without markup, attachments and words that say nothing at its start; first letter a capital."""
    text = _BLANKS.sub(" ", _BRACKET.sub("", _MARKUP.sub("", sentence))).strip()
    opening = grammar.opening.match(text)
    # "Actually, use pnpm" loses its first word, "Also" alone does not.
    if opening is not None and len(text) - opening.end() >= 6:
        text = text[opening.end() :].lstrip(_EDGE)
    return heading(text) if grammar.spaced and text[1:2].islower() else text


def heading(text: str) -> str:
    """The text with its first letter a capital, where the script has capitals."""
    return text[:1].upper() + text[1:]


def gist(text: str) -> str:
    """A short form of a clause to put into a question."""
    text = _BLANKS.sub(" ", text.replace("\x01", "")).strip(_EDGE)
    if len(text) <= LONGEST_GIST:
        return text
    cut = text[:LONGEST_GIST]
    return cut[: cut.rfind(" ")].rstrip(_EDGE) if " " in cut[40:] else cut


def questions(rows: list[str], **fields: str) -> tuple[str, ...]:
    """The questions of a template list, fields filled in, no two alike."""
    filled = (_BLANKS.sub(" ", row.format_map(fields)).strip() for row in rows)
    return tuple(dict.fromkeys(filled))
