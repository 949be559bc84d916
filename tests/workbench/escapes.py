"""Statements of SQL that reach for files, the network, settings or the program, each of which must be refused.

`statements(folder)` gives them with paths in `folder`: `secret.txt`, `secret.csv`, `secret.json`, `secret.parquet` and
`secret.duckdb` are there to be read, and nothing may be added to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from tests.workbench.further_escapes import FURTHER

READERS = (
    "read_text('{f}/secret.txt')",
    "read_text(['{f}/secret.txt', '{f}/secret.csv'])",
    "read_text('{f}/*')",
    "read_blob('{f}/secret.txt')",
    "read_csv('{f}/secret.csv')",
    "read_csv_auto('{f}/secret.csv')",
    "read_csv('{f}/secret.csv', header = true)",
    "read_json('{f}/secret.json')",
    "read_json_auto('{f}/secret.json')",
    "read_json_objects('{f}/secret.json')",
    "read_json_objects_auto('{f}/secret.json')",
    "read_ndjson('{f}/secret.json')",
    "read_ndjson_auto('{f}/secret.json')",
    "read_ndjson_objects('{f}/secret.json')",
    "read_parquet('{f}/secret.parquet')",
    "read_parquet('{f}/*.parquet')",
    "parquet_scan('{f}/secret.parquet')",
    "parquet_metadata('{f}/secret.parquet')",
    "parquet_schema('{f}/secret.parquet')",
    "parquet_file_metadata('{f}/secret.parquet')",
    "parquet_kv_metadata('{f}/secret.parquet')",
    "sniff_csv('{f}/secret.csv')",
    "'{f}/secret.csv'",
    "'{f}/secret.json'",
    "'{f}/secret.parquet'",
    '"{f}/secret.csv"',
    "'file://{f}/secret.csv'",
    "glob('{f}/*')",
    "glob('/*')",
)
AROUND = (
    "SELECT * FROM {r}",
    "FROM {r}",
    "WITH a AS (SELECT * FROM {r}) SELECT * FROM a",
    "CREATE TABLE t_escape AS SELECT * FROM {r}",
    "CREATE TEMP VIEW v_escape AS SELECT * FROM {r}; SELECT * FROM v_escape",
    "EXPLAIN ANALYZE SELECT * FROM {r}",
)
REMOTE = tuple(
    f"SELECT * FROM {reader}('{url}')"
    for reader, url in product(
        ("read_text", "read_csv", "read_parquet"),
        ("http://127.0.0.1:9/x", "https://127.0.0.1:9/x", "s3://bucket/x", "gs://bucket/x", "hf://datasets/x"),
    )
)
COPIES = (
    "COPY (SELECT 1) TO '{f}/out.csv'",
    "COPY (SELECT 1) TO '{f}/out.json'",
    "COPY (SELECT 1) TO '{f}/out.parquet' (FORMAT parquet)",
    "COPY (SELECT 1) TO '{f}/out' (PARTITION_BY (a))",
    "COPY (SELECT 1) TO '/dev/stdout'",
    "COPY (SELECT 1) TO '/dev/stderr'",
    "COPY (SELECT 1) TO 'out.csv'",
    "COPY (SELECT 1) TO '{spill}/out.csv'",
    "COPY (SELECT 1) TO '{spill}/../out.csv'",
    "COPY dynodesk.sets TO '{f}/out.csv'",
    "COPY dynodesk.sets FROM '{f}/secret.csv'",
    "COPY dynodesk.sets FROM '/etc/passwd'",
    "COPY FROM DATABASE memory TO other",
    "copy(select 1)to'{f}/out.csv'",
    "/* hidden */ COPY (SELECT 1) TO '{f}/out.csv'",
    "SELECT 1; COPY (SELECT 1) TO '{spill}/out.csv'",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO '{spill}/out.csv'",
    "EXPLAIN COPY (SELECT 1) TO '{spill}/out.csv'",
    "explain/**/analyze/**/copy (select 1) to '{spill}/out.csv'",
    "EXPLAIN (ANALYZE, FORMAT json) COPY (SELECT 1) TO '{spill}/out.csv'",
    "EXPLAIN ANALYZE EXPLAIN ANALYZE COPY (SELECT 1) TO '{spill}/out.csv'",
    "PREPARE p AS COPY (SELECT 1) TO '{spill}/out.csv'; EXECUTE p",
    "BEGIN; COPY (SELECT 1) TO '{spill}/out.csv'; COMMIT",
    "EXPORT DATABASE '{f}/out'",
    "EXPORT DATABASE '{spill}/out'",
    "IMPORT DATABASE '{f}'",
    "PRAGMA import_database('{f}')",
)
ATTACHES = (
    "ATTACH '{f}/secret.duckdb' AS other",
    "ATTACH '{f}/secret.duckdb' AS other (READ_ONLY)",
    "ATTACH '{f}/new.duckdb' AS other",
    "ATTACH '{spill}/new.duckdb' AS other",
    "ATTACH ':memory:' AS other",
    "ATTACH IF NOT EXISTS '{f}/secret.duckdb'",
    "ATTACH 'dbname=x' AS other (TYPE postgres)",
    "ATTACH '{f}/x.sqlite' AS other (TYPE sqlite)",
    "ATTACH 'http://127.0.0.1:9/x.duckdb' AS other",
    "DETACH memory",
    "USE memory",
    "CREATE DATABASE other",
)
EXTENSIONS = (
    "INSTALL httpfs",
    "FORCE INSTALL httpfs",
    "INSTALL httpfs FROM community",
    "INSTALL '{f}/x.duckdb_extension'",
    "INSTALL spatial FROM 'http://127.0.0.1:9'",
    "LOAD httpfs",
    "LOAD '{f}/x.duckdb_extension'",
    "LOAD sqlite",
    "UPDATE EXTENSIONS",
    "UPDATE EXTENSIONS (httpfs)",
)
OPTIONS = (
    "enable_external_access = true",
    "lock_configuration = false",
    "allowed_directories = ['/']",
    "allowed_paths = ['{f}/secret.txt']",
    "autoinstall_known_extensions = true",
    "autoload_known_extensions = true",
    "allow_community_extensions = true",
    "allow_unsigned_extensions = true",
    "allow_persistent_secrets = true",
    "python_enable_replacements = true",
    "python_scan_all_frames = true",
    "temp_directory = '{f}'",
    "memory_limit = '100GB'",
    "max_memory = '100GB'",
    "max_temp_directory_size = '1TB'",
    "threads = 64",
    "home_directory = '{f}'",
    "extension_directory = '{f}'",
    "secret_directory = '{f}'",
    "custom_extension_repository = 'http://127.0.0.1:9'",
    "log_query_path = '{f}/log'",
    "profile_output = '{f}/profile'",
    "profiling_output = '{f}/profile'",
    "enable_profiling = 'json'",
    "enable_http_logging = true",
    "http_proxy = '127.0.0.1:9'",
    "disabled_filesystems = ''",
    "file_search_path = '{f}'",
    "search_path = 'dynodesk'",
    "VARIABLE x = 1",
    "checkpoint_threshold = '1TB'",
    "default_secret_storage = 'x'",
    "storage_compatibility_version = 'latest'",
    "wal_autocheckpoint = '1TB'",
    "arrow_lossless_conversion = true",
)
RESETS = (
    "lock_configuration",
    "enable_external_access",
    "memory_limit",
    "temp_directory",
    "python_enable_replacements",
)
PRAGMAS = (
    "PRAGMA enable_external_access = true",
    "PRAGMA memory_limit = '100GB'",
    "PRAGMA temp_directory = '{f}'",
    "PRAGMA enable_profiling",
    "PRAGMA profiling_output = '{f}/profile'",
    "PRAGMA enable_logging",
    "PRAGMA database_size",
    "PRAGMA version",
    "PRAGMA user_agent",
    "PRAGMA force_checkpoint",
    "PRAGMA enable_checkpoint_on_shutdown",
)
CALLS = (
    "CALL enable_logging(storage = 'file', storage_config = {{'path': '{f}/log'}})",
    "CALL enable_logging('QueryLog', storage_path = '{f}/log')",
    "CALL enable_logging()",
    "CALL disable_logging()",
    "CALL truncate_duckdb_logs()",
    "CALL enable_profiling()",
    "CALL read_text('{f}/secret.txt')",
    "CALL pragma_version()",
    "CALL load_aws_credentials()",
    "CALL dbgen(sf = 1)",
    "CALL start_ui()",
    "CHECKPOINT",
    "FORCE CHECKPOINT",
)
SECRETS = (
    "CREATE SECRET s (TYPE s3, KEY_ID 'x', SECRET 'y')",
    "CREATE SECRET s (TYPE http, BEARER_TOKEN 'x')",
    "CREATE SECRET (TYPE http, BEARER_TOKEN 'x')",
    "CREATE OR REPLACE SECRET s (TYPE http, BEARER_TOKEN 'x')",
    "CREATE TEMP SECRET s (TYPE http, BEARER_TOKEN 'x')",
    "CREATE TEMPORARY SECRET s (TYPE http, BEARER_TOKEN 'x')",
    "CREATE PERSISTENT SECRET s (TYPE http, BEARER_TOKEN 'x')",
    "CREATE OR REPLACE PERSISTENT SECRET s IN local_file (TYPE http, BEARER_TOKEN 'x')",
    "create/**/secret s (type http, bearer_token 'x')",
    "-- hidden\nCREATE SECRET s (TYPE http, BEARER_TOKEN 'x')",
    "DROP PERSISTENT SECRET s",
)
MACROS = (
    "CREATE TEMP MACRO m() AS TABLE SELECT * FROM read_text('{f}/secret.txt'); SELECT * FROM m()",
    "CREATE TEMP MACRO m(p) AS TABLE SELECT * FROM read_text(p); SELECT * FROM m('{f}/secret.txt')",
    "CREATE TEMP MACRO m(p) AS (SELECT content FROM read_text(p)); SELECT m('{f}/secret.txt')",
    "CREATE TEMP MACRO m() AS TABLE SELECT * FROM glob('{f}/*'); FROM m()",
    "SELECT * FROM query('SELECT * FROM read_text(''{f}/secret.txt'')')",
    "SELECT * FROM query_table('{f}/secret.csv')",
    "SELECT * FROM query_table(['{f}/secret.csv'])",
    "SELECT (SELECT content FROM read_text('{f}/secret.txt'))",
    "SELECT 1 WHERE EXISTS (FROM read_text('{f}/secret.txt'))",
    "SELECT * FROM range(1), LATERAL (SELECT * FROM read_text('{f}/secret.txt'))",
    "SELECT unnest(list(content)) FROM read_text('{f}/secret.txt')",
    "CREATE TEMP TABLE t(a VARCHAR DEFAULT ((SELECT content FROM read_text('{f}/secret.txt'))))",
    "SUMMARIZE SELECT * FROM read_csv('{f}/secret.csv')",
    "DESCRIBE SELECT * FROM read_csv('{f}/secret.csv')",
    "DESCRIBE '{f}/secret.csv'",
    "PIVOT '{f}/secret.csv' ON a",
    "FROM '{f}/secret.csv' SELECT count(*)",
    "INSERT INTO dynodesk.sets SELECT * FROM read_csv('{f}/secret.csv')",
    "SELECT getenv('HOME')",
    "SELECT * FROM duckdb_extensions()",
    "SELECT * FROM read_duckdb('{f}/secret.duckdb')",
    "SELECT * FROM sqlite_scan('{f}/x.sqlite', 't')",
    "SELECT * FROM postgres_scan('', '', '')",
    "SELECT * FROM iceberg_scan('{f}')",
    "SELECT * FROM delta_scan('{f}')",
    "SELECT * FROM st_read('{f}/secret.json')",
    "SELECT * FROM read_xlsx('{f}/x.xlsx')",
    "SELECT * FROM read_avro('{f}/x.avro')",
    "SELECT write_file('{f}/out', 'x')",
)
VARIABLES = (
    "SELECT * FROM variable_of_the_test",
    "SELECT * FROM MODULE_ROWS",
    "SELECT * FROM arriving",
    "SELECT * FROM bench",
    "SELECT * FROM cursor",
    "SELECT $a",
    "SELECT ?",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "DEALLOCATE ALL",
)


def statements(folder: Path, spill: str) -> Iterator[str]:
    """`spill` is the folder that the engine may use for what does not fit into memory."""
    templates = [
        *(around.format(r=reader) for reader, around in product(READERS, AROUND)),
        *(*REMOTE, *COPIES, *ATTACHES, *EXTENSIONS),
        *(f"{word} {option}" for option in OPTIONS for word in ("SET", "SET GLOBAL")),
        *(f"RESET {name}" for name in RESETS),
        *(*PRAGMAS, *CALLS, *SECRETS, *MACROS, *VARIABLES, *FURTHER),
    ]
    for template in templates:
        yield template.replace("{f}", folder.as_posix()).replace("{spill}", spill).replace("{{", "{").replace("}}", "}")
