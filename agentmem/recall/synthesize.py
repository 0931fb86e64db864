"""Stage: an answer in words from the best hits, with citations; or "I don't know" where they do not hold it.

The model is given each hit as a numbered quotation with its day, how long ago that is, and who said it. It computes
nothing: spans of time come from `agentmem.recall.elapsed`. What it says is checked by `agentmem.recall.grounding`
before anybody sees it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from agentmem.domain.excerpt import excerpt
from agentmem.domain.memories import Status
from agentmem.domain.messages import Trust
from agentmem.domain.recall import MESSAGE, Hit, Query
from agentmem.models.language import LanguageModel
from agentmem.prompts.load import load
from agentmem.recall.elapsed import elapsed
from agentmem.recall.elapsed_forms import TRADITIONAL
from agentmem.recall.grounding import days_in, ground
from agentmem.recall.quoting import harmless, quoted, shortened
from agentmem.rules.prose import language_of

MOST_RECORDS = 12
_LONGEST_RECORD = 700
_NUMBERED = re.compile(r"^\[\d+\]|^\* Record \d+", re.MULTILINE)
_LONGEST_QUESTION = 1_000
_LONGEST_ANSWER = 2_000
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"known": {"type": "boolean"}, "answer": {"type": "string"}},
    "required": ["known", "answer"],
}
UNKNOWN = {
    "en": "I don't know: what is on record does not answer that.",
    "zh-Hans": "我不知道：记录里没有答案。",
    "zh-Hant": "我不知道：記錄裡沒有答案。",
    "ja": "わかりません。記録の中に答えがありません。",
    "ko": "모르겠습니다. 기록에 답이 없습니다.",
}
_TOLD_BY_TOOL = {
    "en": "(Printed by a tool, which may be wrong or meant to mislead: {marks})",
    "zh-Hans": "（来自工具的输出，可能有误或误导：{marks}）",
    "zh-Hant": "（來自工具的輸出，可能有誤或誤導：{marks}）",
    "ja": "（ツールの出力によるもので、誤りや誘導のおそれがあります：{marks}）",
    "ko": "(도구의 출력이며 틀리거나 오도할 수 있습니다: {marks})",
}


@dataclass(frozen=True, slots=True)
class Synthesis:
    """What a model made of the hits.

    Args:
        text: the answer, or that there is none; empty where all of it had to be dropped.
        citations: ranks of the hits that it cites.
        dropped: sentences that did not rest on the hits.
    """

    text: str
    citations: tuple[int, ...] = ()
    dropped: int = 0


def synthesize(
    model: LanguageModel, query: Query, hits: Sequence[Hit], computed: str | None, *, seconds: float
) -> Synthesis:
    """Ask a model for an answer from the first hits.

    Args:
        model: the model.
        query: the question.
        hits: best first, ranked from 1.
        computed: the sentence that the calendar gave for it, if it asks for a span of time.
        seconds: how long it may take.

    Raises:
        ModelUnavailable: there is no server, no such model, or no answer in time.
        BadReply: it answered with something else.
    """
    shown = hits[:MOST_RECORDS]
    records = "\n".join(_record(hit, query) for hit in shown)
    facts = "\n".join(f"* {fact}" for fact in (computed, *(_when(hit, query.reference) for hit in shown)) if fact)
    question = shortened(harmless(query.text[:20_000]), _LONGEST_QUESTION)
    today = query.reference.date().isoformat()
    filled = load("synthesize").fill(question=question, today=today, computed=facts or "(none)", records=records)
    said = model.ask(filled, schema=SCHEMA, seconds=seconds).data or {}
    answer = said.get("answer")
    language = _language(query.text)
    if said.get("known") is not True or not isinstance(answer, str) or not answer.strip():
        return Synthesis(UNKNOWN[language])
    given = _NUMBERED.sub("", f"{question}\n{today}\n{facts}\n{records}")
    days = _days(shown, query) | days_in(f"{question}\n{facts}", query.reference) | {query.reference.date()}
    # Line breaks end sentences here, so they stay until the check is done.
    text = "\n".join(harmless(line) for line in answer[:_LONGEST_ANSWER].splitlines())
    checked = ground(text, records=len(shown), given=given, days=days, reference=query.reference)
    text = checked.text
    doubtful = [rank for rank in checked.citations if shown[rank - 1].trust == Trust.LOW]
    if doubtful:
        text += "\n" + _TOLD_BY_TOOL[language].format(marks="".join(f"[{rank}]" for rank in doubtful))
    return Synthesis(text, checked.citations, checked.dropped)


def _record(hit: Hit, query: Query) -> str:
    day = _day(hit.at, query.reference)
    about = [hit.kind or hit.type if hit.type != MESSAGE else "message", day.isoformat() if day else "", _source(hit)]
    if hit.status not in (None, Status.ACTIVE):
        about.append(f"{hit.status}: no longer holds")
    content = excerpt(hit.content, query.text, _LONGEST_RECORD) if hit.type == MESSAGE else hit.content
    return f"[{hit.rank}] ({', '.join(filter(None, about))}) {quoted(content, _LONGEST_RECORD)}"


def _source(hit: Hit) -> str:
    if hit.trust == Trust.LOW:
        return "printed by a tool"
    if hit.type == MESSAGE:
        return f"said by {shortened(harmless(hit.speaker or hit.role or ''), 60)}"
    return "said by an agent" if hit.trust == Trust.MEDIUM else ""


def _when(hit: Hit, reference: datetime) -> str:
    """The day of a hit and how long ago it was."""
    what = "is of" if hit.occurred_at is None else "happened on"
    day = _day(hit.occurred_at or hit.at, reference)
    if day is None:
        return ""
    return f"Record {hit.rank} {what} {day.isoformat()}, {_ago(day, reference)}."


def _ago(day: date, reference: datetime) -> str:
    then = datetime(day.year, day.month, day.day, tzinfo=reference.tzinfo or UTC)
    days = elapsed(then, reference, "day")
    if days == 0:
        return "today"
    count = "1 day" if abs(days) == 1 else f"{abs(days)} days"
    return f"{count} ago" if days > 0 else f"in {count}"


def _day(at: datetime | None, reference: datetime) -> date | None:
    return None if at is None else at.astimezone(reference.tzinfo or UTC).date()


def _days(hits: Sequence[Hit], query: Query) -> set[date]:
    """The days that the hits are of, or name; a relative one counts from when it was said."""
    found: set[date] = set()
    for hit in hits:
        found |= {day for at in (hit.at, hit.occurred_at) if (day := _day(at, query.reference))}
        said = query.reference if hit.at is None else hit.at.astimezone(query.reference.tzinfo or UTC)
        found |= days_in(hit.content, said)
        found |= days_in(hit.content, query.reference)  # a date without a year, repeated by the answer
    return found


def _language(text: str) -> str:
    language = language_of(text)
    if language == "zh":
        return "zh-Hant" if TRADITIONAL.search(text) else "zh-Hans"
    return language
