"""How a briefing gets into an agent: the JSON that each agent's hooks take, and when a session has had its own.

The shapes are those that the agents document, without any other key: Codex refuses unknown ones and drops the context.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from agentmem.paths import PRIVATE_FILE, make_private_folder

Output = dict[str, object]


@dataclass(frozen=True, slots=True)
class Injection:
    """How one agent takes context.

    Args:
        form: (event, text) -> the JSON that its hook prints.
        events: the events whose output takes context; the first is meant where none is named.
    """

    form: Callable[[str, str], Output]
    events: tuple[str, ...]


def _hook_specific(event: str, text: str) -> Output:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _additional(_event: str, text: str) -> Output:
    return {"additional_context": text}


def _modification(_event: str, text: str) -> Output:
    return {"contextModification": text}


INJECTIONS: Mapping[str, Injection] = {
    "claude": Injection(_hook_specific, ("SessionStart", "UserPromptSubmit")),
    "codex": Injection(_hook_specific, ("SessionStart", "UserPromptSubmit")),
    # Without a terminal Gemini does not wait for SessionStart, so its first prompt is the place.
    "gemini": Injection(_hook_specific, ("BeforeAgent", "SessionStart")),
    "qwen": Injection(_hook_specific, ("UserPromptSubmit", "SessionStart")),
    "vscode": Injection(_hook_specific, ("SessionStart",)),
    "cursor": Injection(_additional, ("sessionStart",)),
    "cline": Injection(_modification, ("UserPromptSubmit", "TaskStart")),
    # These two have no hooks but our own plugin, which reads the same shape as Cursor.
    "opencode": Injection(_additional, ("chat.message", "session.created")),
    "pi": Injection(_additional, ("before_agent_start", "session_start")),
}
"""By agent. Copilot's command line takes context through its SDK only, Aider not at all."""

_STARTS = frozenset({"SessionStart", "sessionStart", "TaskStart", "session.created", "session_start"})
_EMPTIED = frozenset({"compact", "clear"})
_COPIED = "fork"
_MOST_MARKS = 2_000
_MARK_LIFE = 30 * 24 * 3600.0  # seconds; agents delete sessions after 30 days


def event_of(agent: str, event: str | None) -> str | None:
    """The event under which an agent is given context: the one named if it takes any; None where it does not."""
    found = INJECTIONS.get(agent)
    if found is None:
        return None
    if event is None:
        return found.events[0]
    return event if event in found.events else None


def injection(agent: str, event: str, text: str) -> Output:
    """What the agent's hook prints. `event` is one that `event_of` gave."""
    return INJECTIONS[agent].form(event, text)


class Briefed:
    """The sessions that had their briefing: an empty file each, made so that only one of two hooks can make it.

    * A resumed session is not told again: agents store what was injected in the transcript and replay it.
    * After a compaction, or `/clear`, it is: what was injected is gone, or lives on in a paraphrase without dates.
    * A forked session is not: its transcript is a copy, and the briefing is in it.
    * A hook that runs at every prompt tells the first one only.

    Args:
        folder: where the files are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def due(self, agent: str, session: str | None, event: str, source: str | None) -> bool:
        """Whether the session is to be told now; if so it counts as told from now on.

        Args:
            agent: the agent.
            session: its session; without one only the start of a session counts.
            event: the hook's event.
            source: why the session starts, as the agent says: `startup`, `resume`, `clear`, `compact`, `fork`.
        """
        start = event in _STARTS
        if not session:
            return start and source != _COPIED
        first = self._mark(agent, session, otherwise=start)
        if start and source in _EMPTIED:
            return True
        return first and not (start and source == _COPIED)

    def knows(self, agent: str, session: str | None, event: str, source: str | None) -> bool:
        """Whether nothing can be due, so that there is no need to look for anything to say."""
        emptied = event in _STARTS and source in _EMPTIED
        return bool(session) and not emptied and self._file(agent, session or "").exists()

    def _file(self, agent: str, session: str) -> Path:
        return self._folder / sha256(f"{agent}\n{session}".encode("utf-8", "replace")).hexdigest()[:32]

    def _mark(self, agent: str, session: str, *, otherwise: bool) -> bool:
        """Note a session; False if it was noted before, `otherwise` where nothing can be noted."""
        try:
            make_private_folder(self._folder)
            self._file(agent, session).touch(mode=PRIVATE_FILE, exist_ok=False)
        except FileExistsError:
            return False
        except OSError:  # a disk without room or rights: at worst a resumed session is told twice
            return otherwise
        self._trim()
        return True

    def _trim(self) -> None:
        marks = list(self._folder.iterdir())
        if len(marks) <= _MOST_MARKS:
            return
        for mark in marks:
            try:
                if time.time() - mark.stat().st_mtime > _MARK_LIFE:
                    mark.unlink()
            except FileNotFoundError:  # another hook trims as well
                continue
