"""Loaded rows by keys and clicks: filtered, found, selected, copied, staged, in the columns somebody chose.

The Scan gives POST#b002 and POST#c310 with their META and one like each, then POST#a91f with its META and three.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from dynodesk.domain.collections import Collection, View, prepare
from dynodesk.domain.column_choice import ColumnChoice
from dynodesk.domain.edits import Edit
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan, SortCondition
from dynodesk.domain.values import Item, Null, Number, String
from dynodesk.ui import theme
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.browse_arranging import AT_ONCE
from dynodesk.ui.pages.browse_pane import CollectionPane
from dynodesk.ui.theme import ROW, face
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.small_tables import READINGS, SOCIAL, like, post, reading, social_items

Open = Callable[..., BrowsePage]
HERE = {"PK": String("POST#a91f")}


@pytest.fixture
def reader() -> MemoryReader:
    reader = MemoryReader(SOCIAL, READINGS)
    reader.put("Social", *social_items())
    return reader


@pytest.fixture
def open_page(reader: MemoryReader, qapp: QApplication, qtbot: QtBot) -> Iterator[Open]:
    runner = JobRunner(threads=2)

    def opened(device: str = "") -> BrowsePage:
        """Social as a whole, or all readings of a device."""
        page = BrowsePage(READINGS if device else SOCIAL, reader, runner)
        qtbot.addWidget(page)
        page.resize(1224, 810)
        if device:
            page.open_collection({"device": String(device)})
        page.show()
        page.activateWindow()
        settle(qtbot, page)
        page.left.grid.setFocus()
        return page

    yield opened
    assert runner.shutdown()
    runner.deleteLater()


def settle(qtbot: QtBot, page: BrowsePage) -> None:
    """Wait until nothing is read, arranged or searched."""
    panes = (page.left, page.right)
    qtbot.waitUntil(
        lambda: not page.links.busy and not any(p.feed.running or p.arranger.busy or p.finder.busy for p in panes)
    )


def rows(pane: CollectionPane) -> list[str]:
    return [
        f"[{line.title}]" if isinstance(line, Collection) else pane.model.index(row, 0).data()
        for row, line in enumerate(pane.model.rows.lines)
    ]


def click(pane: CollectionPane, row: int, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    at = pane.grid.visualRect(pane.model.index(row, 0)).center()
    QTest.mouseClick(pane.grid.viewport(), Qt.MouseButton.LeftButton, modifier, at)


def press(page: BrowsePage, keys: str) -> None:
    QTest.keySequence(page.focusWidget(), QKeySequence(keys))


def type_filter(qtbot: QtBot, page: BrowsePage, text: str) -> None:
    press(page, "Ctrl+Shift+L")
    assert page.left.filter_bar.edit.hasFocus()
    QTest.keyClicks(page.left.filter_bar.edit, text)
    QTest.keyClick(page.left.filter_bar.edit, Qt.Key.Key_Return)
    settle(qtbot, page)


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


# ------------------------------------------------------------------------------------------------- sorting, filtering


def test_the_selected_row_stays_selected_where_others_come_above_it(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    click(page.left, 9)
    wanted = page.left.current
    assert wanted is not None
    page.left.sort("likedAt", True)
    assert page.left.current is wanted
    assert page.left.grid.selected_entries() == [wanted]
    page.left.set_grouped(False)
    assert page.left.current is wanted
    page.left.sort("likedAt", False)
    assert page.left.grid.selected_entries() == [wanted]
    assert page.left.grid.currentIndex().row() == page.left.model.rows.lines.index(wanted)
    settle(qtbot, page)


def test_a_filter_by_text_and_by_condition_says_what_it_is_and_hides_rows(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    type_filter(qtbot, page, "harbour")
    assert rows(page.left) == ["[POST#b002]", "META", "[POST#c310]", "META", "[POST#a91f]", "META"]
    assert page.left.foot == "Complete: 8 of 8 rows loaded · 3 of 8 shown by the filter"
    page.left.filter_bar.edit.clear()
    type_filter(qtbot, page, "likedAt > 205 AND kind = 'like'")
    assert rows(page.left)[1::2] == ["LIKE#USER#7c20", "LIKE#USER#7c20", "LIKE#USER#ff"]
    assert page.left.filter_bar.taken == "by condition"
    page.left.filter_bar.edit.clear()
    type_filter(qtbot, page, "nothing like this")
    assert (rows(page.left), page.left.message) == ([], "The filter hides all loaded rows.")
    assert page.left.filter_bar.taken == "by text"
    QTest.keyClick(page.left.filter_bar.edit, Qt.Key.Key_Escape)
    settle(qtbot, page)
    assert len(rows(page.left)) == 11
    assert not page.left.filter_bar.isVisible()
    assert page.left.grid.hasFocus()
    assert page.left.message == ""


def test_a_filter_says_loaded_rows_only_while_there_is_more_and_takes_what_comes(
    open_page: Open, reader: MemoryReader, qtbot: QtBot
) -> None:
    reader.put("Readings", *(reading("d", str(at)) for at in range(2 * AT_ONCE - 5)))
    page = open_page("d")
    type_filter(qtbot, page, "at >= 990")
    assert page.left.foot.endswith("10 of 1,000 shown by the filter, loaded rows only")
    page.load_more()
    settle(qtbot, page)
    assert page.left.foot.endswith("1,005 of 1,995 shown by the filter")
    assert rows(page.left)[1:3] == ["990", "991"]
    page.left.sort("at", True)
    settle(qtbot, page)
    assert rows(page.left)[1:3] == ["1994", "1993"]
    assert page.left.foot.endswith("1,005 of 1,995 shown by the filter, sorted by at")


def test_a_filter_stays_with_what_it_was_made_for(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    type_filter(qtbot, page, "7c20")
    page.open_collection({"PK": String("POST#a91f")})
    settle(qtbot, page)
    assert rows(page.left) == ["[POST#a91f]", "LIKE#USER#7c20"], "still open, so it holds for what is read next"
    QTest.keyClick(page.left.filter_bar.edit, Qt.Key.Key_Escape)
    settle(qtbot, page)
    assert len(rows(page.left)) == 5
    assert page.back()
    settle(qtbot, page)
    assert rows(page.left)[1::2] == ["LIKE#USER#7c20"] * 3
    assert page.left.filter_bar.isVisible()
    assert page.left.filter_bar.edit.text() == "7c20"


# --------------------------------------------------------------------------------------------------------------- find


def test_find_walks_through_the_cells_and_hides_nothing(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    before = rows(page.left)
    press(page, "Ctrl+F")
    bar = page.left.find_bar
    assert bar.edit.hasFocus()
    QTest.keyClicks(bar.edit, "USER#7C20")
    QTest.keyClick(bar.edit, Qt.Key.Key_Return)
    settle(qtbot, page)
    found = [(page.left.grid.currentIndex().row(), page.left.grid.currentIndex().column())]
    for _ in range(6):
        press(page, "F3")
        found.append((page.left.grid.currentIndex().row(), page.left.grid.currentIndex().column()))
    names = page.left.model.columns
    cells = [(row, names.index(name)) for row in (2, 5, 9) for name in ("SK", "GSI1PK")]
    assert found == [*cells, cells[0]]
    assert bar.count.text == "1 of 6"
    press(page, "Shift+F3")
    assert bar.count.text == "6 of 6"
    assert rows(page.left) == before
    (case,) = [tool for tool in bar.findChildren(QToolButton) if tool.accessibleName() == "Match case"]
    case.click()
    settle(qtbot, page)
    assert bar.count.text == "0 matches"
    QTest.keyClick(bar.edit, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert page.left.grid.hasFocus()


def test_what_is_found_on_the_way_reads_nothing_at_the_right(
    open_page: Open, reader: MemoryReader, qtbot: QtBot
) -> None:
    page = open_page()
    asked = len(reader.asked)
    press(page, "Ctrl+F")
    QTest.keyClicks(page.left.find_bar.edit, "USER#7C20")
    QTest.keyClick(page.left.find_bar.edit, Qt.Key.Key_Return)
    settle(qtbot, page)
    for _ in range(4):
        press(page, "F3")
        settle(qtbot, page)
    assert len(reader.asked) == asked
    QTest.keyClick(page.left.find_bar.edit, Qt.Key.Key_Escape)
    settle(qtbot, page)
    assert len(reader.asked) == asked + 1
    current, linked = page.left.current, page.right.model.linked_entry
    assert current is not None
    assert linked is not None
    assert linked.identity == current.identity


def test_find_goes_on_in_rows_that_have_come_since(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    reader.put("Readings", *(reading("d", str(at)) for at in range(1500)))
    page = open_page("d")
    press(page, "Ctrl+F")
    QTest.keyClicks(page.left.find_bar.edit, "99")
    QTest.keyClick(page.left.find_bar.edit, Qt.Key.Key_Return)
    settle(qtbot, page)
    assert page.left.find_bar.count.text == "1 of 19, loaded rows only"
    page.load_more()
    settle(qtbot, page)
    assert page.left.find_bar.count.text == "1 of 24"
    assert page.left.finder.count == 24


# --------------------------------------------------------------------------------------------------- selecting, copying


def test_several_rows_are_selected_and_copied_as_one_text(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    click(page.left, 7)
    click(page.left, 9, Qt.KeyboardModifier.ShiftModifier)
    click(page.left, 4, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, page)
    entries = page.left.grid.selected_entries()
    assert [page.left.model.rows.row_of(entry) for entry in entries] == [4, 7, 8, 9]
    assert "4 rows selected" in page.left.foot
    page.left.grid.setFocus()
    press(page, "Ctrl+Shift+C")
    assert [item["SK"] for item in json.loads(clipboard())] == ["META", "META", "LIKE#USER#0a", "LIKE#USER#7c20"]
    assert "copied 4 items as JSON" in page.left.foot
    actions = {action.text(): action for action in page.left.grid.menu_for(page.left.grid.currentIndex()).actions()}
    actions["Copy as CSV"].trigger()
    lines = clipboard().splitlines()
    assert lines[0] == ",".join(f'"{name}"' for name in ("PK", *page.left.model.columns))
    assert [line.split(",")[:2] for line in lines[1:]] == [
        ['"POST#c310"', '"META"'],
        ['"POST#a91f"', '"META"'],
        ['"POST#a91f"', '"LIKE#USER#0a"'],
        ['"POST#a91f"', '"LIKE#USER#7c20"'],
    ], "grouped, the partition key stands in the headings alone"
    actions["Copy as Python"].trigger()
    assert '"PK"' not in clipboard()
    assert clipboard().count("'PK': 'POST#") == 4
    actions["Copy key"].trigger()
    assert json.loads(clipboard())[0] == {"PK": "POST#c310", "SK": "META"}


def test_headers_among_the_selected_rows_are_no_items(open_page: Open) -> None:
    page = open_page()
    page.left.grid.selectAll()
    assert page.left.grid.selected_rows == 11
    assert len(page.left.grid.selected_entries()) == 8
    assert "8 rows selected" in page.left.foot


def test_many_items_are_written_out_in_a_job(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    reader.put("Readings", *(reading("d", str(at)) for at in range(900)))
    page = open_page("d")
    page.left.grid.selectAll()
    page.left.copy_rows("keys")
    qtbot.waitUntil(lambda: "copied 900 items as keys" in page.left.foot)
    assert json.loads(clipboard())[-1] == {"device": "d", "at": 899}


def test_a_number_that_python_has_no_form_for_is_not_copied(open_page: Open, reader: MemoryReader) -> None:
    reader.put("Social", {**post("a91f", 3), "odd": Number("NaN")})
    page = open_page()
    QGuiApplication.clipboard().setText("as before")
    click(page.left, 7)
    page.left.copy_rows("python")
    assert "not copied" in page.left.foot
    assert clipboard() == "as before"


def test_a_selection_of_rows_outlives_a_filter_as_far_as_they_are_shown(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    click(page.left, 7)
    click(page.left, 9, Qt.KeyboardModifier.ShiftModifier)
    settle(qtbot, page)
    kept = page.left.grid.selected_entries()[1:]
    type_filter(qtbot, page, "attribute_exists(likedAt)")
    assert page.left.grid.selected_entries() == kept


def test_very_many_selected_rows_are_let_go_rather_than_some_of_them(
    open_page: Open, reader: MemoryReader, qtbot: QtBot
) -> None:
    reader.put("Readings", *(reading("d", str(at)) for at in range(1500)))
    page = open_page("d")
    page.load_more()
    settle(qtbot, page)
    grid, model = page.left.grid, page.left.model
    block = QItemSelection(model.index(100, 0), model.index(1300, 0))
    grid.selectionModel().select(block, QItemSelectionModel.SelectionFlag.ClearAndSelect)
    assert grid.selected_rows == 1201
    page.left.sort("at", True)
    settle(qtbot, page)
    assert grid.selected_rows <= 1
    grid.selectAll()
    page.left.sort("at", False)
    settle(qtbot, page)
    assert grid.selected_rows == model.rowCount(), "all of them are all of them in any order"


# ------------------------------------------------------------------------------------------------------------ columns


def test_columns_are_chosen_by_keys_and_told_to_whoever_keeps_them(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    kept: list[ColumnChoice] = []
    page.remember_columns(ColumnChoice((), frozenset({"title"})), kept.append)
    assert "title" not in page.left.model.columns
    click(page.left, 9)
    settle(qtbot, page)
    wanted = page.left.current
    assert wanted is not None
    press(page, "Ctrl+Shift+H")
    chooser = page.left.chooser
    assert chooser.isVisible()
    assert chooser.count.text() == "7 of 8 shown"
    QTest.keyClicks(chooser.filter, "titl")
    QTest.keyClick(chooser.list, Qt.Key.Key_Space)
    assert kept[-1] == ColumnChoice()
    assert "title" in page.left.model.columns
    assert "title" in page.right.model.usual_columns or page.right.model.choice == ColumnChoice()
    chooser.filter.clear()
    names = page.left.model.columns
    chooser.list.setCurrentIndex(chooser.list.model().index(names.index("kind"), 0))
    QTest.keyClick(chooser.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert page.left.model.columns[:3] == ("SK", "kind", "likedAt")
    QTest.mouseClick(chooser.reset, Qt.MouseButton.LeftButton)
    assert page.left.model.columns == names
    chooser.close()
    assert page.left.current is wanted
    assert page.left.grid.selected_entries() == [wanted]


def test_keys_are_shown_whatever_is_chosen(open_page: Open) -> None:
    page = open_page()
    page.left.set_columns(ColumnChoice((), frozenset(page.left.model.columns)))
    assert page.left.model.columns == ("SK",)
    chooser = page.left.chooser
    page.left.choose_columns()
    chooser.list.setCurrentIndex(chooser.list.model().index(0, 0))
    QTest.keyClick(chooser.list, Qt.Key.Key_Space)
    assert page.left.model.columns == ("SK",)
    assert not chooser.up.isEnabled()
    chooser.close()


def test_a_column_is_dragged_in_the_header_but_not_before_the_keys(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    head = page.left.grid.horizontalHeader()
    before = page.left.model.columns
    head.moveSection(2, 1)
    assert page.left.model.columns[:3] == (before[0], before[2], before[1])
    assert [head.visualIndex(column) for column in range(3)] == [0, 1, 2]
    head.moveSection(0, 2)
    assert page.left.model.columns[0] == "SK"
    menu = page.left.grid.menu_for(page.left.model.index(0, 1), of_column=True)
    (hide,) = [action for action in menu.actions() if action.text().startswith("Hide column")]
    hide.trigger()
    assert before[2] not in page.left.model.columns
    menu.close()
    settle(qtbot, page)


def test_three_hundred_columns(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    reader.put("Social", {**post("wide", 1), **{f"attribute {at:03}": Number(str(at)) for at in range(300)}})
    page = open_page()
    assert page.left.model.columnCount() > 300
    type_filter(qtbot, page, "wide")
    page.left.set_columns(ColumnChoice(("attribute 299", "attribute 000"), frozenset({"attribute 001"})))
    assert page.left.model.columns[1:3] == ("attribute 299", "attribute 000")
    assert "attribute 001" not in page.left.model.columns


def test_a_heading_goes_on_beyond_a_last_column_that_is_not_stretched(
    open_page: Open, reader: MemoryReader, qtbot: QtBot
) -> None:
    reader.put("Readings", *(reading("d", str(at)) for at in range(3)))
    page = open_page("d")
    grid = page.left.grid
    grid.setColumnWidth(0, 90)
    end, row = grid.horizontalHeader().length(), grid.visualRect(page.left.model.index(0, 0))
    assert end < 100
    picture = grid.viewport().grab().toImage()
    ground = theme.LIGHT.color("raised").name()
    words = {picture.pixelColor(x, y).name() for x in range(end + 4, end + 200) for y in range(row.top(), row.bottom())}
    assert ground in words
    assert len(words) > 4, "its note is read there"
    QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(end + 60, row.center().y()))
    assert rows(page.left) == ["[d]"]


# ------------------------------------------------------------------------------------------------------------- staged


def edit_of(before: Item | None, after: Item | None) -> Edit:
    known = after if before is None else before
    assert known is not None
    return Edit("Social", SOCIAL.key_schema.key_of(known), before, after)


def staged_words(pane: CollectionPane) -> dict[str, str]:
    found = {}
    for row, text in enumerate(rows(pane)):
        word = pane.model.index(row, 0).data(ROW).staged
        if word:
            found[text] = word
    return found


def test_what_is_staged_is_said_in_words_beside_the_tint(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    page.open_collection({"PK": String("POST#a91f")})
    settle(qtbot, page)
    liked = like("a91f", "0a", 100)
    page.left.set_edits(
        [
            edit_of(post("a91f", 3), {**post("a91f", 3), "likeTally": Number("4")}),
            edit_of(like("a91f", "7c20", 200, reactions=("clap", "heart")), None),
            edit_of(None, like("a91f", "new", 400)),
            edit_of(None, like("b002", "new", 400)),
            edit_of(liked, {**liked, "SK": String("LIKE#USER#0b")}),
        ]
    )
    assert rows(page.left)[1:] == [
        "META",
        "LIKE#USER#0a",
        "LIKE#USER#7c20",
        "LIKE#USER#ff",
        "LIKE#USER#new",
        "LIKE#USER#0b",
    ]
    assert staged_words(page.left) == {
        "META": "edited",
        "LIKE#USER#0a": "moved",
        "LIKE#USER#7c20": "deleted",
        "LIKE#USER#new": "new",
        "LIKE#USER#0b": "new",
    }
    tally = page.left.model.index(1, page.left.model.columns.index("likeTally"))
    assert tally.data() == "4", "as it will be"
    spoken = page.left.model.index(3, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "LIKE LIKE#USER#7c20 deleted"
    page.left.grid.grab()
    page.rerun()
    settle(qtbot, page)
    assert staged_words(page.left)["LIKE#USER#new"] == "new", "read again, it is staged still"
    page.left.set_edits([])
    assert staged_words(page.left) == {}
    assert tally.data() == "3"
    assert len(rows(page.left)) == 5


def test_keys_have_room_beside_what_is_staged_and_after_reading_again(
    open_page: Open, reader: MemoryReader, qtbot: QtBot
) -> None:
    reader.put("Readings", *({**reading("d", f"{10**17 + at}"), "note": String("tide " * 4)} for at in range(9)))
    page = open_page("d")

    def widths() -> list[int]:
        return [page.left.grid.columnWidth(column) for column in range(page.left.model.columnCount())]

    before, known = widths(), page.left.model.rows.entries[0].item
    page.left.set_edits([Edit("Readings", READINGS.key_schema.key_of(known), known, None)])
    measure = face("caption", "semibold").measure
    assert widths()[0] >= before[0] + measure.horizontalAdvance("deleted")
    page.left.set_edits([])
    assert widths()[0] == before[0]
    new = reading("d", "7")
    page.left.set_edits([Edit("Readings", READINGS.key_schema.key_of(new), None, new)])
    staged = widths()
    assert staged[0] >= before[0] + measure.horizontalAdvance("new")
    page.rerun()
    settle(qtbot, page)
    assert widths() == staged, "not those of the new item, which is there before the others"


def test_a_new_item_is_shown_through_an_index_that_holds_it(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    click(page.left, 9)
    settle(qtbot, page)
    assert page.right.view == View(SOCIAL, "GSI1")
    page.right.set_edits([edit_of(None, like("zz", "7c20", 400)), edit_of(None, post("zz", 0))])
    assert staged_words(page.right) == {"POST#zz": "new"}


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (ScanPlan("Social", filter=parse_where("likedAt > 350")), {"LIKE#USER#new": "new"}),
        (ScanPlan("Social", filter=parse_where("likedAt > 450")), {}),
        (ScanPlan("Social", "GSI1", filter=parse_where("kind = 'like'")), {}),
        (QueryPlan("Social", HERE, filter=parse_where("likedAt < 350")), {}),
        (QueryPlan("Social", HERE, SortCondition("begins_with", String("LIKE#")), "SK"), {"LIKE#USER#new": "new"}),
        (QueryPlan("Social", HERE, SortCondition("<", String("LIKE#USER#n")), "SK"), {}),
        (QueryPlan("Social", {"PK": String("POST#b002")}), {}),
    ],
)
def test_a_new_item_is_shown_where_the_reading_would_find_it(
    open_page: Open, qtbot: QtBot, plan: ReadPlan, expected: dict[str, str]
) -> None:
    page = open_page()
    page.left.set_edits([edit_of(None, like("a91f", "new", 400))])
    page.run_plan(plan)
    settle(qtbot, page)
    assert staged_words(page.left) == expected


# --------------------------------------------------------------------------------------------------------------- scale


def test_widths_and_painting_ask_for_no_more_rows_than_are_seen(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even to fit a column to what is in it, to paint the header over a selection of all, or to scroll."""
    page = open_page()
    model, grid = page.left.model, page.left.grid
    page.left.clear(View(SOCIAL), "")
    model.append(prepare([like(f"{at // 40:05}", f"{at:06}", at) for at in range(30_000)], View(SOCIAL)))
    page.left.say("")
    asked: set[int] = set()
    data = model.data

    def counting(index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        asked.add(index.row())
        return data(index, role)

    monkeypatch.setattr(model, "data", counting)
    grid.selectAll()
    grid.resizeColumnToContents(0)
    QTest.mouseDClick(
        grid.horizontalHeader().viewport(),
        Qt.MouseButton.LeftButton,
        pos=QPoint(grid.columnWidth(0) - 1, grid.horizontalHeader().height() // 2),
    )
    grid.verticalScrollBar().setValue(15_000)
    grid.grab()
    assert 0 < len(asked) < 200
    assert grid.rowHeight(29_000) == grid.rowHeight(0)


def test_a_null_is_found_as_a_word_and_not_as_a_gap(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    reader.put("Social", {**post("a91f", 3), "note": Null()}, {**post("b002", 1), "note": String("")})
    page = open_page()
    type_filter(qtbot, page, "NULL")
    assert rows(page.left) == ["[POST#a91f]", "META"]
    page.left.filter_bar.edit.clear()
    type_filter(qtbot, page, "note = ''")
    assert rows(page.left) == ["[POST#b002]", "META"]
    page.left.filter_bar.edit.clear()
    type_filter(qtbot, page, "attribute_not_exists(note) AND SK = 'META'")
    assert rows(page.left) == ["[POST#c310]", "META"]
