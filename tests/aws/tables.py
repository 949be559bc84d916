"""Tables for the tests, made and filled by a plain client that knows nothing of our code."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from botocore.client import BaseClient
from botocore.config import Config
from botocore.session import Session

from dynodesk.domain.profiles import Profile

PROFILE_ID = "0123456789abcdef"


def profile(url: str, *, read_only: bool = True) -> Profile:
    return Profile(
        PROFILE_ID, "test", "endpoint", "dummy", endpoint_url=url, region="us-east-1", stage="dev", read_only=read_only
    )


def plain_client(url: str) -> BaseClient:
    session = Session()
    session.set_credentials("dummy", "dummy")
    config = Config(retries={"total_max_attempts": 1}, proxies={})
    return session.create_client("dynamodb", region_name="us-east-1", endpoint_url=url, config=config)


def unique(stem: str) -> str:
    return f"{stem}-{secrets.token_hex(4)}"


def make_table(
    client: Any,
    items: Sequence[Mapping[str, Any]] = (),
    *,
    keys: Mapping[str, str] | None = None,
    index: Mapping[str, str] | None = None,
    name: str = "",
) -> str:
    """Create a table and fill it; its name. `keys` and `index` are the key attributes with types, partition first."""
    keys = keys or {"PK": "S", "SK": "S"}
    name = name or unique("reading")
    more: dict[str, Any] = {}
    if index:
        more["GlobalSecondaryIndexes"] = [
            {"IndexName": "GSI1", "KeySchema": _schema(index), "Projection": {"ProjectionType": "ALL"}}
        ]
    client.create_table(
        TableName=name,
        KeySchema=_schema(keys),
        AttributeDefinitions=[
            {"AttributeName": key, "AttributeType": kind} for key, kind in {**keys, **(index or {})}.items()
        ],
        BillingMode="PAY_PER_REQUEST",
        **more,
    )
    for item in items:
        client.put_item(TableName=name, Item=item)
    return name


def _schema(keys: Mapping[str, str]) -> list[dict[str, str]]:
    kinds = ("HASH", "RANGE")
    return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(keys, kinds, strict=False)]


def likes(count: int, partition: str = "POST#a91f") -> list[dict[str, Any]]:
    return [{"PK": {"S": partition}, "SK": {"S": f"LIKE#{n:04}"}, "n": {"N": str(n)}} for n in range(count)]
