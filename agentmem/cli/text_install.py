"""Plans and findings about the agents' settings, as JSON and as text."""

from typing import Any

from agentmem.cli.screen import Screen
from agentmem.integrations.install import Plan
from agentmem.integrations.status import IN_PLACE, MISSING, NONE, WARNING, AgentStatus, Finding

VERSION = 1
_STYLES = {IN_PLACE: "good", MISSING: "muted", NONE: "muted"}


def plan_as_json(plan: Plan, status: list[AgentStatus], *, written: bool) -> dict[str, Any]:
    """A plan in its published shape.

    Args:
        plan: what is to be done, or was.
        status: how it stands with its agents afterwards.
        written: whether it was carried out.
    """
    return {
        "version": VERSION,
        "written": written,
        "agents": list(plan.agents),
        "changes": [
            {"path": str(one.path), "agents": list(one.agents), "action": one.action, "diff": one.diff}
            for one in plan.writes
        ],
        "refusals": [
            {"path": str(one.path), "agents": list(one.agents), "reason": one.reason, "hint": one.hint}
            for one in plan.refusals
        ],
        "notes": [{"agent": agent, "text": text} for agent, text in plan.notes],
        "status": [_agent(one) for one in status],
    }


def status_as_json(status: list[AgentStatus]) -> dict[str, Any]:
    """How it stands with the agents, in its published shape."""
    return {"version": VERSION, "agents": [_agent(one) for one in status]}


def _agent(one: AgentStatus) -> dict[str, Any]:
    return {
        "agent": one.agent,
        "title": one.title,
        "present": one.present,
        "hooks": one.hooks,
        "mcp": one.server,
        "files": list(one.files),
        "findings": [
            {"code": found.code, "state": found.state, "text": found.text, "hint": found.hint} for found in one.findings
        ],
    }


def show_diffs(plan: Plan, screen: Screen) -> None:
    """Print what a plan would change."""
    for change in plan.writes:
        screen.say((f"{change.action} {change.path}", "strong"), ("  for " + " and ".join(change.agents), "muted"))
        for line in change.diff.splitlines()[2:]:
            style = "good" if line.startswith("+") else "bad" if line.startswith("-") else "muted"
            screen.say((line, style))
        screen.say()


def show_refusals(plan: Plan, screen: Screen) -> None:
    """Print what is left alone, on standard error."""
    for one in plan.refusals:
        screen.complain(("error: ", "bad"), one.reason)
        if one.hint:
            screen.complain((f"  {one.hint}", "muted"))


def show_outcome(plan: Plan, status: list[AgentStatus], screen: Screen, done: str) -> None:
    """Print what was done, and what the user should know or do now."""
    files = len(plan.writes)
    screen.say(f"{files} file{'' if files == 1 else 's'} {done}." if files else "Nothing had to be changed.")
    for agent, text in plan.notes:
        screen.say((f"{agent}: ", "name"), text, indent=2)
    for one in status:
        for found in one.findings:
            if found.text not in {text for _, text in plan.notes}:
                _finding(f"{one.agent}: ", found, screen)


def show_status(status: list[AgentStatus], screen: Screen) -> None:
    """Print how it stands with the agents."""
    shown = [one for one in status if one.present or IN_PLACE in (one.hooks, one.server)]
    if not shown:
        screen.say("None of the agents that agentmem knows is here.")
        return
    rows = [(one.agent, "here" if one.present else "not here", one.hooks, one.server) for one in shown]
    screen.table(("agent", "", "hooks", "mcp"), rows)
    for one in shown:
        for found in one.findings:
            _finding(f"{one.agent}: ", found, screen)


def _finding(prefix: str, found: Finding, screen: Screen) -> None:
    screen.say((prefix, "name"), (found.text, "warning" if found.state == WARNING else ""), ".", indent=2)
    if found.hint:
        screen.say((found.hint, "muted"), indent=4)
