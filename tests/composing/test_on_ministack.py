"""Composed requests against a real server through the fault proxy, with the journal on the disk."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from dynodesk import wiring
from dynodesk.composing.desk import RequestDesk
from dynodesk.composing.running import report_left_open
from dynodesk.domain.actions import (
    BoundStatement,
    CheckAction,
    ComposedRequest,
    PutAction,
    SingleStatement,
    SingleWrite,
    TransactWrite,
    UpdateAction,
    new_token,
)
from dynodesk.domain.capacity import Meter
from dynodesk.domain.composed import Refused
from dynodesk.domain.errors import ReadOnly
from dynodesk.domain.expressions import parse_changes, parse_where
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Number, String
from dynodesk.wiring import Workspace, open_journal, open_workspace, request_desk
from tests.aws.tables import make_table, plain_client, profile
from tests.faults.proxy import Cut, Drop, Fault, FaultProxy, LoseReply, Rewrite, error

META: Key = {"PK": String("POST#a91f"), "SK": String("META")}
LIKE = {"PK": String("POST#a91f"), "SK": String("LIKE#ann")}
USER: Key = {"PK": String("USER#ann"), "SK": String("META")}
POST = {**META, "likes": Number("41")}


@dataclass
class Server:
    proxy: FaultProxy
    workspace: Workspace
    desk: RequestDesk
    client: Any
    """Knows nothing of our code."""
    table: str

    def run(self, request: ComposedRequest) -> Any:
        self.proxy.counts.clear()
        return self.desk.run(request, Ticket())

    @property
    def like(self) -> TransactWrite:
        put = PutAction(self.table, LIKE, parse_where("attribute_not_exists(PK)"))
        return TransactWrite((put, UpdateAction(self.table, META, parse_changes("ADD likes 1"))), new_token())

    @property
    def likes(self) -> str:
        return str(self.item("META")["likes"]["N"])

    def item(self, sort: str) -> Any:
        return self.client.get_item(TableName=self.table, Key={"PK": {"S": "POST#a91f"}, "SK": {"S": sort}}).get("Item")

    def outcomes(self) -> list[object]:
        return [record.payload["outcome"] for record in open_journal().records() if record.kind == "outcome"]


@pytest.fixture(scope="module")
def client(ministack: str) -> Any:
    return plain_client(ministack)


@pytest.fixture(scope="module")
def table(client: Any) -> str:
    return make_table(client)


@pytest.fixture(scope="module")
def opened(ministack: str) -> Iterator[tuple[FaultProxy, Workspace]]:
    with FaultProxy(ministack) as proxy:
        workspace = open_workspace(profile(proxy.url, read_only=False), Ticket())
        yield proxy, workspace
        workspace.close()


@pytest.fixture
def server(
    opened: tuple[FaultProxy, Workspace], client: Any, table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Server:
    """With a journal of its own, and a table with one post that nobody likes yet."""
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path))
    proxy, workspace = opened
    client.delete_item(TableName=table, Key={"PK": {"S": "POST#a91f"}, "SK": {"S": "LIKE#ann"}})
    client.put_item(TableName=table, Item={"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}, "likes": {"N": "41"}})
    proxy.clear()
    return Server(proxy, workspace, request_desk(workspace, Meter()), client, table)


def test_a_like_sent_twice_with_one_token_counts_once(server: Server) -> None:
    report = server.run(server.like)
    assert (report.outcome, report.before, report.after) == (
        "done",
        (None, POST),
        (LIKE, {**POST, "likes": Number("42")}),
    )
    again = server.desk.send_again(report, Ticket())
    assert (again.outcome, again.after, server.likes) == ("done", report.after, "42")
    first, second = [body for operation, body in server.proxy.bodies if operation == "TransactWriteItems"]
    assert first == second


@pytest.mark.parametrize(
    "fault",
    [LoseReply(), Cut(), Cut(at=0), Rewrite(status=500, body=error("InternalServerError").body), Drop()],
    ids=["lost", "cut", "cut before its body", "500 after it was done", "dropped"],
)
def test_a_replay_after_a_lost_answer_counts_once(server: Server, fault: Fault) -> None:
    server.proxy.on("TransactWriteItems", fault)
    report = server.run(server.like)
    assert (report.outcome, report.tries, server.likes) == ("done", 2, "42")
    assert server.proxy.counts["TransactWriteItems"] == 2
    assert server.outcomes() == ["unknown", "applied"]
    assert server.item("LIKE#ann") is not None


def test_a_cancelled_transaction_names_its_action_and_shows_the_item(server: Server) -> None:
    request = TransactWrite(
        (
            PutAction(server.table, LIKE, parse_where("attribute_not_exists(PK)")),
            UpdateAction(server.table, META, parse_changes("ADD likes 1"), parse_where("likes = 7")),
            CheckAction(server.table, USER, parse_where("attribute_not_exists(PK)")),
        ),
        new_token(),
    )
    report = server.run(request)
    assert report.outcome == "refused"
    assert isinstance(report.result, Refused)
    assert [reason.code for reason in report.result.reasons] == ["None", "ConditionalCheckFailed", "None"]
    assert report.result.reasons[1].found == POST
    assert (server.likes, server.item("LIKE#ann"), server.outcomes()) == ("41", None, ["refused"])


@pytest.mark.parametrize(
    ("fault", "title", "outcomes", "likes"),
    [
        (LoseReply(), "Looks applied", ["unknown", "settled"], "42"),
        (Drop(), "Not certain, looks not applied", ["unknown"], "41"),
    ],
    ids=["lost", "dropped"],
)
def test_an_increment_without_an_answer_is_not_sent_again(
    server: Server, fault: Fault, title: str, outcomes: list[str], likes: str
) -> None:
    server.proxy.always("UpdateItem", fault)
    report = server.run(SingleWrite(UpdateAction(server.table, META, parse_changes("ADD likes 1"))))
    assert (report.title, server.likes, server.outcomes()) == (title, likes, outcomes)
    assert server.proxy.counts["UpdateItem"] == 1
    assert report.after == ({**POST, "likes": Number(likes)},)


def test_statements_write_too(server: Server) -> None:
    where = "WHERE PK = 'POST#a91f' AND SK = 'META'"
    report = server.run(SingleStatement(BoundStatement(f'UPDATE "{server.table}" SET likes = likes + 1 {where}')))
    assert (report.outcome, server.likes, server.outcomes()) == ("done", "42", ["applied"])
    report = server.run(SingleStatement(BoundStatement(f'SELECT likes FROM "{server.table}" {where}')))
    assert report.result.items == ({"likes": Number("42")},)
    assert server.outcomes() == ["applied"]


def test_units_are_counted(server: Server) -> None:
    meter = Meter()
    report = request_desk(server.workspace, meter).run(server.like, Ticket())
    assert report.result is not None
    written = [part for part in meter.parts() if part.operation == "TransactWriteItems"]
    assert sum((part.units for part in written), Decimal(0)) > 0
    assert [*report.result.consumed] == written


def test_a_read_only_connection_notes_and_sends_nothing(server: Server) -> None:
    reading = open_workspace(profile(server.proxy.url), Ticket())
    server.proxy.clear()
    for request in (server.like, SingleStatement(BoundStatement(f'DELETE FROM "{server.table}" WHERE PK = 1'))):
        with pytest.raises(ReadOnly):
            request_desk(reading, Meter()).run(request, Ticket())
    reading.close()
    assert (server.proxy.counts.total(), open_journal().read().records) == (0, ())


@pytest.mark.parametrize("is_applied", [False, True], ids=["before it was sent", "after it was done"])
def test_what_a_killed_program_left_open_is_listed_and_sent_again(
    server: Server, tmp_path: Path, *, is_applied: bool
) -> None:
    child = multiprocessing.get_context("spawn").Process(
        target=run_and_die, args=(server.proxy.url, str(tmp_path), server.table, is_applied)
    )
    child.start()
    child.join(60)
    assert child.exitcode == -signal.SIGKILL
    assert server.likes == ("42" if is_applied else "41")
    (left,) = server.desk.log().open(server.desk.place)
    report = report_left_open(left)
    assert 0 < server.desk.seconds_left(report) < 510
    again = server.desk.send_again(report, Ticket())
    assert (again.outcome, server.likes) == ("done", "42")
    assert [*server.desk.log().open(server.desk.place)] == []


def run_and_die(url: str, home: str, table: str, is_applied: bool) -> None:
    os.environ["DYNODESK_HOME"] = home
    workspace = open_workspace(profile(url, read_only=False), Ticket())
    desk = wiring.request_desk(workspace, Meter())

    class Deadly:
        def send(self, request: ComposedRequest, ticket: Ticket) -> Any:
            if is_applied:
                desk.sender.send(request, ticket)
            os.kill(os.getpid(), signal.SIGKILL)

    put = PutAction(table, LIKE, parse_where("attribute_not_exists(PK)"))
    request = TransactWrite((put, UpdateAction(table, META, parse_changes("ADD likes 1"))), new_token())
    RequestDesk(
        desk.place, desk.catalog, Deadly(), desk.reader, desk.journal, desk.clock, desk.chance, desk.holding
    ).run(request, Ticket())
