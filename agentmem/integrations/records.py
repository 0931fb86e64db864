"""What was installed where, and what the files held before: beside the store, for its owner's eyes only.

`backups/config/installed.json` names each settings file that was changed; the files as they were before lie beside it
under the digest of their content.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from agentmem.integrations import entries
from agentmem.integrations.disk import Content
from agentmem.integrations.entries import Made
from agentmem.paths import PRIVATE_FILE, Home, make_private_folder

VERSION = 1


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of a settings file that was changed.

    Args:
        kind: `json`, `toml`, or `whole` if it is agentmem's own.
        before: digest of what it held; empty if there was no file.
        after: digest of what was written.
        agents: whose entries it holds.
        made: containers that were made for them.
        folders: folders that were made for it.
    """

    kind: str
    before: str
    after: str
    agents: tuple[str, ...]
    made: tuple[Made, ...] = ()
    folders: tuple[str, ...] = ()


class Records:
    """The records of one store.

    Args:
        home: the store's place.
    """

    def __init__(self, home: Home) -> None:
        self.folder = home.backups / "config"
        self.known = self._load()

    def of(self, path: Path) -> Record | None:
        """What is known of a file, by its real path."""
        return self.known.get(str(path))

    def files_of(self, agent: str) -> list[tuple[Path, str]]:
        """The files that hold entries of an agent, as far as is known, with their kinds."""
        return [(Path(path), record.kind) for path, record in self.known.items() if agent in record.agents]

    def before(self, record: Record) -> Content | None:
        """What a file held before; None if its copy is lost."""
        if not record.before:
            return Content(None)
        try:
            kept = Content((self.folder / record.before).read_bytes())
        except OSError:
            return None
        return kept if kept.digest == record.before else None

    def keep(self, content: Content) -> None:
        """Store a copy of what a file holds, before it is changed."""
        if content.data is not None:
            self._write(self.folder / content.digest, content.data)

    def set(self, path: Path, record: Record | None) -> None:
        """Note, or forget, what was done to a file."""
        self.known.pop(str(path), None)
        if record is not None:
            self.known[str(path)] = record
        self._save()

    def _load(self) -> dict[str, Record]:
        try:
            held = json.loads((self.folder / "installed.json").read_text(encoding="utf-8"))
            return {path: _record(fields) for path, fields in held["files"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}  # without records uninstalling still finds all entries, it only cannot be sure of every byte

    def _save(self) -> None:
        files = {
            path: {
                "kind": one.kind,
                "before": one.before,
                "after": one.after,
                "agents": list(one.agents),
                "made": entries.as_data(one.made),
                "folders": list(one.folders),
            }
            for path, one in self.known.items()
        }
        data = json.dumps({"version": VERSION, "files": files}, indent=2).encode()
        self._write(self.folder / "installed.json", data)
        self._drop({one.before for one in self.known.values()})

    def _drop(self, needed: Iterable[str]) -> None:
        """Delete copies that no record needs: they may hold what is private."""
        for file in self.folder.iterdir():
            if len(file.name) == 64 and file.name not in needed:
                file.unlink(missing_ok=True)

    def _write(self, file: Path, data: bytes) -> None:
        make_private_folder(self.folder.parent.parent)
        make_private_folder(self.folder)
        new = file.with_name(file.name + ".new")
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE), "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        new.replace(file)


def _record(fields: dict[str, object]) -> Record:
    agents, folders = fields["agents"], fields["folders"]
    if not isinstance(agents, list) or not isinstance(folders, list):
        raise TypeError("not a record")
    return Record(
        kind=str(fields["kind"]),
        before=str(fields["before"]),
        after=str(fields["after"]),
        agents=tuple(map(str, agents)),
        made=tuple(entries.from_data(fields["made"])),
        folders=tuple(map(str, folders)),
    )
