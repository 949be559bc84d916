"""Input that is wrong, too large or hard to see: refused where it is typed, with the reason, or carried as it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from dynodesk.domain.cells import cell_text
from dynodesk.domain.collections import View, prepare
from dynodesk.domain.edits import Edit, check_edit
from dynodesk.domain.errors import InvalidFile, InvalidRequest, InvalidValue
from dynodesk.domain.expressions import check_where, parse_where
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.item_copy import items_text
from dynodesk.domain.item_text import item_from_dynamodb_text, item_from_plain_text
from dynodesk.domain.loaded_rows import LoadedRows
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import QueryPlan, SortCondition, check_plan
from dynodesk.domain.statements import parameter
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.typed_values import value_typed
from dynodesk.domain.values import (
    MAX_ITEM_BYTES,
    Binary,
    BinarySet,
    Item,
    KeyValue,
    List,
    Map,
    Number,
    String,
    StringSet,
    Value,
    check_item,
    item_size,
    numbers,
)
from dynodesk.ui.models.collection_model import CollectionModel
from dynodesk.ui.models.item_tree import ItemTreeModel
from dynodesk.ui.pages.browse_filter_values import typed_value
from dynodesk.ui.pages.browse_form import ReadForm
from dynodesk.ui.pages.browse_grid import CollectionGrid
from dynodesk.workbench.item_files import BEGINNING, pages_of
from tests.aws.tables import make_table
from tests.cases.conftest import OpenDesk, Place
from tests.helpers.small_tables import NAMES, READINGS, SOCIAL, post

# ------------------------------------------------------------------------------------------------------------ ranges


@pytest.mark.parametrize(
    ("low", "high", "is_reversed"),
    [
        (Number("9"), Number("10"), False),
        (Number("10"), Number("9"), True),
        (Number("1E1"), Number("10.0"), False),
        (Number("-1"), Number("-2"), True),
        (String("B"), String("a"), False),
        (String("a"), String("B"), True),
        (String("\uff61"), String("\U00010002"), False),
        (String("\U00010002"), String("\uff61"), True),
        (String("2025-01-31"), String("2025-01-30"), True),
        (Binary(b"\x7f"), Binary(b"\x80"), False),
        (Binary(b"\xff"), Binary(b"\x00\xff"), True),
    ],
)
def test_a_range_from_its_end_to_its_beginning_is_refused(
    low: KeyValue, high: KeyValue, is_reversed: bool, qtbot: QtBot
) -> None:
    kind = KeyAttribute("SK", {String: "S", Number: "N", Binary: "B"}[type(low)])  # type: ignore[arg-type]  # a key's
    table = TableInfo("T", KeySchema((KeyAttribute("PK", "S"),), (kind,)))
    plan = QueryPlan("T", {"PK": String("p")}, SortCondition("between", low, high), "SK")
    form = ReadForm(table, [View(table)])
    qtbot.addWidget(form)
    form.set_plan(plan)
    if not is_reversed:
        check_plan(plan, table)
        assert form.plan() == plan
        return
    with pytest.raises(InvalidRequest, match="the lower end is above the upper one"):
        check_plan(plan, table)
    assert form.plan() is None
    assert form.sorts[0].high.property("invalid")
    assert "Turn them round" in form.sorts[0].high.accessibleDescription()


# ------------------------------------------------------------------------------------------------------------- names

ODD_NAMES = [
    "count", "name", "status", "size", "ttl", "order", "NULL", "Key", "a.b", "a[0]", "[0]", ":v", "#n", "n#", " ", " a",
    "a ", "two words", "user-id", "_rev", "2fa",
    '"', "'", "`", "\\", "/", "%", "=1", "<b>", "é", "e\u0301", "\U0001f30a",
    "\ufeffid", "id", "a\nb", "a\0b", "AND", "L" * 300,
]  # fmt: skip


def odd_item(value: str) -> dict[str, Any]:
    return {
        "PK": {"S": "p"},
        "SK": {"S": "s"},
        **{name: {"N": value} for name in ODD_NAMES},
        "a": {"M": {"b": {"N": "5"}}},
    }


def test_every_name_is_one_name_all_the_way(open_desk: OpenDesk, place: Place) -> None:
    """Shown as a row, asked for in a filter, and written: behind a placeholder, and never split at a dot."""
    desk = open_desk(make_table(place[2], [odd_item("1")]))
    (item,) = desk.items
    desk.edit(item)
    model = desk.page.inspector.editor.model
    for name in ODD_NAMES:
        model.set_text(model.find(name).siblingAtColumn(2), "2")
    result = desk.commit(desk.stage())
    assert result.outcome == "applied", result.reason
    assert desk.stored({"PK": {"S": "p"}, "SK": {"S": "s"}}) == odd_item("2")
    (sent,) = desk.sent("UpdateItem")
    assert {*ODD_NAMES} <= {*sent["ExpressionAttributeNames"].values()}
    assert "a.b" not in sent["UpdateExpression"]


@pytest.mark.parametrize("place", ["ministack"], indirect=True)
def test_every_name_can_be_asked_for(open_desk: OpenDesk, place: Place) -> None:
    items: list[dict[str, Any]] = [
        {"PK": {"S": "p"}, "SK": {"S": str(at)}, name: {"N": "1"}} for at, name in enumerate(ODD_NAMES)
    ]
    items.append({"PK": {"S": "p"}, "SK": {"S": "nested"}, "a": {"M": {"b": {"N": "1"}}}})
    desk = open_desk(make_table(place[2], items))
    for at, name in enumerate(ODD_NAMES):
        desk.page.form.filter.set_condition(parse_where(f"{WRITTEN_OUT.name(name)} = 1.0"))
        desk.page.form.options.returned.set_attributes([name])
        assert desk.run() == [{"PK": String("p"), "SK": String(str(at)), name: Number("1")}], repr(name)
    desk.page.form.options.returned.set_attributes([])
    desk.page.form.filter.set_condition(parse_where("a.b = 1"))
    assert [item["SK"] for item in desk.run()] == [String("nested")]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "empty name"),
        ("x" * 65_536, "longer than 65535"),
        ("é" * 32_768, "longer than 65535"),
        ("\ud800", "surrogate"),
    ],
)
def test_a_name_that_cannot_be_is_refused(name: str, said: str) -> None:
    before: Item = post("a", 1)
    for value in (Number("1"), Map({name: Number("1")}), List((Map({name: Number("1")}),))):
        after: Item = {**before, name if isinstance(value, Number) else "m": value}
        with pytest.raises(InvalidValue, match=said):
            check_edit(Edit("Social", SOCIAL.key_schema.key_of(before), before, after), SOCIAL)
    check_item({"pk": String("x"), "x" * 65_535: Number("1")})


FLAGS = "\U0001f469\u200d\U0001f4bb"
LONG_NAMES = [
    "\U0001f30a" * 255,
    (FLAGS * 85)[:255],
    "e\u0301" * 127,
    "\u0627\u0644\u0639" * 85,
    "\U0001f1e9\U0001f1ea" * 127,
]


@pytest.mark.parametrize("name", LONG_NAMES)
def test_long_names_of_pictures_and_marks_are_drawn_measured_and_copied(name: str, qtbot: QtBot) -> None:
    items: list[Item] = [{"id": String("1"), name: String(name), "m": Map({name: Number("1")})}]
    model = CollectionModel(LoadedRows(View(NAMES), grouped=False))
    model.append(prepare(items, View(NAMES)))
    grid = CollectionGrid(model, "Rows")
    qtbot.addWidget(grid)
    grid.resize(900, 200)
    grid.show()
    column = model.columns.index(name)
    grid.scrollTo(model.index(0, column))
    assert 0 < grid.columnWidth(column) < 900
    picture: QImage = grid.viewport().grab().toImage().copy(grid.visualRect(model.index(0, column)))
    assert len({picture.pixel(x, y) for x in range(picture.width()) for y in range(picture.height())}) > 2
    assert item_from_plain_text(items_text(items, "json", [name], ["id"]), {}) == items[0]
    assert item_from_dynamodb_text(items_text(items, "dynamodb-json", [name], ["id"]), {}) == items[0]
    assert name in items_text(items, "csv", [name], ["id"])


# ------------------------------------------------------------------------------------------------- binary, sets, size

NOT_HEX = ["0", "zz", "0x00", "AA==", "0g", "\uff11\uff12", "00-ff"]
NOT_BASE64 = ["A", "AB==", "AA=", "AA==A", "AA-_", "AAH_", "é", "AA==\u00a0", "00 ff"]


@pytest.mark.parametrize("text", NOT_HEX)
def test_bytes_that_are_none_are_refused_in_every_field(text: str) -> None:
    reads: tuple[Callable[[], object], ...] = (
        lambda: value_typed(text, Binary(b"")),
        lambda: KeyAttribute("SK", "B").value(text),
        lambda: typed_value("B", text),
        lambda: typed_value("BS", f"00, {text}"),
        lambda: parameter("B", text),
    )
    for read in reads:
        with pytest.raises(InvalidValue):
            read()


@pytest.mark.parametrize("text", NOT_BASE64)
def test_base64_is_taken_strictly_in_every_text(text: str) -> None:
    reads: tuple[Callable[[], object], ...] = (
        lambda: item_from_dynamodb_text(json.dumps({"b": {"B": text}}), {}),
        lambda: item_from_dynamodb_text(json.dumps({"b": {"BS": ["AA==", text]}}), {}),
        lambda: item_from_dynamodb_text(json.dumps({"m": {"M": {"b": {"L": [{"B": text}]}}}}), {}),
        lambda: item_from_plain_text(json.dumps({"b": {"$binary": text}}), {}),
        lambda: item_from_plain_text(json.dumps({"b": {"$binarySet": ["AA==", text]}}), {}),
    )
    for read in reads:
        with pytest.raises(InvalidValue, match="base64"):
            read()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"s": {"SS": ["a", {"N": "1"}]}}', "texts only"),
        ('{"s": {"NS": ["1", 2]}}', "numbers in quotes only"),
        ('{"s": {"NS": ["1", "a"]}}', "not a number"),
        ('{"s": {"BS": ["AA==", "a b"]}}', "base64"),
        ('{"s": {"SS": ["a", null]}}', "texts only"),
        ('{"s": {"SS": ["a", "a"]}}', "twice"),
        ('{"s": {"NS": ["1", "1.0"]}}', "1 and 1.0, which are equal"),
        ('{"s": {"BS": ["AA==", "AA=="]}}', "twice"),
        ('{"s": {"SS": []}}', "empty set"),
    ],
)
def test_a_set_that_is_none_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(InvalidValue, match=said) as refused:
        item_from_dynamodb_text(text, {})
    assert refused.value.position is not None
    assert refused.value.position >= text.index('{"', 1)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (StringSet(("b", "a", "c")), StringSet(("c", "b", "a"))),
        (numbers(["3", "1.0", "2"]), numbers(["1", "2.00", "3E0"])),
        (BinarySet((b"b", b"", b"a")), BinarySet((b"", b"a", b"b"))),
    ],
)
def test_the_order_of_a_set_is_no_change(one: Value, other: Value) -> None:
    before, after = ({**post("a", 1), "s": value, "m": Map({"s": value})} for value in (one, other))
    assert Edit("Social", SOCIAL.key_schema.key_of(before), before, after).changes == ()


def test_a_set_is_shown_in_one_order_and_stays_in_its_own(qtbot: QtBot) -> None:
    shuffled = ["10", "9", "1E2", "-1", "0.5"]
    assert cell_text(numbers(shuffled)) == cell_text(numbers(shuffled[::-1])) == "{-1, 0.5, 9, 10, 1E2}"
    assert cell_text(StringSet(("z", "é", "Z", "\U00010002", "\uff61"))) == "{Z, z, é, \uff61, \U00010002}"
    assert cell_text(BinarySet((b"\xff", b"\x7f"))) == "{1 B 7f, 1 B ff}"
    item: Item = {**post("a", 1), "s": numbers(shuffled), "m": Map({"s": numbers(shuffled), "n": Number("1")})}
    tree = ItemTreeModel()
    tree.show(item, ("PK", "SK"), item)
    at = tree.find("s")
    assert [tree.index(row, 2, at).data() for row in range(5)] == ["-1", "0.5", "9", "10", "1E2"]
    inside = next(
        tree.index(row, 2, tree.find("m")) for row in range(2) if tree.index(row, 0, tree.find("m")).data() == "n"
    )
    tree.set_text(inside, "2")
    changed = tree.item["m"]
    assert isinstance(changed, Map)
    assert repr(changed.entries["s"]) == repr(numbers(shuffled))
    assert tree.item["s"] is item["s"]


def filled(size: int) -> Item:
    """An item of exactly so many bytes, with names and texts of more bytes than characters."""
    item = {**post("é", 1), "größe": Number("12"), "doc": Map({"ключ": List((String("🌊"),))}), "rest": String("")}
    return {**item, "rest": String("x" * (size - item_size(item)))}


def test_an_item_is_as_large_as_all_of_its_bytes() -> None:
    for before, after in ((None, filled(MAX_ITEM_BYTES)), (post("é", 1), filled(MAX_ITEM_BYTES))):
        check_edit(Edit("Social", SOCIAL.key_schema.key_of(after), before, after), SOCIAL)
    over = filled(MAX_ITEM_BYTES + 1)
    for first in (None, post("é", 1)):
        with pytest.raises(InvalidValue, match=f"{MAX_ITEM_BYTES + 1} bytes") as refused:
            check_edit(Edit("Social", SOCIAL.key_schema.key_of(over), first, over), SOCIAL)
        assert "rest" in refused.value.hint


@pytest.mark.parametrize("place", ["ministack"], indirect=True)
def test_an_item_that_others_made_large_meanwhile_is_not_written(open_desk: OpenDesk, place: Place) -> None:
    """By what was read the edit fits, by what is there now it does not: the service says so, and nothing changes."""
    key = {"PK": {"S": "p"}, "SK": {"S": "s"}}
    desk = open_desk(make_table(place[2], [{**key, "n": {"S": "a"}}]))
    (item,) = desk.items
    theirs = {**key, "n": {"S": "a"}, "big": {"S": "x" * 300_000}}
    place[2].put_item(TableName=desk.info.name, Item=theirs)
    result = desk.commit(
        Edit(desk.info.name, desk.info.key_schema.key_of(item), item, {**item, "mine": String("y" * 200_000)})
    )
    assert result.outcome == "refused"
    assert "size" in result.reason.lower()
    assert desk.stored(key) == theirs


def nested(levels: int) -> str:
    return '{"L": [' * (levels - 1) + '{"S": "x"}' + "]}" * (levels - 1)


def test_32_levels_are_taken_and_33_are_not() -> None:
    deepest = item_from_dynamodb_text(f'{{"v": {nested(32)}}}', {})
    check_item(deepest)
    assert item_from_plain_text(items_text([deepest], "json", ["v"], ["v"]), {}) == deepest
    for levels in (33, 40, 200, 20_000):
        with pytest.raises(InvalidValue, match="nested"):
            item_from_dynamodb_text(f'{{"v": {nested(levels)}}}', {})
        with pytest.raises(InvalidValue, match="nested"):
            item_from_plain_text(f'{{"v": {"[" * levels}{"]" * levels}}}', {})


# ------------------------------------------------------------------------------------------------------ texts of files

BY_PK = KeySchema((KeyAttribute("pk", "S"),))
GOOD = b'{"pk": {"S": "a"}}\n'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"pk": {"S": "b"}, "v": {"S": "x\xff"}}', "line 2: byte 33 of the item is not UTF-8"),
        (b'{"pk": {"S": "\xc0\x80"}}', "line 2: byte 15 of the item is not UTF-8"),
        (b'{"pk": {"S": "\xed\xa0\x80"}}', "line 2: byte 15 of the item is not UTF-8"),
        (b'{"pk": {"S": "b"}, "v\xc3": {"S": "x"}}', "is not UTF-8"),
        (b'{"pk": {"S": "b"}, "v": {"S": "x\\ud800y"}}', "half of a surrogate pair"),
        (b'{"pk": {"S": "b"}, "v": {"L": [{"S": "\\udc00"}]}}', "half of a surrogate pair"),
        (b'{"pk": {"S": "b"}, "\\ud800": {"S": "x"}}', "half of a surrogate pair"),
        (b'{"pk": {"S": "b"}, "v": {"S": "1", "N": "2"}}', "one type"),
        (b'{"pk": {"S": "b"}, "v": {"X": "1"}}', "not a type"),
        (b'{"pk": {"S": "b"}, "v": {"NS": ["1", 2]}}', "texts only"),
        (b'{"pk": {"S": "b"}, "v": {"B": "-_-_"}}', "not base64"),
        (b'{"pk": {"S": "b"}, "v": {"B": "AB=="}}', "not base64"),
        (b'{"pk": {"S": "b"}, "v": {"BS": ["AA==", "AAB="]}}', "not base64"),
        (b'{"pk": {"S": "b"}, "v": {"L": [{"NULL" : false}]}}', "false is not the content of type NULL"),
    ],
)
def test_a_file_is_refused_at_its_wrong_line_and_nothing_is_replaced(line: bytes, said: str, tmp_path: Path) -> None:
    file = tmp_path / "items.json"
    file.write_bytes(GOOD + line + b"\n" + GOOD)
    pages = pages_of(file, BY_PK, Ticket(), BEGINNING)
    assert len(next(pages).items) == 1
    with pytest.raises(InvalidFile, match=said):
        next(pages)


@pytest.mark.parametrize("text", ['"NULL":false', "x==", "x=", "=", "AB==", "\\"])
def test_a_text_that_looks_like_it_is_no_mistake(text: str, tmp_path: Path) -> None:
    file = tmp_path / "items.json"
    lines = [{"pk": {"S": text}, "b": {"B": padded}, "n": {"NULL": True}} for padded in ("", "AA==", "AAA=", "//8=")]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert [len(page.items) for page in pages_of(file, BY_PK, Ticket(), BEGINNING)] == [4]


# ------------------------------------------------------------------------------------------------------------ filters


@pytest.mark.parametrize("where", ["n = 10.0", "n = 1E1", "n BETWEEN 9.99 AND 10.000", "n IN (10.00, 3)", "l[0] = 1e1"])
@pytest.mark.parametrize("place", ["ministack"], indirect=True)
def test_numbers_are_found_by_their_value(open_desk: OpenDesk, place: Place, where: str) -> None:
    item = {"PK": {"S": "p"}, "SK": {"S": "s"}, "n": {"N": "10"}, "s": {"NS": ["10", "4"]}, "l": {"L": [{"N": "10"}]}}
    desk = open_desk(make_table(place[2], [item]))
    desk.page.form.filter.set_condition(parse_where(where))
    (found,) = desk.run()
    assert parse_where(where).holds(found)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("at BETWEEN 9 AND 3", "the lower end is above the upper one"),
        ("begins_with(at, 1)", "begins_with does not work on a Number"),
        ("at = at", "compared with itself"),
        ('value < {"SS": ["a"]}', "< does not work on a String set"),
        ('value = {"NS": []}', "empty set"),
        ("value = 1" + "1" * 39, "significant digits"),
        (" OR ".join(f"v = {n}" for n in range(151)), "301 operators"),
        (f"v IN ({', '.join(map(str, range(101)))})", "101 values"),
        ("value =", "missing"),
        ("value = 'a", "not closed"),
        ("user-id = 1", "'-'"),
    ],
)
def test_a_filter_that_the_service_would_refuse_is_not_run(where: str, said: str, qtbot: QtBot) -> None:
    _, remarks = check_where(where, READINGS)
    assert any(said in remark.message for remark in remarks if remark.severity == "error"), remarks
    form = ReadForm(READINGS, [View(READINGS)])
    qtbot.addWidget(form)
    form.filter.open_filter()
    form.filter.as_text.setChecked(True)
    form.filter.text.setPlainText(where)
    assert form.filter.is_wrong
    assert form.plan() is None
