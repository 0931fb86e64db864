"""Taking out what a rule finds that was not there when it was stored, from every file, with proof.

    find → change texts and what hangs on them → vectors anew → database file anew → copies → text files → residue?

Each step can be done again. A file, `scrub.owed`, says from the first change to the end that files may still hold what
the database does not: a run that was killed is finished by the next.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from agentmem.errors import StoreBusy
from agentmem.ingest.vectorize import settle
from agentmem.redaction.redactor import Redactor
from agentmem.store import columns, embeddings, journal, scrubbing
from agentmem.store.columns import Texts
from agentmem.store.connection import Database
from agentmem.store.fulltext import Terms
from agentmem.store.rewrite import rewrite
from agentmem.store.store import Store
from agentmem.store.vectors import VectorTable
from agentmem.upkeep import residue

_PATIENCE = 60.0
_ROUNDS = 5  # while this one looks, another process may store more
_TELLING = 8  # letters
_LOOK = 0.3  # seconds that the database is kept open; to open it costs as much as to look through a small table

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Scrubbed:
    """What was found, and what became of it.

    Args:
        dry: nothing was changed.
        secrets: how many different ones, by kind.
        texts: how many texts had one, by table.
        files: other files that had one, by path: copies of the database, notes, logs.
        residue: files in which one still lies; empty is the proof.
        unreadable: copies that could not be opened, with the reason.
        resumed: an earlier run had not come to its end.
    """

    dry: bool = False
    secrets: Counter[str] = field(default_factory=Counter)
    texts: Counter[str] = field(default_factory=Counter)
    files: list[str] = field(default_factory=list)
    residue: list[str] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)
    resumed: bool = False


class _Remembering(Redactor):
    """A redactor that keeps what it found, to look for it in the files afterwards."""

    def __init__(self, like: Redactor, patterns: tuple[str, ...], *, rules: bool) -> None:
        super().__init__(like.key, patterns, where="--pattern")
        self._like = like if rules else None
        self._known: tuple[str, ...] = ()
        self.seen: dict[str, str] = {}

    @property
    def telling(self) -> tuple[str, ...]:
        """What was found and is long enough to be told from other words wherever it stands."""
        return tuple(sorted((secret for secret in self.seen if len(secret) >= _TELLING), key=len, reverse=True))

    def learn(self) -> None:
        """From now on what was found is taken out wherever it stands, with nothing beside that gives it away too."""
        self._known = self.telling

    def __call__(self, text: str) -> str:
        new = self._like(text) if self._like is not None else self._own(text)
        if new is not text and self._like is not None:
            for one in self._like.find(text):
                self.seen[text[one.start : one.end]] = one.kind
        for secret in self._known:
            if secret in new:
                new = new.replace(secret, self.mark(secret, self.seen[secret]))
        return new

    def _own(self, text: str) -> str:
        for one in reversed(self.find_own(text)):
            secret = text[one.start : one.end]
            self.seen[secret] = one.kind
            text = text[: one.start] + self.mark(secret, one.kind) + text[one.end :]
        return text


def scrub(
    store: Store,
    patterns: tuple[str, ...] = (),
    *,
    dry_run: bool = False,
    progress: Progress = lambda _done, _total: None,
) -> Scrubbed:
    """Take out of everything what the rules find now.

    Args:
        store: whose.
        patterns: only what these find, rather than what all rules do.
        dry_run: only look.
        progress: called with the slices of tables that were looked at, and all of them.

    Raises:
        ConfigError: a pattern is no regular expression.
        StoreBusy: others did not let go; run it again.
    """
    redact = _Remembering(store.redact, patterns, rules=not patterns)
    owed = store.home.data / "scrub.owed"
    done = Scrubbed(dry=dry_run, resumed=owed.exists())
    if not dry_run and store.exists():
        owed.touch(mode=0o600)
    for _ in range(_ROUNDS):
        texts = _find(store, redact, progress)
        for (table, _column), changes in texts.items():
            done.texts[table] += len(changes)
        if dry_run or not texts:
            break
        redact.learn()
        with store.writing() as connection:
            scrubbing.apply(connection, texts, redact.key, Terms())
            entry = journal.Entry("scrub", "", "", after={"texts": sum(map(len, texts.values()))})
            journal.write(connection, "user", [entry])
    if (done.texts or done.resumed) and not dry_run:
        clean_vectors(store)
        store.rewrite()
    for copy in copies(store):
        with _reporting(copy, done):
            _copy(copy, redact, done)
    for file in residue.texts(store.home):
        new = residue.redacted(file, redact)
        if new is not None:
            done.files.append(str(file))
            if not dry_run:
                residue.overwrite(file, new)
    done.secrets = Counter(redact.seen.values())
    if not dry_run:
        done.residue = sorted({*residue.search(store.home, redact.telling), *_left(store, redact)})
        if not done.residue and not done.unreadable:
            owed.unlink(missing_ok=True)
    return done


def _find(store: Store, redact: Redactor, progress: Progress) -> Texts:
    """What is to be changed, a few slices at a time, so that no writer is kept waiting for long."""
    if not store.exists():
        return {}
    with store.reading() as connection:
        places = [
            (table, column, js, start)
            for table, column, js in columns.text_columns(connection)
            for start in columns.slices(connection, table)
        ]
    texts: Texts = {}
    done = 0
    while done < len(places):
        until = time.monotonic() + _LOOK
        with store.reading() as connection:
            for table, column, js, start in places[done:]:
                found = columns.changed(connection, table, column, start, redact, js=js)
                if found:
                    texts.setdefault((table, column), {}).update(found)
                done += 1
                progress(done, len(places))
                if time.monotonic() >= until:
                    break
    return texts


def _left(store: Store, redact: Redactor) -> list[str]:
    """The database itself, if a rule still finds something in it: its file may be compressed."""
    return [str(store.home.database)] if _find(store, redact, lambda _done, _total: None) else []


def clean_vectors(store: Store) -> None:
    """Build LanceDB's tables again from the embeddings that are left, old versions and all.

    Raises:
        StoreBusy: another process is writing vectors and does not come to its end.
    """
    from filelock import Timeout

    with store.reading() as connection:
        generations = embeddings.all_of_them(connection)
    for generation in generations:
        table = VectorTable(store.home.vectors, generation.no, generation.dimension)
        try:
            with table.locked(_PATIENCE):
                table.unsettle()
                table.drop()
                settle(store, generation, table)
        except Timeout:
            raise StoreBusy("Another process is writing vectors") from None


def copies(store: Store) -> list[Path]:
    """The copies of the database that agentmem made."""
    return sorted(file for file in store.home.backups.rglob("*.duckdb") if file.is_file())


def _copy(copy: Path, redact: Redactor, done: Scrubbed) -> None:
    terms = Terms()
    with duckdb.connect(copy, read_only=done.dry) as connection:
        texts: Texts = {}
        for table, column, js in columns.text_columns(connection):
            for start in columns.slices(connection, table):
                found = columns.changed(connection, table, column, start, redact, js=js)
                if found:
                    texts.setdefault((table, column), {}).update(found)
        if texts and not done.dry:
            connection.begin()
            scrubbing.apply(connection, texts, redact.key, terms)
            connection.commit()
    if texts:
        done.files.append(str(copy))
    if not done.dry and (texts or done.resumed):
        rewrite_copy(copy)


def rewrite_copy(copy: Path) -> None:
    """Write a copy anew, so that nothing that was deleted is left in it."""
    gate = copy.with_name(copy.name + ".lock")
    try:
        rewrite(Database(copy, gate, patience=_PATIENCE, memory_limit="256MB"))
    finally:
        gate.unlink(missing_ok=True)


@contextmanager
def _reporting(copy: Path, done: Scrubbed) -> Iterator[None]:
    """Note down a copy that cannot be dealt with, rather than stopping at it."""
    try:
        yield
    except duckdb.Error as error:
        done.unreadable[str(copy)] = re.sub(r"\s+", " ", str(error))[:200]
