"""A profile leaves the store as if it had never been: rows, postings, vectors, copies, and the bytes of the files.

What stays is how far transcripts were read (their paths, no word of them), so that the next sweep does not bring
everything back.
"""

from dataclasses import dataclass, field
from typing import Any

import duckdb

from agentmem.errors import NotFound
from agentmem.store import columns, journal, scrubbing
from agentmem.store.rows import registered
from agentmem.store.sessions import Profile, exact_profile, list_profiles
from agentmem.store.store import Connection, Store
from agentmem.upkeep import residue
from agentmem.upkeep.scrub import clean_vectors, copies, rewrite_copy

_SAMPLES = 200
_SAMPLE = 40  # letters


@dataclass(slots=True)
class Erased:
    """A profile that is gone.

    Args:
        profile: what it held.
        copies: backups that it was taken out of.
        residue: files in which something of it still lies; empty is the proof.
        unreadable: copies that could not be opened, with the reason.
    """

    profile: Profile
    copies: list[str] = field(default_factory=list)
    residue: list[str] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)


def meant(store: Store, name: str) -> Profile:
    """The profile of that very name.

    Raises:
        NotFound: there is none.
    """
    with store.reading() as connection:
        wanted = exact_profile(connection, name)
        found = next((one for one in list_profiles(connection) if one.name == wanted), None)
    if found is None:
        raise NotFound(f"There is no profile {name!r}", "`agentmem profile list` shows all.")
    return found


def sought(store: Store, name: str) -> Profile:
    """Like `meant`; if there is none because an earlier run was killed after it was deleted, that run is finished.

    Raises:
        NotFound: there is none.
    """
    try:
        return meant(store, name)
    except NotFound as error:
        if not finish(store):
            raise
        raise NotFound(error.message, "What an earlier run had deleted is now out of all files.") from None


def erase(store: Store, name: str) -> Erased:
    """Delete a profile from every file. Can be run again after it was killed; nothing of other profiles is touched.

    Raises:
        NotFound: there is no such profile.
        StoreBusy: others hold the store; run it again.
    """
    profile = meant(store, name)
    done = Erased(profile)
    with store.reading() as connection:
        samples = _samples(connection, profile.name)
    # First the copies: while the database still knows the profile, a run that was killed can be done again.
    for copy in copies(store):
        try:
            with duckdb.connect(copy) as connection:
                connection.begin()
                _delete(connection, profile.name)
                connection.commit()
            rewrite_copy(copy)
            done.copies.append(str(copy))
        except duckdb.Error as error:
            done.unreadable[str(copy)] = str(error).splitlines()[0]
    owed = store.home.data / "scrub.owed"
    owed.touch(mode=0o600)
    with store.writing() as connection:
        _delete(connection, profile.name)
        held = {"sessions": profile.sessions, "messages": profile.messages, "memories": profile.memories}
        journal.write(connection, "user", [journal.Entry("delete profile", "", "", before=held)])
    clean_vectors(store)
    store.rewrite()
    with store.reading() as connection:
        others = list(columns.texts_with(connection)) if samples else []
    gone = [sample for sample in samples if not any(sample in text for text in others)]
    done.residue = sorted(residue.search(store.home, gone))
    if not done.residue and not done.unreadable:
        owed.unlink(missing_ok=True)
    return done


def finish(store: Store) -> bool:
    """Clean the files of what was deleted, if a run was killed before it did; tells whether it was."""
    owed = store.home.data / "scrub.owed"
    if not owed.exists():
        return False
    clean_vectors(store)
    store.rewrite()
    for copy in copies(store):
        rewrite_copy(copy)
    owed.unlink(missing_ok=True)
    return True


def _delete(connection: Connection, name: str) -> None:
    held = columns.tables(connection)
    numbers = _one(connection, "SELECT no FROM sessions WHERE profile = $1", name)
    items = connection.execute("SELECT no, id FROM memories WHERE profile = $1", [name]).fetchall()
    slots = _one(connection, "SELECT slot FROM documents WHERE profile = $1", name)
    subjects = _one(connection, "SELECT id FROM sessions WHERE profile = $1", name)
    subjects += [identity for _, identity in items]
    with registered(connection, {"no": ("int32", numbers)}):
        said = connection.execute(
            "SELECT DISTINCT id FROM messages WHERE session_no IN (SELECT no FROM new_rows)"
        ).fetchall()
    shared = _ids_of_others(connection, numbers)
    only = [identity for (identity,) in said if identity not in shared]
    columns.delete_where(connection, "session_no", numbers, "int32")
    columns.delete_where(connection, "memory_id", [identity for _, identity in items], "string")
    columns.delete_where(connection, "memory_no", [no for no, _ in items], "int32")
    columns.delete_where(connection, "slot", slots, "int64")
    columns.delete_where(connection, "message_id", only, "string")
    columns.delete_where(connection, "profile", [name], "string")
    with registered(connection, {"value": ("string", [*subjects, *only])}):
        connection.execute("DELETE FROM journal WHERE coalesce(profile, '') = '' AND subject IN (FROM new_rows)")
        if "work" in held and "key" in held["work"]:
            connection.execute("DELETE FROM work WHERE key IN (FROM new_rows)")
    connection.execute("DELETE FROM profiles WHERE name = $1", [name])
    scrubbing.drop_loose_embeddings(connection)


def _ids_of_others(connection: Connection, numbers: list[int]) -> set[str]:
    """The ids of messages that stand in sessions of other profiles."""
    with registered(connection, {"no": ("int32", numbers)}):
        rows = connection.execute(
            "SELECT DISTINCT m.id FROM messages m WHERE m.session_no NOT IN (SELECT no FROM new_rows) "
            "AND m.id IN (SELECT id FROM messages WHERE session_no IN (SELECT no FROM new_rows))"
        ).fetchall()
    return {identity for (identity,) in rows}


def _one(connection: Connection, query: str, name: str) -> list[Any]:
    return [value for (value,) in connection.execute(query, [name]).fetchall()]


def _samples(connection: Connection, name: str) -> list[str]:
    """Pieces of what was said in a profile, to look for afterwards."""
    rows = connection.execute(
        f"SELECT DISTINCT substr(content, 1 + (length(content) - {_SAMPLE}) // 2, {_SAMPLE}) FROM ("
        "SELECT content FROM memories WHERE profile = $1 UNION ALL "
        "SELECT m.content FROM messages m JOIN sessions s ON s.no = m.session_no WHERE s.profile = $1) "
        f"WHERE length(content) >= {_SAMPLE // 2} LIMIT {_SAMPLES}",
        [name],
    ).fetchall()
    return [piece for (piece,) in rows]
