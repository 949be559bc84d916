"""What went wrong elsewhere when items were edited and written in batches, with data of our own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dynodesk.domain.capacity import Meter
from dynodesk.domain.edits import Edit, StagedEdits, check_edit, edit_from_json, edit_to_json
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item, Null, Number, String, Value
from dynodesk.editing.committing import EditResult
from dynodesk.editing.desk import EditDesk
from dynodesk.wiring import Workspace, edit_desk, open_workspace
from tests.aws.tables import likes, make_table, plain_client, profile
from tests.faults.proxy import FaultProxy, LeaveOut, LoseReply, error

KEY: Key = {"PK": String("POST#a91f"), "SK": String("META")}


@dataclass
class Window:
    workspace: Workspace
    desk: EditDesk
    table: str
    proxy: FaultProxy
    client: Any

    def put(self, **attributes: Any) -> None:
        self.client.put_item(TableName=self.table, Item={"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}, **attributes})

    def stored(self, sort: str = "META") -> Any:
        key = {"PK": {"S": "POST#a91f"}, "SK": {"S": sort}}
        return self.client.get_item(TableName=self.table, Key=key).get("Item")

    def read(self) -> Item:
        item = self.workspace.reader.get(self.table, KEY, consistent=True)
        assert item is not None
        return item

    def save(self, before: Item | None, after: Item | None) -> EditResult:
        edit = Edit(self.table, KEY, before, after)
        (result,) = self.desk.commit(self.desk.plan([edit], Ticket()), Ticket()).results
        return result


@pytest.fixture(scope="module")
def opened(ministack: str) -> Iterator[tuple[Workspace, FaultProxy]]:
    with FaultProxy(ministack) as proxy:
        workspace = open_workspace(profile(proxy.url, read_only=False), Ticket())
        yield workspace, proxy
        workspace.close()


@pytest.fixture
def window(
    opened: tuple[Workspace, FaultProxy], ministack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Window:
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path))
    workspace, proxy = opened
    client = plain_client(ministack)
    table = make_table(client, index={"actor": "S"})
    proxy.clear()
    return Window(workspace, edit_desk(workspace, Meter()), table, proxy, client)


def test_lost_update(window: Window) -> None:
    """Two people change different attributes of one item, a third one changes what the first has changed."""
    window.put(likes={"N": "0"}, title={"S": "old"})
    first, second, third = window.read(), window.read(), window.read()
    assert window.save(first, {**first, "likes": Number("1")}).outcome == "applied"
    assert window.save(second, {**second, "title": String("new")}).outcome == "applied"
    refused = window.save(third, {**third, "likes": Number("5")})
    assert (refused.outcome, refused.seen) == ("lost race", {**KEY, "likes": Number("1"), "title": String("new")})
    assert window.stored()["likes"] == {"N": "1"}


def test_editing_a_row_read_through_an_index(window: Window) -> None:
    window.put(actor={"S": "ACTOR#alice"}, likes={"N": "1"}, text={"S": "n"}, blob={"B": b"\x00\xff"})
    row = {**KEY, "actor": String("ACTOR#alice")}
    whole = window.desk.complete(window.workspace.catalog.describe(window.table, Ticket()), row)
    assert whole is not None
    assert window.save(whole, {**whole, "actor": String("ACTOR#bob")}).outcome == "applied"
    left = {"likes": {"N": "1"}, "text": {"S": "n"}, "blob": {"B": b"\x00\xff"}, "actor": {"S": "ACTOR#bob"}}
    assert {name: window.stored()[name] for name in left} == left


def test_a_ghost_item_from_an_update(window: Window) -> None:
    """The item was deleted while somebody edited it."""
    window.put(likes={"N": "1"})
    item = window.read()
    window.client.delete_item(TableName=window.table, Key={"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}})
    for after in ({**item, "likes": Number("3")}, {**item, "added": Null()}):
        result = window.save(item, after)
        assert (result.outcome, result.seen) == ("lost race", None)
        assert window.stored() is None


def test_a_new_item_does_not_overwrite(window: Window) -> None:
    window.put(likes={"N": "1"}, title={"S": "theirs"})
    result = window.save(None, {**KEY, "likes": Number("9")})
    assert (result.outcome, result.seen) == ("lost race", {**KEY, "likes": Number("1"), "title": String("theirs")})
    assert window.stored()["title"] == {"S": "theirs"}


def test_a_text_editor_changes_characters(window: Window) -> None:
    """What an editor does to a text that nobody typed in stays out: another attribute is saved."""
    text = "a\r\nb\xa0c\u2028d\u2029e\x0bf\x00g\ufeffh"
    window.put(text={"S": text}, likes={"N": "1"})
    item = window.read()
    assert Edit(window.table, KEY, item, dict(item)).changes == ()
    kept = edit_to_json(Edit(window.table, KEY, item, {**item, "likes": Number("2")}))
    staged = StagedEdits([edit_from_json(kept)])
    (edit,) = staged
    window.proxy.clear()
    assert window.save(edit.before, edit.after).outcome == "applied"
    (sent,) = [body for operation, body in window.proxy.bodies if operation == "UpdateItem"]
    assert "text" not in sent["ExpressionAttributeNames"].values()
    assert window.stored()["text"] == {"S": text}
    # And what was typed is sent to the character.
    now = window.read()
    assert window.save(now, {**now, "text": String(text + "\xa0!")}).outcome == "applied"
    assert window.stored()["text"] == {"S": text + "\xa0!"}


@pytest.mark.parametrize("value", [Number("5"), Null(), String("")])
def test_an_edit_breaks_the_type_of_an_index_key(window: Window, value: Value) -> None:
    info = window.workspace.catalog.describe(window.table, Ticket())
    item = {**KEY, "actor": String("ACTOR#alice")}
    with pytest.raises(InvalidValue, match="GSI1"):
        check_edit(Edit(window.table, KEY, item, {**KEY, "actor": value}), info)
    check_edit(Edit(window.table, KEY, item, KEY), info)  # the item leaves the index


def test_a_retry_after_a_timeout_hits_its_own_write(window: Window) -> None:
    """The request was applied and its reply lost: that is no failure, and no reason to write again."""
    window.put(likes={"N": "1"})
    window.proxy.always("UpdateItem", LoseReply())
    item = window.read()
    assert window.save(item, {**item, "likes": Number("2")}).outcome == "applied"
    assert window.proxy.counts["UpdateItem"] == 1
    assert window.stored()["likes"] == {"N": "2"}


def test_which_action_failed(window: Window) -> None:
    window.put(likes={"N": "1"})
    taken = {"PK": {"S": "POST#a91f"}, "SK": {"S": "DRAFT"}, "title": {"S": "theirs"}}
    window.client.put_item(TableName=window.table, Item=taken)
    item = window.read()
    result = window.save(item, {**item, "SK": String("DRAFT")})
    assert (result.outcome, result.at_target) == ("lost race", True)
    assert result.seen == {**KEY, "SK": String("DRAFT"), "title": String("theirs")}
    assert (window.stored("DRAFT"), window.stored()["likes"]) == (taken, {"N": "1"})


def test_unprocessed_items_are_not_dropped(window: Window) -> None:
    info = window.workspace.catalog.describe(window.table, Ticket())
    for item in likes(26):
        window.client.put_item(TableName=window.table, Item=item)
    window.proxy.on("BatchWriteItem", error("ProvisionedThroughputExceededException"))
    window.proxy.always("BatchWriteItem", LeaveOut(7 / 25))
    rows: list[Item] = [{"PK": String("POST#a91f"), "SK": String(f"LIKE#{number:04}")} for number in range(26)]
    report = window.desk.delete_unguarded(info, rows, Ticket())
    assert (len(report.done), report.not_done, report.unknown) == (26, (), ())
    assert report.requests == 1 + 2 + 1  # refused; 25 with 7 left out; these 7; the 26th
    assert report.sent_again == 25 + 7
    assert window.client.scan(TableName=window.table)["Count"] == 0


def test_the_key_of_a_deletion_is_that_of_the_schema(window: Window) -> None:
    """However the row's attributes are ordered, and whatever column was sorted by."""
    window.put(likes={"N": "1"})
    row: Item = {"likes": Number("1"), "SK": String("META"), "PK": String("POST#a91f")}
    info = window.workspace.catalog.describe(window.table, Ticket())
    edit = Edit(info.name, info.key_schema.key_of(row), row, None)
    assert [*edit.key] == ["PK", "SK"]
    assert window.save(row, None).outcome == "applied"
    assert window.stored() is None
