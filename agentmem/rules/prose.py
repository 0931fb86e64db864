"""Which parts of a message a person wrote as prose, and where its sentences are.

Everything works on offsets of the message, so that a quote stays a literal slice of it. What is not prose is either
left out line by line (code, logs, quoted replies, tables) or blotted out in place (inline code of several words,
quotations, attachments): the blot is one character for each covered, and no pattern can match it.
"""

import re
from collections.abc import Iterator

LONG = 2_000  # characters; above it, a message is taken for a paste with some words around it
EDGE_LINES = 3  # how many lines at each end of a paste may be a person's
LONGEST_SENTENCE = 600
BLOT = "\x01"

_FENCES = ("```", "~~~", '"""', "'''")
_BLOTTED = re.compile(
    r"`([^`\n]{1,200})`"
    r"|\"([^\"\n]{1,400})\"|\u201c([^\u201d\n]{1,400})\u201d|\u300c([^\u300d\n]{1,400})\u300d|\u300e([^\u300f\n]{1,400})\u300f"
    r"|\[(?:image|photo|picture|video|file|attachment|screenshot|pasted)\b[^\]\n]*\]"
    r"|<(?=[a-z/!])[^<>\n]{1,200}>"
)
# Lines that no person types as a statement: logs, prompts, stack traces, diffs, code, tables, quoted replies.
_NOT_PROSE = re.compile(
    r"\s*(?:\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d{1,2}:\d\d:\d\d|\[\w+\]\s|[$%#]\s\w|>|>>>|\.\.\.\s|at\s+\S+\s*\(|Traceback|"
    r"File \"|\w*(?:Error|Exception|Warning):|npm (?:ERR|WARN)|(?:error|warning|info|debug|fatal|panic)(?:\[|:)|"
    r"[+-]{3}\s|@@|diff --git|"
    r"\||\+\s?\S|-\w+\(|#include|import\s+[\w{*]|from\s+\S+\s+import|<[a-zA-Z/!]|[{}\[\]();]+\s*$|//|/\*|\*/|#!|"
    r"(?:const|let|var|def|class|return|public|private|export|function|async|if|for|while)\b.*[{;:(]\s*$|"
    r"\w[\w.]*\([^)]*\);?\s*$|[\w.\[\]]+\s*=\s*\S+;?\s*$|\s*\"[\w-]+\"\s*:|"
    r"(?:INFO|DEBUG|WARN|ERROR|TRACE)\b|---|===|\*\*\*\s*$|"
    r"(?:User|Human|Assistant|Agent|System|AI)\s*:)"
)
# Who speaks, as a pasted conversation writes it: what follows was said by somebody else, or by nobody.
_ROLE = re.compile(
    r"\s{0,3}(?:#{1,6}\s*|[*_\[]{1,3})?(?:User|Human|Assistant|Agent|System|Developer|AI|用户|用戶|使用者|助手|助理|系统|系統|"
    r"ユーザー|アシスタント|システム|사용자|어시스턴트|시스템)"
    r"(?:\s*[:：]?\s*[*_\]]{1,3}\s*[:：]?|\s*[:：]|\s*$)",
    re.IGNORECASE,
)
_COMMENT, _COMMENT_END = "<!--", "-->"
_UNWORDLY = re.compile(r"[^\w ]|[\d_]")
_BULLET = re.compile(r"\s*(?:[-*•·]\s+|\d{1,2}[.)、]\s*(?!\d)|\(\d{1,2}\)\s*|#{1,6}\s+|\[[ xX]\]\s+)+")
_BOUNDARY = re.compile(r"[.!?…]+[\"')\]*]*(?=\s|$)|[。｡][」』”)]*|[!?]+(?=[^\x00-\x7f])|;(?=[^\x00-\x7f])|\n")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|etc|dr|mr|mrs|ms|st|no|approx|incl|fig|al|inc|ltd|[a-z]\.[a-z])|^[A-Z])$", re.IGNORECASE
)


def blot(text: str) -> str:
    """The text with quotations, attachments, tags and inline code of several words blotted out; same length.

    A quoted or code-marked single word loses its marks only: "use `pnpm`" is plain speech.
    """
    if not any(mark in text for mark in '`"\u201c\u300c\u300e[<'):
        return text

    def cover(match: re.Match[str]) -> str:
        whole = match.group()
        inner = next((group for group in match.groups() if group is not None), None)
        if inner is None:
            return BLOT * len(whole)
        short = len(inner.split()) <= 2 if inner.isascii() else len(inner) <= 10
        if short and (whole[0] != "`" or " " not in inner.strip()):
            return whole if whole[0] in "\u300c\u300e" else f" {inner} "
        return BLOT * len(whole)

    return _BLOTTED.sub(cover, text)


def lines(text: str) -> list[tuple[int, int]]:
    """Start and end of each line that may be a person's prose; of a long message only those at its edges."""
    if "\n" not in text:
        found = [(0, len(text))]
        if len(text) > LONGEST_SENTENCE * 5 or text.startswith(("    ", "\t")):
            return []
    else:
        found = list(_unfenced(text))
        if len(text) > LONG:
            found = found if len(found) <= 2 * EDGE_LINES else found[:EDGE_LINES] + found[-EDGE_LINES:]
            found = [(start, end) for start, end in found if end - start <= LONG]
    return [(start, end) for start, end in found if _looks_human(text, start, end)]


def _unfenced(text: str) -> Iterator[tuple[int, int]]:
    fence = ""
    start = 0
    size = len(text)
    while start <= size:
        end = text.find("\n", start)
        end = size if end < 0 else end
        stripped = text[start : min(end, start + 12)].lstrip()
        mark = stripped[:3]
        if fence:
            # `closing words"""` on the last line of a block closes it too.
            if mark == fence or text[max(start, end - 4) : end].rstrip().endswith(fence):
                fence = ""
        elif mark in _FENCES:
            if text.count(mark, start, end) < 2:
                fence = mark
        elif text.rfind(_COMMENT, start, end) > text.rfind(_COMMENT_END, start, end):
            # Nobody says what stands in a comment, not even where it is never closed.
            closed = text.find(_COMMENT_END, end)
            end = size if closed < 0 else text.find("\n", closed)
            end = size if end < 0 else end
        elif stripped and _speaks(text, start, end):
            return
        elif stripped and not text.startswith(("    ", "\t"), start):
            yield start, end
        start = end + 1


def _speaks(text: str, start: int, end: int) -> bool:
    """Whether a line begins with a speaker's name as pasted conversations have it, or is a heading of just that."""
    found = _ROLE.match(text, start, end)
    return found is not None and (found[0].rstrip()[-1] in ":：*_]" or found[0].lstrip()[0] == "#")


def _looks_human(text: str, start: int, end: int) -> bool:
    if _NOT_PROSE.match(text, start, end) or _speaks(text, start, end):
        return False
    sample = text[start : min(end, start + 400)]
    if len(sample) < 16:
        return True
    return len(_UNWORDLY.findall(sample)) <= 0.38 * len(sample)


def sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence in a line, its full stop included, bullets and outer blanks left out."""
    bullet = _BULLET.match(text, start, end)
    at = bullet.end() if bullet else start
    for boundary in _BOUNDARY.finditer(text, at, end):
        if boundary.start() < at:
            continue
        if boundary.group() == "." and _ABBREVIATION.search(text[max(at, boundary.start() - 8) : boundary.start()]):
            continue
        yield from _trimmed(text, at, boundary.end())
        at = boundary.end()
    yield from _trimmed(text, at, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and (text[start].isspace() or text[start] in "*_"):
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] in "*_"):
        end -= 1
    if 3 <= end - start <= LONGEST_SENTENCE:
        yield start, end


def language_of(text: str, fallback: str = "") -> str:
    """`en`, `zh`, `ja` or `ko` by script; `fallback` decides for a sentence of Han characters alone.

    A sentence counts as East Asian as soon as it has about as many such characters as Latin words: tool names stay
    Latin in every language.
    """
    if text.isascii():
        return "en"
    han = kana = hangul = 0
    for char in text:
        if "\u4e00" <= char <= "\u9fff":
            han += 1
        elif "\u3040" <= char <= "\u30ff":
            kana += 1
        elif "\uac00" <= char <= "\ud7a3":
            hangul += 1
    if han + kana + hangul < max(2, text.count(" ") // 2):
        return "en"
    if hangul > kana:
        return "ko"
    if kana:
        return "ja"
    return fallback if fallback in ("ja", "zh") else "zh"
