"""Who calls, and what for: one shape for what all agents send.

The name in the installed command is not enough. Cursor and VS Code also run the hooks of Claude's settings, so the
payload has the last word. `CLAUDE_PROJECT_DIR` proves nothing: Gemini and Cursor set it as well.
"""

import os
from collections.abc import Mapping
from typing import NamedTuple

AGENTS = ("claude", "codex", "gemini", "cursor", "opencode", "copilot", "vscode", "pi", "qwen", "aider", "cline")

START, PROMPT, TURN, COMPACT, END = "start", "prompt", "turn", "compact", "end"
CAPTURE = frozenset({TURN, COMPACT, END})
"""Events after which the transcript is to be read. At a prompt it does not hold the prompt yet."""

_EVENTS = {
    START: ("SessionStart", "session_created", "TaskStart", "TaskResume"),
    PROMPT: ("UserPromptSubmit", "userPromptSubmitted", "beforeSubmitPrompt", "BeforeAgent"),
    TURN: (
        "Stop", "StopFailure", "agentStop", "AfterAgent", "session.idle", "agent-turn-complete", "agent_end", "turn",
    ),
    # Gemini's PreCompress comes before every request to the model and means nothing.
    COMPACT: ("PreCompact", "PostCompact", "session.compacting", "session.compacted", "session_compact"),
    END: (
        "SessionEnd", "session_shutdown", "session.deleted", "dispose", "Interrupt", "TaskComplete", "TaskCancel",
    ),
}  # fmt: skip

_BRIEFED_AT = {
    "claude": START, "codex": START, "cursor": START, "vscode": START,
    # In front of Gemini's first prompt: what its session start adds is glued to that prompt, which is then
    # lost when the session is resumed.
    "gemini": PROMPT, "qwen": PROMPT, "cline": PROMPT,
}  # fmt: skip
"""When an agent takes a briefing from its hook; the others get theirs from their plugin, or not at all."""

_NOT_TYPED = frozenset({"system", "loop_wakeup", "schedule_wakeup", "poll_event"})
_FOLDER_VARIABLES = ("CURSOR_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR")


class Call(NamedTuple):
    """One call of the hook.

    Args:
        agent: who really calls.
        event: one of the five above.
        name: the event as the agent calls it.
        session: its session's id, empty if it does not say.
        transcript: absolute path of the transcript, empty if it does not say.
        cwd: the folder of the project, empty if nobody knows.
        bridged: the agent ran a hook that was installed for another one.
        source: why a session starts, as the agent says it.
        said: what tells two calls of one kind apart, for recognising the second of two equal ones.
    """

    agent: str
    event: str
    name: str
    session: str
    transcript: str
    cwd: str
    bridged: bool
    source: str
    said: str

    @property
    def takes_briefing(self) -> bool:
        """Whether the agent puts what the hook prints now into the session."""
        return _BRIEFED_AT.get(self.agent) == self.event

    @property
    def is_before_briefing(self) -> bool:
        """Whether the briefing of this session is still to come."""
        return self.event == START and _BRIEFED_AT.get(self.agent) == PROMPT


def recognise(asked: str, payload: Mapping[str, object], options: Mapping[str, str]) -> Call | None:
    """The call that a payload makes; None if it is one that is nobody's business.

    Args:
        asked: the agent that the command was installed for.
        payload: the JSON object of the agent.
        options: `session`, `transcript`, `cwd` and `event` from the command line; they fill gaps.
    """
    if payload.get("agent_id") or payload.get("is_background_agent") is True:
        return None  # inside a sub-agent: nobody speaks there
    told = _text(payload, "hook_event_name", "hookEventName", "hookName", "type")
    name = told or options.get("event", "") or _copilot_event(payload)
    event = _KNOWN.get(_bare(name), "")
    transcript = _text(payload, "transcript_path", "transcriptPath") or options.get("transcript", "")
    agent = _host(asked, payload, transcript)
    if agent not in AGENTS or not event or (event == PROMPT and payload.get("source") in _NOT_TYPED):
        return None
    cwd = _text(payload, "cwd") or _first(payload, "workspace_roots", "workspaceRoots") or options.get("cwd", "")
    if not cwd:
        cwd = next((os.environ[name] for name in _FOLDER_VARIABLES if os.environ.get(name)), "")
    if agent == "aider":  # it has no payload: it runs a command in the folder that it works in
        cwd = cwd or os.getcwd()
        transcript = transcript or os.path.join(cwd, ".aider.chat.history.md")
    session = _text(payload, "session_id", "sessionId", "conversation_id", "taskId", "thread-id")
    keys = ("prompt_id", "turn_id", "turn-id", "generation_id", "prompt", "last_assistant_message", "prompt_response",
            "last-assistant-message", "source", "trigger", "reason", "stopReason")  # fmt: skip
    return Call(
        agent=agent,
        event=event,
        name=name,
        session=session or options.get("session", ""),
        transcript=transcript if os.path.isabs(transcript) and "\0" not in transcript else "",
        cwd=cwd,
        bridged=agent != asked,
        source=_text(payload, "source"),
        said="\0".join(_text(payload, key) for key in keys),
    )


def _host(asked: str, payload: Mapping[str, object], transcript: str) -> str:
    path = transcript.replace("\\", "/")
    for agent, field in (("cursor", "cursor_version"), ("cline", "clineVersion")):
        if field in payload:
            return agent
    if "sessionId" in payload and "session_id" not in payload:
        return "vscode" if "hookEventName" in payload else "copilot"
    for agent, folder in (("qwen", "/.qwen/"), ("gemini", "/.gemini/"), ("codex", "/.codex/"), ("claude", "/.claude/"),
                          ("copilot", "/.copilot/"), ("cursor", "/.cursor/")):  # fmt: skip
        if folder in path:
            return agent
    if path.rsplit("/", 1)[-1].startswith("rollout-") or ("turn_id" in payload and "permission_mode" in payload):
        return "codex"
    told = payload.get("hook_event_name")
    if told in ("BeforeAgent", "AfterAgent") and "timestamp" in payload and asked != "qwen":
        return "gemini"
    return asked


def _copilot_event(payload: Mapping[str, object]) -> str:
    """Copilot CLI does not name its events to hooks in camel case; their fields tell."""
    if "sessionId" not in payload:
        return ""
    for field, name in (("stopReason", "agentStop"), ("reason", "sessionEnd"), ("trigger", "preCompact"),
                        ("initialPrompt", "sessionStart"), ("source", "sessionStart"),
                        ("prompt", "userPromptSubmitted")):  # fmt: skip
        if field in payload:
            return name
    return ""


def _text(payload: Mapping[str, object], *names: str) -> str:
    return next((value for name in names if isinstance(value := payload.get(name), str) and value), "")


def _first(payload: Mapping[str, object], *names: str) -> str:
    for name in names:
        values = payload.get(name)
        if isinstance(values, list) and values and isinstance(values[0], str):
            return values[0]
    return ""


def _bare(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


_KNOWN = {_bare(name): event for event, names in _EVENTS.items() for name in (event, *names)}
