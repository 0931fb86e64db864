"""What was said in a session, as every source hands it on."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Role(StrEnum):
    """Who speaks."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class MessageKind(StrEnum):
    """What a message is. A summary is text that an agent derived from earlier messages."""

    TEXT = "text"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    SUMMARY = "summary"


class Trust(StrEnum):
    """How far a text may be believed: a person's words, a model's words, a tool's output."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a session.

    Args:
        session_id: the session it belongs to, as the agent names it.
        role: who speaks.
        content: the text, never empty, free of NUL and of lone surrogates.
        at: when it was said, in UTC; None where the transcript does not tell.
        kind: text, tool call, tool result or summary.
        trust: how far the text may be believed.
        source_id: the id that the transcript itself gives the line.
        speaker: a person's name where the transcript has names.
        cwd: the folder that the agent worked in.
        branch: the git branch that was checked out.
        agent: the program that wrote the transcript (`claude`, `chat` …).
    """

    session_id: str
    role: Role
    content: str
    at: datetime | None = None
    kind: MessageKind = MessageKind.TEXT
    trust: Trust = Trust.HIGH
    source_id: str | None = None
    speaker: str | None = None
    cwd: str | None = None
    branch: str | None = None
    agent: str | None = None


def trust_of(role: Role, kind: MessageKind = MessageKind.TEXT) -> Trust:
    """The trust that a role's words get when the transcript says nothing better."""
    if role is Role.TOOL or kind in (MessageKind.TOOL_RESULT, MessageKind.TOOL_CALL):
        return Trust.LOW
    if role is Role.USER and kind is MessageKind.TEXT:
        return Trust.HIGH
    return Trust.MEDIUM
