"""Items loaded for SQL: the only home of DuckDB."""
