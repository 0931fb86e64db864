"""Embeddings in DuckDB: each paid for once, by content and model; what LanceDB is rebuilt from.

A *generation* is one model's vectors over the store. `vector_state` tells which document has its vector in it, so what
is owed is a question to the database and not a list that could be lost: a crash, a new model and a first run
are the same to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb

from agentmem.domain.ids import content_hash
from agentmem.errors import ModelMismatch
from agentmem.store import memories, messages
from agentmem.store.rows import now, number, stored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MESSAGE_HEAD = 1_000
"""Characters of a message that are embedded; the model reads 512 tokens, and the head says what a text is about."""

EXACT_SCOPE = 50_000
"""Vectors up to which every one is compared. An exact scan in DuckDB takes 7 ms over 6,000 vectors of 384 numbers and
45 ms over 60,000; LanceDB takes 16 and 170 ms without an index (and a second to import), but has one above this."""

_WANTED = """
    SELECT d.slot FROM documents d
    ANTI JOIN (SELECT slot FROM vector_state WHERE generation = $1) v ON v.slot = d.slot
    WHERE d.dense
"""


_SCAN = """
    SELECT v.slot, list_inner_product(e.vector, $vector::FLOAT[]) AS cosine, d.length
    FROM vector_state v
    JOIN documents d ON d.slot = v.slot AND d.dense AND d.profile IN (SELECT unnest($profiles))
    JOIN embeddings e ON e.content_hash = v.content_hash AND e.model = $model
    WHERE v.generation = $generation
"""

_SCAN_AT = """
    -- The vectors are by far the largest column: which rows are needed is found out first.
    WITH wanted AS MATERIALIZED (SELECT unnest($slots::BIGINT[]) AS slot),
    here AS MATERIALIZED (
        SELECT v.slot, v.content_hash FROM vector_state v
        WHERE v.generation = $generation AND v.slot IN (SELECT slot FROM wanted)
    ),
    lengths AS MATERIALIZED (
        SELECT d.slot, d.length FROM documents d
        WHERE d.dense AND d.profile IN (SELECT unnest($profiles)) AND d.slot IN (SELECT slot FROM wanted)
    ),
    known AS MATERIALIZED (
        SELECT e.rowid AS place, e.content_hash FROM embeddings e
        WHERE e.model = $model AND e.content_hash IN (SELECT content_hash FROM here)
    ),
    places AS MATERIALIZED (
        SELECT h.slot, l.length, k.place FROM here h JOIN lengths l USING (slot) JOIN known k USING (content_hash)
    )
    SELECT p.slot, list_inner_product(e.vector, $vector::FLOAT[]) AS cosine, p.length
    FROM places p JOIN embeddings e ON e.rowid = p.place
"""


@dataclass(frozen=True, slots=True)
class Generation:
    """One model's vectors."""

    no: int
    model: str
    dimension: int


@dataclass(frozen=True, slots=True)
class Owed:
    """A document whose vector is owed."""

    slot: int
    profile: str
    text: str

    @property
    def content_hash(self) -> str:
        """The key of its embedding."""
        return content_hash(self.text)


def current(connection: duckdb.DuckDBPyConnection) -> Generation | None:
    """The generation that searches use; None before the first vector."""
    return _newest(connection, "ready_at IS NOT NULL")


def growing(connection: duckdb.DuckDBPyConnection) -> Generation | None:
    """The generation that is to take its place, while it is built."""
    return _newest(connection, "ready_at IS NULL")


def of_model(connection: duckdb.DuckDBPyConnection, model: str) -> Generation | None:
    """The generation of a model, serving or growing."""
    return next((one for one in reversed(all_of_them(connection)) if one.model == model), None)


def _newest(connection: duckdb.DuckDBPyConnection, which: str) -> Generation | None:
    rows = connection.execute(
        f"SELECT no, model, dimension FROM generations WHERE {which} ORDER BY no DESC LIMIT 1"
    ).fetchall()
    return Generation(*rows[0]) if rows else None


def all_of_them(connection: duckdb.DuckDBPyConnection) -> list[Generation]:
    """All generations, the oldest first."""
    rows = connection.execute("SELECT no, model, dimension FROM generations ORDER BY no").fetchall()
    return [Generation(*row) for row in rows]


def check(generation: Generation | None, model: str) -> None:
    """Make sure that a model's vectors can be compared with the store's.

    Raises:
        ModelMismatch: the store has another model's.
    """
    if generation is not None and generation.model != model:
        raise ModelMismatch(
            f"The store's vectors come from {generation.model}, not from {model}",
            f"{_way_back(generation.model)} goes back to the store's model; "
            "`agentmem reindex` computes all vectors anew with the configured one.",
        )


def _way_back(model: str) -> str:
    maker, _, name = model.partition("/")
    chosen = f" and `agentmem config set model_embed {name}`" if maker == "ollama" else ""
    return f"`agentmem config set embedder {maker}`{chosen}"


def begin(connection: duckdb.DuckDBPyConnection, model: str, dimension: int) -> Generation:
    """The generation of a model: the one that there is, else a new one without vectors.

    A first one serves at once. A later one grows beside the one that serves; what grew for yet another model goes.
    """
    found = of_model(connection, model)
    if found is not None and found.dimension == dimension:
        return found
    drop(connection, [one.no for one in [growing(connection)] if one is not None])
    no = number(connection, "SELECT coalesce(max(no), 0) + 1 FROM generations")
    at = stored(now())
    connection.execute(
        "INSERT INTO generations (no, model, dimension, created_at, ready_at) VALUES ($1, $2, $3, $4, $5)",
        [no, model, dimension, at, None if current(connection) else at],
    )
    return Generation(no, model, dimension)


def take_over(connection: duckdb.DuckDBPyConnection, generation: Generation) -> bool:
    """Let a generation serve once it has all that the one before it has, which then goes; tells whether it serves."""
    serving = current(connection)
    if serving is None or serving.no == generation.no:
        return True
    lacking = number(
        connection,
        """
        SELECT count(*) FROM vector_state v JOIN documents d ON d.slot = v.slot AND d.dense
        ANTI JOIN (SELECT slot FROM vector_state WHERE generation = $2) n ON n.slot = v.slot
        WHERE v.generation = $1
        """,
        [serving.no, generation.no],
    )
    if lacking:
        return False
    connection.execute("UPDATE generations SET ready_at = $1 WHERE no = $2", [stored(now()), generation.no])
    drop(connection, [one.no for one in all_of_them(connection) if one.no != generation.no])
    return True


def drop(connection: duckdb.DuckDBPyConnection, numbers: Sequence[int]) -> None:
    """Remove generations, with the embeddings of models that no other one is of."""
    if numbers:
        connection.execute("DELETE FROM vector_state WHERE list_contains($1, generation)", [list(numbers)])
        connection.execute("DELETE FROM generations WHERE list_contains($1, no)", [list(numbers)])
        connection.execute("DELETE FROM embeddings WHERE model NOT IN (SELECT model FROM generations)")


def count_owed(connection: duckdb.DuckDBPyConnection, generation: int) -> int:
    """How many documents wait for a vector of a generation (0: of the first, that does not exist yet)."""
    return number(connection, f"SELECT count(*) FROM ({_WANTED})", [generation])


def owed(connection: duckdb.DuckDBPyConnection, generation: int, limit: int) -> list[Owed]:
    """Documents that lack their vector: memories first, then messages, the newest first."""
    rows = connection.execute(
        f"SELECT slot FROM ({_WANTED}) ORDER BY slot > 0, abs(slot) DESC LIMIT $2", [generation, limit]
    ).fetchall()
    slots = [slot for (slot,) in rows]
    found = messages.by_slots(connection, [slot for slot in slots if slot > 0])
    items = memories.by_numbers(connection, [-slot for slot in slots if slot < 0])
    queries = memories.queries_of(connection, [item.id for item in items.values()])
    result = []
    for slot in slots:
        if slot > 0 and slot in found:
            message = found[slot]
            result.append(Owed(slot, message.profile, message_text(message.speaker, message.content)))
        elif -slot in items:
            item = items[-slot]
            result.append(Owed(slot, item.profile, memories.search_text(item, queries.get(item.id, ()))))
    return result


def message_text(speaker: str | None, content: str) -> str:
    """What of a message is embedded."""
    return (f"{speaker}: {content}" if speaker else content)[:MESSAGE_HEAD]


def paid(connection: duckdb.DuckDBPyConnection, model: str, hashes: Sequence[str]) -> "dict[str, NDArray[np.float32]]":
    """The embeddings that were computed before, by content hash."""
    import numpy as np

    rows = connection.execute(
        "SELECT content_hash, vector FROM embeddings "
        "WHERE model = $1 AND content_hash IN (SELECT unnest($2::VARCHAR[]))",
        [model, list(hashes)],
    ).fetchall()
    return {key: np.asarray(vector, dtype=np.float32) for key, vector in rows}


def pay(
    connection: duckdb.DuckDBPyConnection,
    generation: Generation,
    items: Sequence[Owed],
    fresh: "dict[str, NDArray[np.float32]]",
) -> None:
    """Keep new embeddings, and note that these documents have their vectors.

    Args:
        connection: inside a writing transaction.
        generation: whose vectors they are.
        items: the documents that have their vectors now.
        fresh: the embeddings that `paid` did not know, by content hash.
    """
    import numpy as np
    import pyarrow as pa

    if fresh:
        flat = pa.array(np.concatenate(list(fresh.values())), pa.float32())
        vectors = pa.FixedSizeListArray.from_arrays(flat, generation.dimension)
        connection.register("new_vectors", pa.table({"content_hash": list(fresh), "vector": vectors}))
        connection.execute(
            "INSERT INTO embeddings SELECT content_hash, $1, vector FROM new_vectors", [generation.model]
        )
        connection.unregister("new_vectors")
    # A document may have left the index, or changed, since it was read.
    connection.execute(
        """
        INSERT INTO vector_state
        SELECT w.slot, w.content_hash, $1
        FROM (SELECT unnest($2::BIGINT[]) AS slot, unnest($3::VARCHAR[]) AS content_hash) w
        SEMI JOIN documents d ON d.slot = w.slot
        ANTI JOIN vector_state v ON v.slot = w.slot AND v.generation = $1
        """,
        [generation.no, [item.slot for item in items], [item.content_hash for item in items]],
    )


def scan(
    connection: duckdb.DuckDBPyConnection,
    generation: Generation,
    profiles: Sequence[str],
    vector: "NDArray[np.float32]",
    slots: Sequence[int] | None = None,
) -> "tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]":
    """The cosine of a vector with every document of some profiles, or with those at some slots.

    Returns:
        Slots, cosines and lengths in terms; arrays of one length, unordered.
    """
    parameters: dict[str, object] = {
        "generation": generation.no,
        "model": generation.model,
        "profiles": list(profiles),
        "vector": vector.tolist(),
    }
    statement = _SCAN
    if slots is not None:
        parameters["slots"] = list(slots)
        statement = _SCAN_AT
    found = connection.execute(statement, parameters).fetchnumpy()
    return found["slot"], found["cosine"], found["length"]


def count(connection: duckdb.DuckDBPyConnection, generation: int) -> int:
    """How many documents have their vector."""
    return number(connection, "SELECT count(*) FROM vector_state WHERE generation = $1", [generation])


def slots(connection: duckdb.DuckDBPyConnection, generation: Generation) -> "NDArray[np.int64]":
    """The slots of all documents that have their vector, which is what LanceDB should hold."""
    found = connection.execute(
        "SELECT v.slot FROM vector_state v JOIN documents d ON d.slot = v.slot AND d.dense WHERE v.generation = $1",
        [generation.no],
    ).fetchnumpy()
    return found["slot"]


def vectors_at(
    connection: duckdb.DuckDBPyConnection, generation: Generation, wanted: Sequence[int]
) -> "tuple[list[int], list[str], NDArray[np.float32]]":
    """Slots, profiles and vectors of the documents at some slots."""
    found = connection.sql(
        """
        SELECT v.slot, d.profile, e.vector FROM vector_state v
        JOIN documents d ON d.slot = v.slot
        JOIN embeddings e ON e.content_hash = v.content_hash AND e.model = $1
        WHERE v.generation = $2 AND v.slot IN (SELECT unnest($3::BIGINT[]))
        """,
        params=[generation.model, generation.no, list(wanted)],
    ).to_arrow_table()
    flat = found["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return found["slot"].to_pylist(), found["profile"].to_pylist(), flat.reshape(-1, generation.dimension)
