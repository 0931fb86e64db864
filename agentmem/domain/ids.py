"""Content addresses: the same words in the same place always get the same id."""

import re
from hashlib import sha256


def digest(*fields: str) -> str:
    """SHA-256 over length-prefixed fields, cut to 128 bits, as 32 hex digits.

    Each field is preceded by its length in bytes, so that no two different tuples hash the same text:
    `("ab", "c")` and `("a", "bc")` differ.
    """
    hasher = sha256()
    for field in fields:
        data = field.encode("utf-8", "surrogatepass")
        hasher.update(len(data).to_bytes(8, "big"))
        hasher.update(data)
    return hasher.hexdigest()[:32]


def message_id(session_id: str, role: str, content: str) -> str:
    """The id of a message: said again in the same session, it is the same message."""
    return digest(session_id, role, content)


def memory_id(profile: str, kind: str, topic_key: str | None, normalised: str) -> str:
    """The id of a memory; `normalised` is its content after `agentmem.domain.text.normalise`."""
    return digest(profile, kind, topic_key or "", normalised)


def content_hash(text: str) -> str:
    """The key under which work on a text (its embedding) is paid for once."""
    return digest(text)


_OPENCODE = re.compile(r"ses_([0-9a-f]{12})")
_MOST = 1 << 60


def session_rank(session_id: str) -> tuple[int, str]:
    """The place of a session among those that have a line in common: the first of them keeps it.

    Where ids tell when they were made, the session that was made first is the one that was copied. UUIDs of version 7
    tell, and OpenCode's, which count down. Of others the smaller id goes first: it matters only that it is always
    the same one.
    """
    if found := _OPENCODE.match(session_id):
        return (1 << 48) - int(found[1], 16), session_id
    digits = session_id.replace("-", "")
    if len(digits) == 32 and digits[12] == "7" and all(digit in "0123456789abcdef" for digit in digits[:12]):
        return int(digits[:12], 16), session_id
    return _MOST, session_id
