"""The inspector on the Browse page: rows of an index, keys that two places could take, what is staged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from dynodesk.domain.edits import Edit
from dynodesk.domain.values import Item, Number, String
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.browse_pane import CollectionPane
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.small_tables import SOCIAL, like, post, social_items
from tests.ui.pages.inspecting import press

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def reader() -> MemoryReader:
    reader = MemoryReader(SOCIAL)
    reader.put("Social", *social_items())
    return reader


@pytest.fixture
def runner(qapp: QApplication) -> Iterator[JobRunner]:
    runner = JobRunner(threads=2)
    yield runner
    assert runner.shutdown()
    runner.deleteLater()


@pytest.fixture
def page(reader: MemoryReader, runner: JobRunner, qtbot: QtBot) -> BrowsePage:
    page = BrowsePage(SOCIAL, reader, runner)
    qtbot.addWidget(page)
    page.resize(1224, 810)
    page.open_collection({"PK": String("POST#a91f")})
    page.show()
    page.activateWindow()
    settle(qtbot, page)
    return page


def settle(qtbot: QtBot, page: BrowsePage) -> None:
    qtbot.waitUntil(lambda: not page.left.feed.running and not page.right.feed.running)


def find(pane: CollectionPane, text: str) -> list[QModelIndex]:
    model = pane.grid.model()
    places = product(range(model.rowCount()), range(model.columnCount()))
    return [model.index(*place) for place in places if model.index(*place).data() == text]


def select(qtbot: QtBot, pane: CollectionPane, text: str) -> None:
    pane.grid.setFocus()
    qtbot.waitUntil(lambda: bool(find(pane, text)))
    pane.grid.setCurrentIndex(find(pane, text)[0])


def field(page: BrowsePage) -> QLineEdit:
    found = page.window().focusWidget()
    assert isinstance(found, QLineEdit)
    return found


def begin(qtbot: QtBot, page: BrowsePage, name: str, pane: CollectionPane | None = None) -> None:
    """Press F2 in the grid, and again on the attribute."""
    press((pane or page.left).grid, Qt.Key.Key_F2)
    qtbot.waitUntil(lambda: page.inspector.is_editing)
    tree = page.inspector.tree
    tree.setFocus()
    tree.setCurrentIndex(page.inspector.editor.model.find(name).siblingAtColumn(2))
    press(tree, Qt.Key.Key_F2)


def caught(page: BrowsePage) -> list[Edit]:
    edits: list[Edit] = []
    page.inspector.edited.connect(edits.append)
    return edits


def test_a_row_of_an_index_loses_nothing_when_it_is_edited(
    page: BrowsePage, reader: MemoryReader, qtbot: QtBot
) -> None:
    edits = caught(page)
    select(qtbot, page.left, "LIKE#USER#7c20")
    settle(qtbot, page)
    select(qtbot, page.right, "POST#b002")
    settle(qtbot, page)
    whole: Item = {**like("b002", "7c20", 210), "blob": String("only in the base table")}
    reader.put("Social", whole)
    begin(qtbot, page, "likedAt", page.right)
    QTest.keyClicks(field(page), "211")
    press(field(page), Qt.Key.Key_Return, CTRL)
    (edit,) = edits
    assert edit.before == whole
    assert edit.after == {**whole, "likedAt": Number("211")}


def test_keys_in_a_field_run_no_query_and_delete_no_row(page: BrowsePage, reader: MemoryReader, qtbot: QtBot) -> None:
    edits = caught(page)
    select(qtbot, page.left, "META")
    begin(qtbot, page, "title")
    asked = len(reader.asked)
    QTest.keyClicks(field(page), "two words")
    press(field(page), Qt.Key.Key_Home)
    press(field(page), Qt.Key.Key_Delete)
    press(field(page), Qt.Key.Key_Return, CTRL)
    settle(qtbot, page)
    (edit,) = edits
    assert edit.after == {**post("a91f", 3), "title": String("wo words")}
    assert len(reader.asked) == asked


def test_ctrl_enter_outside_the_editor_still_runs_the_query(
    page: BrowsePage, reader: MemoryReader, qtbot: QtBot
) -> None:
    select(qtbot, page.left, "META")
    begin(qtbot, page, "title")
    asked = len(reader.asked)
    page.left.grid.setFocus()
    press(page.left.grid, Qt.Key.Key_Return, CTRL)
    qtbot.waitUntil(lambda: len(reader.asked) > asked)
    settle(qtbot, page)


def test_an_edit_stays_with_its_item_when_rows_move(page: BrowsePage, reader: MemoryReader, qtbot: QtBot) -> None:
    edits = caught(page)
    select(qtbot, page.left, "LIKE#USER#0a")
    begin(qtbot, page, "likedAt")
    QTest.keyClicks(field(page), "999")
    press(field(page), Qt.Key.Key_Return)
    reader.put("Social", like("a91f", "00", 50))
    page.rerun()
    settle(qtbot, page)
    page.inspector.stage()
    (edit,) = edits
    assert edit.key == {"PK": String("POST#a91f"), "SK": String("LIKE#USER#0a")}
    assert edit.after == {**like("a91f", "0a", 100), "likedAt": Number("999")}


def test_del_in_the_grid_stages_a_deletion(page: BrowsePage, qtbot: QtBot) -> None:
    edits = caught(page)
    select(qtbot, page.left, "LIKE#USER#ff")
    settle(qtbot, page)
    press(page.left.grid, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: bool(edits))
    assert (edits[0].kind, edits[0].before) == ("deleted", like("a91f", "ff", 300))


def test_a_new_item_belongs_to_the_collection_that_is_seen(page: BrowsePage, qtbot: QtBot) -> None:
    edits = caught(page)
    page.inspector.hide()
    select(qtbot, page.left, "META")
    page.inspector.new_action.trigger()
    assert page.inspector.isVisible()
    QTest.keyClicks(field(page), "NOTE#1")
    press(field(page), Qt.Key.Key_Return, CTRL)
    (edit,) = edits
    assert (edit.kind, edit.after) == ("new", {"PK": String("POST#a91f"), "SK": String("NOTE#1")})


def test_what_is_staged_is_what_is_shown(page: BrowsePage, qtbot: QtBot) -> None:
    before, after = post("a91f", 3), post("a91f", 4)
    staged = Edit("Social", {"PK": String("POST#a91f"), "SK": String("META")}, before, after)
    page.staged_edit = lambda identity: staged if identity == staged.identity else None
    select(qtbot, page.left, "LIKE#USER#ff")
    settle(qtbot, page)
    select(qtbot, page.left, "META")
    settle(qtbot, page)
    tally = page.inspector.editor.model.find("likeTally").siblingAtColumn(2)
    assert tally.data(Qt.ItemDataRole.AccessibleTextRole) == "4, edited"
    assert page.inspector.fact("Seen") == "edited: staged, not written"


def test_what_is_not_staged_is_marked_and_offered_also_after_a_restart(
    page: BrowsePage, reader: MemoryReader, runner: JobRunner, qtbot: QtBot
) -> None:
    title = page.windowTitle()
    select(qtbot, page.left, "LIKE#USER#7c20")
    settle(qtbot, page)
    assert page.left.current is not None
    place = page.left.current.identity
    begin(qtbot, page, "likedAt")
    QTest.keyClicks(field(page), "211")
    press(field(page), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.windowTitle() == f"{title} · 1 draft")
    select(qtbot, page.left, "META")
    settle(qtbot, page)
    assert not page.inspector.is_editing
    spoken = find(page.left, "LIKE#USER#7c20")[0].data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.split()[-1] == "draft"

    kept = page.inspector.draft()
    again = BrowsePage(SOCIAL, reader, runner)
    qtbot.addWidget(again)
    again.resize(1224, 810)
    again.show()
    settle(qtbot, again)
    again.inspector.restore(kept)
    assert again.windowTitle().endswith(" · 1 draft")
    button = again.inspector.face.drafts
    assert (button.isVisible(), button.text()) == (True, "1 draft")
    (offer,) = button.menu().actions()
    again.left.clear(again.left.view, "")
    offer.trigger()
    assert again.inspector.is_editing
    assert again.inspector.drafts == (place,)
    assert again.inspector.editor.item["likedAt"] == Number("211")
    again.inspector.discard()
    assert not button.isVisible()
    assert " draft" not in again.windowTitle()
