"""The tools: what is done when an agent calls one. What it is told of them stands in `announced`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

from agentmem.domain.messages import Trust
from agentmem.mcp import wording
from agentmem.mcp.announced import ANNOUNCED, Announced
from agentmem.mcp.arguments import checked
from agentmem.mcp.wording import Reply
from agentmem.memory import Memory
from agentmem.recall.aid import AGENT_SECONDS
from agentmem.recall.briefing import MOST_TOKENS

_USUAL_HITS = 8
_USUAL_ROWS = 30


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool.

    Args:
        about: what agents are told of it.
        run: the memory and checked arguments -> the answer.
        thinks: whether it may need the embedding model, which answers one at a time.
    """

    about: Announced
    run: Callable[[Memory, dict[str, Any]], Reply]
    thinks: bool = False


def _recall(memory: Memory, given: dict[str, Any]) -> Reply:
    return wording.recalled(
        memory.recall(
            given["query"],
            k=given.get("limit", _USUAL_HITS),
            kinds=given.get("kinds", ()),
            since=given.get("since"),
            until=given.get("until"),
            llm=not given.get("no_llm", False),
            budget_ms=given.get("budget_ms", round(1_000 * AGENT_SECONDS)),
            as_of=given.get("as_of"),
        )
    )


def _remember(memory: Memory, given: dict[str, Any]) -> Reply:
    # An agent may have read what it remembers in a web page or a file; only a person's words have a person's trust.
    return wording.remembered(
        memory.remember(
            given["text"],
            kind=given.get("kind"),
            topic_key=given.get("topic_key") or None,
            importance=given.get("importance"),
            trust=Trust.MEDIUM,
        )
    )


def _forget(memory: Memory, given: dict[str, Any]) -> Reply:
    return wording.forgotten(memory.forget(given["id"]))


def _list(memory: Memory, given: dict[str, Any]) -> Reply:
    limit = given.get("limit", _USUAL_ROWS)
    items = memory.list(
        kinds=given.get("kinds", ()),
        since=given.get("since"),
        until=given.get("until"),
        everything=given.get("all", False),
        as_of=given.get("as_of"),
        limit=limit + 1,
    )
    return wording.listed(memory.profile, items[:limit], more=len(items) > limit)


def _context(memory: Memory, given: dict[str, Any]) -> Reply:
    return wording.briefed(memory.context(query=given.get("query"), budget=given.get("budget", MOST_TOKENS)))


TOOLS: Mapping[str, Tool] = {
    tool.about.name: tool
    for tool in (
        Tool(ANNOUNCED["recall"], _recall, thinks=True),
        Tool(ANNOUNCED["remember"], _remember),
        Tool(ANNOUNCED["forget"], _forget),
        Tool(ANNOUNCED["list"], _list),
        Tool(ANNOUNCED["context"], _context, thinks=True),
    )
}


class Toolbox:
    """The tools on one memory. May be called from several threads.

    Args:
        memory: seen from the project that the agent works in.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._thinking = Lock()  # the model's library promises nothing about threads; it also loads it only once

    def call(self, tool: Tool, given: Mapping[str, Any] | None) -> Reply:
        """Call a tool.

        Raises:
            AgentmemError: whatever went wrong, in words for the one who called.
        """
        asked = checked(given, tool.about.takes)
        profile = asked.pop("profile", None)
        memory = self._memory if profile is None else self._memory.seen_from(profile)
        if tool.thinks:
            with self._thinking:
                return tool.run(memory, asked)
        return tool.run(memory, asked)
