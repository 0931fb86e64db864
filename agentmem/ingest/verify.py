"""Does the source really say it? A machine's check of each candidate's quote, before anything is stored."""

import unicodedata
from dataclasses import replace

from agentmem.domain.memories import Candidate

# Marks that models and editors exchange silently. None of them changes what a quote says.
_SAME = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u2032": "'", "`": "'",
    "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"', "\u2033": '"',
    "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-",
    "\u200b": "", "\u200c": "", "\u200d": "", "\ufeff": "", "\u00ad": "",
})  # fmt: skip
_QUOTE_EDGES = " \t\n\"'.…"


def verify(candidate: Candidate, message_content: str) -> Candidate | None:
    """The candidate with its quote as the source has it, or None where the source does not say it.

    A quote that stands in the message to the letter passes as it is. Otherwise the two are compared with blanks, width
    of characters, quotation marks, dashes and case made alike, and the source's own words replace the quote. An empty
    quote supports nothing.
    """
    quote = candidate.quote
    if not quote.strip():
        return None
    if quote in message_content:
        return candidate
    source, places = _alike(message_content)
    wanted, _ = _alike(quote.strip(_QUOTE_EDGES))
    wanted = wanted.strip()
    if not wanted:
        return None
    at = source.find(wanted)
    if at < 0:
        return None
    return replace(candidate, quote=message_content[places[at] : places[at + len(wanted) - 1] + 1])


def _alike(text: str) -> tuple[str, list[int]]:
    """The text in the form that is compared, and for each of its characters the place it comes from."""
    made: list[str] = []
    places: list[int] = []
    blank = True
    for place, char in enumerate(text):
        if char.isspace():
            if not blank:
                made.append(" ")
                places.append(place)
            blank = True
            continue
        for piece in unicodedata.normalize("NFKC", char).translate(_SAME).lower():
            if piece.isspace():
                continue
            made.append(piece)
            places.append(place)
            blank = False
    return "".join(made), places
