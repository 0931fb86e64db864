"""What a language model must offer, and one that answers from a list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from threading import Lock
from typing import Any, Protocol


class ModelRole(StrEnum):
    """What a model is asked for. Each has a model of its own: small fast ones extract, larger ones synthesise."""

    EXTRACT = "extract"
    VERIFY = "verify"
    CLASSIFY = "classify"
    ANALYZE = "analyze"
    SYNTHESIZE = "synthesize"
    MERGE = "merge"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said.

    Args:
        text: its words, without what a thinking model thinks.
        data: the JSON object in them, where a schema was asked for.
        prompt_tokens: the length of the question.
        reply_tokens: the length of the answer.
        seconds: how long it took.
    """

    text: str
    data: Mapping[str, Any] | None = None
    prompt_tokens: int = 0
    reply_tokens: int = 0
    seconds: float = 0.0


class LanguageModel(Protocol):
    """Answers a prompt, the same prompt always the same way as far as it can. May be called from several threads."""

    @property
    def name(self) -> str:
        """The model as its server names it, as `qwen3:4b`."""

    def ask(self, prompt: str, *, schema: Mapping[str, Any] | None = None, seconds: float | None = None) -> Reply:
        """Answer a prompt.

        Args:
            prompt: the whole of it.
            schema: a JSON schema of the object that is wanted; None: free text.
            seconds: how long it may take; None: the model's own limit.

        Raises:
            ModelUnavailable: no server, no such model, or no answer in time. The work stays owed.
            BadReply: an answer came, but not what was asked for. Only this piece of work failed.
        """


class ScriptedModel:
    """Answers from a list, in order, and keeps what it was asked; an exception in the list is raised.

    For tests of what is made of a model's words.
    """

    def __init__(self, replies: Sequence[Reply | Mapping[str, Any] | str | Exception], name: str = "scripted") -> None:
        self.name = name
        self.asked: list[str] = []
        self._replies = list(replies)
        self._lock = Lock()

    def ask(self, prompt: str, *, schema: Mapping[str, Any] | None = None, seconds: float | None = None) -> Reply:  # noqa: ARG002 a script knows no time
        with self._lock:
            self.asked.append(prompt)
            reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, Reply):
            return reply
        if isinstance(reply, str):
            return Reply(reply)
        if schema is None:
            raise TypeError("an object was scripted where text is asked for")
        return Reply(str(dict(reply)), dict(reply))
