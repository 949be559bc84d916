"""A small table of posts with likes and users who follow, for tests that need no server."""

from __future__ import annotations

from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.values import Number, String, Value
from tests.helpers.memory_reader import MemoryReader

SCHEMA = KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),))
SOCIAL = TableInfo("Social", SCHEMA)

RULES = """\
version = 1

[[tally]]
name = "post likes"
table = "Social"
parent = { PK = "POST#{post}", SK = "META" }
attribute = "likeTally"
children = { PK = "POST#{post}", SK = "LIKE#{user}" }
version = "rev"

[[tally]]
name = "following"
table = "Social"
parent = { PK = "USER#{user}", SK = "META" }
attribute = "followingCount"
children = { PK = "ACTOR#{user}", SK = "TARGET#{target}" }
"""


def key(partition: str, sort: str) -> dict[str, Value]:
    return {"PK": String(partition), "SK": String(sort)}


def post(name: str, tally: Value | None, rev: int = 1) -> dict[str, Value]:
    item = {**key(f"POST#{name}", "META"), "rev": Number(str(rev))}
    return item if tally is None else {**item, "likeTally": tally}


def no_time_to_live(_table: str) -> None:
    """Nothing expires in the tables of tests."""


def likes(name: str, count: int) -> list[dict[str, Value]]:
    return [key(f"POST#{name}", f"LIKE#u{i:03}") for i in range(count)]


def user(name: str, following: int) -> dict[str, Value]:
    return {**key(f"USER#{name}", "META"), "followingCount": Number(str(following))}


def follows(name: str, count: int) -> list[dict[str, Value]]:
    return [key(f"ACTOR#{name}", f"TARGET#t{i:03}") for i in range(count)]


def social(*items: dict[str, Value]) -> MemoryReader:
    reader = MemoryReader(SOCIAL)
    reader.put("Social", *items)
    return reader
