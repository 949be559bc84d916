"""One item as a tree."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester

from dynodesk.domain.values import Binary, BinarySet, Boolean, Item, List, Map, Null, Number, String, StringSet, numbers
from dynodesk.ui.models.item_cells import ATTRIBUTE, TYPE, VALUE
from dynodesk.ui.models.item_tree import ItemTreeModel

ITEM: Item = {
    "title": String("Harbour\u00a0walk"),
    "client": Map({"app": String("web"), "nested": List((Number("1"), Map({"deep": Null()})))}),
    "SK": String("META"),
    "PK": String("POST#1"),
    "reactions": StringSet(("clap", "heart")),
    "scores": numbers(["1", "2.50"]),
    "blobs": BinarySet((b"a",)),
    "etag": Binary(b"\x9f\x3c"),
    "on": Boolean(value=False),
    "empty": String(""),
}


def shown() -> ItemTreeModel:
    model = ItemTreeModel()
    model.show(ITEM, ("PK", "SK"))
    return model


def texts(model: ItemTreeModel, parent: QModelIndex, column: int) -> list[str]:
    return [model.index(row, column, parent).data() for row in range(model.rowCount(parent))]


def find(model: ItemTreeModel, *path: str) -> QModelIndex:
    index = QModelIndex()
    for name in path:
        index = model.index(texts(model, index, ATTRIBUTE).index(name), ATTRIBUTE, index)
    return index


def test_qt_accepts_the_tree(qtmodeltester: ModelTester, qapp: QApplication) -> None:
    check: Callable[[QAbstractItemModel], None] = qtmodeltester.check
    model = shown()
    check(model)
    model.show({"PK": String("other")}, ("PK",))
    check(model)
    assert model.rowCount() == 1


def test_keys_come_first_then_the_items_own_order(qapp: QApplication) -> None:
    names = texts(shown(), QModelIndex(), ATTRIBUTE)
    assert names == ["PK", "SK", "title", "client", "reactions", "scores", "blobs", "etag", "on", "empty"]


def test_types_and_values(qapp: QApplication) -> None:
    model = shown()
    rows = dict(
        zip(
            texts(model, QModelIndex(), ATTRIBUTE),
            zip(texts(model, QModelIndex(), TYPE), texts(model, QModelIndex(), VALUE), strict=True),
            strict=True,
        )
    )
    assert rows["title"] == ("S", "Harbour⟨U+00A0⟩walk")
    assert rows["client"] == ("M", "2 attributes")
    assert rows["reactions"] == ("SS", "2 values")
    assert rows["blobs"] == ("BS", "1 value")
    assert rows["etag"] == ("B", "2 B 9f3c")
    assert rows["on"] == ("BOOL", "false")
    assert rows["empty"] == ("S", '""')


def test_nested_values_unfold(qapp: QApplication) -> None:
    model = shown()
    assert texts(model, find(model, "client", "nested"), ATTRIBUTE) == ["[0]", "[1]"]
    assert texts(model, find(model, "client", "nested", "[1]"), VALUE) == ["NULL"]
    assert texts(model, find(model, "scores"), VALUE) == ["1", "2.50"]
    deep = find(model, "client", "nested", "[1]", "deep")
    assert model.parent(model.parent(deep)).data() == "nested"


def test_copying_gives_the_value_and_not_its_marks(qapp: QApplication) -> None:
    model = shown()
    assert model.exact(find(model, "title")) == "Harbour\u00a0walk"
    assert model.exact(find(model, "etag")) == "9f3c"
    assert model.exact(find(model, "client")) == '{"app": "web", "nested": [1, {"deep": null}]}'
    assert find(model, "reactions").data(Qt.ItemDataRole.AccessibleTextRole) == "reactions"


def edited(before: Item = ITEM) -> ItemTreeModel:
    model = ItemTreeModel()
    model.show(before, ("PK", "SK"), before, ("PK", "SK"))
    model.editable = True
    return model


def test_qt_accepts_what_editing_makes_of_the_tree(qtmodeltester: ModelTester, qapp: QApplication) -> None:
    check: Callable[[QAbstractItemModel], None] = qtmodeltester.check
    model = edited()
    texts(model, find(model, "client", "nested"), ATTRIBUTE)
    check(model)
    model.set_type(find(model, "client"), "L")
    model.put_back(find(model, "client"))
    model.remove(find(model, "reactions"))
    model.rename(find(model, "title"), "name")
    model.rename(model.add(QModelIndex(), 2), "first")
    nested = find(model, "client", "nested")
    model.add(nested, 1)
    model.move(find(model, "client", "nested", "[2]"), -2)
    model.remove(find(model, "client", "nested", "[1]"))
    check(model)
    assert texts(model, find(model, "client", "nested"), ATTRIBUTE)[0] == "[0]"
    assert model.item["client"] == Map({"app": String("web"), "nested": List((Map({"deep": Null()}), String("")))})
    assert "reactions" not in model.item
    assert list(model.item)[:4] == ["PK", "SK", "first", "name"]


def test_marks_say_what_became_of_each_attribute(qapp: QApplication) -> None:
    model = edited()
    model.set_text(find(model, "client", "app"), "native")
    model.set_text(find(model, "etag").siblingAtColumn(VALUE), "9F3C")
    model.remove(find(model, "on"))
    model.rename(model.add(QModelIndex(), 0), "fresh")
    marks = {name: model.node(find(model, name)).mark for name in texts(model, QModelIndex(), ATTRIBUTE)}
    changed = {"client": "edited", "on": "removed", "fresh": "new"}
    assert {name: mark for name, mark in marks.items() if mark} == changed
    model.set_text(find(model, "client", "app"), "web")
    assert model.node(find(model, "client")).mark == ""


def test_a_renamed_attribute_that_gets_its_name_back_is_unchanged(qapp: QApplication) -> None:
    model = edited()
    model.rename(find(model, "title"), "name")
    assert texts(model, QModelIndex(), ATTRIBUTE).count("title") == 1
    model.rename(find(model, "name"), "title")
    assert model.problems == []
    assert model.node(find(model, "title")).mark == ""
    assert model.item == ITEM


def test_marks_are_taken_from_an_item_that_was_changed_elsewhere(qapp: QApplication) -> None:
    model = ItemTreeModel()
    after = {**ITEM, "title": String("Pier"), "more": Null(), "client": Map({"app": String("web"), "x": Null()})}
    del after["on"]
    model.show(after, ("PK", "SK"), ITEM)
    marks = {name: model.node(find(model, name)).mark for name in texts(model, QModelIndex(), ATTRIBUTE)}
    assert {name: mark for name, mark in marks.items() if mark} == {
        "title": "edited",
        "client": "edited",
        "more": "new",
        "on": "removed",
    }
    assert [model.node(find(model, "client", name)).mark for name in ("app", "x", "nested")] == ["", "new", "removed"]
    assert model.rowCount(find(model, "client")) == 3


def test_what_an_emulator_stored_is_no_mistake_of_the_editor(qapp: QApplication) -> None:
    before: Item = {
        "PK": String("a"),
        "SK": String("b"),
        "bad": Number("NaN"),
        "m": Map({"bad": Number("1_0"), "n": Null()}),
    }
    model = edited(before)
    model.set_type(find(model, "m", "n"), "S")
    assert model.problems == []
    model.set_text(find(model, "bad"), "x")
    assert find(model, "bad").siblingAtColumn(VALUE).data(Qt.ItemDataRole.AccessibleTextRole) == "x, wrong"
    model.put_back(find(model, "bad"))
    assert model.problems == []
    assert model.item["bad"] is before["bad"]
