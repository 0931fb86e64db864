"""What commands hand to the renderer where the library's own values do not say it all."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agentmem.bench import retrieval
from agentmem.bench.ablation import Ablation
from agentmem.bench.comparison import Gain
from agentmem.bench.models import ModelCosts
from agentmem.bench.own import Own
from agentmem.bench.scale import Scale
from agentmem.bench.year import Year
from agentmem.config import Config
from agentmem.domain.memories import MemoryItem
from agentmem.domain.recall import Answer
from agentmem.ingest.pay import Paid
from agentmem.ingest.pipeline import Ingested
from agentmem.ingest.vectorize import Vectorized
from agentmem.projects import Project
from agentmem.store.contradictions import Open
from agentmem.store.messages import StoredMessage
from agentmem.store.sessions import Profile
from agentmem.upkeep.backfill import CaughtUp
from agentmem.upkeep.compact import Compacted
from agentmem.upkeep.doctor import Check
from agentmem.upkeep.erase import Erased
from agentmem.upkeep.inspect import Shown, Version
from agentmem.upkeep.log import Difference
from agentmem.upkeep.reindexing import Reindexed
from agentmem.upkeep.schedule import Scheduled
from agentmem.upkeep.scrub import Scrubbed
from agentmem.upkeep.selection import Selection
from agentmem.upkeep.stats import Stats
from agentmem.upkeep.transfer.backups import BackedUp, Copied, Restored
from agentmem.upkeep.transfer.exporting import Exported
from agentmem.upkeep.transfer.importing import Imported
from agentmem.upkeep.transfer.upgrading import Upgraded
from agentmem.upkeep.undo import Deed
from agentmem.upkeep.unforget import Unforgotten


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRead:
    """One file or stream that was read.

    Args:
        name: its path, or `-`.
        size: bytes read.
        messages: messages found in it, new ones or not.
        skipped: entries that could not be used, by reason.
        unknown: entries of a type that the reader does not know, by type.
        ignored: entries that are no conversation, by type.
        error: why it could not be read (to its end); empty if it could.
        hint: what to do about it.
    """

    name: str
    size: int = 0
    messages: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)
    ignored: Mapping[str, int] = field(default_factory=dict)
    error: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """A run of `ingest`.

    Args:
        inputs: all that was read, or failed to be.
        passed_over: files in folders that are no transcripts.
        stored: what came of it.
        profile: the profile that `recall` asks from here.
        vectors: what was paid of the vectors owed, and what still is.
        note: why no vectors were computed, if that needs saying.
        models: what language models did; None where none is configured.
    """

    inputs: tuple[InputRead, ...]
    passed_over: int
    stored: Ingested
    profile: str
    vectors: Vectorized
    note: str = ""
    models: Paid | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """An answer, and how it is wanted.

    Args:
        answer: the answer.
        explain: with what each channel says of each hit.
        full: messages whole.
        advice: what to do when nothing is known.
        sessions: its sessions instead of its hits.
    """

    answer: Answer
    explain: bool = False
    full: bool = False
    advice: str = ""
    sessions: bool = False


@dataclass(frozen=True, slots=True)
class Worked:
    """A run of `work`: what was done about vectors, and by language models where there are any.

    Args:
        vectors: computed, reused and owed.
        models: what language models did; None where none is configured.
        again: pieces that were made owed again.
    """

    vectors: Vectorized
    models: Paid | None = None
    again: int | None = None


@dataclass(frozen=True, slots=True)
class Remembered:
    """The memory that was stored."""

    memory: MemoryItem


@dataclass(frozen=True, slots=True)
class Listed:
    """The memories of a profile, newest first."""

    profile: str
    memories: tuple[MemoryItem, ...]


@dataclass(frozen=True, slots=True)
class History:
    """All versions of a memory, oldest first."""

    versions: tuple[Version, ...]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What is hidden from now on."""

    thing: MemoryItem | StoredMessage


@dataclass(frozen=True, slots=True)
class ForgottenAll:
    """All that is hidden, or deleted for good.

    Args:
        chosen: what it is.
        purged: deleted for good.
        dry: it was only looked for.
    """

    chosen: Selection
    purged: bool = False
    dry: bool = False


@dataclass(frozen=True, slots=True)
class Tended:
    """A memory after something was done to it: `edit`, `pin`, `unpin`, `confirm`, `reject`."""

    done: str
    memory: MemoryItem


@dataclass(frozen=True, slots=True)
class Logged:
    """Actions, newest first.

    Args:
        deeds: the actions.
        whole: with every entry, and each value before and after.
        contents: what the memories say now, by id.
    """

    deeds: tuple[Deed, ...]
    whole: bool = False
    contents: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Undone:
    """The actions that took others back."""

    deeds: tuple[Deed, ...]


@dataclass(frozen=True, slots=True)
class Differed:
    """What changed between two times."""

    difference: Difference


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What of a profile wants a person's word: memories that nobody confirmed for long, and pairs that disagree."""

    profile: str
    memories: tuple[MemoryItem, ...]
    contradictions: tuple[Open, ...] = ()


@dataclass(frozen=True, slots=True)
class Examined:
    """What `doctor` looked at."""

    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in force, and the file that holds those which are not the defaults."""

    file: str
    config: Config


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting."""

    key: str
    value: object


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """Where the settings are kept, and whether anything is there."""

    file: str
    exists: bool


@dataclass(frozen=True, slots=True)
class Profiles:
    """All profiles, and the one of the current folder."""

    current: str
    profiles: tuple[Profile, ...]


@dataclass(frozen=True, slots=True)
class ProfileShown:
    """One profile; an empty one if nothing is stored in it yet."""

    profile: Profile


@dataclass(frozen=True, slots=True)
class ProfileReason:
    """Why a folder has its profile, and whether anything is stored there."""

    project: Project
    stored: bool


@dataclass(frozen=True, slots=True)
class Demonstrated:
    """What the demo learnt from its session, and the answers it then gave.

    Args:
        said: (role, text) of the session, as far as it was said by a person or the agent.
        report: of the ingest.
        memories: all memories, superseded ones too.
        answers: to its questions.
    """

    said: tuple[tuple[str, str], ...]
    report: Ingested
    memories: tuple[MemoryItem, ...]
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Benched:
    """What was measured on each set, and how it differs from an earlier run."""

    sets: tuple[retrieval.Result, ...]
    compared: tuple[Gain, ...] = ()


@dataclass(frozen=True, slots=True)
class Ablated:
    """What each part of the ranking is worth on each set."""

    sets: tuple[Ablation, ...]


@dataclass(frozen=True, slots=True)
class Scaled:
    """How the time of an answer grows with the store."""

    sizes: tuple[Scale, ...]


@dataclass(frozen=True, slots=True)
class BackupsListed:
    """The copies beside the store, the newest first."""

    folder: str
    backups: tuple[Copied, ...]


Result = (
    IngestReport
    | CaughtUp
    | Recalled
    | Worked
    | Remembered
    | Listed
    | Shown
    | History
    | Forgotten
    | ForgottenAll
    | Unforgotten
    | Scheduled
    | ModelCosts
    | Year
    | Compacted
    | Tended
    | Logged
    | Undone
    | Differed
    | Reviewed
    | Scrubbed
    | Erased
    | Reindexed
    | Stats
    | Examined
    | Settings
    | Setting
    | SettingsFile
    | Profiles
    | ProfileShown
    | ProfileReason
    | Demonstrated
    | Benched
    | Ablated
    | Scaled
    | Own
    | Exported
    | Imported
    | BackedUp
    | BackupsListed
    | Restored
    | Upgraded
)
"""All that a command can hand to `agentmem.cli.render.render`."""
