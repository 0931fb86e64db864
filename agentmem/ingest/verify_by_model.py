"""Stage: eight checks of each candidate against the transcript, by a model. What it corrects is checked once more."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentmem.domain.memories import Candidate
from agentmem.domain.text import clean, normalise
from agentmem.ingest.asking import Asker, Question
from agentmem.ingest.transcript import Line, day_of, render
from agentmem.models.language import ModelRole
from agentmem.prompts.load import load
from agentmem.rules.suspicion import suspicious

CHECKS = ("entity", "object", "location", "time", "organisation", "completeness", "relation", "inference")
PASS, CORRECT, DROP = "pass", "correct", "drop"
UNJUDGED = "the model said nothing about it"
_LONGEST_REASON = 300
_VALUE = re.compile(r"\d+(?:[.,:/-]\d+)*")

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "memory": {"type": "integer"},
                    "verdict": {"enum": [PASS, CORRECT, DROP]},
                    "reason": {"type": "string"},
                    "problems": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "check": {"enum": list(CHECKS)},
                                "verdict": {"enum": [CORRECT, DROP]},
                                "reason": {"type": "string"},
                            },
                            "required": ["check", "verdict", "reason"],
                        },
                    },
                    "content": {"type": "string"},
                },
                "required": ["memory", "verdict", "reason"],
            },
        }
    },
    "required": ["verdicts"],
}


@dataclass(frozen=True, slots=True)
class Checked:
    """A candidate after its checks.

    Args:
        candidate: as it is to be stored; None if it was dropped.
        verdict: on the whole: `pass`, `correct` or `drop`.
        reason: why.
        problems: (check, verdict, reason) of each check that did not pass.
        before: what it said before it was corrected.
    """

    candidate: Candidate | None
    verdict: str
    reason: str
    problems: tuple[tuple[str, str, str], ...] = ()
    before: str | None = None


def verify_by_model(asker: Asker, piece: Sequence[Line], candidates: Sequence[Candidate]) -> list[Checked]:
    """What the model says of each candidate, in order.

    The worst check decides for the whole. A correction must not bring in a number that the transcript lacks, or an
    order, and is put to the model again, which may then only let it pass. A candidate that the model passes over in
    silence is dropped: no memory without its checks.

    Raises:
        ModelUnavailable, BadReply: as the model says.
    """
    if not candidates:
        return []
    first = [
        _checked(candidate, verdict)
        for candidate, verdict in zip(candidates, _ask(asker, piece, candidates), strict=True)
    ]
    source = render(piece)
    first = [_only_known_values(one, source) for one in first]
    corrected = [one.candidate for one in first if one.candidate is not None and one.before is not None]
    if not corrected:
        return first
    again = iter(_ask(asker, piece, corrected))
    return [_confirmed(one, next(again)) if one.candidate and one.before is not None else one for one in first]


def _ask(asker: Asker, piece: Sequence[Line], candidates: Sequence[Candidate]) -> list[Mapping[str, Any] | None]:
    memories = "\n".join(
        f'{number}. {candidate.content} (from: "{candidate.quote}")' for number, candidate in enumerate(candidates, 1)
    )
    prompt = load("verify").fill(date=day_of(piece), transcript=render(piece), memories=memories)
    reply = asker.ask(Question(ModelRole.VERIFY, "verify", prompt, SCHEMA))
    verdicts: dict[int, Mapping[str, Any]] = {}
    for verdict in (reply.data or {})["verdicts"]:
        verdicts.setdefault(verdict["memory"], verdict)
    return [verdicts.get(number) for number in range(1, len(candidates) + 1)]


def _checked(candidate: Candidate, said: Mapping[str, Any] | None) -> Checked:
    if said is None:
        return Checked(None, DROP, UNJUDGED)
    problems = tuple((one["check"], one["verdict"], _short(one["reason"])) for one in said.get("problems", ()))
    marks = {said["verdict"], *(verdict for _, verdict, _ in problems)}
    reason = _short(said["reason"])
    if DROP in marks:
        return Checked(None, DROP, reason, problems)
    if CORRECT not in marks:
        return Checked(candidate, PASS, reason)
    content = " ".join(clean(said.get("content", "")).split())
    if normalise(content) == normalise(candidate.content):
        return Checked(candidate, PASS, reason)
    if not content or len(content) > max(400, 3 * len(candidate.content)):
        return Checked(None, DROP, reason or "it is wrong, and was not put right", problems)
    return Checked(replace(candidate, content=content), CORRECT, reason, problems, before=candidate.content)


def _only_known_values(checked: Checked, source: str) -> Checked:
    if checked.candidate is None or checked.before is None:
        return checked
    known = set(_VALUE.findall(source)) | set(_VALUE.findall(checked.before))
    if suspicious(checked.candidate.content) and not suspicious(checked.before):
        return Checked(None, DROP, "the correction gives orders", checked.problems)
    new = [value for value in _VALUE.findall(checked.candidate.content) if value not in known and value not in source]
    if not new:
        return checked
    return Checked(None, DROP, f"the correction brings in {new[0]}, which nobody said", checked.problems)


def _confirmed(checked: Checked, said: Mapping[str, Any] | None) -> Checked:
    problems = said.get("problems", ()) if said else ()
    if said is not None and said["verdict"] == PASS and not problems:
        return checked
    reason = _short(said["reason"]) if said else UNJUDGED
    return Checked(None, DROP, f"the correction did not pass either: {reason}", checked.problems)


def _short(reason: str) -> str:
    return " ".join(clean(reason).split())[:_LONGEST_REASON]
