"""Tables as a whole: every part of their details, and the requests that change them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dynodesk.aws.clients import Clients, open_clients
from dynodesk.aws.tables import DynamoTables
from dynodesk.domain.errors import (
    Busy,
    DamagedReply,
    DynodeskError,
    InvalidRequest,
    NotAllowed,
    OutcomeUnknown,
    ReadOnly,
    TableMissing,
    Throttled,
)
from dynodesk.domain.progress import Ticket
from dynodesk.domain.table_changes import CreateIndex, CreateTable, DeleteIndex, DeleteTable, recreated
from dynodesk.domain.tables import (
    IndexInfo,
    KeyAttribute,
    KeySchema,
    Projection,
    Recovery,
    TableInfo,
    Throughput,
    TimeToLive,
)
from tests.aws.tables import make_table, plain_client, profile, unique
from tests.faults.proxy import Answer, Cut, Fault, FaultProxy, LoseReply, Rewrite, error

PK, SK, AT = KeyAttribute("PK", "S"), KeyAttribute("SK", "S"), KeyAttribute("at", "N")
KEYS = KeySchema((PK,), (SK,))
WIDE = IndexInfo("wide", "GSI", KeySchema((AT,), (SK,)), Projection("INCLUDE", ("title",)))
LOCAL = IndexInfo("by-time", "LSI", KeySchema((PK,), (AT,)), Projection("KEYS_ONLY"))


@pytest.fixture(scope="module")
def writing(ministack: str) -> Iterator[tuple[FaultProxy, Clients]]:
    with FaultProxy(ministack) as running:
        opened = open_clients(profile(running.url, read_only=False))
        yield running, opened
        opened.close()


@pytest.fixture
def proxy(writing: tuple[FaultProxy, Clients]) -> FaultProxy:
    writing[0].clear()
    return writing[0]


@pytest.fixture
def tables(writing: tuple[FaultProxy, Clients], proxy: FaultProxy) -> DynamoTables:
    return DynamoTables(writing[1], seconds=3)


@pytest.fixture(scope="module")
def table(ministack: str) -> str:
    return make_table(plain_client(ministack), index={"GSI1PK": "N"})


def described(tables: DynamoTables, table: str) -> TableInfo:
    info = tables.details(table, Ticket()).info
    assert isinstance(info, TableInfo)
    return info


def test_every_part_of_the_details(tables: DynamoTables, proxy: FaultProxy, table: str, ministack: str) -> None:
    client: Any = plain_client(ministack)
    client.update_time_to_live(TableName=table, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"})

    def enrich(body: dict[str, Any]) -> None:
        described = body["Table"]
        described["BillingModeSummary"] = {"BillingMode": "PAY_PER_REQUEST"}
        described["OnDemandThroughput"] = {"MaxReadRequestUnits": 40, "MaxWriteRequestUnits": -1}
        described["TableClassSummary"] = {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
        described["DeletionProtectionEnabled"] = True
        described["TableId"] = "id-1"
        described["GlobalSecondaryIndexes"][0] |= {
            "IndexStatus": "CREATING",
            "Backfilling": True,
            "ItemCount": 7,
            "IndexSizeBytes": 700,
        }

    proxy.on("DescribeTable", Rewrite(enrich))
    details = tables.details(table, Ticket())
    info = details.info
    assert isinstance(info, TableInfo)
    assert (info.throughput, info.table_class) == (Throughput(40, None), "STANDARD_INFREQUENT_ACCESS")
    assert (info.is_protected, info.id) == (True, "id-1")
    (index,) = info.indexes
    assert (index.status, index.is_backfilling) == ("CREATING", True)
    assert (index.item_count_estimate, index.size_bytes_estimate) == (7, 700)
    assert details.time_to_live == TimeToLive("expires", "ENABLED")
    assert isinstance(details.recovery, Recovery)
    assert details.recovery.status in {"ENABLED", "DISABLED"}


def test_recovery_and_its_period(tables: DynamoTables, proxy: FaultProxy, table: str) -> None:
    def switch_on(body: dict[str, Any]) -> None:
        body["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"] = {
            "PointInTimeRecoveryStatus": "ENABLED",
            "EarliestRestorableDateTime": 1_750_000_000,
            "LatestRestorableDateTime": 1_750_636_800.5,
        }

    proxy.on("DescribeContinuousBackups", Rewrite(switch_on))
    found = tables.details(table, Ticket()).recovery
    assert found == Recovery("ENABLED", "2025-06-15T15:06:40+00:00", "2025-06-23T00:00:00+00:00")


@pytest.mark.parametrize(
    ("operation", "part"),
    [("DescribeTable", "info"), ("DescribeTimeToLive", "time_to_live"), ("DescribeContinuousBackups", "recovery")],
)
@pytest.mark.parametrize(("fault", "expected"), [(error("AccessDeniedException"), NotAllowed), (Cut(), DamagedReply)])
def test_a_part_that_is_refused_keeps_the_rest(
    tables: DynamoTables,
    proxy: FaultProxy,
    table: str,
    operation: str,
    part: str,
    fault: Fault,
    expected: type[DynodeskError],
) -> None:
    proxy.always(operation, fault)
    details = tables.details(table, Ticket())
    found = {name: getattr(details, name) for name in ("info", "time_to_live", "recovery")}
    assert isinstance(found.pop(part), expected)
    assert not any(isinstance(other, DynodeskError) for other in found.values())


@pytest.mark.parametrize(
    ("operation", "reply", "part"),
    [
        ("DescribeTimeToLive", b"{}", "time_to_live"),
        ("DescribeTimeToLive", b'{"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED"}}', "time_to_live"),
        ("DescribeContinuousBackups", b"{}", "recovery"),
        ("DescribeContinuousBackups", b'{"ContinuousBackupsDescription": {}}', "recovery"),
    ],
)
def test_a_part_that_makes_no_sense(
    tables: DynamoTables, proxy: FaultProxy, table: str, operation: str, reply: bytes, part: str
) -> None:
    proxy.always(operation, Answer(200, reply))
    assert isinstance(getattr(tables.details(table, Ticket()), part), DamagedReply)


def test_a_table_is_made_changed_and_deleted(endpoint: str) -> None:
    clients = open_clients(profile(endpoint, read_only=False))
    tables, name = DynamoTables(clients), unique("made")
    made = CreateTable(name, KEYS, (WIDE, LOCAL), stream_view="KEYS_ONLY")
    tables.send(made)
    info = described(tables, name)
    assert (info.key_schema, info.status) == (KEYS, "ACTIVE")
    assert {index.name: (index.kind, index.key_schema, index.projection) for index in info.indexes} == {
        index.name: (index.kind, index.key_schema, index.projection) for index in (WIDE, LOCAL)
    }
    assert info.stream is not None
    assert info.stream.view == "KEYS_ONLY"
    assert recreated(info).indexes[0].name in {"wide", "by-time"}
    tables.send(DeleteIndex(info, "wide"))
    info = described(tables, name)
    assert [index.name for index in info.indexes] == ["by-time"]
    tables.send(CreateIndex(info, WIDE))
    assert {index.name for index in described(tables, name).indexes} == {"wide", "by-time"}
    tables.send(DeleteTable(info))
    assert isinstance(tables.details(name, Ticket()).info, TableMissing)
    clients.close()


def test_an_index_keyed_by_several_attributes(tables: DynamoTables, proxy: FaultProxy) -> None:
    """Sent as the service's own model describes it: botocore drops or refuses what it does not know."""
    keys = KeySchema((KeyAttribute("tenant", "S"), KeyAttribute("kind", "S")), (AT, SK))
    name = unique("several")
    proxy.on("CreateTable", error("AccessDeniedException"))
    with pytest.raises(NotAllowed):
        tables.send(CreateTable(name, KEYS, (IndexInfo("i-1", "GSI", keys, Projection("ALL")),)))
    ((_, sent),) = [sent for sent in proxy.bodies if sent[0] == "CreateTable"]
    assert [element["AttributeName"] for element in sent["GlobalSecondaryIndexes"][0]["KeySchema"]] == list(keys.names)


def test_provisioned_capacity(tables: DynamoTables) -> None:
    name = unique("provisioned")
    tables.send(CreateTable(name, KeySchema((PK,)), is_provisioned=True, throughput=Throughput(3, 4)))
    info = described(tables, name)
    assert (info.billing, info.throughput) == ("PROVISIONED", Throughput(3, 4))


def test_a_read_only_connection_lets_none_of_it_out(ministack: str, table: str) -> None:
    with FaultProxy(ministack) as running:
        clients = open_clients(profile(running.url, read_only=True))
        tables = DynamoTables(clients)
        info = described(tables, table)
        for change in (CreateTable("abc", KEYS), DeleteTable(info), CreateIndex(info, WIDE), DeleteIndex(info, "GSI1")):
            with pytest.raises(ReadOnly):
                tables.send(change)
        assert {*running.counts} <= {"DescribeTable", "DescribeTimeToLive", "DescribeContinuousBackups"}
        clients.close()


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (error("AccessDeniedException"), NotAllowed),
        (error("ResourceInUseException"), Busy),
        (error("LimitExceededException"), Throttled),
        (error("ValidationException"), InvalidRequest),
        (error("ResourceNotFoundException"), TableMissing),
        (LoseReply(), OutcomeUnknown),
        (Cut(), OutcomeUnknown),
        (error("InternalServerError", 500), OutcomeUnknown),
    ],
)
def test_how_a_request_can_end(
    tables: DynamoTables, proxy: FaultProxy, table: str, fault: Fault, expected: type[DynodeskError]
) -> None:
    proxy.on("UpdateTable", fault)
    with pytest.raises(expected) as raised:
        tables.send(DeleteIndex(TableInfo(table, KEYS), "no-such-index"))
    assert raised.value.written == ("unknown" if expected is OutcomeUnknown else "nothing")
    assert proxy.counts["UpdateTable"] == 1
