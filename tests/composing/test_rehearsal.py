"""Writes tried on copies: the items are on ministack, the copies in the sandbox's server."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from dynodesk.composing.rehearsal import Rehearsal, RehearsalDesk, RehearsedItem, Scratch
from dynodesk.domain.actions import (
    BoundStatement,
    CheckAction,
    DeleteAction,
    GetAction,
    PutAction,
    SingleGet,
    SingleStatement,
    SingleWrite,
    TransactWrite,
    UpdateAction,
    WriteAction,
    new_token,
)
from dynodesk.domain.composed import ActionReason, Done, Refused
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.expressions import parse_changes, parse_where
from dynodesk.domain.foretelling import Foretold
from dynodesk.domain.progress import Cancelled, Progress, Ticket
from dynodesk.domain.values import Item, KeyValue, Number, String
from dynodesk.sandbox.process import Sandbox
from dynodesk.sandbox.seed import Api
from dynodesk.wiring import SANDBOX_PROFILE, Workspace, open_journal, open_workspace, rehearsal_desk
from tests.aws.tables import make_table, plain_client, profile
from tests.faults.proxy import FaultProxy

POST: dict[str, KeyValue] = {"PK": String("POST#a91f"), "SK": String("META")}
LIKE: dict[str, KeyValue] = {"PK": String("POST#a91f"), "SK": String("LIKE#USER#7c20")}
STORED = {"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}, "likeTally": {"N": "41"}, "rev": {"N": "7"}}
STORED_LIKE = {"PK": {"S": "POST#a91f"}, "SK": {"S": "LIKE#USER#7c20"}, "by": {"S": "web 8.2.1"}}


@pytest.fixture(scope="module")
def proxy(ministack: str) -> Iterator[FaultProxy]:
    with FaultProxy(ministack) as running:
        yield running


@pytest.fixture(scope="module")
def connection(proxy: FaultProxy) -> Iterator[Workspace]:
    """One that only reads."""
    workspace = open_workspace(profile(proxy.url), Ticket())
    yield workspace
    workspace.close()


@pytest.fixture(scope="module")
def scratch(moto: str) -> Iterator[Scratch]:
    """Shared, so that not every test starts a process: tables have names of their own."""
    workspace = open_workspace(SANDBOX_PROFILE, Ticket(), sandbox_url=moto)
    yield Scratch(workspace.tables, workspace.new_request_sender(workspace.meter), workspace.reader)
    workspace.close()


@pytest.fixture
def desk(connection: Workspace, scratch: Scratch) -> RehearsalDesk:
    return replace(
        rehearsal_desk(connection, connection.meter), open_scratch=lambda _ticket: contextlib.nullcontext(scratch)
    )


@pytest.fixture
def table(ministack: str) -> str:
    return make_table(plain_client(ministack), [STORED], index={"by": "S"})


def like(table: str, changes: str = "SET rev = rev + 1 ADD likeTally 1") -> TransactWrite:
    put = PutAction(table, LIKE, parse_where("attribute_not_exists(SK)"))
    tally = UpdateAction(table, POST, parse_changes(changes), parse_where("attribute_exists(PK)"))
    return TransactWrite((put, tally), new_token())


def stored(url: str, table: str) -> list[Any]:
    client: Any = plain_client(url)
    return sorted(client.scan(TableName=table, ConsistentRead=True)["Items"], key=lambda item: str(item["SK"]["S"]))


def test_a_like_is_tried_and_nothing_is_written(
    connection: Workspace,
    proxy: FaultProxy,
    table: str,
    ministack: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path))
    endpoints: list[str] = []
    start = Sandbox.start

    def noting(**more: Any) -> Sandbox:
        sandbox = start(**more)
        endpoints.append(sandbox.endpoint)
        assert Api(sandbox.endpoint).call("ListTables", {})["TableNames"] == []
        return sandbox

    monkeypatch.setattr(Sandbox, "start", noting)
    proxy.clear()
    noted: list[Progress] = []
    rehearsal = rehearsal_desk(connection, connection.meter).rehearse(like(table), Ticket(noted.append))

    assert isinstance(rehearsal.outcome, Done)
    child, post = rehearsal.items
    assert (child.before, child.after) == (None, LIKE)
    assert [(str(change.path), change.before, change.after) for change in post.changes] == [
        ("likeTally", Number("41"), Number("42")),
        ("rev", Number("7"), Number("8")),
    ]
    assert post.title == "POST#a91f / META"
    assert rehearsal.disagreement == ""
    assert noted[0].note == "Starting a private server"
    # The connection was only asked, the journal is as it was, and the copies are gone.
    assert set(proxy.counts) == {"DescribeTable", "TransactGetItems"}
    assert stored(ministack, table) == [STORED]
    assert list(open_journal().records()) == []
    (endpoint,) = endpoints
    with pytest.raises(ConnectionRefusedError), socket.create_connection(_address(endpoint), timeout=5):
        pass


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return str(parts.hostname), int(parts.port or 0)


def test_a_like_that_exists_is_refused_and_shown(desk: RehearsalDesk, ministack: str) -> None:
    table = make_table(plain_client(ministack), [STORED, STORED_LIKE], index={"by": "S"})
    rehearsal = desk.rehearse(like(table), Ticket())
    assert isinstance(rehearsal.outcome, Refused)
    first, second = rehearsal.outcome.reasons
    assert (first.code, second.code) == ("ConditionalCheckFailed", "None")
    assert first.found == {**LIKE, "by": String("web 8.2.1")}
    assert [item.changes for item in rehearsal.items] == [(), ()]
    assert rehearsal.items[1].before == rehearsal.items[1].after
    assert rehearsal.disagreement == ""


@pytest.mark.parametrize("alone", [True, False])
def test_a_sum_with_what_is_missing_is_not_taken(desk: RehearsalDesk, table: str, alone: bool) -> None:
    tally = like(table, "SET views = views + 1").actions[1]
    assert isinstance(tally, UpdateAction)
    request = SingleWrite(tally) if alone else like(table, "SET views = views + 1")
    rehearsal = desk.rehearse(request, Ticket())
    assert not rehearsal.is_done
    assert [item.changes for item in rehearsal.items if item.action == tally] == [()]
    assert rehearsal.foretold.invalid is not None
    assert "views is not in the item" in rehearsal.foretold.invalid.message
    assert rehearsal.disagreement == ""


def test_a_counter_goes_from_41_to_42_once(desk: RehearsalDesk, table: str) -> None:
    count = SingleWrite(UpdateAction(table, POST, parse_changes("SET likeTally = 42"), parse_where("likeTally = 41")))
    (item,) = desk.rehearse(count, Ticket()).items
    assert item.before is not None
    assert item.after == {**item.before, "likeTally": Number("42")}


def test_deletions_checks_and_items_that_are_not_there(desk: RehearsalDesk, table: str) -> None:
    other: dict[str, KeyValue] = {"PK": String("USER#7c20"), "SK": String("META")}
    actions: tuple[WriteAction, ...] = (
        DeleteAction(table, POST),
        CheckAction(table, other, parse_where("attribute_not_exists(PK)")),
        UpdateAction(table, LIKE, parse_changes("ADD ghost 1")),
    )
    deleted, checked, made = desk.rehearse(TransactWrite(actions, new_token()), Ticket()).items
    assert deleted.after is None
    assert {str(change.path) for change in deleted.changes} == {"PK", "SK", "likeTally", "rev"}
    assert checked.changes == ()
    assert made.after == {**LIKE, "ghost": Number("1")}


def test_what_cannot_be_rehearsed_is_said(desk: RehearsalDesk, table: str) -> None:
    statement = BoundStatement("DELETE FROM Social WHERE PK = 'a'")
    for request in (SingleGet(GetAction(table, POST)), SingleStatement(statement)):
        with pytest.raises(InvalidRequest):
            desk.rehearse(request, Ticket())


def test_it_can_be_cancelled_while_the_copies_are_made(connection: Workspace, table: str) -> None:
    is_closed: list[bool] = []
    ticket = Ticket()

    @contextlib.contextmanager
    def never_used(ticket: Ticket) -> Iterator[Scratch]:
        ticket.cancel()
        try:
            ticket.checkpoint()
            yield Scratch(connection.tables, connection.new_request_sender(connection.meter), connection.reader)
        finally:
            is_closed.append(True)

    with pytest.raises(Cancelled):
        replace(rehearsal_desk(connection, connection.meter), open_scratch=never_used).rehearse(like(table), ticket)
    assert is_closed == [True]


DONE = Done((), (), 0.0, "")
REFUSED = Refused((ActionReason("ConditionalCheckFailed", "", None), ActionReason("None", "", None)), (), 0.0, "")


@pytest.mark.parametrize(
    ("outcome", "failed", "made", "said"),
    [
        (DONE, (False, False), LIKE, ""),
        (DONE, (False, True), LIKE, "it would be refused: the condition of action 2 does not hold"),
        (REFUSED, (False, False), LIKE, "it would be done"),
        (REFUSED, (False, True), LIKE, "refused for something else: the condition of action 2"),
        (DONE, (False, False), {**LIKE, "x": Number("1")}, "the items would be others: POST#a91f / LIKE#USER#7c20"),
    ],
)
def test_where_server_and_rules_disagree_it_is_said(
    outcome: Done | Refused, failed: tuple[bool, bool], made: Item, said: str
) -> None:
    request = like("Social")
    post: Item = {**POST, "likeTally": Number("42")}
    items = tuple(map(RehearsedItem, request.actions, (LIKE, POST), (None, post), (LIKE, post)))
    disagreement = Rehearsal(request, items, outcome, Foretold(failed, None, (made, post))).disagreement
    assert said in disagreement
    assert bool(said) == bool(disagreement)
