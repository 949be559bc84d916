"""Tables and indexes to be made or deleted: what is wrong with them, and the request that does it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, KeyType, Projection, TableInfo, Throughput

SHORTEST_NAME, LONGEST_NAME = 3, 255
"""Characters of the name of a table or index (API Reference, CreateTable)."""
LONGEST_KEY_NAME = 255
"""Bytes of the name of a key attribute (Developer Guide, "Quotas")."""
MOST_KEY_PARTS = 4
"""Partition key attributes of a global index, and sort key attributes (Developer Guide, "Multi-attribute keys")."""
MOST_LOCAL_INDEXES = 5
MOST_INCLUDED, MOST_INCLUDED_IN_ALL = 20, 100
"""Attributes that one index includes, and all indexes of a table together."""

StreamView = Literal["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]
STREAM_VIEWS: tuple[StreamView, ...] = get_args(StreamView)
STANDARD = "STANDARD"

_NAME = re.compile(r"[A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True)
class CreateTable:
    table: str
    key_schema: KeySchema
    indexes: tuple[IndexInfo, ...] = ()
    is_provisioned: bool = False
    throughput: Throughput | None = None
    """Provisioned, or the most on demand; None on demand: no limit."""
    stream_view: str = ""
    """One of `STREAM_VIEWS`; "" without a stream."""
    is_protected: bool = False
    table_class: str = STANDARD


@dataclass(frozen=True, slots=True)
class DeleteTable:
    info: TableInfo
    """The table as it was looked at: no other of the same name is deleted."""

    @property
    def table(self) -> str:
        return self.info.name


@dataclass(frozen=True, slots=True)
class CreateIndex:
    info: TableInfo
    index: IndexInfo
    """A global one: local ones are made with their table."""

    @property
    def table(self) -> str:
        return self.info.name


@dataclass(frozen=True, slots=True)
class DeleteIndex:
    info: TableInfo
    name: str

    @property
    def table(self) -> str:
        return self.info.name


TableChange = CreateTable | DeleteTable | CreateIndex | DeleteIndex
Operation = Literal["CreateTable", "DeleteTable", "UpdateTable"]


def recreated(info: TableInfo) -> CreateTable:
    """What makes a table like this one, without its items."""
    return CreateTable(
        info.name,
        info.key_schema,
        info.indexes,
        info.billing == "PROVISIONED",
        info.throughput,
        info.stream.view if info.stream else "",
        info.is_protected,
        info.table_class,
    )


# ------------------------------------------------------------------------------------------------------------- checks

Part = Literal["name", "partition", "sort", "projection", "throughput"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something the service would refuse."""

    part: Part
    error: InvalidRequest
    index: int | None = None
    """Which of the new indexes; None: the table itself."""


def problems(change: CreateTable | CreateIndex) -> tuple[Problem, ...]:
    """Empty where the request can be sent."""
    if isinstance(change, CreateIndex):
        info = change.info
        taken = {index.name for index in info.indexes}
        types = {attribute.name: attribute.type for attribute in _all_attributes(info.key_schema, info.indexes)}
        included = _included(info.indexes)
        found = _of_index(change.index, info.key_schema, taken, types, included)
        return tuple(Problem(part, error, 0) for part, error in found)
    return tuple(_of_table(change))


def _of_table(change: CreateTable) -> Iterator[Problem]:
    if (bad_name := name_problem(change.table, "table")) is not None:
        yield Problem("name", bad_name)
    types: dict[str, KeyType] = {}
    for part, error in _of_key(change.key_schema, types, most=1):
        yield Problem(part, error)
    yield from (Problem("throughput", error) for error in _of_throughput(change.throughput, change.is_provisioned))
    taken: set[str] = set()
    included = local = 0
    for at, index in enumerate(change.indexes):
        local += index.kind == "LSI"
        for part, error in _of_index(index, change.key_schema, taken, types, included):
            yield Problem(part, error, at)
        if index.kind == "LSI" and local > MOST_LOCAL_INDEXES:
            yield Problem("name", InvalidRequest(f"A table has at most {MOST_LOCAL_INDEXES} local indexes."), at)
        if index.kind == "GSI":
            yield from (
                Problem("throughput", error, at) for error in _of_throughput(index.throughput, change.is_provisioned)
            )
        included += _included((index,))
        taken.add(index.name)


def name_problem(name: str, of: str) -> InvalidRequest | None:
    """What is wrong with the name of a table or index; `of` says which it is."""
    if not name:
        return InvalidRequest(f"The {of} needs a name.")
    if not _NAME.fullmatch(name):
        wrong = next(char for char in name if not _NAME.fullmatch(char))
        shown = "a space" if wrong == " " else wrong if wrong.isprintable() else f"U+{ord(wrong):04X}"
        return InvalidRequest(f"A name has letters of English, digits, _ - and . only: not {shown}.")
    if not SHORTEST_NAME <= len(name) <= LONGEST_NAME:
        return InvalidRequest(f"A name has {SHORTEST_NAME} to {LONGEST_NAME} characters: this one has {len(name)}.")
    return None


def _of_key(schema: KeySchema, types: dict[str, KeyType], most: int) -> Iterator[tuple[Part, InvalidRequest]]:
    """`types` are those of the attributes known so far; the key's are added."""
    if not schema.partition:
        yield "partition", InvalidRequest("A partition key is needed.")
    seen: set[str] = set()
    parts: tuple[tuple[Part, tuple[KeyAttribute, ...]], ...] = (("partition", schema.partition), ("sort", schema.sort))
    for part, attributes in parts:
        if len(attributes) > most:
            yield part, InvalidRequest(f"A {part} key has at most {most} attributes.")
        for attribute in attributes:
            error = _of_attribute(attribute, part, seen, types)
            if error is not None:
                yield part, error
            seen.add(attribute.name)
            types.setdefault(attribute.name, attribute.type)


def _of_attribute(
    attribute: KeyAttribute, part: Part, seen: set[str], types: Mapping[str, KeyType]
) -> InvalidRequest | None:
    name = attribute.name
    if not name:
        return InvalidRequest(f"The {part} key needs the name of an attribute.")
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        return InvalidRequest("The name holds half a character.")
    if size > LONGEST_KEY_NAME:
        return InvalidRequest(f"The name of a key attribute has at most {LONGEST_KEY_NAME} bytes: this has {size}.")
    if name in seen:
        return InvalidRequest(f"{name} is in this key already.")
    if types.get(name, attribute.type) != attribute.type:
        return InvalidRequest(f"{name} is of type {types[name]} in another key: an attribute has one type in all keys.")
    return None


def _of_index(
    index: IndexInfo, table_key: KeySchema, taken: set[str], types: dict[str, KeyType], included_elsewhere: int
) -> Iterator[tuple[Part, InvalidRequest]]:
    bad_name = name_problem(index.name, "index")
    if bad_name is None and index.name in taken:
        bad_name = InvalidRequest(f"There is an index {index.name} already.")
    if bad_name is not None:
        yield "name", bad_name
    yield from _of_key(index.key_schema, types, MOST_KEY_PARTS if index.kind == "GSI" else 1)
    if index.kind == "LSI":
        if not table_key.sort:
            yield "sort", InvalidRequest("A local index needs a table with a sort key.", hint="Make it global.")
        elif not index.key_schema.sort:
            yield "sort", InvalidRequest("A local index needs a sort key of its own.")
        elif index.key_schema.sort == table_key.sort:
            yield "sort", InvalidRequest("This is the table's own sort key.")
    if index.projection.kind == "INCLUDE":
        yield from (("projection", error) for error in _of_included(index.projection, included_elsewhere))


def _of_included(projection: Projection, elsewhere: int) -> Iterator[InvalidRequest]:
    names = projection.included
    if not names:
        yield InvalidRequest("Name the attributes to include.", hint="Or choose only the keys.")
    if len(set(names)) < len(names):
        yield InvalidRequest("An attribute is named twice.")
    if len(names) > MOST_INCLUDED:
        yield InvalidRequest(f"An index includes at most {MOST_INCLUDED} attributes.", hint="Or project all.")
    elif elsewhere + len(names) > MOST_INCLUDED_IN_ALL:
        yield InvalidRequest(f"The indexes of a table include at most {MOST_INCLUDED_IN_ALL} attributes together.")


def _of_throughput(throughput: Throughput | None, is_provisioned: bool) -> Iterator[InvalidRequest]:
    if not is_provisioned:
        return
    if throughput is None or not all((throughput.read, throughput.write)):
        yield InvalidRequest("Provisioned capacity is at least 1 unit for reads and 1 for writes.")


def _included(indexes: Iterable[IndexInfo]) -> int:
    return sum(len(index.projection.included) for index in indexes if index.projection.kind == "INCLUDE")


def _all_attributes(schema: KeySchema, indexes: Iterable[IndexInfo]) -> dict[KeyAttribute, None]:
    """Each once, in order."""
    every = [*schema.attributes, *(attribute for index in indexes for attribute in index.key_schema.attributes)]
    return dict.fromkeys(every)


# ----------------------------------------------------------------------------------------------------------- requests


def operation(change: TableChange) -> Operation:
    match change:
        case CreateTable():
            return "CreateTable"
        case DeleteTable():
            return "DeleteTable"
        case CreateIndex() | DeleteIndex():
            return "UpdateTable"


def request(change: TableChange) -> dict[str, Any]:
    """The parameters exactly as sent."""
    match change:
        case CreateTable():
            return _create(change)
        case DeleteTable():
            return {"TableName": change.table}
        case CreateIndex(info, index):
            made = _index(index, is_provisioned=info.billing == "PROVISIONED")
            return {
                "TableName": change.table,
                "AttributeDefinitions": _definitions(_all_attributes(info.key_schema, (*info.indexes, index))),
                "GlobalSecondaryIndexUpdates": [{"Create": made}],
            }
        case DeleteIndex(_, name):
            return {"TableName": change.table, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": name}}]}


def _create(change: CreateTable) -> dict[str, Any]:
    made: dict[str, Any] = {
        "TableName": change.table,
        "AttributeDefinitions": _definitions(_all_attributes(change.key_schema, change.indexes)),
        "KeySchema": _schema(change.key_schema),
    }
    for name, kind in (("GlobalSecondaryIndexes", "GSI"), ("LocalSecondaryIndexes", "LSI")):
        of_kind = [index for index in change.indexes if index.kind == kind]
        if of_kind:
            made[name] = [_index(index, is_provisioned=change.is_provisioned) for index in of_kind]
    made["BillingMode"] = "PROVISIONED" if change.is_provisioned else "PAY_PER_REQUEST"
    made |= _throughput(change.throughput, is_provisioned=change.is_provisioned)
    if change.stream_view:
        made["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": change.stream_view}
    if change.table_class != STANDARD:
        made["TableClass"] = change.table_class
    if change.is_protected:
        made["DeletionProtectionEnabled"] = True
    return made


def _definitions(attributes: Iterable[KeyAttribute]) -> list[dict[str, str]]:
    return [{"AttributeName": attribute.name, "AttributeType": attribute.type} for attribute in attributes]


def _schema(schema: KeySchema) -> list[dict[str, str]]:
    return [
        {"AttributeName": attribute.name, "KeyType": "HASH" if attribute in schema.partition else "RANGE"}
        for attribute in schema.attributes
    ]


def _index(index: IndexInfo, *, is_provisioned: bool) -> dict[str, Any]:
    projection: dict[str, Any] = {"ProjectionType": index.projection.kind}
    if index.projection.kind == "INCLUDE":
        projection["NonKeyAttributes"] = list(index.projection.included)
    made = {"IndexName": index.name, "KeySchema": _schema(index.key_schema), "Projection": projection}
    return made | (_throughput(index.throughput, is_provisioned=is_provisioned) if index.kind == "GSI" else {})


def _throughput(throughput: Throughput | None, *, is_provisioned: bool) -> dict[str, Any]:
    if throughput is None:
        return {}
    if is_provisioned:
        units = {"ReadCapacityUnits": throughput.read, "WriteCapacityUnits": throughput.write}
        return {"ProvisionedThroughput": units}
    most = {"MaxReadRequestUnits": throughput.read, "MaxWriteRequestUnits": throughput.write}
    return {"OnDemandThroughput": {name: units for name, units in most.items() if units is not None}}
