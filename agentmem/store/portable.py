"""What of a store can leave it, as one table of tables: the exports' columns, their order, and what is left behind.

An export holds what cannot be worked out again. Numbers that only this store knows (of sessions, memories, documents)
stay here: rows name each other by profile, session id, and content address. A test compares this page with the schema,
so that a new table or column must either be listed here or be said to be derived.

Sessions lie in the order of their profile and start, and messages, occurrences and evidence in that of their sessions
and memories, so that a reader of Parquet skips the row groups of other profiles and days.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from agentmem.domain.memories import MemoryKind, Status
from agentmem.domain.messages import MessageKind, Role, Trust


class Type(StrEnum):
    """The types of an export's columns. Times are UTC, in microseconds; a vector is a list of 32-bit floats."""

    TEXT = "text"
    TIME = "time"
    WHOLE = "whole"
    NUMBER = "number"
    TRUTH = "truth"
    JSON = "json"
    VECTOR = "vector"


class Group(StrEnum):
    """When a table is part of an export.

    `always`; `messages`: with messages; `whole`: with the messages of all profiles, since it tells which of them were
    dealt with; `vectors`: with vectors.
    """

    ALWAYS = "always"
    MESSAGES = "messages"
    WHOLE = "whole"
    VECTORS = "vectors"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of an export.

    Args:
        name: its name there.
        type: its type.
        required: never null.
        value: the SQL that gives it; empty: the store's column of the same name, of the table `t`.
        choices: the only values that it may have.
    """

    name: str
    type: Type = Type.TEXT
    required: bool = False
    value: str = ""
    choices: tuple[str, ...] = ()

    @property
    def sql(self) -> str:
        """What to select."""
        return f'{self.value or f"t.{self.name}"} AS "{self.name}"'


@dataclass(frozen=True, slots=True)
class Table:
    """A table of an export.

    Args:
        name: its name, here and there.
        about: what a row is, for the published schema.
        columns: in their order.
        source: what follows FROM; `chosen_profiles`, `chosen_sessions` and `chosen_memories` say what is wanted.
        order: what follows ORDER BY.
        group: when it is part of an export.
        left: columns of the store that stay here, each with the reason.
        by_session: rows are many, and are read some sessions at a time (`c` is `chosen_sessions`).
    """

    name: str
    about: str
    columns: tuple[Column, ...]
    source: str
    order: str
    group: Group = Group.ALWAYS
    left: Mapping[str, str] = field(default_factory=dict)
    by_session: bool = False


def _texts(*names: str, required: bool = False) -> tuple[Column, ...]:
    return tuple(Column(name, required=required) for name in names)


def _times(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, Type.TIME) for name in names)


_OF_SESSION = (Column("profile", required=True, value="s.profile"), Column("session_id", required=True, value="s.id"))
_TRUST = Column("trust", required=True, choices=tuple(Trust))
_NUMBERED = "the store numbers its own"

TABLES: tuple[Table, ...] = (
    Table(
        "profiles",
        "A profile: what keeps projects apart.",
        (Column("name", required=True), Column("identity"), Column("created_at", Type.TIME, required=True)),
        "profiles t SEMI JOIN chosen_profiles c ON c.name = t.name",
        "t.name",
    ),
    Table(
        "sessions",
        "A session of an agent.",
        (
            Column("profile", required=True),
            Column("id", required=True),
            *_texts("agent", "cwd", "branch"),
            *_times("started_at", "ended_at"),
            Column("source"),
            Column("ingested_at", Type.TIME, required=True),
        ),
        "sessions t JOIN chosen_sessions c ON c.no = t.no",
        "c.place",
        left={"no": _NUMBERED, "quoted_only": "worked out from what comes in"},
    ),
    Table(
        "messages",
        "A message, word for word; said several times in its session, it is one row.",
        (
            *_OF_SESSION,
            Column("id", required=True),
            Column("role", required=True, choices=tuple(Role)),
            Column("kind", required=True, choices=tuple(MessageKind)),
            _TRUST,
            Column("speaker"),
            Column("content", required=True),
            *_times("said_at", "forgotten_at"),
            Column("purged_by"),
        ),
        "messages t JOIN chosen_sessions c ON c.no = t.session_no JOIN sessions s ON s.no = t.session_no "
        "JOIN (SELECT session_no, message_id, min(seq) AS first FROM occurrences GROUP BY ALL) f "
        "ON f.session_no = t.session_no AND f.message_id = t.id",
        "c.place, f.first, t.id",
        Group.MESSAGES,
        {"session_no": _NUMBERED},
        by_session=True,
    ),
    Table(
        "occurrences",
        "A place in a session at which a message stands.",
        (
            *_OF_SESSION,
            Column("seq", Type.WHOLE, required=True),
            Column("message_id", required=True),
            Column("said_at", Type.TIME),
            Column("source_id"),
            Column("stored_at", Type.TIME),
        ),
        "occurrences t JOIN chosen_sessions c ON c.no = t.session_no JOIN sessions s ON s.no = t.session_no",
        "c.place, t.seq",
        Group.MESSAGES,
        {"session_no": _NUMBERED},
        by_session=True,
    ),
    Table(
        "memories",
        "A memory, whatever its status.",
        (
            Column("id", required=True),
            Column("profile", required=True),
            Column("kind", required=True, choices=tuple(MemoryKind)),
            Column("topic_key"),
            Column("content", required=True),
            Column("importance", Type.NUMBER, required=True),
            *_times("occurred_at", "valid_from"),
            Column("created_at", Type.TIME, required=True),
            *_times("expires_at", "last_recalled_at"),
            Column("status", required=True, choices=tuple(Status)),
            Column("superseded_by"),
            _TRUST,
            Column("extractor", required=True),
            Column("pinned", Type.TRUTH),
            Column("confirmed_at", Type.TIME),
            Column("reason"),
            Column("recalled", Type.WHOLE),
        ),
        "memories t JOIN chosen_memories c ON c.id = t.id",
        "c.place",
        left={"no": _NUMBERED},
    ),
    Table(
        "versions",
        "A state that a memory was in, since it was known; it lasts until the next of the same memory.",
        (
            Column("memory_id", required=True, value="c.id"),
            Column("known_from", Type.TIME, required=True),
            *_texts("status", "superseded_by"),
            *_times("valid_from", "expires_at"),
            Column("reason"),
        ),
        "versions t JOIN chosen_memories c ON c.no = t.memory_no",
        "c.place, t.no",
        left={"no": _NUMBERED, "memory_no": _NUMBERED},
    ),
    Table(
        "evidence",
        "The exact words of a message that support a memory.",
        (
            Column("memory_id", required=True),
            *_OF_SESSION,
            Column("message_id", required=True),
            Column("quote", required=True),
            Column("said_at", Type.TIME),
        ),
        "evidence t JOIN chosen_memories c ON c.id = t.memory_id JOIN sessions s ON s.no = t.session_no",
        "c.place, t.said_at NULLS FIRST, s.profile, s.id, t.message_id, t.quote",
        left={"session_no": _NUMBERED},
    ),
    Table(
        "search_queries",
        "A question that a memory answers; in the order in which they are indexed.",
        (Column("memory_id", required=True), Column("query", required=True)),
        "search_queries t JOIN chosen_memories c ON c.id = t.memory_id",
        "c.place, t.rowid",
    ),
    Table(
        "journal",
        "A change, with what was before and what is after; the oldest first.",
        (
            Column("written_at", Type.TIME, required=True),
            *_texts("actor", "operation", required=True),
            *_texts("profile", "subject"),
            Column("before", Type.JSON, value="t.before::VARCHAR"),
            Column("after", Type.JSON, value="t.after::VARCHAR"),
            Column("about"),
        ),
        "journal t SEMI JOIN chosen_entries c ON c.no = t.no",
        "t.no",
        left={
            "no": _NUMBERED,
            "action": "what was done on one store is taken back there, by numbers that only it knows",
            "undoes": "as `action`",
        },
    ),
    Table(
        "tombstones",
        "The digest of a value that was forgotten, so that it does not come back.",
        (
            *_texts("digest", "profile", required=True),
            Column("buried_at", Type.TIME, required=True),
            Column("grave"),
            Column("purged", Type.TRUTH),
            Column("words", Type.WHOLE),
        ),
        "tombstones t SEMI JOIN chosen_profiles c ON c.name = t.profile",
        "t.profile, t.buried_at, t.digest, t.grave",
    ),
    Table(
        "contradictions",
        "Two memories that cannot both be true.",
        (
            *_texts("id", "profile", "first", "second", "reason", required=True),
            Column("found_at", Type.TIME, required=True),
            Column("settled_at", Type.TIME),
        ),
        "contradictions t SEMI JOIN chosen_memories a ON a.id = t.first SEMI JOIN chosen_memories b ON b.id = t.second",
        "t.profile, t.found_at, t.id, t.first, t.second",
    ),
    Table(
        "anchors",
        "A thing in a project's code that a memory names.",
        _texts("memory_id", "root", "head", "kind", "name", required=True),
        "anchors t JOIN chosen_memories c ON c.id = t.memory_id",
        "c.place, t.kind, t.name, t.root, t.head",
    ),
    Table(
        "files",
        "How far a transcript on this machine was read.",
        (
            *_texts("path", "format", required=True),
            Column("session_id"),
            Column("size", Type.WHOLE, required=True),
            Column("consumed", Type.WHOLE, required=True),
            Column("head", required=True),
            Column("read_at", Type.TIME, required=True),
        ),
        "files t",
        "t.path",
        Group.WHOLE,
    ),
    Table(
        "work",
        "Work that was done for a text, or failed; it is not paid for twice.",
        (
            *_texts("stage", "key", "version", "model", required=True),
            Column("attempts", Type.WHOLE, required=True),
            Column("last_error"),
            *_times("done_at", "failed_at"),
            Column("profile"),
            Column("session_id", value="s.id"),
            Column("first_seq", Type.WHOLE),
            Column("last_seq", Type.WHOLE),
        ),
        "(SELECT * FROM work WHERE stage <> 'sort postings') t LEFT JOIN sessions s ON s.no = t.session_no",
        "t.stage, t.key, t.version, t.model",
        Group.WHOLE,
        {"session_no": _NUMBERED},
    ),
    Table(
        "verdicts",
        "What a language model decided about a memory.",
        (
            *_texts("memory_id", "check_name", "verdict", required=True),
            *_texts("reason", "before"),
            *_texts("model", "version", required=True),
            Column("judged_at", Type.TIME, required=True),
        ),
        "verdicts t JOIN chosen_memories c ON c.id = t.memory_id",
        "c.place, t.judged_at, t.check_name, t.verdict, t.model, t.version",
    ),
    Table(
        "embeddings",
        "The vector of a text, by the text's hash.",
        (*_texts("content_hash", "model", required=True), Column("vector", Type.VECTOR, required=True)),
        "embeddings t SEMI JOIN chosen_vectors c ON c.content_hash = t.content_hash",
        "t.content_hash, t.model",
        Group.VECTORS,
    ),
)

DERIVED: Mapping[str, str] = {
    "documents": "the index is built anew from the texts",
    "postings": "the index is built anew from the texts",
    "generations": "begun anew by the first vectors",
    "scrubbed": "hashed with this store's own key",
    "vector_state": "which document has its vector: told by the next `agentmem work`",
    "model_time": "what models cost on this machine is no memory",
    "schema_migrations": "what ran on this store",
}
"""Tables that do not leave the store, each with the reason."""


def table(name: str) -> Table:
    """The table of this name."""
    return next(one for one in TABLES if one.name == name)
