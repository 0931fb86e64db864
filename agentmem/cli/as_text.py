"""Results as text for a person, or for a pipe: the same words, printed by the screen that there is."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agentmem.bench.models import ModelCosts
from agentmem.bench.own import Own
from agentmem.bench.year import Year
from agentmem.cli import results, text_tending
from agentmem.cli.as_json import settings
from agentmem.cli.progress import amount
from agentmem.cli.screen import Screen, one_line
from agentmem.cli.text_backfill import caught_up
from agentmem.cli.text_bench import ablated, benched, own, scaled
from agentmem.cli.text_bench_models import metered
from agentmem.cli.text_compact import compacted
from agentmem.cli.text_erase import erased, reindexed, scrubbed
from agentmem.cli.text_forget import forgotten_all, unforgotten
from agentmem.cli.text_models import backlog_pairs, models_text, verdicts_text
from agentmem.cli.text_recall import ID, day, memory, message, minute, pairs, recalled, session, source
from agentmem.cli.text_schedule import scheduled
from agentmem.cli.text_transfer import backed_up, backups_listed, exported, imported, restored, upgraded
from agentmem.cli.text_year import lived
from agentmem.config import Config
from agentmem.domain.memories import MemoryItem, Status
from agentmem.ingest.vectorize import Vectorized
from agentmem.store.sessions import Profile
from agentmem.upkeep.backfill import CaughtUp
from agentmem.upkeep.compact import Compacted
from agentmem.upkeep.erase import Erased
from agentmem.upkeep.inspect import Shown
from agentmem.upkeep.reindexing import Reindexed
from agentmem.upkeep.schedule import Scheduled
from agentmem.upkeep.scrub import Scrubbed
from agentmem.upkeep.stats import Stats
from agentmem.upkeep.transfer.backups import BackedUp, Restored
from agentmem.upkeep.transfer.exporting import Exported
from agentmem.upkeep.transfer.importing import Imported
from agentmem.upkeep.transfer.upgrading import Upgraded
from agentmem.upkeep.unforget import Unforgotten

_CONTEXT = 240  # characters of each message that stands around what is shown
_STATES = {"ok": "good", "warning": "warning", "failed": "bad"}


def as_text(result: results.Result, screen: Screen) -> None:
    """Print a result."""
    _FORMS[type(result)](result, screen)


def counted(number: int, noun: str) -> str:
    """`1 memory`, `2 memories`."""
    plural = noun.removesuffix("y") + "ies" if noun.endswith("y") else noun + "s"
    return f"{number:,} {noun if number == 1 else plural}"


def _ingested(report: results.IngestReport, screen: Screen) -> None:
    stored = report.stored
    for one in report.inputs:
        if one.error:
            screen.complain(("error: ", "bad"), one.error)
            if one.hint:
                screen.complain((f"  {one.hint}", "muted"))
    good = [one for one in report.inputs if not one.error]
    screen.say(
        f"Read {counted(len(good), 'transcript')} ({amount(sum(one.size for one in report.inputs), 'bytes')}): ",
        (f"{counted(stored.messages, 'new message')}, {counted(stored.memories, 'new memory')}", "strong"),
        f"; {counted(stored.known, 'message')} known before.",
    )
    if stored.superseded:
        screen.say(f"{counted(stored.superseded, 'memory')} superseded or brought back by newer words.", indent=2)
    if stored.refused:
        screen.say(f"{counted(stored.refused, 'memory')} left out: forgotten before.", indent=2)
    if stored.redacted:
        screen.say(f"Secrets or private parts taken out of {counted(stored.redacted, 'message')}.", indent=2)
    for label, kinds in (
        ("Lines skipped", _sum(one.skipped for one in report.inputs)),
        ("Unknown entries passed over", _sum(one.unknown for one in report.inputs)),
    ):
        if kinds:
            screen.say(f"{label}: {', '.join(f'{many:,} {kind}' for kind, many in kinds.most_common(8))}.", indent=2)
    if empty := sum(not one.size for one in good):
        screen.say(f"{counted(empty, 'empty file')}.", indent=2)
    if report.passed_over:
        screen.say(f"{counted(report.passed_over, 'file')} passed over: no transcripts.", indent=2)
    _where(report, screen)
    if report.note:
        screen.say((report.note, "warning"), indent=2)
    elif report.vectors.owed:
        owed = counted(report.vectors.owed, "document")
        screen.say(f"{owed} wait for their vector: `agentmem work` computes them.", indent=2)
    models_text(report.models, screen, indent=2)


def _where(report: results.IngestReport, screen: Screen) -> None:
    """The profiles that it went to, and how to ask those that are not asked from here."""
    sessions = Counter(profile for profile, _ in report.stored.sessions)
    if not sessions:
        return
    shown = [f"{profile} ({counted(many, 'session')})" for profile, many in sessions.most_common(5)]
    more = f" and {counted(len(sessions) - 5, 'other')}" if len(sessions) > 5 else ""
    screen.say(f"Into profile {', '.join(shown)}{more}.", indent=2)
    elsewhere = [profile for profile, _ in sessions.most_common() if profile not in (report.profile, "user")]
    if elsewhere:
        screen.say(("From this folder, ask it by name: ", "muted"), f'agentmem recall -p {elsewhere[0]} "…"', indent=2)


def _sum(counters: Iterable[Mapping[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for one in counters:
        total.update(one)
    return total


def _worked(result: results.Worked, screen: Screen) -> None:
    if result.again is not None:
        screen.say(f"{counted(result.again, 'piece')} of sessions made owed again.")
    screen.say(vectors(result.vectors))
    models_text(result.models, screen)


def vectors(done: Vectorized) -> str:
    """What was done about vectors, in a sentence."""
    paid = f"{counted(done.computed, 'vector')} computed, {done.reused:,} reused"
    return f"{paid}; {f'{done.owed:,} still owed' if done.owed else 'nothing is owed'}."


def _remembered(result: results.Remembered, screen: Screen) -> None:
    item = result.memory
    topic = f", topic {item.topic_key}" if item.topic_key else ""
    screen.say(
        "Remembered as ", (item.kind.value, "name"), f"{topic} in profile {item.profile}: ", (item.content, "strong")
    )
    screen.say((f"id {item.id[:ID]}", "muted"))


def _listed(result: results.Listed, screen: Screen) -> None:
    if not result.memories and screen.width:
        screen.say(f"No memories in profile {result.profile}.")
        return
    screen.table(("id", "kind", "status", "since", "topic", "content"), [_row(item) for item in result.memories])


def _row(item: MemoryItem) -> tuple[str, ...]:
    topic = item.topic_key or "-"
    return (
        item.id[:ID],
        item.kind.value,
        item.status.value + (", pinned" if item.pinned else ""),
        day(item.valid_from) or "-",
        topic,
        one_line(item.content),
    )


def _shown(result: Shown, screen: Screen) -> None:
    if result.memory:
        memory(result.memory, screen)
        if result.anchors:
            names = ", ".join(anchor.name for anchor in result.anchors)
            state = f" ({result.code})" if result.code else ""
            screen.say(f"names {names} at commit {result.anchors[0].head[:10]}{state}")
        for evidence in result.evidence:
            screen.say()
            screen.say(*source(evidence))
        if result.queries:
            screen.say()
            screen.say("Answers: ", (" / ".join(result.queries), "muted"))
        verdicts_text(result.verdicts, screen)
    if result.message:
        message(result.message, screen)
        about = result.message
        pairs(screen, [("id", about.id), ("kind", about.kind), ("trust", about.trust), ("profile", about.profile)])
        for one in result.occurrences:
            place = f"session {session(one.session_id)}, position {one.seq}"
            screen.say(
                (f"said {minute(one.at) or 'at an unknown time'}, {place}, {one.source_id or 'without id'}", "muted")
            )
    if result.context:
        ids = {evidence.message_id for evidence in result.evidence} | ({result.message.id} if result.message else set())
        screen.say()
        screen.say(("In its context:", "muted"))
        for one in result.context:
            message(one, screen, room=_CONTEXT, marked=one.id in ids)


def _history(result: results.History, screen: Screen) -> None:
    for number, version in enumerate(result.versions):
        item = version.memory
        if number:
            screen.say()
        style = "good" if item.status is Status.ACTIVE else "muted"
        screen.say((item.status.value, style), f" {day(item.valid_from)}  ", (item.content, "strong"))
        screen.say((f"id {item.id[:ID]}", "muted"), indent=2)
        for evidence in version.evidence:
            screen.say(*source(evidence), indent=2)
        for entry in version.journal:
            screen.say((f"{minute(entry.at)} {entry.operation} by {entry.actor}", "muted"), indent=2)


def _forgotten(result: results.Forgotten, screen: Screen) -> None:
    thing = result.thing
    what = "memory" if isinstance(thing, MemoryItem) else "message"
    screen.say(f"Forgot the {what} {thing.id[:ID]}; reading its transcript again does not bring it back.")


def _stats(found: Stats, screen: Screen) -> None:
    kinds = {kind: sum(by.values()) for kind, by in found.counts.memories.items()}
    active = sum(by.get("active", 0) for by in found.counts.memories.values())
    latest = {agent: minute(at) for agent, at in found.counts.last_ingest.items()}
    pairs(
        screen,
        [
            ("home", found.home),
            ("profiles", f"{found.counts.profiles:,}"),
            ("sessions", f"{found.counts.sessions:,}"),
            ("messages", f"{found.counts.messages:,}"),
            ("memories", f"{sum(kinds.values()):,} ({active:,} active)"),
            *((f"  {kind}", f"{many:,}") for kind, many in kinds.items()),
            ("forgotten values", f"{found.counts.tombstones:,}"),
            ("journal", f"{found.counts.journal:,}"),
            ("vectors", f"{found.vectors:,} ({found.owed:,} owed)"),
            ("model", found.model or "none yet"),
            *backlog_pairs(found.work),
            ("database", amount(found.database_bytes, "bytes")),
            ("vector index", amount(found.vector_bytes, "bytes")),
            *((f"last from {agent}", at or "-") for agent, at in latest.items()),
        ],
    )


def _examined(result: results.Examined, screen: Screen) -> None:
    for check in result.checks:
        screen.say((f"{check.state:8}", _STATES.get(check.state, "")), f" {check.name}: {check.detail}")
        if check.hint:
            screen.say((check.hint, "muted"), indent=9)


def _setting_value(value: object) -> str:
    """A setting as one would write it to `config set`."""
    if isinstance(value, tuple):
        return os.pathsep.join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _settings(result: results.Settings, screen: Screen) -> None:
    usual = settings(Config())
    rows = [
        (key, _setting_value(value), "" if value == usual[key] else f"(usually {_setting_value(usual[key])})")
        for key, value in settings(result.config).items()
    ]
    screen.table(("setting", "value", ""), rows)


def _profiles(result: results.Profiles, screen: Screen) -> None:
    if not result.profiles and screen.width:
        screen.say("No profiles yet: `agentmem ingest FILE` makes the first.")
        return
    rows = [
        (
            "*" if one.name == result.current else "-",
            one.name,
            f"{one.sessions}",
            f"{one.messages}",
            f"{one.memories}",
            one.identity or "-",
        )
        for one in result.profiles
    ]
    screen.table(("here", "name", "sessions", "messages", "memories", "identity"), rows)


def _profile(profile: Profile, screen: Screen) -> None:
    pairs(
        screen,
        [
            ("name", profile.name),
            ("identity", profile.identity or ""),
            ("since", minute(profile.created_at)),
            ("sessions", f"{profile.sessions:,}"),
            ("messages", f"{profile.messages:,}"),
            ("memories", f"{profile.memories:,}"),
        ],
    )


def _reason(result: results.ProfileReason, screen: Screen) -> None:
    screen.say((result.project.name, "strong"))
    screen.say(f"because {result.project.reason}.", indent=2)
    if not result.stored:
        screen.say(("Nothing is stored in it yet.", "muted"), indent=2)


def _demonstrated(result: results.Demonstrated, screen: Screen) -> None:
    screen.say(("A session is read:", "strong"))
    for role, text in result.said:
        screen.say((f"{role}: ", "name"), text, indent=2)
    screen.say()
    learnt = f"{counted(result.report.messages, 'message')}, {counted(result.report.memories, 'memory')}"
    screen.say((f"What was learnt from it ({learnt}):", "strong"))
    content = {item.id: item.content for item in result.memories}
    for item in reversed(result.memories):
        active = item.status is Status.ACTIVE
        newer = f" by: {content[item.superseded_by]}" if item.superseded_by in content else ""
        mark = "" if active else f"  ({item.status.value}{newer})"
        screen.say(
            (f"{item.kind.value:12}", "name"), (item.content, "" if active else "muted"), (mark, "warning"), indent=2
        )
    for answer in result.answers:
        screen.say()
        screen.say(("agentmem recall ", "muted"), (f'"{answer.query}"', "strong"))
        recalled(results.Recalled(answer=answer), screen)
    screen.say()
    screen.say("All this was in a temporary store. Yours begins with `agentmem ingest ~/.claude/projects`.")


_FORMS: dict[type[Any], Callable[[Any, Screen], None]] = {
    results.IngestReport: _ingested,
    CaughtUp: caught_up,
    results.Recalled: recalled,
    results.Worked: _worked,
    results.Remembered: _remembered,
    results.Listed: _listed,
    Shown: _shown,
    results.History: _history,
    results.Forgotten: _forgotten,
    results.ForgottenAll: forgotten_all,
    Unforgotten: unforgotten,
    Scheduled: scheduled,
    ModelCosts: metered,
    Year: lived,
    Compacted: compacted,
    Scrubbed: scrubbed,
    Erased: erased,
    Reindexed: reindexed,
    Stats: _stats,
    results.Examined: _examined,
    results.Settings: _settings,
    results.Setting: lambda result, screen: screen.say(str(result.value)),
    results.SettingsFile: lambda result, screen: screen.say(result.file),
    results.Profiles: _profiles,
    results.ProfileShown: lambda result, screen: _profile(result.profile, screen),
    results.ProfileReason: _reason,
    results.Demonstrated: _demonstrated,
    results.Benched: benched,
    results.Ablated: ablated,
    results.Scaled: scaled,
    Own: own,
    **text_tending.FORMS,
    Exported: exported,
    Imported: imported,
    BackedUp: backed_up,
    results.BackupsListed: backups_listed,
    Restored: restored,
    Upgraded: upgraded,
}
