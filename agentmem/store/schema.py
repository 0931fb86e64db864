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


STEPS: tuple[Step, ...] = (m001_first_tables, m004_work_of_models)
