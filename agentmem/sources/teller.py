"""What a transcript says, told as messages: the part that all readers of agents' sessions have in common."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from agentmem.domain.messages import Message, MessageKind, Role, Trust
from agentmem.domain.reports import Tally
from agentmem.domain.text import clean
from agentmem.sources import noise
from agentmem.sources.blocks import Piece, note
from agentmem.sources.own import OwnCalls

RESULT_HEAD = 400
SUB_AGENT = "sub-agent session"
OWN = "agentmem's own"


@dataclass(frozen=True, slots=True)
class Said:
    """One thing that an entry says, ready to be handed on."""

    role: Role
    text: str
    kind: MessageKind = MessageKind.TEXT
    trust: Trust = Trust.HIGH


class Teller:
    """Tells the messages of a session, and remembers what they share: its id, the folder, the branch.

    Args:
        agent: the program that wrote the transcript.
        session_id: the session, until the transcript names it.
        tally: counts the messages, and what is left out.
    """

    def __init__(self, agent: str, session_id: str, tally: Tally) -> None:
        self._agent = agent
        self._own = OwnCalls()
        self.tally = tally
        self.session_id = session_id
        self.cwd: str | None = None
        self.branch: str | None = None

    def tell(self, said: Iterable[Said], *, at: datetime | None, source_id: str | None) -> Iterator[Message]:
        """The messages of one entry; the second and later ones have `#2`, `#3` … behind the entry's id."""
        for number, one in enumerate(said, 1):
            self.tally.messages += 1
            yield Message(
                session_id=self.session_id,
                role=one.role,
                content=one.text,
                at=at,
                kind=one.kind,
                trust=one.trust,
                source_id=f"{source_id}#{number}" if source_id and number > 1 else source_id,
                cwd=self.cwd,
                branch=self.branch,
                agent=self._agent,
            )

    def human(self, texts: Iterable[str], trust: Trust = Trust.HIGH) -> Iterator[Said]:
        """One thing said of all that a person typed in an entry; markup and injected memory are taken out."""
        typed = list(texts)
        text = clean("\n\n".join(words for text in typed if (words := noise.said(text)))).strip()
        if text:
            yield Said(Role.USER, text, trust=trust)
        elif typed:
            note(self.tally.ignored, "markup")

    def reply(self, text: str) -> Iterator[Said]:
        """What the assistant said."""
        if text := clean(noise.replied(text)).strip():
            yield Said(Role.ASSISTANT, text, trust=Trust.MEDIUM)

    def summary(self, text: str) -> Iterator[Said]:
        """What the agent made of earlier messages, to go on from there."""
        if text := clean(noise.replied(text)).strip():
            yield Said(Role.SYSTEM, text, MessageKind.SUMMARY, Trust.MEDIUM)

    def tool(self, piece: Piece) -> Iterator[Said]:
        """The line of a tool call, or the head of a result; nothing for the tools of agentmem itself."""
        if self._own.covers(piece):
            note(self.tally.ignored, OWN)
        elif text := clean(noise.printed(piece.text, RESULT_HEAD)).strip():
            yield Said(Role.TOOL, text, piece.kind, Trust.LOW)


def outcome(text: str, status: object) -> str:
    """The output of a command with its exit status in front, unless that says success or nothing."""
    if isinstance(status, int) and not isinstance(status, bool) and abs(status) < 10**10 and status:
        return f"exit {status}: {text}" if text else f"exit {status}"
    return text
