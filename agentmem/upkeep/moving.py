"""What `Memory` can take out of the store, bring in, keep a copy of, and bring back."""

import shutil
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from agentmem.config import Config
from agentmem.errors import NotFound, UsageError
from agentmem.store import scratch, sessions
from agentmem.store.outgoing import Wanted
from agentmem.store.store import Store
from agentmem.upkeep.asked import kinds_called, local_now, moment
from agentmem.upkeep.transfer import backups, exporting, foreign, importing, upgrading
from agentmem.upkeep.transfer.backups import BackedUp, Copied, Restored
from agentmem.upkeep.transfer.exporting import Exported
from agentmem.upkeep.transfer.importing import Imported, Progress
from agentmem.upkeep.transfer.upgrading import Upgraded


class Moving:
    """The part of `agentmem.memory.Memory` about moving and keeping all that is stored."""

    config: Config
    _store: Store

    def export(
        self,
        to: str | Path | BinaryIO,
        *,
        format: str | None = None,  # noqa: A002 - the word that everyone uses
        profiles: Sequence[str] = (),
        since: datetime | str | None = None,
        kinds: Sequence[str] = (),
        messages: bool = False,
        vectors: bool = False,
        progress: Progress = lambda _done, _total: None,
    ) -> Exported:
        """Write what is stored in a form that other programs read and `import_from` takes back.

        Args:
            to: a new folder (Parquet) or file (JSON lines), or a binary stream for JSON lines.
            format: `parquet` or `jsonl`; None: by the name, Parquet unless it ends with `.jsonl`.
            profiles: only of these, by name or unique beginning.
            since: only memories that became true, and sessions that went on, since then.
            kinds: only memories of these kinds.
            messages: the messages as well.
            vectors: the vectors as well.
            progress: called with the rows written and about all of them.

        Raises:
            UsageError: the place is taken, or a word is not understood.
            NotFound: there is no such profile.
        """
        wanted = Wanted(
            profiles=tuple(profiles),
            since=moment(since, local_now()),
            kinds=kinds_called(kinds),
            messages=messages,
            vectors=vectors,
        )
        if not isinstance(to, str | Path):
            return exporting.export_lines(self._store, self.config, wanted, to)
        place = Path(to).expanduser().absolute()
        form = format or (exporting.JSONL if place.suffix == ".jsonl" else exporting.PARQUET)
        if form not in exporting.FORMATS:
            raise UsageError(f"Unknown format {form!r}", f"Formats are {', '.join(exporting.FORMATS)}.")
        return exporting.export(self._store, self.config, wanted, place, form, progress)

    def import_from(
        self,
        place: str | Path | BinaryIO,
        *,
        dry_run: bool = False,
        profiles: Sequence[str] = (),
        names: Mapping[str, str] | None = None,
        progress: Progress = lambda _done, _total: None,
    ) -> Imported:
        """Merge an export into the store, by content address; or take in what another tool remembers.

        Other tools': a Markdown file or a folder of them (CLAUDE.md, MEMORY.md …), an export of mem0, or JSON with a
        text in each object. They go into one profile, by default that of the folder.

        Args:
            place: its folder or file, or a binary stream of JSON lines.
            dry_run: only tell what would come of it.
            profiles: only these profiles of it; for other tools', the one that it goes to.
            names: other names for profiles, old to new.
            progress: called with the messages done and all of them.

        Raises:
            NotFound: there is no such file.
            BadInput: it is damaged; nothing was written.
            UsageError: a profile that it does not have.
        """
        if not isinstance(place, str | Path):
            with scratch.folder(self._store.home) as folder:
                file = folder / "standard-input.jsonl"
                with file.open("wb") as whole:
                    shutil.copyfileobj(place, whole)
                return self._import(file, "standard input", dry_run, profiles, names or {}, progress)
        path = Path(place).expanduser().absolute()
        if not path.exists():
            raise NotFound(f"There is nothing at {path}")
        return self._import(path, str(path), dry_run, profiles, names or {}, progress)

    def _writable_profile(self) -> str:
        raise NotImplementedError

    def _import(
        self,
        path: Path,
        called: str,
        dry_run: bool,
        profiles: Sequence[str],
        names: Mapping[str, str],
        progress: Progress,
    ) -> Imported:
        if not importing.is_export(path):
            if names or len(profiles) > 1:
                raise UsageError(
                    f"{path} is no export of agentmem: it has no profiles", "--profile says where it goes."
                )
            into = self._profile_called(profiles[0]) if profiles else self._writable_profile()
            return foreign.import_foreign(self._store, self.config, path, into, dry_run=dry_run)
        return importing.import_export(
            self._store,
            self.config,
            path,
            dry_run=dry_run,
            profiles=profiles,
            names=names,
            called=called,
            progress=progress,
        )

    def _profile_called(self, name: str) -> str:
        """The profile that is meant, or a new one of this name."""
        with self._store.reading() as connection:
            try:
                return sessions.find_profile(connection, name)
            except NotFound:
                return name

    def back_up(self, folder: str | Path | None = None, *, keep: int | None = None) -> BackedUp:
        """Copy the database as it is now, while others work with it, and read the copy as a whole.

        Args:
            folder: where to; None: beside the store.
            keep: how many backups to leave in that folder, the newest; None: all.

        Raises:
            NotFound: nothing is stored yet.
            UsageError: none would be left.
        """
        if keep is not None and keep < 1:
            raise UsageError(f"At least one backup is kept, not {keep}")
        return backups.back_up(self._store, None if folder is None else Path(folder).expanduser().absolute(), keep)

    def backups(self) -> tuple[Copied, ...]:
        """The copies beside the store: backups, what was there before upgrades, and what was replaced; newest first."""
        return tuple(backups.listed(self._store))

    def restore(self, backup: str | Path, *, dry_run: bool = False) -> Restored:
        """Put a backup in the place of the store, which is kept beside it.

        Args:
            backup: the file.
            dry_run: only tell what both hold.

        Raises:
            NotFound: there is no such file.
            StoreDamaged: it cannot be read; nothing has changed.
            StoreTooNew: a newer agentmem wrote it; nothing has changed.
        """
        return backups.restore(self._store, Path(backup).expanduser().absolute(), dry_run=dry_run)

    def upgrade(self, *, dry_run: bool = False) -> Upgraded:
        """Bring a store that an older agentmem wrote up to date; the old file is kept. Any command does it, silently.

        Args:
            dry_run: do it with a copy, and only tell.

        Raises:
            StoreTooNew: a newer agentmem wrote it; it is not touched.
            UpgradeFailed: it could not be done; the store is as it was.
        """
        return upgrading.upgrade(self._store, dry_run=dry_run)
