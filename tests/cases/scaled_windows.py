"""Windows on a small screen, run by `test_window_scale` in a process that has its scale from the start."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QScrollArea,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from dynodesk.domain.edits import Edit
from dynodesk.domain.entities import EntityTypes
from dynodesk.domain.values import Item, Number, String
from dynodesk.store.queries import QueryStore
from dynodesk.ui import theme
from dynodesk.ui.dialogs.connect import ConnectDialog
from dynodesk.ui.dialogs.entity_types import EntityTypesDialog
from dynodesk.ui.dialogs.queries import QueriesDialog
from dynodesk.ui.query_shelf import QueryShelf
from dynodesk.wiring import Connections
from tests.editing.edit_bench import edit, post
from tests.helpers.asking import FakeAsker
from tests.ui.pages.changes_desk import ChangesDesk, click_row

LIKES: list[Item] = [post(f"LIKE#{n}", at=Number(str(10**n)), title=String("Harbour walk, " * n)) for n in range(12)]


@pytest.fixture
def desk(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[ChangesDesk]:
    theme.apply(qapp, theme.LIGHT, 9.75)
    desk = ChangesDesk(tmp_path / "journal", qtbot, *LIKES)
    yield desk
    assert desk.runner.shutdown()
    desk.runner.deleteLater()


def in_a_scroll_area(widget: QWidget) -> bool:
    above = widget.parentWidget()
    while above is not None and not above.isWindow():
        if isinstance(above, QScrollArea):
            return True
        above = above.parentWidget()
    return False


def clipped(window: QWidget) -> list[str]:
    """What does not fit: windows on the screen, widgets in their windows, text in its widget."""
    room = window.screen().availableSize()
    found = []
    if window.isWindow() and (window.width() > room.width() or window.height() > room.height()):
        found.append(f"{type(window).__name__} is {window.width()} x {window.height()}")
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or not isinstance(
            widget, QAbstractButton | QComboBox | QLabel | QLineEdit | QHeaderView | QTableView
        ):
            continue
        name = f"{type(widget).__name__} {widget.accessibleName() or getattr(widget, 'text', str)()!r:.60}"
        if isinstance(widget, QTableView):
            rows = {widget.rowHeight(row) for row in range(min(3, widget.model().rowCount()))}
            if any(height < widget.fontMetrics().height() for height in rows):
                found.append(f"{name}: rows of {rows}")
            continue
        has_text = isinstance(widget, QComboBox | QLineEdit | QHeaderView) or bool(widget.text())
        if has_text and widget.height() < widget.fontMetrics().height() - 2:
            found.append(f"{name}: {widget.height()} high")
        if isinstance(widget, QAbstractButton) and widget.text() and widget.width() < widget.minimumSizeHint().width():
            found.append(f"{name}: {widget.width()} of {widget.minimumSizeHint().width()} wide")
        if isinstance(widget, QLabel) and not widget.wordWrap() and widget.pixmap().isNull():
            wanted = widget.fontMetrics().horizontalAdvance(widget.text())
            if widget.width() < wanted and type(widget).__name__ != "ShortText":
                found.append(f"{name}: {widget.width()} of {wanted} wide")
        left = widget.mapTo(window, widget.rect().topLeft()).x()
        if not in_a_scroll_area(widget) and (left < 0 or left + widget.width() > window.width()):
            found.append(f"{name}: from {left} to {left + widget.width()} of {window.width()}")
    return found


def test_the_screen_has_the_scale(qapp: QApplication) -> None:
    screen = qapp.primaryScreen()
    assert screen.devicePixelRatio() == float(os.environ["QT_SCALE_FACTOR"])
    assert screen.availableSize().width() <= 1280


def test_the_page_with_everything_open(desk: ChangesDesk, qtbot: QtBot) -> None:
    page = desk.page
    room = page.screen().availableSize()
    page.resize(room)
    page.form.filter.open_filter()
    page.form.options.show()
    click_row(page.left, "LIKE#3")
    desk.stage(edit(LIKES[3], {**LIKES[3], "at": Number("7")}), edit(LIKES[4], None))
    desk.settle(page)
    page.inspector.begin_edit()
    QApplication.processEvents()
    assert page.minimumSizeHint().width() <= room.width()
    assert clipped(page) == []


def commit(desk: ChangesDesk, qtbot: QtBot, folder: Path) -> QWidget:
    desk.stage(*(edit(item, {**item, "at": Number("7")}) for item in LIKES[:3]), edit(LIKES[4], None))
    return desk.open_commit()


def committed(desk: ChangesDesk, qtbot: QtBot, folder: Path) -> QWidget:
    desk.stage(Edit("Posts", edit(LIKES[4], None).key, LIKES[4], None))
    return desk.commit_all()


def bulk(desk: ChangesDesk, qtbot: QtBot, folder: Path) -> QWidget:
    return desk.open_bulk(LIKES[:2], LIKES)


def journal(desk: ChangesDesk, qtbot: QtBot, folder: Path) -> QWidget:
    committed(desk, qtbot, folder).close()
    return desk.open_journal()


def types(desk: ChangesDesk, qtbot: QtBot, folder: Path) -> QWidget:
    return EntityTypesDialog(desk.page.table, EntityTypes(), LIKES, lambda _: None)


def queries(desk: ChangesDesk, qtbot: QtBot, folder: Path) -> QWidget:
    shelf = QueryShelf(QueryStore(folder / "queries.json"), desk.runner, desk.runner)
    return QueriesDialog(shelf, lambda _: None, FakeAsker(), None)


def connect(desk: ChangesDesk, qtbot: QtBot, folder: Path) -> QWidget:
    return ConnectDialog("aws", Connections(), desk.runner, None, None)


@pytest.mark.parametrize("made", [commit, committed, bulk, journal, types, queries, connect])
def test_a_dialog(
    made: Callable[[ChangesDesk, QtBot, Path], QWidget], desk: ChangesDesk, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = made(desk, qtbot, tmp_path)
    qtbot.addWidget(dialog)
    dialog.show()
    QApplication.processEvents()
    assert clipped(dialog) == []
    hint, room = dialog.minimumSizeHint(), dialog.screen().availableSize()
    assert (hint.width() <= room.width(), hint.height() <= room.height()) == (True, True), (hint, room)
