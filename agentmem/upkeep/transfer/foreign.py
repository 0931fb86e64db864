"""Import of what other tools remember: Markdown files, Claude Code's automatic memory, mem0, lists of facts."""

from pathlib import Path

from agentmem.config import Config
from agentmem.errors import BadInput
from agentmem.ingest.told import TakenIn, take_in
from agentmem.sources.facts import Facts, read_facts
from agentmem.sources.markdown import SUFFIXES, files_of, read_file
from agentmem.store import scratch
from agentmem.store.fulltext import Terms
from agentmem.store.incoming import Merged
from agentmem.store.store import Store
from agentmem.upkeep.transfer.importing import Imported, rehearsal

_JSON = (".json", ".jsonl", ".ndjson")
_VERSION = 1
_EXPECTED = "Expected is an export of agentmem, Markdown, or JSON; transcripts are read by `agentmem ingest`."


def import_foreign(store: Store, config: Config, place: Path, profile: str, *, dry_run: bool) -> Imported:
    """Take in what another tool remembers, as memories of one profile.

    Args:
        store: where to.
        config: the settings in force.
        place: a Markdown file, a folder with Markdown files, or a file of JSON or JSON lines.
        profile: into which profile.
        dry_run: do it with a copy of the store, which is then thrown away.

    Raises:
        BadInput: nothing in it can be read; nothing was written.
    """
    found = _read(place)
    extractor = f"{found.format}/{_VERSION}"
    if dry_run:
        with scratch.folder(store.home) as folder:
            target = rehearsal(store, config, folder)
            done = take_in(target, Terms(), found.statements, profile=profile, extractor=extractor)
    else:
        done = take_in(store, Terms(), found.statements, profile=profile, extractor=extractor)
    return _report(place, found, done, profile, dry=dry_run)


def _read(place: Path) -> Facts:
    if place.is_file() and place.suffix.lower() in _JSON:
        return read_facts(place)
    found = Facts("markdown")
    if place.is_file() and place.suffix.lower() not in (*SUFFIXES, ".txt"):
        hint = f"`agentmem restore {place}` takes a backup." if place.suffix == ".duckdb" else _EXPECTED
        raise BadInput(f"{place} is nothing that agentmem can import", hint)
    for file in files_of(place):
        found.statements += read_file(file)
    if not found.statements:
        raise BadInput(
            f"There is nothing to import in {place}",
            _EXPECTED,
        )
    return found


def _report(place: Path, found: Facts, done: TakenIn, profile: str, *, dry: bool) -> Imported:
    report = Imported(str(place), found.format, dry, profiles=(profile,), superseded=done.superseded)
    report.tables["memories"] = Merged(done.new, done.known, done.refused)
    if done.too_long:
        report.notes.append(f"{done.too_long:,} left out: longer than a memory may be")
    report.notes += [f"{many:,} left out: {why}" for why, many in found.skipped.most_common()]
    return report
