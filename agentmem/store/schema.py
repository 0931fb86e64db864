"""The schema, as a list of small named steps that are never edited once released."""

from collections.abc import Callable

import duckdb

Step = Callable[[duckdb.DuckDBPyConnection], None]


def m001_first_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """All tables of the first release.

    No primary keys on the large tables: writers take turns, so an anti-join before the insert keeps rows unique at
    a hundredth of the cost of an index. `slot` numbers a document: a message's is its session's number
    times 2^24 plus its position there, so that neighbours in a session are neighbours in numbers and the
    sessions are far apart; a memory's is its negated number. `dense`: the document is to have a vector.
    """
    connection.execute(
        """
        CREATE TABLE profiles (name VARCHAR NOT NULL, identity VARCHAR, created_at TIMESTAMP NOT NULL);
        CREATE TABLE sessions (
            no INTEGER NOT NULL, id VARCHAR NOT NULL, profile VARCHAR NOT NULL, agent VARCHAR, cwd VARCHAR,
            branch VARCHAR, started_at TIMESTAMP, ended_at TIMESTAMP, source VARCHAR, ingested_at TIMESTAMP NOT NULL
        );
        CREATE TABLE files (
            path VARCHAR NOT NULL, format VARCHAR NOT NULL, session_id VARCHAR, size BIGINT NOT NULL,
            consumed BIGINT NOT NULL, head VARCHAR NOT NULL, read_at TIMESTAMP NOT NULL
        );
        CREATE TABLE messages (
            session_no INTEGER NOT NULL, id VARCHAR NOT NULL, role VARCHAR NOT NULL, kind VARCHAR NOT NULL,
            trust VARCHAR NOT NULL, speaker VARCHAR, content VARCHAR NOT NULL, said_at TIMESTAMP, forgotten_at TIMESTAMP
        );
        CREATE TABLE occurrences (
            session_no INTEGER NOT NULL, seq INTEGER NOT NULL, message_id VARCHAR NOT NULL, said_at TIMESTAMP,
            source_id VARCHAR
        );
        CREATE TABLE memories (
            no INTEGER NOT NULL, id VARCHAR NOT NULL, profile VARCHAR NOT NULL, kind VARCHAR NOT NULL,
            topic_key VARCHAR, content VARCHAR NOT NULL, importance DOUBLE NOT NULL, occurred_at TIMESTAMP,
            valid_from TIMESTAMP, created_at TIMESTAMP NOT NULL, expires_at TIMESTAMP, last_recalled_at TIMESTAMP,
            status VARCHAR NOT NULL, superseded_by VARCHAR, trust VARCHAR NOT NULL, extractor VARCHAR NOT NULL
        );
        CREATE TABLE evidence (
            memory_id VARCHAR NOT NULL, session_no INTEGER NOT NULL, message_id VARCHAR NOT NULL,
            quote VARCHAR NOT NULL, said_at TIMESTAMP
        );
        CREATE TABLE search_queries (memory_id VARCHAR NOT NULL, query VARCHAR NOT NULL);
        CREATE TABLE documents (
            slot BIGINT NOT NULL, profile VARCHAR NOT NULL, length INTEGER NOT NULL, dense BOOLEAN NOT NULL
        );
        CREATE TABLE postings (term UBIGINT NOT NULL, slot BIGINT NOT NULL, tf USMALLINT NOT NULL);
        CREATE TABLE embeddings (content_hash VARCHAR NOT NULL, model VARCHAR NOT NULL, vector FLOAT[] NOT NULL);
        CREATE TABLE generations (
            no INTEGER NOT NULL, model VARCHAR NOT NULL, dimension INTEGER NOT NULL, created_at TIMESTAMP NOT NULL
        );
        CREATE TABLE vector_state (slot BIGINT NOT NULL, content_hash VARCHAR NOT NULL, generation INTEGER NOT NULL);
        CREATE TABLE work (
            stage VARCHAR NOT NULL, key VARCHAR NOT NULL, version VARCHAR NOT NULL, model VARCHAR NOT NULL,
            attempts INTEGER NOT NULL, last_error VARCHAR, done_at TIMESTAMP
        );
        CREATE TABLE journal (
            no BIGINT NOT NULL, written_at TIMESTAMP NOT NULL, actor VARCHAR NOT NULL, operation VARCHAR NOT NULL,
            profile VARCHAR, subject VARCHAR, before JSON, after JSON
        );
        CREATE TABLE tombstones (digest VARCHAR NOT NULL, profile VARCHAR NOT NULL, buried_at TIMESTAMP NOT NULL);
        """
    )


def m002_lifecycle(connection: duckdb.DuckDBPyConnection) -> None:
    """What keeps memories true: pins, confirmations, rejections, and what was known when.

    `versions` has a row for each state that a memory was in since it became known: a state lasts until the next row of
    the same memory, and a row without a status says that the memory is gone. An `action` of the journal is all that one
    command did, named by its first entry; it is null for entries of the first release, which noted too little to be
    undone. `stored_at` of an occurrence follows from the journal, which has how many messages came with each ingest.
    """
    connection.execute(
        """
        ALTER TABLE memories ADD COLUMN pinned BOOLEAN DEFAULT false;
        ALTER TABLE memories ADD COLUMN confirmed_at TIMESTAMP;
        ALTER TABLE memories ADD COLUMN reason VARCHAR;
        ALTER TABLE memories ADD COLUMN recalled INTEGER DEFAULT 0;
        ALTER TABLE journal ADD COLUMN action BIGINT;
        ALTER TABLE journal ADD COLUMN about VARCHAR;
        ALTER TABLE journal ADD COLUMN undoes BIGINT;
        ALTER TABLE occurrences ADD COLUMN stored_at TIMESTAMP;
        CREATE TABLE versions (
            no BIGINT NOT NULL, memory_no INTEGER NOT NULL, known_from TIMESTAMP NOT NULL, status VARCHAR,
            superseded_by VARCHAR, valid_from TIMESTAMP, expires_at TIMESTAMP, reason VARCHAR
        );
        INSERT INTO versions
        SELECT row_number() OVER (ORDER BY known_from, entry), no, known_from, status, superseded_by, valid_from,
            expires_at, NULL
        FROM (
            SELECT m.no, j.written_at AS known_from, j.no AS entry, j.after->>'status' AS status,
                j.after->>'superseded_by' AS superseded_by,
                coalesce(make_timestamp(epoch_us((j.after->>'valid_from')::TIMESTAMPTZ)), m.valid_from) AS valid_from,
                m.expires_at
            FROM journal j JOIN memories m ON m.id = j.subject
            WHERE j.operation IN ('remember', 'supersede', 'reinstate', 'forget')
            UNION ALL
            SELECT no, created_at, 0, status, superseded_by, valid_from, expires_at
            FROM memories m ANTI JOIN journal j ON j.subject = m.id AND j.operation = 'remember'
        );
        UPDATE occurrences SET stored_at = reached.at FROM (
            SELECT o.session_no, o.seq, min(p.written_at) AS at
            FROM occurrences o JOIN (
                SELECT s.no AS session_no, j.written_at,
                    sum((j.after->>'messages')::INTEGER) OVER (PARTITION BY s.no ORDER BY j.no) AS reached
                FROM journal j JOIN sessions s ON s.id = j.subject AND s.profile = j.profile
                WHERE j.operation = 'ingest'
            ) p ON p.session_no = o.session_no AND o.seq < p.reached
            GROUP BY ALL
        ) reached WHERE reached.session_no = occurrences.session_no AND reached.seq = occurrences.seq;
        UPDATE occurrences SET stored_at = s.ingested_at FROM sessions s
        WHERE s.no = occurrences.session_no AND occurrences.stored_at IS NULL;
        """
    )


def m003_graves_contradictions_anchors(connection: duckdb.DuckDBPyConnection) -> None:
    """What truth over time needs besides versions.

    A tombstone belongs to a *grave*, the id of what was forgotten: a value leaves several digests, of its wordings and
    of a topic with its value, and they are lifted together. `purged`: nothing but the digest may stay. `words`: the
    digest is of a phrase of so many words, wherever it stands. A message that was purged keeps its row, without its
    content, so that reading its transcript again finds it known.

    `contradictions`: two memories that cannot both be true, which only a person can settle; `reason` is `topic` (two
    values of one topic, said with equal right), `value` (the same words with other numbers) or `negation`.

    `anchors`: the things in a project's code that a memory names (`kind`: `file`, `symbol` or `commit`), with the
    project's folder and the commit that was checked out when it was noted.
    """
    connection.execute(
        """
        ALTER TABLE tombstones ADD COLUMN grave VARCHAR;
        ALTER TABLE tombstones ADD COLUMN purged BOOLEAN DEFAULT false;
        ALTER TABLE tombstones ADD COLUMN words INTEGER;
        ALTER TABLE messages ADD COLUMN purged_by VARCHAR;
        CREATE TABLE contradictions (
            id VARCHAR NOT NULL, profile VARCHAR NOT NULL, first VARCHAR NOT NULL, second VARCHAR NOT NULL,
            reason VARCHAR NOT NULL, found_at TIMESTAMP NOT NULL, settled_at TIMESTAMP
        );
        CREATE TABLE anchors (
            memory_id VARCHAR NOT NULL, root VARCHAR NOT NULL, head VARCHAR NOT NULL, kind VARCHAR NOT NULL,
            name VARCHAR NOT NULL
        );
        """
    )


def m004_work_of_models(connection: duckdb.DuckDBPyConnection) -> None:
    """What language models owe, what they decided, and what it cost.

    `work` tells of each piece which messages of which session it covers (both ends included). `verdicts` has a row
    for each check that changed a memory, and one with the check `all` for the whole; `before` is what the memory said
    until it was corrected. `model_time` adds up per day; its seconds are those in which at least one model was at work.
    """
    connection.execute(
        """
        ALTER TABLE work ADD COLUMN profile VARCHAR;
        ALTER TABLE work ADD COLUMN session_no INTEGER;
        ALTER TABLE work ADD COLUMN first_seq INTEGER;
        ALTER TABLE work ADD COLUMN last_seq INTEGER;
        ALTER TABLE work ADD COLUMN failed_at TIMESTAMP;
        CREATE TABLE verdicts (
            memory_id VARCHAR NOT NULL, check_name VARCHAR NOT NULL, verdict VARCHAR NOT NULL, reason VARCHAR,
            before VARCHAR, model VARCHAR NOT NULL, version VARCHAR NOT NULL, judged_at TIMESTAMP NOT NULL
        );
        CREATE TABLE model_time (
            day DATE NOT NULL, stage VARCHAR NOT NULL, model VARCHAR NOT NULL, calls INTEGER NOT NULL,
            failures INTEGER NOT NULL, prompt_tokens BIGINT NOT NULL, reply_tokens BIGINT NOT NULL,
            seconds DOUBLE NOT NULL
        );
        """
    )


def m005_sessions_known_by_quotations(connection: duckdb.DuckDBPyConnection) -> None:
    """`quoted_only`: the session has evidence whose messages did not come along, as from an export without them."""
    connection.execute("ALTER TABLE sessions ADD COLUMN quoted_only BOOLEAN")


def m006_privacy(connection: duckdb.DuckDBPyConnection) -> None:
    """What scrubbing and a change of the embedding model need.

    `scrubbed` knows messages by the keyed hash of the id that they had before something was taken out of them.
    `ready_at` of a generation: since when it has the vectors of all documents and serves; null while it is built.
    """
    connection.execute(
        """
        CREATE TABLE scrubbed (digest VARCHAR NOT NULL, message_id VARCHAR NOT NULL);
        ALTER TABLE generations ADD COLUMN ready_at TIMESTAMP;
        UPDATE generations SET ready_at = created_at;
        """
    )


STEPS: tuple[Step, ...] = (
    m001_first_tables,
    m002_lifecycle,
    m003_graves_contradictions_anchors,
    m004_work_of_models,
    m005_sessions_known_by_quotations,
    m006_privacy,
)
