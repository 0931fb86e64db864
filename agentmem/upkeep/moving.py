"""What `Memory` can take out of the store, bring in, keep a copy of, and bring back."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from agentmem.config import Config
from agentmem.errors import NotFound, UsageError
from agentmem.store import sessions
from agentmem.store.outgoing import Wanted
from agentmem.store.store import Store
from agentmem.upkeep.asked import kinds_called, local_now, moment
from agentmem.upkeep.transfer import exporting, importing
from agentmem.upkeep.transfer.exporting import Exported
from agentmem.upkeep.transfer.importing import Imported, Progress


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
        with self._store.reading() as connection:
            named = tuple(sessions.find_profile(connection, name) for name in profiles)
        wanted = Wanted(
            profiles=named,
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
        place: str | Path,
        *,
        dry_run: bool = False,
        profiles: Sequence[str] = (),
        names: Mapping[str, str] | None = None,
        progress: Progress = lambda _done, _total: None,
    ) -> Imported:
        """Merge an export into the store, by content address.

        Args:
            place: its folder or file.
            dry_run: only tell what would come of it.
            profiles: only these profiles of it.
            names: other names for profiles, old to new.
            progress: called with the messages done and all of them.

        Raises:
            NotFound: there is no such file.
            BadInput: it is damaged; nothing was written.
            UsageError: a profile that it does not have.
        """
        path = Path(place).expanduser().absolute()
        if not path.exists():
            raise NotFound(f"There is nothing at {path}")
        return importing.import_export(
            self._store, self.config, path, dry_run=dry_run, profiles=profiles, names=names, progress=progress
        )
