"""A year in the life of a store: a story is played to it, and then it is asked what is true.

What must hold: no value that was replaced stands above the one that replaced it, no forgotten value is found anywhere,
nine in ten duplicates are merged, all open contradictions are reported, and a second compaction changes nothing.
"""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agentmem import paths
from agentmem.bench.measures import percentile
from agentmem.bench.story import Fact, Forget, Said, Size, Story, tell
from agentmem.config import Config
from agentmem.domain.memories import MemoryItem, Status
from agentmem.domain.recall import Hit
from agentmem.memory import Memory
from agentmem.store.fingerprint import fingerprint
from agentmem.store.store import Store

PROFILE = "year"
_DEPTH = 10  # hits looked at for each question
_DEEP = 50  # and where nothing may be found
_SHOWN = 5

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Year:
    """What came of the year.

    Args:
        embedder: the embedding model, or `none`.
        messages: that were said.
        memories: that were drawn from them, in any status.
        questions: one about each fact.
        answered: questions of which the present value was among the hits.
        outdated_above: questions in which a replaced value stood above the present one, or without it.
        duplicates: things said twice in other words.
        duplicates_left: of those, the ones with two memories that count.
        contradictions: in the story.
        unreported: of those, the ones that are not reported.
        reported: contradictions that are reported.
        forgotten: values that were forgotten, and said again later.
        forgotten_found: of those, the ones found by a question, in the list or in the briefing.
        expired: tasks whose time was over.
        tasks_overdue: tasks that count though their time is over.
        second_changes: whether a second compaction changed anything.
        ingest_seconds: to store everything.
        compact_seconds: the last compaction but one.
        milliseconds: of an answer, the median.
        failures: what went wrong, the first of each in words.
    """

    embedder: str
    messages: int
    memories: int
    questions: int
    answered: int
    outdated_above: int
    duplicates: int
    duplicates_left: int
    contradictions: int
    unreported: int
    reported: int
    forgotten: int
    forgotten_found: int
    expired: int
    tasks_overdue: int
    second_changes: bool
    ingest_seconds: float
    compact_seconds: float
    milliseconds: float
    failures: tuple[str, ...]

    @property
    def good(self) -> bool:
        """Whether all holds that must."""
        few = self.duplicates_left * 10 <= self.duplicates
        return few and not (
            self.outdated_above or self.forgotten_found or self.unreported or self.tasks_overdue or self.second_changes
        )


def run(
    folder: Path,
    settings: Config,
    size: Size,
    *,
    seed: int = 1,
    vectors: bool = True,
    progress: Progress = lambda _done, _all: None,
) -> Year:
    """Play a year to a new store, and look at what came of it.

    Args:
        folder: an empty folder for the store.
        settings: those in force.
        size: how much happens.
        seed: which year.
        vectors: compute them.
        progress: called with the sessions played and all of them.
    """
    settings = replace(settings, patience=60.0)
    memory = Memory(paths.home(folder), settings, PROFILE)
    story = tell(size, datetime.now(UTC), seed)
    started = time.perf_counter()
    messages = _play(memory, story, timedelta(days=size.pause_days), progress)
    ingested = time.perf_counter() - started
    if vectors:
        memory.work()
    started = time.perf_counter()
    memory.compact()
    compacted = time.perf_counter() - started
    if vectors:
        memory.work()
    store = Store(memory.home, settings)
    before = _fingerprint(store)
    memory.compact()
    changed = _fingerprint(store) != before
    return _look(memory, story, messages, changed=changed, ingested=ingested, compacted=compacted)


def _play(memory: Memory, story: Story, pause: timedelta, progress: Progress) -> int:
    """Tell the story session by session, with what is forgotten between, and a compaction each month."""
    sessions = _sessions(story, pause)
    messages = 0
    month = None
    for number, session in enumerate(sessions):
        if isinstance(session, Forget):
            _forget(memory, session.value)
            continue
        if month not in (None, session[0].at.month):
            memory.compact()
        month = session[0].at.month
        lines = [
            {
                "role": said.role,
                "content": said.content,
                "timestamp": said.at.isoformat(),
                "id": f"{number}-{place}",
                "session_id": f"session-{number}",
            }
            for place, said in enumerate(session)
        ]
        messages += memory.ingest(lines).messages
        progress(number + 1, len(sessions))
    return messages


def _sessions(story: Story, pause: timedelta) -> list[list[Said] | Forget]:
    found: list[list[Said] | Forget] = []
    for event in story.events:
        last = found[-1] if found else None
        if isinstance(event, Forget):
            found.append(event)
        elif isinstance(last, list) and event.at - last[-1].at < pause:
            last.append(event)
        else:
            found.append([event])
    return found


def _forget(memory: Memory, value: str) -> None:
    for item in memory.list(everything=True):
        if _says(item.content, value) and item.status is not Status.FORGOTTEN:
            memory.forget(item.id)


def _fingerprint(store: Store) -> str:
    with store.reading() as connection:
        return fingerprint(connection)


def _look(memory: Memory, story: Story, messages: int, *, changed: bool, ingested: float, compacted: float) -> Year:
    failures: list[str] = []
    items = memory.list(everything=True)
    active = [item for item in items if item.status is Status.ACTIVE]
    answered, above, times = _ask(memory, story.facts, failures)
    left = [words for words in story.duplicates if sum(_has(item, words) for item in active) > 1]
    pairs = memory.contradictions()
    unreported = [
        words
        for words in story.contradictions
        if not any(_has(pair.newer, words) and _has(pair.older, words) for pair in pairs)
    ]
    found = {value: where for value in story.forgotten if (where := _found_in(memory, story, value, active))}
    over = datetime.now(UTC)
    overdue = [item for item in active if item.expires_at is not None and item.expires_at <= over]
    failures += [f"not merged: {' '.join(words)}" for words in left[:_SHOWN]]
    failures += [f"not reported: {' '.join(words)}" for words in unreported[:_SHOWN]]
    failures += [f"forgotten and found: {value} in “{where}”" for value, where in list(found.items())[:_SHOWN]]
    return Year(
        embedder=memory.config.embedder,
        messages=messages,
        memories=len(items),
        questions=len(story.facts),
        answered=answered,
        outdated_above=above,
        duplicates=len(story.duplicates),
        duplicates_left=len(left),
        contradictions=len(story.contradictions),
        unreported=len(unreported),
        reported=len(pairs),
        forgotten=len(story.forgotten),
        forgotten_found=len(found),
        expired=sum(item.status is Status.EXPIRED for item in items),
        tasks_overdue=len(overdue),
        second_changes=changed,
        ingest_seconds=ingested,
        compact_seconds=compacted,
        milliseconds=1000 * percentile(times, 50),
        failures=tuple(failures),
    )


def _ask(memory: Memory, facts: Sequence[Fact], failures: list[str]) -> tuple[int, int, list[float]]:
    """How many questions were answered, and in how many a replaced value stood above the present one."""
    answered = above = 0
    times = []
    for fact in facts:
        started = time.perf_counter()
        hits = memory.recall(fact.question, k=_DEPTH).hits
        times.append(time.perf_counter() - started)
        present = _first(hits, fact.values[-1])
        answered += present is not None
        old = [rank for value in fact.values[:-1] if (rank := _first(hits, value)) is not None]
        if old and (present is None or min(old) < present):
            above += 1
            failures.append(f"{fact.question} {fact.values[-1]} is at {present}, an old value at {min(old)}")
    return answered, above, times


def _first(hits: Sequence[Hit], value: str) -> int | None:
    return next((hit.rank for hit in hits if _says(hit.content, value)), None)


def _found_in(memory: Memory, story: Story, value: str, active: Sequence[MemoryItem]) -> str | None:
    """What tells a forgotten value: a memory that counts, a line of the briefing, or a hit; None: nothing does."""
    said = [event.content for event in story.events if isinstance(event, Said) and _says(event.content, value)]
    asked = [value, f"{int(value):,}", said[0], said[-1]]
    told = [
        *(item.content for item in active),
        *memory.context().text.splitlines(),
        *(hit.content for question in asked for hit in memory.recall(question, k=_DEEP).hits),
    ]
    return next((text for text in told if _says(text, value)), None)


def _has(item: MemoryItem, words: Sequence[str]) -> bool:
    return all(word in item.content.lower() for word in words)


def _says(text: str, value: str) -> bool:
    """Whether a text says a number: one that stands for itself, not some digits of an id."""
    return re.search(rf"(?<!\w){value}(?!\w)", text.replace(",", "")) is not None
