"""Import: an export is looked at as a whole, then merged into the store by content address, piece by piece.

A damaged one is refused before the store hears of it. After that the store is held for short transactions only: first
profiles and sessions, then messages in pieces with their index, then all memories at once, then the rest. What a
killed import left out the next one adds; what is known already changes nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from agentmem.config import Config
from agentmem.errors import UsageError
from agentmem.ingest import statements
from agentmem.ingest.forgotten import find_graves
from agentmem.paths import Home
from agentmem.store import incoming, journal, memories, scratch, settling, tombstones
from agentmem.store.fulltext import Terms
from agentmem.store.incoming import Merged
from agentmem.store.rows import now
from agentmem.store.staging import Staging
from agentmem.store.store import Connection, Store
from agentmem.upkeep.transfer import lines, manifest, parquet

if TYPE_CHECKING:
    import pyarrow as pa

_PIECE = 20_000
"""Messages in one transaction: one to three seconds during which others wait."""

_INDEXED = 50_000
"""Characters of one message that full-text search looks at, as in `agentmem.ingest.pipeline`."""

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Imported:
    """What an import did, or would do.

    Args:
        place: what was read.
        format: `parquet`, `jsonl`, or the name of another tool's.
        dry: nothing was written.
        profiles: into which profiles.
        tables: by table, what was new, known and refused.
        forgotten: memories of the store that were forgotten, as on the other side.
        superseded: memories that another one replaced.
        notes: what else a person should know.
    """

    place: str
    format: str
    dry: bool
    profiles: tuple[str, ...] = ()
    tables: dict[str, Merged] = field(default_factory=dict)
    forgotten: int = 0
    superseded: int = 0
    notes: list[str] = field(default_factory=list)


def is_export(place: Path) -> bool:
    """Whether a path is an export of agentmem, sound or not."""
    if place.is_dir():
        return (place / manifest.FILE).exists()
    if not place.is_file():
        return False
    with place.open("rb") as opened:
        begins = opened.read(64).startswith(b'{"table":"export"')
    return begins or _has_end(place)


def _has_end(place: Path) -> bool:
    """Whether the last line is that of an export, whose first one is damaged."""
    with place.open("rb") as opened:
        opened.seek(0, 2)
        opened.seek(max(0, opened.tell() - 20_000))
        return opened.read().rpartition(b"\n{")[2].startswith(b'"table":"end"')


def import_export(
    store: Store,
    config: Config,
    place: Path,
    *,
    dry_run: bool = False,
    profiles: Sequence[str] = (),
    names: Mapping[str, str] | None = None,
    called: str | None = None,
    progress: Progress = lambda _done, _total: None,
) -> Imported:
    """Merge an export into the store.

    Args:
        store: where to.
        config: the settings in force.
        place: the folder or file.
        dry_run: merge it into a copy of the store, which is then thrown away.
        profiles: only these profiles of the export, by the names that they have there; empty: all.
        names: other names for profiles.
        called: how to name the place; None: by its path.
        progress: called with the messages done and all of them.

    Raises:
        BadInput: it is damaged, cut off, or from a newer agentmem; nothing was written.
        UsageError: a profile is named that the export does not have.
    """
    if place.is_dir():
        form, parts = "parquet", parquet.check(place)
        batches = parquet.read(place, parts)
    else:
        form, parts = "jsonl", lines.check(place)
        batches = lines.read(place)
    done = Imported(called or str(place), form, dry_run)
    with scratch.folder(store.home) as folder, Staging(folder / "staged.duckdb", config.memory_limit) as staging:
        for table, batch in batches:
            staging.load(table, batch)
        staging.examine()
        target = rehearsal(store, config, folder) if dry_run else store
        _redact(staging, store if store.exists() else target, done)
        _select(staging, profiles, names or {}, done)
        _merge(target, staging, done, progress)
    return done


def rehearsal(store: Store, config: Config, folder: Path) -> Store:
    """The store's double in a folder of one's own, to try something out."""
    home = Home(data=folder, settings=folder / "config.toml")
    if store.exists():
        scratch.copy(store.database, home.database)
    return Store(home, replace(config))


def _redact(staging: Staging, store: Store, done: Imported) -> None:
    """Take out what the rules of this store find, which the other's need not have known."""
    if changed := staging.redact(store.redact, statements.digests):
        done.notes.append(
            f"{changed:,} texts had secrets in them, which were redacted; vectors were left out, and are computed anew"
        )


def _select(staging: Staging, profiles: Sequence[str], names: Mapping[str, str], done: Imported) -> None:
    there = staging.profiles()
    missing = [name for name in (*profiles, *names) if name not in there]
    if missing:
        raise UsageError(
            f"The export has no profile {missing[0]!r}", f"It has: {', '.join(there) or 'none'}. Nothing was imported."
        )
    if profiles:
        staging.keep(profiles)
    if names:
        left = staging.rename(names, statements.digests)
        if left:
            done.notes.append(
                f"{left:,} tombstones stay under the old profile name: they hold no value that could be told again"
            )
    staging.bury()
    done.profiles = tuple(staging.profiles())


def _merge(store: Store, staging: Staging, done: Imported, progress: Progress) -> None:
    terms = Terms()
    pieces = staging.order_messages(_PIECE)
    total = staging.count("spoken")

    def known(ids: Sequence[str]) -> set[str]:
        with store.reading() as connection:
            return set(memories.by_ids(connection, ids))

    words = {identity: terms.of(text) for identity, text in staging.texts(known)}
    staging.close()
    with store.writing() as connection:
        incoming.attach(connection, staging.file)
        done.tables["profiles"] = incoming.profiles(connection)
        done.tables["sessions"] = incoming.sessions(connection)
    _merge_messages(store, staging, pieces, total, terms, done, progress)
    staging.close()
    with store.writing() as connection:
        incoming.attach(connection, staging.file)
        action = journal.Action()
        claims = settling.claims(connection)
        graves = find_graves(connection, [claim for _, claim in claims])
        refused = [identity for (identity, _), grave in zip(claims, graves, strict=True) if grave is not None]
        settled = settling.settle(connection, terms, words, refused, action)
        done.tables |= settled.tables
        done.forgotten, done.superseded = settled.forgotten, settled.superseded
        _merge_rest(connection, done)
        if any(merged.new for merged in done.tables.values()) or done.forgotten or done.superseded:
            journal.write(connection, settling.ACTOR, [_entry(done)], action)


def _merge_messages(
    store: Store, staging: Staging, pieces: int, total: int, terms: Terms, done: Imported, progress: Progress
) -> None:
    messages = occurrences = Merged()
    staging.reopen()
    for number in range(pieces):
        piece = staging.messages(number, _PIECE)
        with store.reading() as connection:
            piece = _struck(connection, piece)
        said = zip(piece["speaker"].to_pylist(), piece["content"].to_pylist(), strict=True)
        words = [terms.of((f"{speaker}: {text}" if speaker else text)[:_INDEXED]) for speaker, text in said]
        with store.writing() as connection:
            said_now, placed, slots = incoming.messages(connection, piece)
            incoming.index(connection, piece, words, slots)
        messages, occurrences = messages + said_now, occurrences + placed
        progress(min((number + 1) * _PIECE, total), total)
    done.tables["messages"], done.tables["occurrences"] = messages, occurrences


def _struck(connection: Connection, piece: "pa.Table") -> "pa.Table":
    """The same messages, without those in which a phrase stands that was forgotten here."""
    import pyarrow as pa

    owners, texts = piece["profile"].to_pylist(), piece["content"].to_pylist()
    lengths = tombstones.phrase_lengths(connection, set(owners))
    if not lengths:
        return piece
    hidden, purged = piece["forgotten_at"].to_pylist(), piece["purged_by"].to_pylist()
    speakers = piece["speaker"].to_pylist()
    found = [
        statements.phrases(owner, text, lengths[owner]) if owner in lengths else set()
        for owner, text in zip(owners, texts, strict=True)
    ]
    graves = tombstones.buried(connection, set().union(*found))
    at = now().replace(tzinfo=None)
    for row, digests in enumerate(found):
        of_row = [graves[digest] for digest in digests if digest in graves]
        if of_row:
            hidden[row] = hidden[row] or at
            grave = next((one for one in of_row if one.purged), None)
            if grave is not None:
                texts[row], speakers[row], purged[row] = "", None, grave.id
    for name, values in (
        ("content", texts),
        ("speaker", speakers),
        ("forgotten_at", hidden),
        ("purged_by", purged),
    ):
        place = piece.schema.get_field_index(name)
        piece = piece.set_column(place, name, pa.array(values, piece.schema.field(name).type))
    return piece


def _merge_rest(connection: Connection, done: Imported) -> None:
    done.tables["journal"] = incoming.rows(
        connection,
        "journal",
        "written_at, actor, operation, profile, subject, before, after",
        where="coalesce(t.subject, '') NOT IN (SELECT id FROM refused)",
        number_as="no",
    )
    done.tables["files"] = incoming.rows(connection, "files", "path")
    done.tables["work"] = incoming.work(connection)
    done.tables["embeddings"] = incoming.rows(connection, "embeddings", "content_hash, model")


def _entry(done: Imported) -> journal.Entry:
    after = {
        "from": done.place,
        "profiles": list(done.profiles),
        "new": {name: merged.new for name, merged in done.tables.items() if merged.new},
        "refused": {name: merged.refused for name, merged in done.tables.items() if merged.refused},
    }
    return journal.Entry("import", "", "", after=after)
