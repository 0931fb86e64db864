"""Generic chats: the shape to write when an agent has none of its own reader here.

A line of JSONL is one message; only `role` and `content` are needed:

    {"role": "user", "content": "Use uv, not pip.", "timestamp": "2026-04-10T09:00:00Z",
     "id": "m1", "session_id": "s1", "speaker": "Ada"}

`id` becomes the message's `source_id`. Also read: the message inside a `message` field, other usual names of these
fields, content in blocks (Anthropic's and OpenAI's), `tool_calls`, a conversation per line (`{"messages": […]}`), and
JSON documents: a list of messages, `{"messages": […]}`, a list of conversations.

A role that is no role but a name is a person of that name. Tool calls become a line, of a tool's result the head is
kept; both have low trust. Text is handed on whole, but for injected memory and system reminders.

Measured on one core: 110,000 messages a second (lines of 200 bytes with id, session and timestamp).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from agentmem.domain.messages import Message, MessageKind, Role, Trust, trust_of
from agentmem.domain.reports import Tally
from agentmem.domain.text import clean
from agentmem.sources import documents, noise
from agentmem.sources.blocks import Piece, call, flat, label, note, pieces, string
from agentmem.sources.lines import Head, peek, values
from agentmem.sources.own import OwnCalls
from agentmem.sources.sessions import session_name
from agentmem.sources.stamps import instant

LABEL = 'chats as JSONL or JSON, {"role": …, "content": …} a message'
AGENT = "chat"

RESULT_HEAD = 2000

_ROLES = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "bot": Role.ASSISTANT,
    "gpt": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
_ROLE_KEYS = ("role", "sender", "from", "speaker")
_CONTENT_KEYS = ("content", "text", "value", "parts")
_TIME_KEYS = ("timestamp", "created_at", "createdAt", "ts", "time", "date", "create_time")
_ID_KEYS = ("id", "uuid", "message_id")
_SESSION_KEYS = ("session_id", "sessionId", "conversation_id", "conversationId", "thread_id")
_LIST_KEYS = ("messages", "conversation", "conversations", "chat_messages", "turns")
_DEEPEST = 5  # an object with a list of conversations that each have a list of messages

_NAME = re.compile(r"[^\W\d_][^\n{}<>/\\_:]{0,63}")
_TORN = re.compile(r'(?<!\\)"(?:role|sender|from)"\s*:\s*"[^"\\]{1,40}"')
_TORN_CONTENT = re.compile(r'(?<!\\)"(?:content|text|value|parts)"\s*:')


def matches(head: Head) -> bool:
    """Whether there is a message, or a conversation, among the first values; or the beginning of one."""
    if any(_is_chat(value) for value in head.values):
        return True
    torn = not head.values and head.text.startswith(("{", "["))
    return torn and bool(_TORN.search(head.text) and _TORN_CONTENT.search(head.text))


def _is_chat(value: object, depth: int = 0) -> bool:
    if isinstance(value, list):
        return depth < _DEEPEST and any(_is_chat(one, depth + 1) for one in value[:8])
    if not isinstance(value, dict):
        return False
    if any(isinstance(value.get(key), list) and _is_chat(value[key], depth + 1) for key in _LIST_KEYS):
        return True
    inner = value.get("message")
    if isinstance(inner, dict):
        value = {"role": value.get("role"), **inner}
    elif "speaker" in value and isinstance(value["speaker"], str):
        return any(key in value for key in _CONTENT_KEYS)
    role = _first(value, _ROLE_KEYS)
    known = isinstance(role, str) and role.strip().lower() in _ROLES
    return known and not value.keys().isdisjoint((*_CONTENT_KEYS, "tool_calls", "function_call"))


def read(chunks: Iterable[bytes], *, name: str, session_id: str | None, tally: Tally) -> Iterator[Message]:
    """The messages of a chat, in its order. See `agentmem.sources.formats.Source`.

    A session's id is the line's, else its conversation's, else the argument, else made of `name` and the first
    message, so that it stays the same while the file grows.

    Raises:
        BadInput: a JSON document is too large, or not complete.
    """
    head, chunks = peek(chunks)
    document = Head.of(head).document
    chat = _Chat(name, session_id, tally, document=document)
    found = documents.load(chunks, name=name, tally=tally) if document else values(chunks, tally)
    for value in found:
        # A list on a line is a conversation of its own, a whole document of messages is one.
        yield from (chat if document or isinstance(value, dict) else chat.another(session_id)).value(value)


def from_objects(objects: Iterable[object], *, name: str, session_id: str | None, tally: Tally) -> Iterator[Message]:
    """The messages of objects that have the shape of this format's lines, or are messages themselves."""
    chat = _Chat(name, session_id, tally, document=False)
    for value in objects:
        if isinstance(value, Message):
            yield value
        else:
            yield from chat.value(dict(value) if isinstance(value, Mapping) else value)


def _first(entry: dict[str, Any], keys: Iterable[str]) -> Any:
    """The first of these fields that holds something."""
    for key in keys:
        if (value := entry.get(key)) is not None:
            return value
    return None


class _Chat:
    """What must be remembered from message to message of one conversation."""

    def __init__(self, name: str, session_id: str | None, tally: Tally, *, document: bool) -> None:
        self._name = name
        self._session_id = session_id
        self._tally = tally
        self._document = document
        self._own = OwnCalls()

    def another(self, session_id: str | None) -> "_Chat":
        """A further conversation of the same input."""
        return _Chat(self._name, session_id, self._tally, document=self._document)

    def value(self, value: object, depth: int = 0) -> Iterator[Message]:
        """The messages of a message, of a conversation, or of a list of either."""
        if isinstance(value, dict):
            inside = next((value[key] for key in _LIST_KEYS if isinstance(value.get(key), list)), None)
            if inside is None or depth >= _DEEPEST:
                yield from self._entry(value)
            else:
                session_id = string(_first(value, (*_SESSION_KEYS, "id", "uuid"))) or self._session_id
                yield from self.another(session_id).value(inside, depth + 1)
        elif isinstance(value, list) and depth < _DEEPEST:
            for one in value:
                yield from (self.another(self._session_id) if isinstance(one, list) else self).value(one, depth + 1)
        else:
            note(self._tally.skipped, "not a message")

    def _entry(self, outer: dict[str, Any]) -> Iterator[Message]:
        """The messages of one entry: its text, and a message for each tool call or result in it."""
        self._tally.lines += self._document
        entry = _unwrapped(outer)
        role, speaker, trust = _who(entry)
        if role is None:
            note(self._tally.skipped, f"role {label(speaker)}" if speaker else "no role")
            return
        # The outer fields go first: inside stands what the model's interface knew, outside what the session knows.
        at = _time(outer) or _time(entry)
        source_id = string(_first(outer, _ID_KEYS) or _first(entry, _ID_KEYS))
        session_id = string(_first(entry, _SESSION_KEYS)) or self._session_id
        number = 0
        for piece in self._pieces(role, entry):
            kind = piece.kind
            spoken = kind is MessageKind.TEXT
            text = clean(noise.injected(piece.text) if spoken else noise.printed(piece.text, RESULT_HEAD))
            if not text or text.isspace():
                continue
            who = role if spoken else Role.TOOL
            if session_id is None:
                session_id = self._session_id = session_name(self._name, who, text, at)
            number += 1
            self._tally.messages += 1
            yield Message(
                session_id=session_id,
                role=who,
                content=text,
                at=at,
                kind=kind,
                trust=trust if spoken else Trust.LOW,
                source_id=f"{source_id}#{number}" if source_id and number > 1 else source_id,
                speaker=speaker if spoken else None,
                agent=AGENT,
            )
        if not number:
            note(self._tally.ignored, "no text")

    def _pieces(self, role: Role, entry: dict[str, Any]) -> Iterator[Piece]:
        """What an entry holds, without the calls of agentmem itself and their results."""
        for piece in _all_pieces(role, entry, self._tally):
            if piece.kind is not MessageKind.TEXT and self._own.covers(piece):
                note(self._tally.ignored, "agentmem's own")
            else:
                yield piece


def _unwrapped(entry: dict[str, Any]) -> dict[str, Any]:
    """The entry with the message that a `message` field holds laid over it."""
    inner = entry.get("message")
    if isinstance(inner, dict):
        return {**entry, **inner}
    if isinstance(inner, str) and entry.get("content") is None:
        return {**entry, "content": inner}
    return entry


def _all_pieces(role: Role, entry: dict[str, Any], tally: Tally) -> Iterator[Piece]:
    content = entry.get("content")
    if content is None:
        content = _first(entry, _CONTENT_KEYS)
    if role is Role.TOOL:
        tool = string(entry.get("name")) or ""
        yield Piece(MessageKind.TOOL_RESULT, flat(content), call_id=string(entry.get("tool_call_id")), tool=tool)
        return
    yield from pieces(content, tally)
    if isinstance(calls := entry.get("tool_calls"), list):
        for one in calls:
            if isinstance(one, dict):
                function = one.get("function")
                function = function if isinstance(function, dict) else one
                yield call(function.get("name"), function.get("arguments"), one.get("id"))
    if isinstance(function := entry.get("function_call"), dict):
        yield call(function.get("name"), function.get("arguments"))


def _time(entry: dict[str, Any]) -> datetime | None:
    """The time of an entry: the first of the usual fields that tells one."""
    for key in _TIME_KEYS:
        if (value := entry.get(key)) is not None and (at := instant(value)) is not None:
            return at
    return None


def _who(entry: dict[str, Any]) -> tuple[Role | None, str | None, Trust]:
    """Who speaks in an entry: the role, the person's name, the trust.

    A role of None and a name: that role means nothing here.
    """
    named = entry.get("role")
    role = _ROLES.get(named) if isinstance(named, str) else None
    speaker = entry.get("speaker")
    if role is None:
        if named is None:
            named = _first(entry, _ROLE_KEYS)
        if not isinstance(named, str) or not (named := named.strip()):
            return None, None, Trust.LOW
        role = _ROLES.get(named.lower())
        if role is None:
            named = clean(named)
            if not _NAME.fullmatch(named):
                return None, named, Trust.LOW
            # "Ada" is a person; "critic" may be one, or a role of another program's.
            speaks = named if not isinstance(speaker, str) else speaker
            proper = speaker is not None or not (named.isascii() and named.islower())
            return Role.USER, string(speaks), Trust.HIGH if proper else Trust.MEDIUM
    name = speaker if speaker is not None else entry.get("name") if role is Role.USER else None
    return role, string(name) if isinstance(name, str) else None, trust_of(role)
