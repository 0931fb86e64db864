"""Really deleting, from every file of the store. Only digests stay, so that the values do not come back.

One transaction deletes rows, postings, evidence, embeddings and what the journal holds. Then the files are cleaned:
the database is written anew, LanceDB's table with all its versions is built again from the embeddings that are left,
and the copies in the store's own folder of backups go. Killed in between, the next purge or compaction goes on with the
files. The spool holds no words, and the log none that were said.
"""

from pathlib import Path

from agentmem.ingest import statements
from agentmem.ingest.vectorize import settle
from agentmem.store import embeddings, journal, purging, tombstones
from agentmem.store.store import Connection, Store
from agentmem.store.vectors import VectorTable
from agentmem.upkeep.selection import Selection

_PATIENCE = 60.0  # seconds for whoever writes vectors


def purge(connection: Connection, chosen: Selection) -> None:
    """Delete all that was chosen, inside a writing transaction; `clean` must follow."""
    phrase = statements.phrase(chosen.profile, chosen.phrase) if chosen.phrase is not None else None
    for item in chosen.memories:
        buried = statements.digests(item.profile, item.topic_key, item.content)
        tombstones.bury(connection, item.profile, item.id, buried, purged=True)
    if phrase:
        tombstones.bury(connection, chosen.profile, phrase[0], [phrase[0]], purged=True, words=phrase[1])
    grave = phrase[0] if phrase else chosen.memories[0].id if len(chosen.memories) == 1 else None
    purging.blank_messages(connection, chosen.messages, [grave or message.id for message in chosen.messages])
    if chosen.memories:
        purging.delete_memories(connection, chosen.memories)
    entries = [
        *(journal.Entry("purge", item.profile, item.id) for item in chosen.memories),
        *(journal.Entry("purge", message.profile, message.id) for message in chosen.messages),
    ]
    journal.write(connection, "user", entries)
    purging.owe_rewrite(connection)


def clean(store: Store) -> bool:
    """Clean the files of what was deleted, if that is owed; tells whether it was.

    Raises:
        StoreBusy: others did not let go in time; the rest stays owed.
        filelock.Timeout: somebody else is writing vectors; the rest stays owed.
    """
    with store.reading() as connection:
        if not purging.owes_rewrite(connection):
            return False
        generations = embeddings.all_of_them(connection)
    for copy in backups(store):
        copy.unlink(missing_ok=True)
    for generation in generations:
        table = VectorTable(store.home.vectors, generation.no, generation.dimension)
        with table.locked(_PATIENCE):
            table.unsettle()
            table.drop()
            settle(store, generation, table)
    store.rewrite()
    with store.writing() as connection:
        purging.rewritten(connection)
    return True


def backups(store: Store) -> list[Path]:
    """The copies of the database in the store's folder of backups; what is deleted stands in them too."""
    return sorted(path for path in store.home.backups.glob("*") if path.is_file())
