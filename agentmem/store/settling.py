"""Merges staged memories into the store: which are added, which are refused, and what they do to those that are there.

The store's tombstones refuse. What the other side forgot is forgotten here, unless it was said here again after that.
A memory that another one replaced there is replaced here as well if its successor is new. Of two active memories of one
topic the more trusted stays, else the one that became true later. All inside one writing transaction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import duckdb

from agentmem.domain.memories import MemoryItem, Status
from agentmem.domain.messages import Trust
from agentmem.store import fulltext, incoming, journal, memories, versions
from agentmem.store.fulltext import Terms
from agentmem.store.incoming import Merged
from agentmem.store.portable import table
from agentmem.store.rows import number

ACTOR = "import"
_STRENGTH = {Trust.LOW: 0, Trust.MEDIUM: 1, Trust.HIGH: 2}


@dataclass(slots=True)
class Settled:
    """What became of memories and of what belongs to them.

    Args:
        tables: by table.
        forgotten: memories that were active here and are forgotten now.
        superseded: memories that were active here, or came in so, and have a successor now.
    """

    tables: dict[str, Merged] = field(default_factory=dict)
    forgotten: int = 0
    superseded: int = 0


def settle(
    connection: duckdb.DuckDBPyConnection,
    terms: Terms,
    words: Mapping[str, Sequence[int]],
    refused: Sequence[str],
    action: journal.Action,
) -> Settled:
    """Merge all that is staged about memories.

    Args:
        connection: inside a writing transaction, with the staged tables attached and the sessions merged.
        terms: for memories that change.
        words: the terms of the memories that may be new, by id.
        refused: ids of memories whose value was forgotten here.
        action: the import, for the journal.
    """
    done = Settled()
    connection.execute("CREATE OR REPLACE TEMP TABLE refused AS SELECT unnest($1::VARCHAR[]) AS id", [list(refused)])
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE arriving AS
        SELECT t.* FROM staged.memories t ANTI JOIN memories m ON m.id = t.id ANTI JOIN refused r ON r.id = t.id
        """
    )
    forgotten, spared = _forgotten(connection)
    replaced = _replaced(connection)
    _add(connection, done, terms, words)
    done.tables["versions"] = _versions(connection)
    allowed = "t.memory_id NOT IN (SELECT id FROM refused)"
    arrived = "t.memory_id IN (SELECT id FROM arriving)"
    done.tables["evidence"] = incoming.evidence(connection, allowed)
    queries = incoming.rows(connection, "search_queries", "memory_id, query", where=arrived)
    of_refused = number(connection, f"SELECT count(*) FROM staged.search_queries t WHERE NOT ({allowed})")
    done.tables["search_queries"] = Merged(queries.new, queries.known + queries.refused - of_refused, of_refused)
    done.tables["anchors"] = incoming.rows(connection, "anchors", "memory_id, kind, name", where=allowed)
    done.tables["verdicts"] = incoming.rows(
        connection, "verdicts", "memory_id, check_name, verdict, model, version, judged_at", where=allowed
    )
    done.tables["contradictions"] = incoming.rows(
        connection,
        "contradictions",
        "profile, first, second, reason",
        where="t.first NOT IN (SELECT id FROM refused) AND t.second NOT IN (SELECT id FROM refused)",
    )
    connection.execute("CREATE OR REPLACE TEMP TABLE spared AS SELECT unnest($1::VARCHAR[]) AS digest", [spared])
    done.tables["tombstones"] = incoming.rows(
        connection, "tombstones", "digest, profile, grave", where="t.digest NOT IN (SELECT digest FROM spared)"
    )
    done.forgotten = _change(connection, terms, action, forgotten, Status.FORGOTTEN)
    done.superseded = _change(connection, terms, action, replaced, Status.SUPERSEDED)
    done.superseded += _change(connection, terms, action, _outdone(connection), Status.SUPERSEDED)
    return done


def claims(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, tuple[str, str | None, str]]]:
    """(id, what it says of what in which profile) of the staged memories that the store does not know."""
    rows = connection.execute(
        "SELECT t.id, t.profile, t.topic_key, t.content FROM staged.memories t ANTI JOIN memories m ON m.id = t.id "
        "ORDER BY t.position"
    ).fetchall()
    return [(identity, (profile, topic, content)) for identity, profile, topic, content in rows]


def _add(
    connection: duckdb.DuckDBPyConnection, done: Settled, terms: Terms, words: Mapping[str, Sequence[int]]
) -> None:
    total = number(connection, "SELECT count(*) FROM staged.memories")
    refused = number(connection, "SELECT count(*) FROM refused")
    names = ", ".join(column.name for column in table("memories").columns)
    first = memories.next_number(connection)
    connection.execute(
        f"INSERT INTO memories (no, {names}) "
        f"SELECT {first - 1} + row_number() OVER (ORDER BY position), {names} FROM arriving ORDER BY position"
    )
    rows = connection.execute("SELECT no, id FROM memories WHERE no >= $1 ORDER BY no", [first]).fetchall()
    items = memories.by_ids(connection, [identity for _, identity in rows])
    documents = []
    for no, identity in rows:
        item = items[identity]
        if item.status is not Status.FORGOTTEN:
            found = words.get(identity)  # None: it was taken out of the store since it was looked up
            found = terms.of(memories.search_text(item, ())) if found is None else found
            documents.append(memories.document(no, item, found))
    fulltext.add(connection, documents)
    done.tables["memories"] = Merged(len(rows), total - len(rows) - refused, refused)


def _versions(connection: duckdb.DuckDBPyConnection) -> Merged:
    """Add the past of the new memories; what is known here has its own."""
    first = number(connection, "SELECT coalesce(max(no), 0) FROM versions")
    new = number(
        connection,
        f"""
        INSERT INTO versions
        SELECT {first} + row_number() OVER (ORDER BY t.position), m.no, t.known_from, t.status, t.superseded_by,
            t.valid_from, t.expires_at, t.reason
        FROM staged.versions t JOIN memories m ON m.id = t.memory_id SEMI JOIN arriving a ON a.id = t.memory_id
        ORDER BY t.position
        """,
    )
    rows = connection.execute(
        "SELECT m.no, m.id FROM memories m SEMI JOIN arriving a ON a.id = m.id "
        "ANTI JOIN versions v ON v.memory_no = m.no ORDER BY m.no"
    ).fetchall()
    items = memories.by_ids(connection, [identity for _, identity in rows])
    versions.note(connection, [(no, items[identity]) for no, identity in rows])
    total = number(connection, "SELECT count(*) FROM staged.versions")
    refused = number(connection, "SELECT count(*) FROM staged.versions t SEMI JOIN refused r ON r.id = t.memory_id")
    return Merged(new, total - new - refused, refused)


def _forgotten(connection: duckdb.DuckDBPyConnection) -> tuple[dict[str, str | None], list[str]]:
    """Ids of memories that count here and were forgotten there, and the digests of those that were said here since."""
    rows = connection.execute(
        """
        SELECT m.id, coalesce(m.valid_from > max(b.buried_at), false),
            list(b.digest) FILTER (b.digest IS NOT NULL) FROM memories m
        JOIN staged.memories t ON t.id = m.id AND t.status = 'forgotten'
        LEFT JOIN staged.tombstones b ON b.digest = t.grave OR b.grave = t.id
        WHERE m.status <> 'forgotten' GROUP BY m.id, m.valid_from
        """
    ).fetchall()
    spared = [digest for _, later, digests in rows if later for digest in digests or ()]
    return {identity: None for identity, later, _ in rows if not later}, spared


def _replaced(connection: duckdb.DuckDBPyConnection) -> dict[str, str | None]:
    """Memories that count here and were replaced there by one that comes in now."""
    rows = connection.execute(
        """
        SELECT m.id, t.superseded_by FROM memories m
        JOIN staged.memories t ON t.id = m.id AND t.status = 'superseded'
        SEMI JOIN arriving a ON a.id = t.superseded_by WHERE m.status = 'active'
        """
    ).fetchall()
    return dict(rows)


def _outdone(connection: duckdb.DuckDBPyConnection) -> dict[str, str | None]:
    """Memories of topics that have two active ones now, with the one that stays."""
    rows = connection.execute(
        """
        SELECT m.id, m.profile, m.topic_key, m.trust, coalesce(m.valid_from, m.created_at) FROM memories m
        SEMI JOIN arriving a ON a.profile = m.profile AND a.topic_key = m.topic_key
        WHERE m.status = 'active' AND m.topic_key IS NOT NULL
        """
    ).fetchall()
    topics: dict[tuple[str, str], list[tuple[int, object, str]]] = {}
    for identity, profile, topic, trust, since in rows:
        topics.setdefault((profile, topic), []).append((_STRENGTH[Trust(trust)], since, identity))
    outdone: dict[str, str | None] = {}
    for held in topics.values():
        *losers, (_, _, winner) = sorted(held)
        outdone |= {identity: winner for _, _, identity in losers}
    return outdone


def _change(
    connection: duckdb.DuckDBPyConnection,
    terms: Terms,
    action: journal.Action,
    changes: Mapping[str, str | None],
    status: Status,
) -> int:
    items = memories.by_ids(connection, list(changes))
    queries = memories.queries_of(connection, list(items))
    entries = []
    for identity, item in items.items():
        words = [] if status is Status.FORGOTTEN else terms.of(memories.search_text(item, queries.get(identity, ())))
        changed = memories.set_status(
            connection, item, status=status, terms=words, superseded_by=changes[identity] or item.superseded_by
        )
        operation = "forget" if status is Status.FORGOTTEN else "supersede"
        entries.append(journal.Entry(operation, item.profile, identity, before=_state(item), after=_state(changed)))
    journal.write(connection, ACTOR, entries, action)
    return len(entries)


def _state(item: MemoryItem) -> dict[str, object]:
    return {"status": item.status.value, "superseded_by": item.superseded_by}
