"""What is distilled from messages: candidates before they are stored, memories afterwards."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from agentmem.domain.messages import Trust


class MemoryKind(StrEnum):
    """What a memory says: how things are, what happened, how to work, what is to be done."""

    FACT = "fact"
    EVENT = "event"
    INSTRUCTION = "instruction"
    TASK = "task"
    SUMMARY = "summary"
    PATTERN = "pattern"


class Status(StrEnum):
    """Whether a memory still counts. Only active ones surface unless others are asked for.

    A rejected one surfaces too, as something that was tried and rejected, with the reason.
    """

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    FORGOTTEN = "forgotten"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory proposed by extraction, before it is verified and stored.

    Args:
        kind: what it says.
        content: one self-contained sentence in the language of the source.
        quote: the exact words of the message that support it.
        session_id: session of the supporting message.
        message_id: the supporting message (`agentmem.domain.ids.message_id`).
        topic_key: what it is about, for facts and instructions, as `project.package_manager`; a newer
            memory with the same key supersedes an older one. None: nothing supersedes it.
        said_at: when the supporting message was said (UTC), or None.
        occurred_at: when the thing itself happened or will happen (UTC), or None.
        expires_at: when it stops to matter (tasks), or None.
        importance: 0 to 1.
        trust: that of the supporting message.
        search_queries: questions that it answers.
        extractor: name and version of what proposed it (`rules/1`).
    """

    kind: MemoryKind
    content: str
    quote: str
    session_id: str
    message_id: str
    topic_key: str | None = None
    said_at: datetime | None = None
    occurred_at: datetime | None = None
    expires_at: datetime | None = None
    importance: float = 0.5
    trust: Trust = Trust.HIGH
    search_queries: tuple[str, ...] = ()
    extractor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryItem:
    """A stored memory.

    `valid_from` is when it became true as far as the store can tell: when it was said, else when it was
    stored. `superseded_by` is the id of the memory that replaced it. `reason` says why it was rejected. `confirmed_at`
    is when a person last said that it still holds, `recalled` how often it was found. Times are UTC.
    """

    id: str
    profile: str
    kind: MemoryKind
    content: str
    topic_key: str | None = None
    importance: float = 0.5
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    created_at: datetime | None = None
    expires_at: datetime | None = None
    last_recalled_at: datetime | None = None
    status: Status = Status.ACTIVE
    superseded_by: str | None = None
    trust: Trust = Trust.HIGH
    extractor: str = ""
    pinned: bool = False
    confirmed_at: datetime | None = None
    reason: str | None = None
    recalled: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The exact words in a message that support a memory."""

    memory_id: str
    session_id: str
    message_id: str
    quote: str
    at: datetime | None = None
    role: str | None = None
    source_id: str | None = None
