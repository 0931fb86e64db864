"""One number for all that a store holds, to tell whether anything changed."""

import duckdb


def fingerprint(connection: duckdb.DuckDBPyConnection) -> str:
    """Equal for equal contents of all tables, whatever the order of rows."""
    names = [n for (n,) in connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()]
    parts = []
    for name in names:
        rows = connection.execute(f'SELECT count(*), bit_xor(hash(t)) FROM "{name}" t').fetchall()
        parts.append(f"{name}:{rows[0][0]}:{rows[0][1]}")
    return " ".join(parts)
