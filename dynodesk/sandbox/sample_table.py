"""What a sample table is, and the few ways its items are put together."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

TaggedItem = dict[str, dict[str, Any]]
"""An item as DynamoDB JSON: attribute name to a value with its type tag."""

MIDSUMMER = 1_750_636_800
"""2025-06-23T00:00:00Z in seconds: every time in the samples is counted from here, none from the clock."""

DAY = 86_400


@dataclass(frozen=True, slots=True)
class SampleTable:
    """A table to create and what to put into it: always the same for the same scale."""

    name: str
    create: dict[str, Any]
    """The CreateTable request."""
    items: tuple[TaggedItem, ...]


def create_request(name: str, keys: Sequence[tuple[str, str]], **more: Any) -> dict[str, Any]:
    """A CreateTable request for an on-demand table. `keys` are one or two pairs of name and type (S, N or B)."""
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": kind} for key, kind in keys],
        "KeySchema": key_schema([key for key, _ in keys]),
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        **more,
    }


def key_schema(names: Sequence[str]) -> list[dict[str, str]]:
    """KeySchema of a table or index: the partition key, then the sort key if there is one."""
    return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"), strict=False)]


def text(value: str) -> dict[str, Any]:
    """A String."""
    return {"S": value}


def number(value: int | str) -> dict[str, Any]:
    """A Number, from an integer or from its exact digits."""
    return {"N": str(value)}


def chance(table: str) -> random.Random:
    """The source of a table's variety. Seeded by its name, so that no table changes because another did."""
    return random.Random(f"dynodesk {table}")  # noqa: S311 (sample data: repeatable is the point)


def short_ids(rng: random.Random, count: int, taken: Sequence[str] = ()) -> list[str]:
    """`count` different ids such as a91f, none of them in `taken`. They grow longer only when four digits run out."""
    reserved = set(taken)
    space = max(0x10000, 16 * count)
    drawn = (f"{n:04x}" for n in rng.sample(range(space), min(space, count + len(reserved))))
    return [name for name in drawn if name not in reserved][:count]


def scaled(count: int, scale: float, least: int = 1) -> int:
    """`count` things at scale 1, in proportion at another, never fewer than `least`."""
    return max(least, round(count * scale))


def moment(seconds: int) -> str:
    """Epoch seconds as 2025-06-23T00:00:00Z."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
