"""How stored words are put before a model: as quotations inside one element, with a bound on what they cost.

Stored text may hold anything, also text that was made to be mistaken for something else. So a quotation stands on one
line between curly quotes, and what could open or close an element in it loses its angle bracket. The bound is kept
without any model's tokenizer, by an estimate that is too high rather than too low.
"""

import re
from collections.abc import Sequence

from agentmem.domain.text import UNSPACED

TAG = "agentmem-memory"
"""The element that holds all that is injected; readers of transcripts cut it out, `agentmem.sources.noise`."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]+")
# What opens or closes an element that a model or a program takes as a sign. `Vec<u8>` and `<div>` may stay.
_BRACKET = re.compile(
    r"(?:<|&(?:amp;)*(?:lt|#0*60|#x0*3c);?|\\u003c)"
    r"(?=\s*\\?/|[!?|]|[a-z]\w*[-_:]|agentmem|system|user|human|assistant|tool|function|important|instruction)",
    re.IGNORECASE,
)
_QUOTES = str.maketrans({"“": '"', "”": '"'})

_ASCII = re.compile(r"[A-Za-z]{1,4}|[0-9]{1,2}|[!-/:-@\[-`{-~\n]")
_WIDE = re.compile(f"[{UNSPACED}]")


def tokens(text: str) -> int:
    """A cautious estimate of a text's tokens, whatever the tokenizer.

    Four letters, two digits, a punctuation mark or a line break are one token each; so is each character of a script
    that is written without spaces; other characters cost a token per two bytes of UTF-8.
    """
    if text.isascii():
        return len(_ASCII.findall(text))
    wide = len(_WIDE.findall(text))
    rest = sum(len(character.encode("utf-8", "replace")) for character in _WIDE.sub("", text) if character > "\x7f")
    return len(_ASCII.findall(text)) + wide + (rest + 1) // 2


def harmless(text: str) -> str:
    """A text on one line, without control and invisible characters, that cannot open or close an element."""
    return _BRACKET.sub("‹", " ".join(_CONTROL.sub(" ", text).split()))


def shortened(text: str, most: int) -> str:
    """At most `most` characters of a text, with an ellipsis where the rest is missing."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def quoted(text: str, most: int) -> str:
    """A quotation of at most `most` characters and its quotes."""
    return f"“{shortened(harmless(text), most).translate(_QUOTES)}”"


def element(lines: Sequence[str]) -> str:
    """Lines inside the element; its tags have a line each, so that a block that an agent cut off is recognised."""
    return "\n".join((f"<{TAG}>", *lines, f"</{TAG}>"))
