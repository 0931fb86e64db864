"""Does a text try to give orders to whoever reads it? By rule, in English, Chinese, Japanese and Korean.

Such text may be stored, because it was said, but is trusted no more than what a tool printed, and never becomes an
instruction. The patterns stand in `suspicion.toml`.
"""

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path

_PATTERNS = Path(__file__).with_name("suspicion.toml")
_LONGEST = 20_000
_HIDDEN = re.compile(
    "[\u00ad\u200b-\u200f\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)  # between letters they hide nothing


def suspicious(text: str) -> bool:
    """Whether a text looks like an order to the machine that reads it, rather than something said to it."""
    low = _HIDDEN.sub("", unicodedata.normalize("NFKC", text[:_LONGEST])).casefold().replace("\u2019", "'")
    english, others = _patterns()
    return bool(english.search(low) or (not low.isascii() and others.search(low)))


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Those for English, and those for all other languages together."""
    told = tomllib.loads(_PATTERNS.read_text(encoding="utf-8"))

    def together(patterns: list[str]) -> re.Pattern[str]:
        text = "|".join(f"(?:{pattern})" for pattern in patterns)
        for name, part in told["parts"].items():
            text = text.replace("{" + name + "}", part)
        return re.compile(text)

    by_language: dict[str, list[str]] = told["patterns"]
    others = [pattern for name, patterns in by_language.items() if name != "en" for pattern in patterns]
    return together(by_language["en"]), together(others)
