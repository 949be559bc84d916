"""Edits on real servers, with the journal on the disk: committed, raced, taken back, deleted by the thousand."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dynodesk import wiring
from dynodesk.aws.clients import Clients, open_clients
from dynodesk.aws.reader import DynamoReader
from dynodesk.aws.writer import GuardedWriter
from dynodesk.domain.actions import PutAction, SingleWrite
from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import ReadOnly
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ScanPlan
from dynodesk.domain.repairs import Place
from dynodesk.domain.sensitive import SensitiveAttributes
from dynodesk.domain.tables import Key, TableInfo
from dynodesk.domain.values import Item, Map, Null, Number, String, StringSet
from dynodesk.domain.writing import INTENT, Hands
from dynodesk.editing.bulk import DeleteItems, SetAttributes, dry_run
from dynodesk.editing.committing import commit, plan_commit
from dynodesk.editing.desk import EditDesk
from dynodesk.editing.log import EditLog
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.rules import parse_rules
from dynodesk.store.journal import Journal
from dynodesk.store.paths import FileNotWritten
from dynodesk.wiring import Workspace, edit_desk, open_journal, open_workspace, request_desk
from tests.aws.tables import likes, make_table, plain_client, profile
from tests.editing.roundtrip import ForgettingJournal, differences
from tests.faults.proxy import FaultProxy, LeaveOut, LoseReply

KEY: Key = {"PK": String("POST#a91f"), "SK": String("META")}


@dataclass
class Server:
    url: str
    proxy: FaultProxy
    workspace: Workspace
    desk: EditDesk

    def new_table(self, count: int = 0, **more: Any) -> TableInfo:
        name = make_table(plain_client(self.url), **more)
        client: Any = plain_client(self.url)
        items = likes(count)
        for start in range(0, count, 25):
            puts = [{"PutRequest": {"Item": item}} for item in items[start : start + 25]]
            client.batch_write_item(RequestItems={name: puts})
        self.proxy.clear()
        return self.workspace.catalog.describe(name, Ticket())

    def items(self, table: TableInfo) -> list[Item]:
        reader = self.workspace.new_reader(Meter())
        return [item for page in reader.scan(ScanPlan(table.name, consistent=True), Ticket()) for item in page.items]

    def commit(self, *edits: Edit) -> Any:
        return self.desk.commit(self.desk.plan(edits, Ticket()), Ticket())


@pytest.fixture(scope="module", params=["moto", "ministack"])
def one_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    url: str = request.getfixturevalue(request.param)
    with FaultProxy(url) as proxy:
        workspace = open_workspace(profile(proxy.url, read_only=False), Ticket())
        yield Server(url, proxy, workspace, edit_desk(workspace, workspace.meter))
        workspace.close()


@pytest.fixture
def server(one_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """With a journal of its own."""
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path))
    one_server.proxy.clear()
    return Server(
        one_server.url,
        one_server.proxy,
        one_server.workspace,
        edit_desk(one_server.workspace, one_server.workspace.meter),
    )


def test_every_kind_there_and_back(server: Server) -> None:
    table = server.new_table()
    first = {
        **KEY,
        "likes": Number("41"),
        "stats": Map({"views": Number("7"), "a.b": Null()}),
        "tags": StringSet(("b", "a")),
    }
    second = {**first, "likes": Number("42"), "stats": Map({"views": Number("7"), "new": String("a\xa0b\r\nc\u2028")})}
    moved = {**second, "SK": String("DRAFT")}
    steps = [(None, first), (first, second), (second, moved), (moved, None)]
    commits = []
    for before, after in steps:
        edit = Edit(table.name, table.key_schema.key_of(before or after or {}), before, after)
        report = server.commit(edit)
        assert [(result.outcome, result.seen) for result in report.results] == [("applied", after)]
        assert server.items(table) == ([] if after is None else [after])
        commits.append(report.commit)
    for made, (before, _) in zip(reversed(commits), reversed(steps), strict=True):
        plan = server.desk.plan_undo([made], Ticket())
        assert plan.left_out == ()
        assert server.desk.commit(plan.commit, Ticket()).is_done
        assert server.items(table) == ([] if before is None else [before])
    assert open_journal().read().broken is None


def test_untouched_attributes_are_not_in_any_request(server: Server) -> None:
    table = server.new_table()
    item = {
        **KEY,
        "likes": Number("41"),
        "secret": String("untouched"),
        "stats": Map({"views": Number("7"), "x": Null()}),
    }
    server.commit(Edit(table.name, KEY, None, item))
    server.proxy.clear()
    server.commit(Edit(table.name, KEY, item, {**item, "stats": Map({"views": Number("8"), "x": Null()})}))
    (sent,) = [body for operation, body in server.proxy.bodies if operation == "UpdateItem"]
    assert {*sent["ExpressionAttributeNames"].values()} == {"PK", "stats", "views"}
    assert [*sent["ExpressionAttributeValues"].values()] == [{"N": "7"}, {"N": "8"}]
    assert "untouched" not in str(sent)


def test_random_items_changed_in_one_attribute_each(ministack: str) -> None:
    table = make_table(plain_client(ministack), keys={"pk": "S", "sk": "N"})
    clients = open_clients(profile(ministack, read_only=False))
    assert differences(clients, table, 150, ForgettingJournal(), made=100) == []
    clients.close()


def test_a_lost_reply_is_read_back_and_nothing_is_sent_twice(server: Server) -> None:
    table = server.new_table()
    item = {**KEY, "likes": Number("41")}
    for operation, before, after in (
        ("PutItem", None, item),
        ("UpdateItem", item, {**item, "likes": Number("42")}),
        ("TransactWriteItems", {**item, "likes": Number("42")}, {**item, "SK": String("DRAFT")}),
        ("DeleteItem", {**item, "SK": String("DRAFT")}, None),
    ):
        server.proxy.clear()
        server.proxy.always(operation, LoseReply())
        report = server.commit(Edit(table.name, table.key_schema.key_of(before or item), before, after))
        assert [result.outcome for result in report.results] == ["applied"]
        assert server.proxy.counts[operation] == 1
        assert server.items(table) == ([] if after is None else [after])


def test_two_windows_edit_one_item_and_the_second_sees_the_first(server: Server) -> None:
    table = server.new_table()
    item = {**KEY, "a": Number("0"), "b": Number("0")}
    server.commit(Edit(table.name, KEY, None, item))
    other = edit_desk(server.workspace, Meter())
    assert server.commit(Edit(table.name, KEY, item, {**item, "a": Number("1")})).is_done
    second = other.commit(other.plan([Edit(table.name, KEY, item, {**item, "b": Number("2")})], Ticket()), Ticket())
    assert second.is_done  # another attribute: both stay
    third = other.commit(other.plan([Edit(table.name, KEY, item, {**item, "a": Number("5")})], Ticket()), Ticket())
    (result,) = third.results
    assert (result.outcome, result.seen) == ("lost race", {**item, "a": Number("1"), "b": Number("2")})


def test_a_row_read_through_an_index_is_completed_first(server: Server) -> None:
    table = server.new_table(index={"g": "S"})
    item = {**KEY, "g": String("A"), "h": Number("1"), "name": String("n")}
    server.commit(Edit(table.name, KEY, None, item))
    row = {**KEY, "g": String("A")}  # as an index of keys only has it
    whole = server.desk.complete(table, row)
    assert whole == item
    assert server.commit(Edit(table.name, KEY, whole, {**item, "g": String("B")})).is_done
    assert server.items(table) == [{**item, "g": String("B")}]
    assert server.desk.complete(table, {**KEY, "SK": String("GONE")}) is None


def test_a_thousand_staged_deletions_with_a_third_unprocessed_at_first(server: Server) -> None:
    table = server.new_table(1_000)
    server.proxy.always("BatchWriteItem", LeaveOut(1 / 3))
    told = 0

    def tell(done: tuple[object, ...]) -> None:
        nonlocal told
        told += len(done)

    report = server.desk.delete_unguarded(table, server.items(table), Ticket(), tell)
    assert (len(report.done), told, report.not_done, report.unknown, report.stopped) == (1_000, 1_000, (), (), None)
    assert (report.requests, report.sent_again) == (80, 40 * 8)
    assert server.items(table) == []
    log = EditLog.of(open_journal().records())
    sent = [len(batch.writes) for batch in log.batches.values()]
    assert sent == [25, 8] * 40
    assert sum(sent) - sum(batch.left_out for batch in log.batches.values()) == 1_000
    assert {batch.outcome for batch in log.batches.values()} == {"applied"}
    bodies = [
        body["RequestItems"][table.name] for operation, body in server.proxy.bodies if operation == "BatchWriteItem"
    ]
    assert [len(requests) for requests in bodies] == sent


def test_many_guarded_deletions_leave_what_others_changed(server: Server) -> None:
    table = server.new_table(30)
    run = dry_run(table, server.items(table), DeleteItems(), Ticket())
    client: Any = plain_client(server.url)
    changed = {"PK": {"S": "POST#a91f"}, "SK": {"S": "LIKE#0007"}, "n": {"N": "700"}}
    client.put_item(TableName=table.name, Item=changed)
    report = server.commit(*run.edits)
    assert len(report.of("applied")) == 29
    (lost,) = report.of("lost race")
    assert lost.seen == {"PK": String("POST#a91f"), "SK": String("LIKE#0007"), "n": Number("700")}
    assert server.items(table) == [lost.seen]


def test_many_changed_and_taken_back(server: Server) -> None:
    table = server.new_table(30)
    before = server.items(table)
    run = dry_run(table, before, SetAttributes({AttributePath(("state",)): String("done")}), Ticket())
    report = server.commit(*run.edits)
    assert report.is_done
    plan = server.desk.plan_undo([report.commit], Ticket())
    assert server.desk.commit(plan.commit, Ticket()).is_done
    assert server.items(table) == before


@pytest.mark.parametrize(("count", "operation"), [(149, "UpdateItem"), (200, "UpdateItem"), (400, "PutItem")])
def test_as_many_attributes_as_there_may_be(
    server: Server, count: int, operation: str, request: pytest.FixtureRequest
) -> None:
    """Beyond what one expression holds the service takes what is sent in its place, and what is guarded is."""
    if count == 200 and "moto" in request.node.name:
        pytest.skip("moto fails at so many actions")
    table = server.new_table()
    names = [f"a{number:03}" for number in range(count)]
    before: Item = {**KEY, **{name: Number("1") for name in names}}
    after: Item = {**KEY, **{name: Number("2") for name in names}}
    server.commit(Edit(table.name, KEY, None, before))
    server.proxy.clear()
    theirs: Item = {**before, names[0]: Number("9")}
    server.commit(Edit(table.name, KEY, before, theirs))
    (lost,) = server.commit(Edit(table.name, KEY, before, after)).results
    assert (lost.outcome, lost.seen, lost.planned.write.operation) == ("lost race", theirs, operation)
    assert server.commit(Edit(table.name, KEY, theirs, after)).is_done
    assert server.items(table) == [after]


def test_while_another_window_writes_nothing_is_noted_or_sent(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    table = server.new_table()
    monkeypatch.setattr(wiring, "WRITING_WAIT", 0.05)
    plan = server.desk.plan([Edit(table.name, KEY, None, KEY)], Ticket())
    with wiring.writing(server.workspace), pytest.raises(FileNotWritten, match="held by another"):
        server.desk.commit(plan, Ticket())
    assert open_journal().read().records == ()
    assert server.items(table) == []
    assert server.desk.commit(plan, Ticket()).is_done


def test_a_read_only_connection_sends_and_notes_nothing(server: Server) -> None:
    table = server.new_table(1)
    read_only = open_workspace(profile(server.proxy.url), Ticket())
    desk = edit_desk(read_only, Meter())
    edit = Edit(table.name, KEY, None, KEY)
    plan = desk.plan([edit], Ticket())
    server.proxy.clear()
    with pytest.raises(ReadOnly):
        desk.commit(plan, Ticket())
    with pytest.raises(ReadOnly):
        desk.delete_unguarded(table, [KEY], Ticket())
    read_only.close()
    assert server.proxy.counts.total() == 0
    assert open_journal().read().records == ()


def test_many_windows_raise_one_number_and_none_is_lost(ministack: str, tmp_path: Path) -> None:
    """Each reads, edits, commits, and does so again where it was too late."""
    name = make_table(plain_client(ministack))
    clients = open_clients(profile(ministack, read_only=False))
    journal = Journal(tmp_path)
    start = {**KEY, "n": Number("0")}
    client: Any = plain_client(ministack)
    client.put_item(TableName=name, Item={"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}, "n": {"N": "0"}})
    threads = [threading.Thread(target=raise_by, args=(clients, name, journal, 5)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert DynamoReader(clients, Meter()).get(name, KEY, consistent=True) == {**start, "n": Number("20")}
    clients.close()


def raise_by(clients: Clients, table: str, journal: Journal, times: int) -> None:
    reader = DynamoReader(clients, Meter())
    hands = Hands(reader, GuardedWriter(clients, Meter()), journal, SystemClock(), random.Random(1))
    done = 0
    while done < times:
        item = reader.get(table, KEY, consistent=True) or {}
        number = item["n"]
        assert isinstance(number, Number)
        edit = Edit(table, KEY, item, {**item, "n": Number(str(int(number.text) + 1))})
        done += commit(plan_commit([edit]), Place("", "", ""), hands, Ticket()).is_done


def test_writes_say_what_rules_read_at_the_connection_call_sensitive(server: Server) -> None:
    table = server.new_table()
    text = f"""version = 1
[[tally]]
name = "likes"
table = "{table.name}"
parent = {{ PK = "POST#{{post}}", SK = "META" }}
attribute = "likeTally"
children = {{ PK = "POST#{{post}}", SK = "LIKE#{{user}}" }}
sensitive = ["email"]
"""
    describe = partial(server.workspace.catalog.describe, ticket=Ticket())
    rules = bind_rules(parse_rules(text, "rules.toml"), describe, lambda _: None)
    workspace = replace(server.workspace, sensitive=SensitiveAttributes())
    workspace.sensitive.add(rules)
    item = {"PK": String("POST#a"), "SK": String("META"), "email": String("canary")}
    edited = edit_desk(workspace, Meter())
    new = Edit(table.name, table.key_schema.key_of(item), None, item)
    assert edited.commit(edited.plan([new], Ticket()), Ticket()).is_done
    put = SingleWrite(PutAction(table.name, {**item, "SK": String("LIKE#b")}))
    request_desk(workspace, Meter()).run(put, Ticket(), lambda _: None)
    intents = [record for record in open_journal().records() if record.kind == INTENT]
    assert [intent.payload["sensitive"] for intent in intents] == [{table.name: [["email"]]}] * 2
    shown = open_journal().read().shown()
    assert b"canary" not in b"".join(record.line for record in shown.records)
    assert len(server.items(table)) == 2
