"""Points in time as transcripts write them."""

import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Epoch numbers from 1990 to 2200; seconds, milliseconds, microseconds and nanoseconds do not overlap there, and
# a counter (1, 2, 3 …) or a missing value (0) is not taken for a time.
_EARLIEST, _LATEST = 631_152_000, 7_258_118_400
_SCALES = (1, 1_000, 1_000_000, 1_000_000_000)
_NUMBER = re.compile(r"\d{9,19}(?:\.\d{1,9})?")
_SLASHES = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})")
_BEFORE_ZONE = re.compile(r"\s+(?=[+-]\d\d:?\d\d$)")


def instant(value: object) -> datetime | None:
    """The time in UTC, or None where the value tells none: a time is never invented.

    Read are ISO 8601 (without a zone it is UTC, without a time of day it is midnight UTC), also with slashes in the
    date, and numbers since the epoch in seconds, milliseconds, microseconds or nanoseconds.
    """
    if isinstance(value, str):
        return _written(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _counted(value)
    return None


def _counted(number: float) -> datetime | None:
    for scale in _SCALES:
        if _EARLIEST * scale <= number <= _LATEST * scale:
            if isinstance(number, int):  # exact; a float division would shift the last microsecond
                return _EPOCH + timedelta(seconds=number // scale, microseconds=number % scale * 1_000_000 // scale)
            return _EPOCH + timedelta(seconds=number / scale)
    return None


def _written(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        found = _awkward(text)
        if found is None or found.tzinfo is UTC:
            return found
        at = found
    if at.tzinfo is UTC:
        return at
    if at.tzinfo is None:
        return at.replace(tzinfo=UTC)
    try:
        return at.astimezone(UTC)
    except OverflowError:  # 0001-01-01T00:00:00+14:00
        return None


def _awkward(text: str) -> datetime | None:
    """Spellings that are common and unambiguous, but that Python does not read."""
    if len(text) > 64:
        return None
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return _counted(float(text) if "." in text else int(text))
    text = _BEFORE_ZONE.sub("", text.removesuffix(" UTC").removesuffix(" GMT"))
    if slashed := _SLASHES.match(text):
        year, month, day = slashed.groups()
        text = f"{year}-{month:0>2}-{day:0>2}{text[slashed.end() :]}"
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
