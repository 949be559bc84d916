"""Which tables there are, and what each of them is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from dynodesk.aws.calls import Calls, Reply
from dynodesk.aws.faults import not_dynamodb
from dynodesk.aws.wire import Wire, damaged, list_of
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.tables import (
    IndexInfo,
    KeyAttribute,
    KeySchema,
    KeyType,
    Projection,
    TableInfo,
    TableStream,
    Throughput,
    TimeToLive,
)

if TYPE_CHECKING:
    from dynodesk.aws.clients import Clients


class DynamoCatalog:
    """The `TableCatalog` of a connection."""

    def __init__(self, clients: Clients, calls: Calls | None = None) -> None:
        self._calls = calls or Calls(clients)

    def table_names(self, ticket: Ticket) -> tuple[str, ...]:
        names: dict[str, None] = {}  # each once: the list may change while its pages are read
        cursors: set[str] = set()
        parameters: Wire = {}
        while True:
            ticket.checkpoint(Progress(len(names), note=f"{len(names):,} tables so far"))
            page, last = self._calls.read("ListTables", parameters, _names, ticket=ticket, done=len(names))
            names |= dict.fromkeys(page)
            if last is None:
                return tuple(names)
            if last in cursors:
                raise damaged("its cursor comes back to where it was, so the list would never end")
            cursors.add(last)
            parameters = {"ExclusiveStartTableName": last}

    def describe(self, table: str, ticket: Ticket) -> TableInfo:
        def understand(reply: Reply) -> TableInfo:
            described = reply.body.get("Table")
            if not isinstance(described, dict):
                raise damaged("it has no Table")
            return _table(described)

        return self._calls.read(
            "DescribeTable",
            {"TableName": table},
            understand,
            table=table,
            ticket=ticket,
            patiences=self._calls.brief,
        )

    def time_to_live(self, table: str, ticket: Ticket) -> str | None:
        found = self.expiry(table, ticket)
        return found.attribute if found.expires_items else None

    def expiry(self, table: str, ticket: Ticket) -> TimeToLive:
        """The state of Time to Live, also where it is off."""

        def understand(reply: Reply) -> TimeToLive:
            described = reply.body.get("TimeToLiveDescription")
            if not isinstance(described, dict):
                raise damaged("it has no TimeToLiveDescription")
            found = TimeToLive(str(described.get("AttributeName") or ""), _text(described, "TimeToLiveStatus"))
            if found.expires_items and not found.attribute:
                raise damaged("it has no AttributeName")
            return found

        return self._calls.read(
            "DescribeTimeToLive",
            {"TableName": table},
            understand,
            table=table,
            ticket=ticket,
            patiences=self._calls.brief,
        )


def _names(reply: Reply) -> tuple[list[str], str | None]:
    names, last = reply.body.get("TableNames"), reply.body.get("LastEvaluatedTableName")
    if not isinstance(names, list):
        raise not_dynamodb(
            "What answers there is not DynamoDB: it was asked for its tables and named none.", "ListTables"
        )
    if not all(isinstance(name, str) for name in names) or not isinstance(last, str | None):
        raise damaged("its TableNames are not names")
    return names, last


def _table(described: Wire) -> TableInfo:
    types = _types(described)
    # On-demand tables say so; provisioned ones that have never been anything else say nothing.
    billing = _object(described, "BillingModeSummary").get("BillingMode") or "PROVISIONED"
    return TableInfo(
        name=_text(described, "TableName"),
        key_schema=_key_schema(described, types),
        indexes=(
            *(_index(entry, "GSI", types, str(billing)) for entry in described.get("GlobalSecondaryIndexes") or ()),
            *(_index(entry, "LSI", types, str(billing)) for entry in described.get("LocalSecondaryIndexes") or ()),
        ),
        status=_text(described, "TableStatus"),
        arn=str(described.get("TableArn") or ""),
        created=moment(described.get("CreationDateTime")),
        item_count_estimate=_estimate(described.get("ItemCount")),
        size_bytes_estimate=_estimate(described.get("TableSizeBytes")),
        billing=str(billing),
        stream=_stream(described),
        throughput=_throughput(described, str(billing)),
        table_class=str(_object(described, "TableClassSummary").get("TableClass") or "STANDARD"),
        is_protected=described.get("DeletionProtectionEnabled") is True,
        id=str(described.get("TableId") or ""),
    )


def _throughput(described: Wire, billing: str) -> Throughput | None:
    """What is provisioned, or the most on demand; None where there is no limit, or where nothing is said."""
    if billing == "PROVISIONED":
        said = _object(described, "ProvisionedThroughput")
        read, write = said.get("ReadCapacityUnits"), said.get("WriteCapacityUnits")
    else:
        said = _object(described, "OnDemandThroughput")
        read, write = said.get("MaxReadRequestUnits"), said.get("MaxWriteRequestUnits")
    limits = Throughput(_limit(read), _limit(write))
    return None if limits == Throughput(None, None) else limits


def _limit(units: object) -> int | None:
    return units if isinstance(units, int) and units > 0 else None


def _stream(described: Wire) -> TableStream | None:
    """The stream, where it is on: one that was switched off keeps its ARN."""
    specification = _object(described, "StreamSpecification")
    if specification.get("StreamEnabled") is not True:
        return None
    return TableStream(_text(described, "LatestStreamArn"), _text(specification, "StreamViewType"))


def _index(entry: object, kind: Literal["GSI", "LSI"], types: Mapping[str, KeyType], billing: str) -> IndexInfo:
    if not isinstance(entry, dict):
        raise damaged("an index is not an object")
    projected = _object(entry, "Projection")
    included = projected.get("NonKeyAttributes") or []
    match projected.get("ProjectionType"):
        case ("ALL" | "KEYS_ONLY" | "INCLUDE") as projection if isinstance(included, list):
            pass
        case _:
            raise damaged("an index has no projection")
    return IndexInfo(
        name=_text(entry, "IndexName"),
        kind=kind,
        key_schema=_key_schema(entry, types),
        projection=Projection(projection, tuple(map(str, included))),
        # A local index has no status of its own: it lives and dies with the table.
        status=_text(entry, "IndexStatus") if "IndexStatus" in entry else "ACTIVE",
        throughput=_throughput(entry, billing) if kind == "GSI" else None,
        is_backfilling=entry.get("Backfilling") is True,
        item_count_estimate=_estimate(entry.get("ItemCount")),
        size_bytes_estimate=_estimate(entry.get("IndexSizeBytes")),
    )


def _types(described: Wire) -> dict[str, KeyType]:
    types: dict[str, KeyType] = {}
    for definition in list_of(described, "AttributeDefinitions"):
        if not isinstance(definition, dict):
            raise damaged("an attribute definition is not an object")
        match definition.get("AttributeType"):
            case ("S" | "N" | "B") as kind:
                types[_text(definition, "AttributeName")] = kind
            case _:
                raise damaged("a key attribute has no type")
    return types


def _key_schema(described: Wire, types: Mapping[str, KeyType]) -> KeySchema:
    parts: dict[object, list[KeyAttribute]] = {"HASH": [], "RANGE": []}
    for element in list_of(described, "KeySchema"):
        name = _text(element, "AttributeName") if isinstance(element, dict) else ""
        if name not in types or element.get("KeyType") not in parts:
            raise damaged("a key attribute is not among the attribute definitions")
        parts[element["KeyType"]].append(KeyAttribute(name, types[name]))
    if not parts["HASH"]:
        raise damaged("a key has no partition key")
    return KeySchema(tuple(parts["HASH"]), tuple(parts["RANGE"]))


def _object(described: Wire, name: str) -> Wire:
    found = described.get(name) or {}
    if not isinstance(found, dict):
        raise damaged(f"its {name} is not an object")
    return found


def _text(described: Wire, name: str) -> str:
    found = described.get(name)
    if not isinstance(found, str) or not found:
        raise damaged(f"it has no {name}")
    return found


def moment(seconds: object) -> str:
    """A time of DynamoDB JSON (seconds since 1970) in ISO 8601; "" where there is none."""
    if not isinstance(seconds, int | Decimal):
        return ""
    try:
        return datetime.fromtimestamp(int(seconds), UTC).isoformat()
    except (OverflowError, ValueError):
        raise damaged("a time in it is none") from None


def _estimate(number: object) -> int | None:
    return number if isinstance(number, int) and number >= 0 else None
