"""A database of its own for what an export brings, so that all of it is looked at before the store hears of it.

Each table of `agentmem.store.portable` has its like here, with a column `position`: the row's place in the export. What
must be settled row by row (other profile names, new ids, terms) happens here, while nobody waits for the store.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import duckdb

from agentmem.domain.ids import digest, memory_id
from agentmem.domain.text import normalise
from agentmem.errors import BadInput
from agentmem.store import cleaning
from agentmem.store.cleaning import Digests
from agentmem.store.portable import TABLES, Table, Type
from agentmem.store.rows import number, registered

if TYPE_CHECKING:
    import pyarrow as pa

_TYPES = {
    Type.TEXT: "VARCHAR",
    Type.TIME: "TIMESTAMP",
    Type.WHOLE: "BIGINT",
    Type.NUMBER: "DOUBLE",
    Type.TRUTH: "BOOLEAN",
    Type.JSON: "VARCHAR",
    Type.VECTOR: "FLOAT[]",
}

_MEMORY_IDS = (
    ("memories", "superseded_by"),
    ("versions", "memory_id"),
    ("versions", "superseded_by"),
    ("evidence", "memory_id"),
    ("search_queries", "memory_id"),
    ("journal", "subject"),
    ("tombstones", "grave"),
    ("contradictions", "first"),
    ("contradictions", "second"),
    ("anchors", "memory_id"),
    ("verdicts", "memory_id"),
)
"""Columns that hold the id of a memory."""

_CONTRADICTIONS = {
    "messages stand in no session": "messages t ANTI JOIN sessions s ON s.profile = t.profile AND s.id = t.session_id",
    "messages have no occurrence": (
        "messages t ANTI JOIN occurrences o "
        "ON o.profile = t.profile AND o.session_id = t.session_id AND o.message_id = t.id"
    ),
    "occurrences have no message": (
        "occurrences t ANTI JOIN messages m "
        "ON m.profile = t.profile AND m.session_id = t.session_id AND m.id = t.message_id"
    ),
    "pieces of evidence have no memory": "evidence t ANTI JOIN memories m ON m.id = t.memory_id",
    "pieces of evidence have no session": (
        "evidence t ANTI JOIN sessions s ON s.profile = t.profile AND s.id = t.session_id"
    ),
    "versions have no memory": "versions t ANTI JOIN memories m ON m.id = t.memory_id",
    "search queries have no memory": "search_queries t ANTI JOIN memories m ON m.id = t.memory_id",
    "memories are there twice": "(SELECT id FROM memories GROUP BY id HAVING count(*) > 1)",
    "sessions are there twice": "(SELECT id FROM sessions GROUP BY profile, id HAVING count(*) > 1)",
    "messages are there twice": "(SELECT id FROM messages GROUP BY profile, session_id, id HAVING count(*) > 1)",
}


class Staging:
    """The staged rows of one export.

    Args:
        file: a new file, in a private folder.
        memory_limit: what DuckDB may use.
    """

    def __init__(self, file: Path, memory_limit: str) -> None:
        self.file = file
        self._memory_limit = memory_limit
        self._connection = duckdb.connect(file, config={"memory_limit": memory_limit})
        for table in TABLES:
            columns = ", ".join(f'"{column.name}" {_TYPES[column.type]}' for column in table.columns)
            self._connection.execute(f"CREATE TABLE {table.name} (position BIGINT NOT NULL, {columns})")
        self._next = dict.fromkeys((table.name for table in TABLES), 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, so that the store can attach it."""
        self._connection.close()

    def reopen(self) -> None:
        """Open the file again, to read."""
        self._connection = duckdb.connect(self.file, read_only=True, config={"memory_limit": self._memory_limit})

    def load(self, table: Table, batch: "pa.RecordBatch") -> None:
        """Append rows, in the order of the export."""
        import pyarrow as pa

        first = self._next[table.name]
        places = pa.array(range(first, first + batch.num_rows), pa.int64())
        rows = pa.table({"position": places, **dict(zip(batch.schema.names, batch.columns, strict=True))})
        self._connection.register("rows", rows)
        names = ", ".join(f'"{name}"' for name in rows.schema.names)
        self._connection.execute(f"INSERT INTO {table.name} ({names}) SELECT {names} FROM rows")
        self._connection.unregister("rows")
        self._next[table.name] = first + batch.num_rows

    def count(self, table: str) -> int:
        """Rows of a table."""
        return number(self._connection, f"SELECT count(*) FROM {table}")

    def examine(self) -> None:
        """See that the rows are what the format promises, and fit together.

        Raises:
            BadInput: they do not.
        """
        for table in TABLES:
            for column in table.columns:
                if column.required and (many := self._count_where(table.name, f't."{column.name}" IS NULL')):
                    raise BadInput(f"{many:,} rows of {table.name} lack {column.name}", _REFUSED)
                listed = ", ".join(f"'{choice}'" for choice in column.choices)
                if listed and (many := self._count_where(table.name, f't."{column.name}" NOT IN ({listed})')):
                    raise BadInput(f"{many:,} rows of {table.name} have an unknown {column.name}", _REFUSED)
        for wrong, source in _CONTRADICTIONS.items():
            if many := number(self._connection, f"SELECT count(*) FROM {source}"):
                raise BadInput(f"The export contradicts itself: {many:,} {wrong}", _REFUSED)

    def redact(self, change: Callable[[str], str], digests: Digests) -> int:
        """Take secrets out of all texts; how many had one. See `cleaning.clean`."""
        return cleaning.clean(self._connection, change, digests)

    def _count_where(self, table: str, condition: str) -> int:
        return number(self._connection, f"SELECT count(*) FROM {table} t WHERE {condition}")

    def profiles(self) -> list[str]:
        """The names of all profiles that anything belongs to."""
        rows = self._connection.execute(
            "SELECT name FROM profiles UNION SELECT profile FROM sessions UNION SELECT profile FROM memories "
            "UNION SELECT profile FROM tombstones ORDER BY 1"
        ).fetchall()
        return [name for (name,) in rows]

    def keep(self, profiles: Sequence[str]) -> None:
        """Leave out all other profiles, and what belongs to none of them."""
        kept = ", ".join("'" + name.replace("'", "''") + "'" for name in profiles)
        self._connection.execute(
            f"""
            DELETE FROM journal WHERE coalesce(profile, '') NOT IN ({kept})
                AND coalesce(subject, '') NOT IN (SELECT id FROM memories WHERE profile IN ({kept}));
            DELETE FROM search_queries WHERE memory_id NOT IN (SELECT id FROM memories WHERE profile IN ({kept}));
            DELETE FROM versions WHERE memory_id NOT IN (SELECT id FROM memories WHERE profile IN ({kept}));
            DELETE FROM verdicts WHERE memory_id NOT IN (SELECT id FROM memories WHERE profile IN ({kept}));
            DELETE FROM anchors WHERE memory_id NOT IN (SELECT id FROM memories WHERE profile IN ({kept}));
            DELETE FROM evidence WHERE memory_id NOT IN (SELECT id FROM memories WHERE profile IN ({kept}))
                OR profile NOT IN ({kept});
            DELETE FROM files; DELETE FROM work; DELETE FROM profiles WHERE name NOT IN ({kept});
            """
        )
        for table in ("sessions", "messages", "occurrences", "memories", "tombstones", "contradictions"):
            self._connection.execute(f"DELETE FROM {table} WHERE profile NOT IN ({kept})")

    def rename(self, names: Mapping[str, str], digests: Digests) -> int:
        """Give profiles other names; ids that depend on them change in all places.

        Args:
            names: old to new.
            digests: what a forgotten memory leaves behind, from its profile, topic and content.

        Returns:
            How many tombstones stay under their old name, since the value that they are of is not here.
        """
        moved = self._moved(names)
        self._dig_again(names, moved, digests)
        for old, new in names.items():
            self._connection.execute("UPDATE profiles SET name = $1 WHERE name = $2", [new, old])
            for table in ("sessions", "messages", "occurrences", "memories", "evidence", "journal", "contradictions"):
                self._connection.execute(f"UPDATE {table} SET profile = $1 WHERE profile = $2", [new, old])
            self._connection.execute("UPDATE work SET profile = $1 WHERE profile = $2", [new, old])
        self._replace("memories", "id", moved)
        for table, column in _MEMORY_IDS:
            self._replace(table, column, moved)
        for side in ("before", "after"):
            self._rewrite(side, moved)
        left = self._move_tombstones(names)
        self._once("profiles", "name")
        self._once("sessions", "profile, id")
        self._once("messages", "profile, session_id, id")
        self._once("memories", "id")
        return left

    def _moved(self, names: Mapping[str, str]) -> dict[str, str]:
        rows = self._connection.execute(
            "SELECT id, profile, kind, topic_key, content FROM memories WHERE list_contains($1, profile)", [list(names)]
        ).fetchall()
        return {
            old: memory_id(names[profile], kind, topic, normalise(content))
            for old, profile, kind, topic, content in rows
            if memory_id(profile, kind, topic, normalise(content)) == old  # else the text was changed: the id stays
        }

    def _dig_again(self, names: Mapping[str, str], moved: Mapping[str, str], digests: Digests) -> None:
        """Graves of memories whose value is known get the digests that they have in the new profile."""
        rows = self._connection.execute(
            """
            SELECT m.id, m.profile, m.topic_key, m.content, min(t.position), min(t.buried_at),
                bool_or(coalesce(t.purged, false))
            FROM tombstones t JOIN memories m ON m.id = t.grave AND m.content <> '' AND t.words IS NULL
            WHERE list_contains($1, m.profile) GROUP BY ALL
            """,
            [list(names)],
        ).fetchall()
        for identity, profile, topic, content, position, buried_at, purged in rows:
            self._connection.execute("DELETE FROM tombstones WHERE grave = $1 AND words IS NULL", [identity])
            new = names[profile]
            self._connection.execute(
                "INSERT INTO tombstones (position, digest, profile, buried_at, grave, purged) "
                "SELECT $1, unnest($2::VARCHAR[]), $3, $4, $5, $6",
                [position, sorted(digests(new, topic, content)), new, buried_at, moved.get(identity, identity), purged],
            )

    def _replace(self, table: str, column: str, moved: Mapping[str, str]) -> None:
        with self._pairs(moved):
            self._connection.execute(
                f'UPDATE {table} SET "{column}" = n.new FROM new_rows n WHERE n.old = {table}."{column}"'
            )

    def _pairs(self, moved: Mapping[str, str]) -> Any:
        return registered(self._connection, {"old": ("string", list(moved)), "new": ("string", list(moved.values()))})

    def _rewrite(self, side: str, moved: Mapping[str, str]) -> None:
        """Put the new ids into the values that the journal noted."""
        rows = self._connection.execute(f"SELECT position, {side} FROM journal WHERE {side} IS NOT NULL").fetchall()
        changed = {}
        for position, text in rows:
            values = json.loads(text)
            if isinstance(values, dict) and any(isinstance(v, str) and v in moved for v in values.values()):
                values = {key: moved.get(v, v) if isinstance(v, str) else v for key, v in values.items()}
                changed[position] = json.dumps(values, ensure_ascii=False)
        with registered(
            self._connection,
            {"position": ("int64", list(changed)), "text": ("string", list(changed.values()))},
        ):
            self._connection.execute(
                f"UPDATE journal SET {side} = n.text FROM new_rows n WHERE n.position = journal.position"
            )

    def _move_tombstones(self, names: Mapping[str, str]) -> int:
        """A tombstone is a digest of profile and value: it can move only where the value is still known."""
        rows = self._connection.execute("SELECT profile, content FROM memories").fetchall()
        graves = {
            digest(old, normalise(content)): digest(new, normalise(content))
            for profile, content in rows
            for old, new in names.items()
            if new == profile
        }
        self._replace("tombstones", "digest", graves)
        for old, new in names.items():
            with self._pairs(graves):
                self._connection.execute(
                    "UPDATE tombstones SET profile = $1 WHERE profile = $2 AND digest IN (SELECT new FROM new_rows)",
                    [new, old],
                )
        return self._count_where(
            "tombstones",
            f"t.profile IN ({', '.join(chr(39) + n.replace(chr(39), chr(39) * 2) + chr(39) for n in names)})",
        )

    def _once(self, table: str, key: str) -> None:
        """Two profiles that become one may have had the same thing each; the first stays."""
        self._connection.execute(
            f"DELETE FROM {table} WHERE position NOT IN (SELECT min(position) FROM {table} GROUP BY {key})"
        )

    def bury(self) -> None:
        """Note of each memory the digest that a tombstone of its value would have (`grave`)."""
        self._connection.execute("ALTER TABLE memories ADD COLUMN grave VARCHAR")
        rows = self._connection.execute("SELECT position, profile, content FROM memories").fetchall()
        with registered(
            self._connection,
            {
                "position": ("int64", [row[0] for row in rows]),
                "grave": ("string", [digest(profile, normalise(content)) for _, profile, content in rows]),
            },
        ):
            self._connection.execute(
                "UPDATE memories SET grave = n.grave FROM new_rows n WHERE n.position = memories.position"
            )

    def texts(self, known: Callable[[Sequence[str]], set[str]]) -> Iterator[tuple[str, str]]:
        """(id, text to be indexed) of the memories that the store does not know; see `memories.search_text`."""
        rows = self._connection.execute(
            """
            SELECT m.id, concat_ws(chr(10), q.queries, coalesce(m.topic_key, ''), m.content)
            FROM memories m LEFT JOIN (
                SELECT memory_id, string_agg(query, chr(10) ORDER BY position) AS queries
                FROM search_queries GROUP BY memory_id
            ) q ON q.memory_id = m.id ORDER BY m.position
            """
        ).fetchall()
        stored = known([identity for identity, _ in rows])
        return ((identity, text.strip()) for identity, text in rows if identity not in stored)

    def order_messages(self, size: int) -> int:
        """Lay messages beside their occurrences, session by session; how many pieces of about `size` there are.

        `repeat` tells the how manieth of its kind an occurrence is: the same message with the same id in the
        transcript, else of the same time, else with neither.
        """
        self._connection.execute(
            """
            CREATE TABLE spoken AS
            SELECT row_number() OVER (ORDER BY first, o.profile, o.session_id, o.seq, o.position) - 1 AS place,
                row_number() OVER (
                    PARTITION BY o.profile, o.session_id, o.message_id, coalesce(o.source_id, o.said_at::VARCHAR)
                    ORDER BY o.seq, o.position
                ) AS repeat, o.position, m.position AS message
            FROM occurrences o
            JOIN messages m ON m.profile = o.profile AND m.session_id = o.session_id AND m.id = o.message_id
            JOIN (
                SELECT profile, session_id, min(position) AS first FROM occurrences GROUP BY ALL
            ) f ON f.profile = o.profile AND f.session_id = o.session_id
            ORDER BY place
            """
        )
        return -(-self.count("spoken") // size)

    def messages(self, piece: int, size: int) -> "pa.Table":
        """A piece of what `order_messages` laid out."""
        occurrence = "o.profile, o.session_id, o.seq, o.message_id, o.said_at, o.source_id, o.stored_at"
        of_message = ", ".join(
            f'm."{name}" AS "{"first_said_at" if name == "said_at" else name}"' for name in MESSAGE_COLUMNS
        )
        return self._connection.sql(
            f"""
            SELECT s.place, s.repeat, {occurrence}, {of_message}
            FROM spoken s JOIN occurrences o ON o.position = s.position JOIN messages m ON m.position = s.message
            WHERE s.place >= {piece * size} AND s.place < {(piece + 1) * size} ORDER BY s.place
            """
        ).to_arrow_table()


MESSAGE_COLUMNS = ("role", "kind", "trust", "speaker", "content", "said_at", "forgotten_at", "purged_by")
"""What a message brings besides its place."""

_REFUSED = "Nothing was imported. Export again, with the same version of agentmem if you can."
