"""Where things live. `AGENTMEM_HOME` moves everything; otherwise platformdirs decides."""

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600


@dataclass(frozen=True, slots=True)
class Home:
    """The places of one store.

    Args:
        data: the folder of everything that is stored.
        settings: the configuration file, which need not exist.
    """

    data: Path
    settings: Path

    @property
    def database(self) -> Path:
        """The one DuckDB file that holds the truth."""
        return self.data / "memory.duckdb"

    @property
    def vectors(self) -> Path:
        """LanceDB's folder; it can be deleted and is rebuilt by `agentmem work`."""
        return self.data / "vectors"

    @property
    def backups(self) -> Path:
        """Copies of the database made before it is migrated."""
        return self.data / "backups"

    @property
    def spool(self) -> Path:
        """Notes that wait to be written into the database."""
        return self.data / "spool"

    @property
    def log(self) -> Path:
        """Where unexpected errors are written."""
        return self.data / "log"

    @property
    def key(self) -> Path:
        """The key with which marks of secrets are hashed."""
        return self.data / "redaction.key"

    @property
    def gate(self) -> Path:
        """The lock file that lets writers and readers take turns."""
        return self.data / "memory.lock"


def home(root: str | os.PathLike[str] | None = None) -> Home:
    """The home to use.

    Args:
        root: a folder for everything; None asks `AGENTMEM_HOME`, then the platform's own folders
            (`~/.local/share/agentmem` and `~/.config/agentmem` on Linux).
    """
    root = root or os.environ.get("AGENTMEM_HOME") or None
    if root:
        folder = Path(root).expanduser().absolute()
        return Home(data=folder, settings=folder / "config.toml")
    return Home(
        data=platformdirs.user_data_path("agentmem", appauthor=False),
        settings=platformdirs.user_config_path("agentmem", appauthor=False) / "config.toml",
    )


def make_private(place: Home) -> list[Path]:
    """Take the rights to a store away from everyone but its owner; gives what others could open.

    In a folder that nobody else can enter a file's own rights open it to no one: DuckDB makes its log with those that
    the process gives any file.
    """
    if os.name == "nt":  # rights are inherited from the user's profile there
        return []
    folders = (place.data, place.spool, place.backups, place.vectors, place.log)
    files = (place.database, Path(f"{place.database}.wal"), place.key, place.gate, place.settings)
    opened = [folder for folder in folders if _shut(folder, PRIVATE_FOLDER)]
    opened += [file for file in files if _shut(file, PRIVATE_FILE)]
    return [path for path in opened if place.data in opened or place.data not in path.parents]


def _shut(path: Path, rights: int) -> bool:
    """Whether others had rights, which they have no longer."""
    try:
        if not path.stat().st_mode & 0o077:
            return False
        path.chmod(rights)
    except OSError:  # not there, or somebody else's, or on a disk without rights
        return False
    return True


def make_private_folder(folder: Path) -> None:
    """Create a folder that only its owner can enter, and those above it likewise; an existing one is left as it is."""
    for missing in [above for above in reversed(folder.parents) if not above.exists()]:
        missing.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)  # `parents=True` would leave these open to others
    folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)


def make_private_file(file: Path) -> None:
    """Take a file's rights away from everyone but its owner, if it exists and others have any."""
    try:
        if file.stat().st_mode & 0o077:
            file.chmod(PRIVATE_FILE)
    except FileNotFoundError:
        return
