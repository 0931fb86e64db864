"""Content addresses: the same words in the same place always get the same id."""

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
