"""Write `lexicon.json` from the TOML files: `python -m agentmem.rules.build`.

Run it after any change of `topics.toml` or of `[words]` in a language file.
"""

import json
import tomllib
from pathlib import Path
from typing import Any

from agentmem.rules.tables import ASK, CUE, FORM, LEXICON, NAME, TOKEN, VALUE, WEAK, plain

FOLDER = Path(__file__).parent
LANGUAGES = ("en", "zh", "ja", "ko")


def build() -> str:
    """The text of `lexicon.json` for the TOML files as they are now."""
    source = tomllib.loads((FOLDER / "topics.toml").read_text(encoding="utf-8"))
    words = {name: tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))["words"] for name in LANGUAGES}
    pairs = words["zh"]["fold"].split()
    folds = {pair[0]: pair[1] for pair in pairs}
    unfolds = {pair[1]: pair[0] for pair in reversed(pairs)}
    latin: dict[str, list[list[str | int]]] = {}
    other: dict[str, list[list[str | int]]] = {}

    def folded(phrase: str) -> str:
        return "".join(folds.get(char, char) for char in phrase)

    def add(phrase: str, role: str, topic: int, canonical: str = "") -> None:
        phrase = plain(phrase)
        # Japanese text is not folded, and a Japanese word without kana is stored as written and folded.
        spellings = [phrase, folded(phrase)]
        spellings += [spelling.replace(" ", "") for spelling in spellings if not phrase.isascii()]
        for spelling in dict.fromkeys(spelling if phrase.isascii() else spelling.lower() for spelling in spellings):
            table = latin if spelling.isascii() else other
            key = " ".join(t.group().lower() for t in TOKEN.finditer(spelling)) if spelling.isascii() else spelling
            sense: list[str | int] = [role, topic, canonical]
            senses = table.setdefault(key, [])
            if not any(old[:2] == sense[:2] for old in senses):
                senses.append(sense)

    for number, topic in enumerate(source["topic"]):
        for language in LANGUAGES:
            for name in topic.get(language, []):
                add(name.removesuffix("?"), WEAK if name.endswith("?") else NAME, number)
        role = FORM if topic.get("pattern_only") else VALUE
        for value, forms in topic.get("forms", {}).items():
            for form in [value, *forms]:
                add(form, role, number, value)
        for value in topic.get("values", []):
            add(value, role, number, value)
        for cue in topic.get("cues", []):
            add(cue, CUE, number)
        for phrase in topic.get("asks", []):
            add(phrase, ASK, number)

    entities = {plain(alias).lower(): name for name, aliases in source["entities"].items() for alias in aliases}
    asking, function = [], []
    tasks: dict[str, list[str]] = {"tasks": [], "tasks_beside": []}
    for language in LANGUAGES:
        function += words[language]["function_words"].lower().split()
        asking += words[language]["asking"].lower().split()
        for name, phrases in tasks.items():
            phrases += [form for phrase in words[language][name] for form in (phrase, folded(phrase))]
    data: dict[str, Any] = {
        "topics": [_topic(topic) for topic in source["topic"]],
        "latin": latin,
        "latin_longest": _longest(latin, by_words=True),
        "other": other,
        "other_longest": _longest(other, by_words=False),
        "entities": entities,
        "common": sorted(source["common"]),
        # Both scripts: who asks for these words need not fold the text first.
        "function_words": sorted(
            {*function, *("".join(unfolds.get(char, char) for char in word) for word in function)}
        ),
        "asking_words": sorted(set(asking)),
        **{name: sorted(set(phrases)) for name, phrases in tasks.items()},
        "environments": {form: name for name, forms in source["environments"].items() for form in forms},
        "fold": pairs,
    }
    return json.dumps(data, ensure_ascii=False, indent=None, separators=(",", ":")).replace('],"', '],\n"') + "\n"


def _topic(topic: dict[str, Any]) -> dict[str, Any]:
    labels = {language: topic.get(language, topic["en"])[0].removesuffix("?") for language in LANGUAGES}
    labels["hant"] = topic.get("hant", labels["zh"])
    return {
        "key": topic["key"],
        "labels": labels,
        "default": topic.get("default", ""),
        "value": topic.get("value", ""),
        "keyed": topic.get("keyed", True),
        "free": topic.get("free", False),
    }


def _longest(table: dict[str, list[list[str | int]]], *, by_words: bool) -> dict[str, int]:
    longest: dict[str, int] = {}
    for phrase in table:
        first, size = (phrase.split()[0], len(phrase.split())) if by_words else (phrase[0], len(phrase))
        longest[first] = max(longest.get(first, 0), size)
    return longest


if __name__ == "__main__":
    LEXICON.write_text(build(), encoding="utf-8")
