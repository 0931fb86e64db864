"""Full-text index in DuckDB: postings that change in the same transaction as the texts they index, and BM25 in SQL.

A term is stored as a 64-bit hash of its stem: smaller than text, faster to compare, and the index alone tells nobody
what was said. Two terms collide with a probability of about 3e-8 in an index of a million terms.

BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009), with Lucene's always positive idf:

    score(d, q) = Σ_t idf(t) · tf · (k1 + 1) / (tf + k1 · (1 - b + b · |d| / mean |d|))
    idf(t) = ln(1 + (N - df + ½) / (df + ½))

k1 = 1.2 and b = 0.75, the defaults of the field. N, df and the mean length are those of the profiles asked, so one
project's words do not weigh on another's. Memories are scored here, messages in `agentmem.store.windows`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import duckdb

from agentmem.domain.text import chunks, terms_of
from agentmem.store.rows import now, number, stored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1 = 1.2
B = 0.75
SESSION_BITS = 24
SESSION_STEP = 1 << SESSION_BITS
"""Slots that each session has; far more than any session has messages."""

_MOST_CACHED = 200_000
_HIGHEST_TF = 65_535  # of a USMALLINT
_SORTING = "sort postings"  # a stage of the table `work`, whose version is how many there were
_WORTH_SORTING = 100_000
_GROWTH = 1.5

_MEMORIES = f"""
WITH scope AS MATERIALIZED (
        SELECT slot, length FROM documents WHERE slot < 0 AND profile IN (SELECT unnest($profiles))
    ),
    stats AS MATERIALIZED (SELECT count(*) AS n, avg(length) AS mean FROM scope),
    matched AS MATERIALIZED (
        SELECT p.term, p.slot, p.tf FROM postings p SEMI JOIN scope USING (slot)
        WHERE p.term IN (SELECT unnest($terms::UBIGINT[]))
    ),
    weights AS MATERIALIZED (
        SELECT term, ln(1 + (any_value(stats.n) - count(*) + 0.5) / (count(*) + 0.5)) AS idf
        FROM matched, stats GROUP BY term
    ),
    asked AS MATERIALIZED (
        -- a term that is nowhere has the highest idf: a question made of such terms is covered by nothing
        SELECT sum(coalesce(w.idf, ln(1 + (stats.n + 0.5) / 0.5))) AS total
        FROM (SELECT unnest($terms::UBIGINT[]) AS term) t LEFT JOIN weights w USING (term), stats
    )
SELECT m.slot, sum(idf * tf * ({K1} + 1) / (tf + {K1} * (1 - {B} + {B} * length / mean))) AS score,
    any_value(length) AS length, sum(idf) AS covered, any_value(total) AS total, any_value(n) AS population
FROM matched m JOIN scope USING (slot) JOIN weights USING (term), stats, asked
GROUP BY m.slot
"""


@dataclass(frozen=True, slots=True)
class Scores:
    """BM25 per document; arrays of one length, unordered.

    Args:
        slots: the documents.
        scores: of each alone.
        covered: 0 to 1, the share of the question's idf that the document has.
        lengths: in terms.
        population: how many documents were searched.
    """

    slots: "NDArray[np.int64]"
    scores: "NDArray[np.float64]"
    covered: "NDArray[np.float64]"
    lengths: "NDArray[np.int64]"
    population: int


class Terms:
    """Turns texts into term hashes and remembers each chunk that it has seen."""

    def __init__(self) -> None:
        self._stem: Callable[[str], str] | None = None
        self._known: dict[str, tuple[int, ...]] = {}

    def of(self, text: str) -> list[int]:
        """The terms of a text that is stored, with repetitions."""
        known = self._known
        terms: list[int] = []
        for chunk in chunks(text):
            hashes = known.get(chunk)
            if hashes is None:
                if len(known) > _MOST_CACHED:
                    known.clear()
                hashes = known[chunk] = self._hash(terms_of(chunk))
            terms.extend(hashes)
        return terms

    def asked(self, text: str) -> list[int]:
        """The distinct terms of a question."""
        return list(dict.fromkeys(self._hash(t for chunk in chunks(text) for t in terms_of(chunk, asking=True))))

    def _hash(self, terms: Iterable[str]) -> tuple[int, ...]:
        return tuple(_hash_of(self._stemmed(term)) for term in terms)

    def _stemmed(self, term: str) -> str:
        # Porter makes nothing of one or two letters ("s" becomes empty), and knows only a-z.
        if len(term) <= 2 or not (term.isascii() and term.isalpha()):
            return term
        if self._stem is None:
            import Stemmer  # late: only what indexes or searches needs it

            stem: Callable[[str], str] = Stemmer.Stemmer("porter").stemWord
            self._stem = stem
        return self._stem(term)


def _hash_of(term: str) -> int:
    return int.from_bytes(blake2b(term.encode("utf-8", "replace"), digest_size=8).digest(), "big")


@dataclass(frozen=True, slots=True)
class Document:
    """A document to be indexed.

    Args:
        slot: its number.
        profile: where it belongs.
        terms: what `Terms.of` gave for its text.
        dense: whether it is to have a vector as well.
    """

    slot: int
    profile: str
    terms: Sequence[int]
    dense: bool


def add(connection: duckdb.DuckDBPyConnection, documents: Sequence[Document]) -> None:
    """Index documents that are not in the index yet, inside a writing transaction."""
    import numpy as np
    import pyarrow as pa

    slots = np.fromiter((one.slot for one in documents), dtype=np.int64, count=len(documents))
    lengths = np.fromiter((len(one.terms) for one in documents), dtype=np.int32, count=len(documents))
    terms = np.fromiter((t for one in documents for t in one.terms), dtype=np.uint64, count=int(lengths.sum()))
    new_documents = pa.table(
        {
            "slot": slots,
            "profile": [one.profile for one in documents],
            "length": lengths,
            "dense": [one.dense for one in documents],
        }
    )
    connection.register("new_documents", new_documents)
    connection.register("new_postings", pa.table({"term": terms, "slot": np.repeat(slots, lengths)}))
    connection.execute("INSERT INTO documents SELECT slot, profile, length, dense FROM new_documents")
    connection.execute(
        f"INSERT INTO postings SELECT term, slot, least(count(*), {_HIGHEST_TF}) FROM new_postings "
        "GROUP BY slot, term ORDER BY term, slot"
    )
    connection.unregister("new_documents")
    connection.unregister("new_postings")


def remove(connection: duckdb.DuckDBPyConnection, slots: Sequence[int]) -> None:
    """Take documents out of the index."""
    connection.execute("DELETE FROM postings WHERE slot IN (SELECT unnest($1::BIGINT[]))", [list(slots)])
    connection.execute("DELETE FROM documents WHERE slot IN (SELECT unnest($1::BIGINT[]))", [list(slots)])


def search_memories(connection: duckdb.DuckDBPyConnection, profiles: Sequence[str], terms: Sequence[int]) -> Scores:
    """BM25 of every memory that has one of the terms."""
    found = connection.execute(_MEMORIES, {"profiles": list(profiles), "terms": list(terms)}).fetchnumpy()
    return Scores(
        slots=found["slot"],
        scores=found["score"],
        covered=found["covered"] / found["total"],
        lengths=found["length"],
        population=int(found["population"][0]) if len(found["slot"]) else 0,
    )


def grown(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether so many postings came since they were last sorted that it is worth doing again."""
    many = number(connection, "SELECT count(*) FROM postings")
    last = number(connection, "SELECT coalesce(max(version::BIGINT), 0) FROM work WHERE stage = $1", [_SORTING])
    return many >= _WORTH_SORTING and many > _GROWTH * last


def sort_postings(connection: duckdb.DuckDBPyConnection) -> None:
    """Write the postings anew in the order of their terms, so that a search reads only the blocks of its terms.

    New postings are sorted within their batch only: a term of a store that grew by many batches lies in many places.
    """
    connection.execute(
        """
        CREATE TEMP TABLE sorted_postings AS SELECT term, slot, tf FROM postings ORDER BY term, slot;
        CREATE OR REPLACE TABLE postings (term UBIGINT NOT NULL, slot BIGINT NOT NULL, tf USMALLINT NOT NULL);
        INSERT INTO postings SELECT term, slot, tf FROM sorted_postings;
        DROP TABLE sorted_postings;
        """
    )
    many = number(connection, "SELECT count(*) FROM postings")
    connection.execute("DELETE FROM work WHERE stage = $1", [_SORTING])
    connection.execute(
        "INSERT INTO work (stage, key, version, model, attempts, done_at) VALUES ($1, 'postings', $2, '', 1, $3)",
        [_SORTING, many, stored(now())],
    )
