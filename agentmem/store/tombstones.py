"""What forgotten values leave behind: digests, by the grave that they belong to. No word can be read out of them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import duckdb

from agentmem.domain.ids import digest
from agentmem.domain.text import normalise
from agentmem.store.rows import now, stored


@dataclass(frozen=True, slots=True)
class Grave:
    """What a digest stands for.

    Args:
        id: the memory, message or phrase that was forgotten; None for one of an older format.
        purged: nothing of it may be stored again, in any form.
    """

    id: str | None
    purged: bool


def bury(
    connection: duckdb.DuckDBPyConnection,
    profile: str,
    grave: str,
    digests: Collection[str],
    *,
    purged: bool,
    words: int | None = None,
) -> None:
    """Leave the digests of one grave, in place of those that it has.

    Args:
        connection: inside a writing transaction.
        profile: where the value is not to come back.
        grave: the id of what was forgotten.
        digests: `agentmem.ingest.statements.digests`, or that of a phrase.
        purged: whether it was really deleted.
        words: how many words the phrase has whose digest it is; None for a statement.
    """
    connection.execute("DELETE FROM tombstones WHERE grave = $1 AND profile = $2", [grave, profile])
    connection.execute(
        "INSERT INTO tombstones (digest, profile, buried_at, grave, purged, words) "
        "SELECT unnest($1::VARCHAR[]), $2, $3, $4, $5, $6",
        [sorted(digests), profile, stored(now()), grave, purged, words],
    )


def lift(connection: duckdb.DuckDBPyConnection, graves: Sequence[str]) -> int:
    """Take all tombstones of some graves away; how many there were."""
    rows = connection.execute(
        "DELETE FROM tombstones WHERE grave IN (SELECT unnest($1::VARCHAR[])) RETURNING digest", [list(graves)]
    ).fetchall()
    return len(rows)


def graves_of(connection: duckdb.DuckDBPyConnection, start: str) -> dict[str, Grave]:
    """The graves whose id begins so."""
    rows = connection.execute(
        "SELECT grave, bool_or(coalesce(purged, false)) FROM tombstones WHERE starts_with(grave, $1) GROUP BY grave",
        [start],
    ).fetchall()
    return {grave: Grave(grave, purged) for grave, purged in rows}


def buried(connection: duckdb.DuckDBPyConnection, digests: Collection[str]) -> dict[str, Grave]:
    """Those of these digests that have a tombstone, with their graves; a purged grave goes before others."""
    if not digests:
        return {}
    rows = connection.execute(
        "SELECT digest, grave, coalesce(purged, false) AS purged FROM tombstones "
        "WHERE digest IN (SELECT unnest($1::VARCHAR[])) ORDER BY purged, grave NULLS FIRST",
        [list(digests)],
    ).fetchall()
    return {digest: Grave(grave, purged) for digest, grave, purged in rows}


def phrase_lengths(connection: duckdb.DuckDBPyConnection, profiles: Collection[str]) -> dict[str, tuple[int, ...]]:
    """How long the forgotten phrases of each profile are, in words; profiles without one are left out."""
    rows = connection.execute(
        "SELECT profile, list(DISTINCT words ORDER BY words) FROM tombstones "
        "WHERE words IS NOT NULL AND profile IN (SELECT unnest($1::VARCHAR[])) GROUP BY profile",
        [list(profiles)],
    ).fetchall()
    return {profile: tuple(lengths) for profile, lengths in rows}


def any_purged(connection: duckdb.DuckDBPyConnection, profiles: Collection[str]) -> set[str]:
    """Those of some profiles in which a statement was purged."""
    rows = connection.execute(
        "SELECT DISTINCT profile FROM tombstones WHERE purged AND words IS NULL "
        "AND profile IN (SELECT unnest($1::VARCHAR[]))",
        [list(profiles)],
    ).fetchall()
    return {profile for (profile,) in rows}


def of_value(profile: str, content: str) -> str:
    """The digest that a forgotten value leaves behind."""
    return digest(profile, normalise(content))


def unbury(connection: duckdb.DuckDBPyConnection, profile: str, content: str) -> None:
    """Take a value's tombstone away, and with it the others of its grave."""
    connection.execute(
        "DELETE FROM tombstones WHERE digest = $1 "
        "OR grave IN (SELECT grave FROM tombstones WHERE digest = $1 AND grave IS NOT NULL)",
        [of_value(profile, content)],
    )
