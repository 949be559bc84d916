"""The grid's model: rows only ever move as Qt was told they would, cells say what is stored."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from dynodesk.domain.collections import View, prepare
from dynodesk.domain.index_copies import OtherHalves
from dynodesk.domain.loaded_rows import LoadedRows
from dynodesk.domain.progress import Ticket
from dynodesk.domain.row_choice import Sorting, Wish
from dynodesk.domain.row_order import arranged
from dynodesk.domain.values import Binary, Boolean, Item, List, Map, Null, Number, String, StringSet
from dynodesk.ui.models.collection_model import CollectionModel
from dynodesk.ui.theme import CELL, ROW, Cell, Row
from tests.helpers.small_tables import READINGS, SOCIAL, like, post, reading, social_items

BASE, GSI1 = View(SOCIAL), View(SOCIAL, "GSI1")


def model_of(*items: Item, view: View = BASE, grouped: bool = True) -> CollectionModel:
    model = CollectionModel(LoadedRows(view, grouped=grouped))
    model.append(prepare(items, view))
    return model


def arrange(model: CollectionModel, wish: Wish) -> None:
    assert model.adopt(arranged(model.rows, wish, Ticket()))


def row_texts(model: CollectionModel, column: int = 0) -> list[str]:
    return [model.index(row, column).data() for row in range(model.rowCount())]


def cell(model: CollectionModel, row: int, name: str) -> Cell:
    found: Cell = model.index(row, model.columns.index(name)).data(CELL)
    return found


def row_of(model: CollectionModel, row: int) -> Row:
    found: Row = model.index(row, 0).data(ROW)
    return found


def test_qt_accepts_the_model_through_every_kind_of_change(qtmodeltester: ModelTester, qapp: QApplication) -> None:
    check: Callable[[QAbstractItemModel], None] = qtmodeltester.check
    model = CollectionModel(LoadedRows(BASE))
    check(model)
    items = social_items()
    model.append(prepare(items[:3], BASE))
    check(model)
    model.append(prepare([*items[3:], {**like("a91f", "zz", 9), "new attribute": Null()}], BASE))
    check(model)
    model.toggle(0)
    model.append(prepare([like("a91f", "hidden", 9)], BASE))
    model.toggle(0)
    check(model)
    arrange(model, Wish(grouped=True, sorting=Sorting("likedAt", descending=True)))
    check(model)
    model.set_unprojected(["title"])
    arrange(model, Wish(grouped=False))
    check(model)
    model.show(LoadedRows(GSI1), "all read")
    model.set_unprojected(["reactions", "kind"])
    model.set_unprojected(["kind"])
    check(model)
    assert model.columns == ("PK", "GSI1SK", "SK", "kind")


def test_columns_are_keys_then_what_most_items_have_then_plumbing(qapp: QApplication) -> None:
    model = model_of(*social_items())
    assert model.columns == ("SK", "likedAt", "kind", "likeTally", "title", "reactions", "GSI1PK", "GSI1SK")


def test_columns_keep_their_place_while_items_stream_in(qapp: QApplication) -> None:
    model = model_of(post("a", 1), like("a", "1", 1))
    before = model.columns
    model.append(prepare([{**like("a", str(i), i), "late": Number("1")} for i in range(2, 30)], BASE))
    assert model.columns == (*before, "late")


def test_streaming_keeps_selection_and_current_row(qtbot: QtBot) -> None:
    model = model_of(like("a", "5", 5))
    selection = QItemSelectionModel(model)
    selection.setCurrentIndex(model.index(1, 0), QItemSelectionModel.SelectionFlag.SelectCurrent)
    model.append(prepare([post("a", 1), like("b", "1", 1)], BASE))
    assert selection.currentIndex().data() == "LIKE#USER#5"
    assert selection.currentIndex().row() == 2, "the parent went above it"


def test_persistent_indexes_follow_their_items_when_sorted(qapp: QApplication) -> None:
    model = model_of(*(like("a", f"{i}", 100 - i) for i in range(5)))
    kept = QPersistentModelIndex(model.index(1, 0))
    arrange(model, Wish(grouped=True, sorting=Sorting("likedAt")))
    assert kept.data() == "LIKE#USER#0"
    assert kept.row() == 5
    arrange(model, Wish(grouped=True))
    assert kept.row() == 1


@pytest.mark.parametrize(
    "digits", ["9223372036854775807", "9223372036854775808", "18446744073709551616", "1" + 30 * "0", "12.30"]
)
def test_display_is_text_with_every_digit(qapp: QApplication, digits: str) -> None:
    model = model_of({**like("a", "1", 1), "n": Number(digits)})
    assert model.index(1, model.columns.index("n")).data() == digits
    assert cell(model, 1, "n").kind == "N"


def test_kinds_of_cells(qapp: QApplication) -> None:
    item = {
        **like("a", "1", 1),
        "set": StringSet(("a",)),
        "map": Map({}),
        "list": List(()),
        "bool": Boolean(value=True),
        "null": Null(),
        "empty": String(""),
        "bytes": Binary(b"abc"),
    }
    model = model_of(item, post("a", 1))
    row = row_texts(model).index("LIKE#USER#1")
    kinds = {name: cell(model, row, name).kind for name in model.columns}
    assert kinds == {
        "SK": "key",
        "GSI1PK": "S",
        "GSI1SK": "S",
        "kind": "S",
        "likedAt": "N",
        "set": "set",
        "map": "map",
        "list": "map",
        "bool": "bool",
        "null": "null",
        "empty": "empty",
        "bytes": "B",
        "likeTally": "missing",
        "title": "missing",
    }
    for column, name in enumerate(model.columns):
        assert isinstance(model.index(row, column).data(), str), name
    assert cell(model, row, "SK").entity == "LIKE"


def test_missing_null_and_not_projected_are_read_aloud_as_such(qapp: QApplication) -> None:
    model = model_of({**like("a", "1", 1), "null": Null()}, view=GSI1)
    model.set_unprojected(["reactions"])
    spoken = Qt.ItemDataRole.AccessibleTextRole
    assert model.index(1, model.columns.index("null")).data(spoken) == "NULL"
    assert model.index(1, model.columns.index("reactions")).data(spoken) == "not projected"
    assert model.index(1, 0).data(spoken) == "LIKE POST#a"


def test_a_header_says_what_is_in_its_collection(qapp: QApplication) -> None:
    model = model_of(*social_items()[:4])
    assert row_of(model, 0).group == "POST#a91f"
    assert row_of(model, 0).note.startswith("item collection · 4 items so far")
    model.set_extent("all read")
    assert row_of(model, 0).note.endswith("all read · 0.5 RCU to read, 1 consistent")
    assert row_of(model, 0).entity == "POST"
    said = model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert said.startswith("<qt>From the 4 items loaded, ")
    model.toggle(0)
    assert row_of(model, 0).folded
    assert model.rowCount() == 1


def test_marks_of_linked_rows_and_differing_cells(qapp: QApplication) -> None:
    model = model_of(like("a91f", "7c20", 200), like("b002", "7c20", 210), view=GSI1)
    second = model.entry(model.index(2, 0))
    assert second is not None
    model.set_linked(second.identity)
    model.set_halves(OtherHalves(differing={second.identity: ("likedAt",)}))
    assert [row_of(model, row).linked for row in range(3)] == [False, False, True]
    assert [cell(model, row, "likedAt").differs for row in (1, 2)] == [False, True]
    assert not cell(model, 2, "PK").differs
    assert model.linked_entry is second


def test_numbers_stand_at_the_right_in_header_and_column(qapp: QApplication) -> None:
    model = model_of(*(reading("d", str(at)) for at in range(3)), view=View(READINGS))
    flags = model.headerData(0, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
    assert flags & Qt.AlignmentFlag.AlignRight
    assert cell(model, 1, "at").kind == "N"


def test_control_characters_are_marks_in_rows_and_headers(qapp: QApplication) -> None:
    model = model_of({"PK": String("POST#\u202e1"), "SK": String("a\0b"), "na\u200bme": String("x\ny")})
    assert row_of(model, 0).group == "POST#⟨U+202E⟩1"
    assert row_texts(model)[1] == "a␀b"
    assert model.headerData(1, Qt.Orientation.Horizontal) == "na⟨U+200B⟩me"
    assert model.index(1, 1).data() == "x⏎y"


def test_a_flat_table_has_no_children(qapp: QApplication) -> None:
    model = model_of(post("a", 1))
    assert model.rowCount(model.index(0, 0)) == model.columnCount(model.index(0, 0)) == 0
    assert model.data(QModelIndex()) is None
