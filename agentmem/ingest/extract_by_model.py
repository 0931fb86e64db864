"""What a language model finds in a piece of a session, before it is checked by another one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentmem.domain.memories import Candidate, MemoryKind
from agentmem.domain.messages import MessageKind, Role, Trust
from agentmem.domain.text import clean, normalise
from agentmem.errors import BadReply
from agentmem.ingest.asking import Asker, Question
from agentmem.ingest.transcript import Line, day_of, render, unresolved, windows
from agentmem.ingest.trust import settled, trust_of_quote
from agentmem.ingest.verify import verify
from agentmem.models.language import ModelRole, Reply
from agentmem.prompts.load import load
from agentmem.store.messages import StoredMessage

KINDS = [kind.value for kind in (MemoryKind.FACT, MemoryKind.EVENT, MemoryKind.INSTRUCTION, MemoryKind.TASK)]
LONGEST = 1_000  # characters of a memory's content; what is longer is a copy, not a sentence
_MOST = 40  # memories of one answer; a model that gives more has lost its way
_BRACKETS = re.compile(r"(?P<mark>\[redacted:[\w-]+:[0-9a-f]{4}\])|[\[\]]")

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "memories": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "content": {"type": "string"},
                    "kind": {"enum": KINDS},
                    "quote": {"type": "string"},
                    "lines": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["content", "kind", "quote", "lines"],
            },
        }
    },
    "required": ["memories"],
}


@dataclass(slots=True)
class Found:
    """Candidates whose quotes a machine has found in the source.

    Args:
        candidates: with the message's trust.
        dropped: how many were left out, by reason.
        errors: answers that were none.
    """

    candidates: list[Candidate] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)
    errors: list[BadReply] = field(default_factory=list)

    def drop(self, reason: str) -> None:
        """Count what is left out."""
        self.dropped[reason] = self.dropped.get(reason, 0) + 1


def extract_by_model(asker: Asker, piece: Sequence[Line], *, project: str, detail: bool) -> Found:
    """Read a piece in the full pass and, where wanted, window by window in the detail pass; both at once.

    Args:
        asker: asks the models.
        piece: its lines, those before it first.
        project: whose it is.
        detail: whether to run the detail pass too.

    Raises:
        ModelUnavailable: no model can be asked.
        BadReply: not one answer could be used.
    """
    parts = [("extract", piece)]
    if detail:
        parts += [("detail", window) for window in windows(piece) if not all(line.before for line in window)]
    replies = asker.ask_all([_question(name, part, project) for name, part in parts])
    found = Found(errors=[reply for reply in replies if isinstance(reply, BadReply)])
    if len(found.errors) == len(replies):
        raise found.errors[0]
    seen: set[tuple[str, str]] = set()
    by_number = {line.number: line for line in piece}
    for (name, _), reply in zip(parts, replies, strict=True):
        if isinstance(reply, Reply) and reply.data is not None:
            for raw in reply.data["memories"][:_MOST]:
                _take(found, seen, raw, by_number, load(name).label)
    return found


def _question(name: str, part: Sequence[Line], project: str) -> Question:
    prompt = load(name).fill(date=day_of(part), project=project, transcript=render(part))
    return Question(ModelRole.EXTRACT, name, prompt, SCHEMA)


def _take(
    found: Found, seen: set[tuple[str, str]], raw: Mapping[str, Any], lines_by_number: Mapping[int, Line], label: str
) -> None:
    content = " ".join(clean(_bracketed(raw["content"])).split())
    if not content or len(content) > LONGEST:
        found.drop("no sentence")
        return
    placed = _place(raw, lines_by_number)
    if placed is None:
        found.drop("quote not in the source")
        return
    message, quote = placed
    if (message.id, normalise(content)) in seen:
        return
    seen.add((message.id, normalise(content)))
    candidate = settled(
        Candidate(
            kind=MemoryKind(raw["kind"]),
            content=content,
            quote=quote,
            session_id=message.session_id,
            message_id=message.id,
            said_at=message.at,
            trust=trust_of_quote(Trust(message.trust), message.content, quote, content),
            extractor=label,
        )
    )
    if candidate is None:
        found.drop("an order that no person gave")
        return
    found.candidates.append(candidate)


def _bracketed(text: str) -> str:
    """The text with the brackets of resolved dates as ordinary ones; those of redacted secrets stay."""
    if text.count("[") != text.count("]"):
        return text
    return _BRACKETS.sub(lambda match: match["mark"] or {"[": "(", "]": ")"}[match[0]], text)


def _place(raw: Mapping[str, Any], lines_by_number: Mapping[int, Line]) -> tuple[StoredMessage, str] | None:
    """The message that a quote stands in, and its words as they stand there: cited lines first, then all others."""
    cited = [lines_by_number[number] for number in raw["lines"] if number in lines_by_number]
    others = [line for line in lines_by_number.values() if line not in cited]
    for quote in dict.fromkeys((raw["quote"], unresolved(raw["quote"]))):
        for line in [*cited, *others]:
            if line.before:
                continue
            found = verify(
                Candidate(kind=MemoryKind.FACT, content="-", quote=clean(quote), session_id="", message_id=""),
                line.message.content,
            )
            if found is not None and (len(found.quote.strip()) > 2 or line in cited):
                return line.message, found.quote
    return None


def spoken(message: StoredMessage) -> bool:
    """Whether a person or an agent says it."""
    return message.kind == MessageKind.TEXT and message.role in (Role.USER, Role.ASSISTANT)
