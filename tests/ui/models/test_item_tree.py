"""One item as a tree."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester

from dynodesk.domain.values import Binary, BinarySet, Boolean, Item, List, Map, Null, Number, String, StringSet, numbers
from dynodesk.ui.models.item_tree import ATTRIBUTE, TYPE, VALUE, ItemTreeModel

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
