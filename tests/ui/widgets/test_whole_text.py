"""Texts that begin with what PySide takes for a mark of the byte order."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QStandardItem
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from dynodesk.domain.collections import View, prepare
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.item_copy import COPIED, items_text
from dynodesk.domain.loaded_rows import LoadedRows
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import KeyAttribute
from dynodesk.domain.values import Item, String
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.models.collection_model import CollectionModel
from dynodesk.ui.pages.browse_copy import RowCopier
from dynodesk.ui.pages.browse_filter import FilterPanel
from dynodesk.ui.pages.browse_grid import CollectionGrid
from dynodesk.ui.pages.browse_keys import KeyField
from dynodesk.ui.pages.partiql_values import ValueField
from dynodesk.ui.widgets.whole_text import whole
from tests.helpers.small_tables import NAMES

TEXTS = ["\ufeffa", "\ufeff", "\ufeff\ufeffa", "\ufffea", "\ufeff\ufffe", "\ufeff💙", "\ufeffé", "a\ufeff", "", "plain"]


@pytest.mark.parametrize("text", TEXTS)
def test_qt_holds_every_character(text: str, qtbot: QtBot) -> None:
    field, item = QLineEdit(), QStandardItem()
    qtbot.addWidget(field)
    field.setText(whole(text))
    item.setData(whole(text))
    QGuiApplication.clipboard().setText(whole(text))
    assert (field.text(), item.data(), QGuiApplication.clipboard().text()) == (text, text, text)


@pytest.mark.parametrize("text", TEXTS)
def test_fields_give_back_what_they_were_given(text: str, qtbot: QtBot) -> None:
    key, parameter, panel = KeyField(KeyAttribute("k", "S"), 2048, "", 100), ValueField(1), FilterPanel(NAMES, tuple)
    for widget in (key, parameter, panel):
        qtbot.addWidget(widget)
    key.set_value(String(text))
    parameter.set_value(String(text))
    assert (key.text(), parameter.value()) == (text, String(text))
    for where in (f"n = '{text}'", f"n BETWEEN '{text}' AND '{text}z'", f"n IN ('{text}', 'b')", f'"{text}n" = 1'):
        panel.set_condition(parse_where(where))
        panel.changed.emit()
        assert panel.condition == parse_where(where)


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_copied_is_what_is_stored(text: str, qtbot: QtBot) -> None:
    name = f"{text}n"
    items: list[Item] = [{"id": String("1"), name: String(text)}]
    model = CollectionModel(LoadedRows(View(NAMES), grouped=False))
    model.append(prepare(items, View(NAMES)))
    grid = CollectionGrid(model, "Rows")
    qtbot.addWidget(grid)
    sorted_by: list[object] = []
    grid.sort_asked.connect(lambda attribute, _: sorted_by.append(attribute))
    column = model.columns.index(name)
    grid.setCurrentIndex(model.index(0, column))
    grid.copy_value()
    assert QGuiApplication.clipboard().text() == text
    grid.show()
    header = grid.horizontalHeader()
    middle = header.sectionViewportPosition(column) + header.sectionSize(column) // 2
    at = header.viewport().rect().center()
    at.setX(middle)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert sorted_by == [name]


@pytest.mark.parametrize("form", COPIED)
def test_rows_are_copied_with_every_character(form: str, qtbot: QtBot) -> None:
    runner = JobRunner(threads=1)
    copier = RowCopier(runner, runner)
    items: list[Item] = [{"\ufeffid": String("\ufeffa")}]
    known = next(one for one in COPIED if one == form)
    copier.copy(items, known, ["\ufeffid"], ["\ufeffid"])
    assert QGuiApplication.clipboard().text() == items_text(items, known, ["\ufeffid"], ["\ufeffid"], Ticket())
    assert runner.shutdown()
    runner.deleteLater()
