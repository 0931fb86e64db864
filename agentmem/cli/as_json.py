"""Results as JSON: every shape has a version, keeps its keys, and shows times in UTC (`2026-04-10T08:30:00Z`)."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from agentmem.bench.models import ModelCosts
from agentmem.bench.own import Own
from agentmem.bench.year import Year
from agentmem.cli import json_tending, results
from agentmem.cli.json_parts import Fields, entry, memory, moment
from agentmem.cli.json_upkeep import compacted, forgotten_all, unforgotten
from agentmem.cli.text_bench_models import metered_json
from agentmem.cli.text_models import backlog_json, models_json, verdict_json
from agentmem.config import Config
from agentmem.domain.memories import Evidence, MemoryItem
from agentmem.domain.recall import Answer, Hit, SessionHit
from agentmem.ingest.pipeline import Ingested
from agentmem.ingest.vectorize import Vectorized
from agentmem.store.messages import StoredMessage
from agentmem.store.sessions import Profile
from agentmem.upkeep.backfill import CaughtUp
from agentmem.upkeep.compact import Compacted
from agentmem.upkeep.doctor import FAILED
from agentmem.upkeep.erase import Erased
from agentmem.upkeep.inspect import Shown, Version
from agentmem.upkeep.reindexing import Reindexed
from agentmem.upkeep.schedule import Scheduled
from agentmem.upkeep.scrub import Scrubbed
from agentmem.upkeep.stats import Stats
from agentmem.upkeep.transfer.backups import BackedUp, Copied, Restored
from agentmem.upkeep.transfer.exporting import Exported
from agentmem.upkeep.transfer.importing import Imported
from agentmem.upkeep.transfer.upgrading import Upgraded
from agentmem.upkeep.unforget import Unforgotten

VERSION = 1


def as_json(result: results.Result) -> Fields:
    """A result in its published shape."""
    return {"version": VERSION, **_FORMS[type(result)](result)}


def answer(given: Answer, *, explain: bool = False) -> Fields:
    """An answer in its published shape, without the version."""
    fields: Fields = {
        "query": given.query,
        "profile": given.profile,
        "answer": given.text,
        "answered_by": given.author,
        "citations": list(given.citations),
        "trouble": given.trouble or None,
        "abstained": given.abstained,
        "hits": [_hit(hit, explain=explain) for hit in given.hits],
    }
    if given.sessions:
        fields["sessions"] = [_session(one) for one in given.sessions]
    return {**fields, "notes": list(given.notes)} if explain else fields


def _session(one: SessionHit) -> Fields:
    return {
        "rank": one.rank,
        "session_id": one.session_id,
        "profile": one.profile,
        "score": one.score,
        "message": _hit(one.message, explain=False) if one.message else None,
    }


def _hit(hit: Hit, *, explain: bool) -> Fields:
    fields: Fields = {
        "rank": hit.rank,
        "type": hit.type,
        "id": hit.id,
        "source_id": hit.source_id,
        "session_id": hit.session_id,
        "kind": hit.kind,
        "role": hit.role,
        "content": hit.content,
        "at": moment(hit.at),
        "score": hit.score,
        "evidence": [_evidence(one) for one in hit.evidence],
        "marks": list(hit.marks),
    }
    if explain:
        fields["explain"] = {
            "profile": hit.profile,
            "status": hit.status,
            "trust": hit.trust,
            "topic_key": hit.topic_key,
            "occurred_at": moment(hit.occurred_at),
            "channels": [
                {"channel": part.channel, "rank": part.rank, "score": part.score, "share": part.share}
                for part in hit.parts
            ],
        }
    return fields


def _evidence(one: Evidence) -> Fields:
    return {
        "session_id": one.session_id,
        "message_id": one.message_id,
        "source_id": one.source_id,
        "quote": one.quote,
        "at": moment(one.at),
        "role": one.role,
    }


def _message(message: StoredMessage) -> Fields:
    return {
        "id": message.id,
        "session_id": message.session_id,
        "profile": message.profile,
        "seq": message.seq,
        "role": message.role,
        "kind": message.kind,
        "trust": message.trust,
        "speaker": message.speaker,
        "content": message.content,
        "at": moment(message.at),
        "source_id": message.source_id,
        "forgotten_at": moment(message.forgotten_at),
    }


def _caught_up(done: CaughtUp) -> Fields:
    return {
        **_stored(done.stored),
        "dry_run": done.dry,
        "agents": [asdict(one) for one in done.found],
        "transcripts": done.read,
        "bytes": done.bytes,
        "left_out": dict(done.left_out),
        "unknown": dict(done.unknown),
        "not_read": [asdict(one) for one in done.unread],
        "not_read_count": done.unread_count,
    }


def _ingest(report: results.IngestReport) -> Fields:
    return {
        **_stored(report.stored),
        "profile": report.profile,
        "passed_over": report.passed_over,
        "inputs": [
            {
                "path": one.name,
                "bytes": one.size,
                "messages": one.messages,
                "skipped": dict(one.skipped),
                "unknown": dict(one.unknown),
                "ignored": dict(one.ignored),
                "error": {"message": one.error, "hint": one.hint} if one.error else None,
            }
            for one in report.inputs
        ],
        "vectors": _vectors(report.vectors),
        "note": report.note or None,
        "models": models_json(report.models),
    }


def _stored(stored: Ingested) -> Fields:
    return {
        "messages": stored.messages,
        "known": stored.known,
        "memories": stored.memories,
        "superseded": stored.superseded,
        "refused": stored.refused,
        "redacted": stored.redacted,
        "sessions": [{"profile": profile, "session_id": session} for profile, session in sorted(stored.sessions)],
    }


def _vectors(vectors: Vectorized) -> Fields:
    return {"computed": vectors.computed, "reused": vectors.reused, "owed": vectors.owed}


def _shown(shown: Shown) -> Fields:
    return {
        "memory": memory(shown.memory) if shown.memory else None,
        "message": _message(shown.message) if shown.message else None,
        "occurrences": [_message(one) for one in shown.occurrences],
        "evidence": [_evidence(one) for one in shown.evidence],
        "queries": list(shown.queries),
        "verdicts": [verdict_json(one) for one in shown.verdicts],
        "context": [_message(one) for one in shown.context],
        "anchors": [
            {"kind": one.kind, "name": one.name, "root": one.root, "commit": one.head} for one in shown.anchors
        ],
        "code": shown.code or None,
    }


def _version(version: Version) -> Fields:
    return {
        "memory": memory(version.memory),
        "evidence": [_evidence(one) for one in version.evidence],
        "journal": [entry(one) for one in version.journal],
    }


def _forgotten(forgotten: results.Forgotten) -> Fields:
    thing = forgotten.thing
    if isinstance(thing, MemoryItem):
        return {"type": "memory", "memory": memory(thing), "message": None}
    return {"type": "message", "memory": None, "message": _message(thing)}


def _stats(found: Stats) -> Fields:
    return {
        "home": found.home,
        "profiles": [_profile(one) for one in found.profiles],
        "sessions": found.counts.sessions,
        "messages": found.counts.messages,
        "memories": {kind: dict(by_status) for kind, by_status in found.counts.memories.items()},
        "tombstones": found.counts.tombstones,
        "journal": found.counts.journal,
        "last_ingest": {agent: moment(at) for agent, at in found.counts.last_ingest.items()},
        "vectors": {"model": found.model, "present": found.vectors, "owed": found.owed},
        "models": backlog_json(found.work),
        "bytes": {"database": found.database_bytes, "vectors": found.vector_bytes},
    }


def _profile(profile: Profile) -> Fields:
    return {
        "name": profile.name,
        "identity": profile.identity,
        "created_at": moment(profile.created_at),
        "sessions": profile.sessions,
        "messages": profile.messages,
        "memories": profile.memories,
    }


def _examined(examined: results.Examined) -> Fields:
    return {
        "ok": all(check.state != FAILED for check in examined.checks),
        "checks": [
            {"name": check.name, "state": check.state, "detail": check.detail, "hint": check.hint}
            for check in examined.checks
        ],
    }


def settings(config: Config) -> Fields:
    """All settings by key."""
    return {name: getattr(config, name) for name in Config.__dataclass_fields__}


def _demonstrated(shown: results.Demonstrated) -> Fields:
    return {
        **_stored(shown.report),
        "learnt": [memory(item) for item in shown.memories],
        "answers": [answer(given) for given in shown.answers],
    }


def _imported(done: Imported) -> Fields:
    return {
        "place": done.place,
        "format": done.format,
        "dry_run": done.dry,
        "profiles": list(done.profiles),
        "tables": {name: asdict(merged) for name, merged in done.tables.items()},
        "forgotten": done.forgotten,
        "superseded": done.superseded,
        "notes": list(done.notes),
    }


def _copied(copied: Copied | None) -> Fields | None:
    if copied is None:
        return None
    return {
        "place": copied.place,
        "at": moment(copied.at),
        "bytes": copied.size,
        "format": copied.format or None,
        "rows": None if copied.rows is None else dict(copied.rows),
        "wrong": None if copied.wrong is None else dict(copied.wrong),
    }


def _restored(result: Restored) -> Fields:
    return {
        "backup": _copied(result.backup),
        "store": _copied(result.store),
        "kept": result.kept,
        "restored": result.done,
    }


def _upgraded(result: Upgraded) -> Fields:
    done = result.migrated
    return {
        "dry_run": result.dry,
        "format": result.format,
        "was": done.was if done else result.format if result.exists else None,
        "steps": list(done.steps) if done else [],
        "before": dict(done.before) if done else None,
        "after": dict(done.after) if done else None,
        "backup": str(done.backup) if done and done.backup else None,
    }


_FORMS: dict[type[Any], Callable[[Any], Fields]] = {
    results.IngestReport: _ingest,
    CaughtUp: _caught_up,
    results.Recalled: lambda result: answer(result.answer, explain=result.explain),
    results.Worked: lambda result: {
        **_vectors(result.vectors),
        "models": models_json(result.models),
        "again": result.again,
    },
    results.Remembered: lambda result: {"memory": memory(result.memory)},
    results.Listed: lambda result: {"profile": result.profile, "memories": [memory(one) for one in result.memories]},
    Shown: _shown,
    results.History: lambda result: {"versions": [_version(one) for one in result.versions]},
    results.Forgotten: _forgotten,
    results.ForgottenAll: forgotten_all,
    Unforgotten: unforgotten,
    Scheduled: asdict,
    ModelCosts: metered_json,
    Year: lambda result: {**asdict(result), "good": result.good},
    Compacted: compacted,
    **json_tending.FORMS,
    Scrubbed: lambda result: {**asdict(result), "secrets": dict(result.secrets), "texts": dict(result.texts)},
    Reindexed: lambda result: {
        "model": result.model,
        "serving": result.serving,
        "vectors": _vectors(result.vectors),
    },
    Erased: lambda result: {**asdict(result), "profile": _profile(result.profile)},
    Stats: _stats,
    results.Examined: _examined,
    results.Settings: lambda result: {"file": result.file, "settings": settings(result.config)},
    results.Setting: lambda result: {"key": result.key, "value": result.value},
    results.SettingsFile: lambda result: {"file": result.file, "exists": result.exists},
    results.Profiles: lambda result: {
        "current": result.current,
        "profiles": [_profile(one) for one in result.profiles],
    },
    results.ProfileShown: lambda result: {"profile": _profile(result.profile)},
    results.ProfileReason: lambda result: {
        "profile": result.project.name,
        "identity": result.project.identity,
        "reason": result.project.reason,
        "stored": result.stored,
    },
    results.Demonstrated: _demonstrated,
    results.Benched: asdict,
    results.Ablated: asdict,
    results.Scaled: asdict,
    Own: asdict,
    results.Benched: lambda result: {"sets": [asdict(one) for one in result.sets]},
    Exported: lambda result: {
        "place": result.place,
        "format": result.format,
        "rows": dict(result.rows),
        "bytes": result.size,
    },
    Imported: _imported,
    BackedUp: lambda result: {"backup": _copied(result.made), "removed": list(result.removed)},
    results.BackupsListed: lambda result: {
        "folder": result.folder,
        "backups": [_copied(one) for one in result.backups],
    },
    Restored: _restored,
    Upgraded: _upgraded,
}
