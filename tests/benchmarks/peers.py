"""How others get a table into SQL, each as its documentation shows: `python -m tests.benchmarks.peers METHOD ADDRESS`.

Runs in an environment of its own, `.venv-peers`. Each keeps every attribute and gives DuckDB the columns that DuckDB
or Arrow can take from it; those that they cannot are left out and named.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import duckdb
import pyarrow as pa

from tests.benchmarks.measuring import MISMATCHES, SEGMENTS, Outcome, tell

TABLE = "Social"
KEYS: dict[str, Any] = {"aws_access_key_id": "dummy", "aws_secret_access_key": "dummy", "region_name": "us-east-1"}


def resource_pandas(address: str) -> Callable[[], Outcome]:
    import boto3  # noqa: PLC0415  (each process loads what its method needs)
    import pandas as pd  # noqa: PLC0415

    table = boto3.resource("dynamodb", endpoint_url=address, **KEYS).Table(TABLE)

    def work() -> Outcome:
        items: list[dict[str, Any]] = []
        start: dict[str, Any] = {}
        while True:
            reply = table.scan(**start)
            items += reply["Items"]
            if "LastEvaluatedKey" not in reply:
                break
            start = {"ExclusiveStartKey": reply["LastEvaluatedKey"]}
        return _from_frame(pd.DataFrame(items))

    return work


def client_arrow(address: str) -> Callable[[], Outcome]:
    import boto3  # noqa: PLC0415
    from boto3.dynamodb.types import Binary, TypeDeserializer  # noqa: PLC0415

    client = boto3.client("dynamodb", endpoint_url=address, **KEYS)
    deserialize = TypeDeserializer().deserialize

    def plain(value: Any) -> Any:
        return list(value) if isinstance(value, set) else value.__bytes__() if isinstance(value, Binary) else value

    def work() -> Outcome:
        rows = [
            {name: plain(deserialize(value)) for name, value in item.items()}
            for page in client.get_paginator("scan").paginate(TableName=TABLE)
            for item in page["Items"]
        ]
        return _from_rows(rows)

    return work


def awswrangler(address: str) -> Callable[[], Outcome]:
    import awswrangler as wr  # noqa: PLC0415
    import boto3  # noqa: PLC0415

    wr.config.dynamodb_endpoint_url = address
    session = boto3.Session(**KEYS)

    def work() -> Outcome:
        return _from_frame(wr.dynamodb.read_items(TABLE, allow_full_scan=True, boto3_session=session))

    return work


def pydynox(address: str) -> Callable[[], Outcome]:
    from pydynox import DynamoDBClient  # noqa: PLC0415

    client = DynamoDBClient(region="us-east-1", endpoint_url=address, access_key="dummy", secret_key="dummy")

    def work() -> Outcome:
        items = client.sync_parallel_scan(TABLE, total_segments=SEGMENTS)[0]
        return _from_rows([{name: list(v) if isinstance(v, set) else v for name, v in item.items()} for item in items])

    return work


def _from_frame(frame: Any) -> Outcome:
    def is_plain(name: str) -> bool:
        first = frame[name].first_valid_index()
        return frame[name].dtype != object or first is None or isinstance(frame[name][first], str | Decimal | bool)

    columns = [name for name in frame.columns if is_plain(name)]
    with duckdb.connect() as connection:
        # By default it infers types from 1,000 rows, and stops at a larger number further down.
        connection.execute(f"SET pandas_analyze_sample = {len(frame)}")
        connection.register("arrived", frame[columns])
        return _reconciled(connection, len(frame), set(frame.columns) - set(columns))


def _from_rows(rows: list[dict[str, Any]]) -> Outcome:
    names = {name: None for row in rows for name in row}
    columns: dict[str, Any] = {}
    for name in names:
        try:
            columns[name] = pa.array([row.get(name) for row in rows])
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            continue
    with duckdb.connect() as connection:
        connection.register("arrived", pa.table(columns))
        return _reconciled(connection, len(rows), set(names) - set(columns))


def _reconciled(connection: duckdb.DuckDBPyConnection, items: int, left_out: Iterable[str]) -> Outcome:
    connection.execute("CREATE TABLE social AS SELECT * FROM arrived")
    found = connection.execute(MISMATCHES).fetchone()
    return Outcome(items, found[0] if found else None, {"left_out": sorted(left_out)})


METHODS = {
    "boto3 resource, pandas, DuckDB": resource_pandas,
    "boto3 client, TypeDeserializer, Arrow, DuckDB": client_arrow,
    "awswrangler, DuckDB": awswrangler,
    "pydynox, Arrow, DuckDB": pydynox,
}


def main() -> None:
    method, address = sys.argv[1:]
    tell(method, METHODS[method](address))


if __name__ == "__main__":
    main()
