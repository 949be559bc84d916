"""Two sides of the Browse page by keys and clicks: any two views, edges, the way back, and what differs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.entities import EntityRule, EntityTypes
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import Page, QueryPlan
from dynodesk.domain.tables import IndexInfo, Key, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.domain.values import Item, Number, String
from dynodesk.ui.dialogs.entity_types import EntityTypesDialog
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.browse_pane import CollectionPane
from dynodesk.ui.theme import CELL, ROW
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.small_tables import NAMES, SOCIAL, like, post, social_items
from tests.ui.pages.browse_desk import click_arrow, key_of, keys, linked, rows, settle

PLACES = TableInfo(
    "Places",
    KeySchema((KeyAttribute("id", "S"),), (KeyAttribute("at", "N"),)),
    indexes=(
        IndexInfo(
            "byPlace",
            "GSI",
            KeySchema(
                (KeyAttribute("country", "S"), KeyAttribute("year", "N")),
                (KeyAttribute("city", "S"), KeyAttribute("street", "S")),
            ),
            Projection("KEYS_ONLY"),
        ),
        IndexInfo(
            "byNote",
            "LSI",
            KeySchema((KeyAttribute("id", "S"),), (KeyAttribute("note", "S"),)),
            Projection("KEYS_ONLY"),
        ),
    ),
)
Open = Callable[..., BrowsePage]


class LaggingReader(MemoryReader):
    """Its global indexes show what they showed when `index` was set, until it is None again."""

    index: MemoryReader | None = None

    def query(self, plan: QueryPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        if plan.index is not None and self.index is not None:
            return self.index.query(plan, ticket, start)
        return super().query(plan, ticket, start)


@pytest.fixture
def reader() -> LaggingReader:
    reader = LaggingReader(SOCIAL, NAMES, PLACES)
    reader.put("Social", *social_items())
    return reader


@pytest.fixture
def runner(qapp: QApplication) -> Iterator[JobRunner]:
    runner = JobRunner(threads=2)
    errors: list[BaseException] = []
    runner.error_raised.connect(errors.append)
    yield runner
    assert runner.shutdown()
    runner.deleteLater()
    assert errors == []


@pytest.fixture
def open_page(reader: LaggingReader, runner: JobRunner, qtbot: QtBot) -> Open:
    def open_page(table: TableInfo = SOCIAL, index: str | None = None) -> BrowsePage:
        page = BrowsePage(table, reader, runner, index)
        qtbot.addWidget(page)
        page.resize(1224, 810)
        page.show()
        page.activateWindow()
        settle(qtbot, page)
        return page

    return open_page


def ask(qtbot: QtBot, page: BrowsePage, partition: str) -> None:
    field = page.form.partition[0]
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, partition)
    QTest.keySequence(field, QKeySequence("Ctrl+Return"))
    settle(qtbot, page)


def ask_right(qtbot: QtBot, page: BrowsePage, partition: str) -> None:
    """By keys: open the form of the right side, type, Enter."""
    keys(page, "Ctrl+Alt+Q")
    field = page.sides.beside.query.form.partition[0]
    assert field.hasFocus()
    QTest.keyClicks(field, partition)
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, page)


def select(qtbot: QtBot, page: BrowsePage, pane: CollectionPane, text: str) -> None:
    """Click the row whose first column says `text`."""
    at = pane.grid.visualRect(pane.model.index(rows(pane).index(text), 0))
    QTest.mouseClick(pane.grid.viewport(), Qt.MouseButton.LeftButton, pos=at.topLeft() + QPoint(30, 6))
    settle(qtbot, page)


def remark(pane: CollectionPane, text: str) -> str:
    remark: str = pane.model.index(rows(pane).index(text), 0).data(ROW).remark
    return remark


def tip(pane: CollectionPane, text: str) -> str:
    said: str = pane.model.index(rows(pane).index(text), 0).data(Qt.ItemDataRole.ToolTipRole)
    return said


# ------------------------------------------------------------------------------------------------------------- edges


def test_the_arrow_on_a_row_follows_its_edge_in_both_directions(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    click_arrow(qtbot, page, page.left, "LIKE#USER#7c20")
    assert page.right.grid.hasFocus()
    assert rows(page.right) == ["[USER#7c20]", "POST#a91f", "POST#b002", "POST#c310"]
    assert key_of(page.right.current) == "POST#a91f/LIKE#USER#7c20"
    click_arrow(qtbot, page, page.right, "POST#c310")
    assert page.left.grid.hasFocus()
    assert rows(page.left) == ["[POST#c310]", "META", "LIKE#USER#7c20"]
    assert key_of(page.left.current) == "POST#c310/LIKE#USER#7c20"
    assert linked(page.right) == "POST#c310/LIKE#USER#7c20"


def test_a_click_beside_the_arrow_only_selects(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page, page.left, "LIKE#USER#7c20")
    assert page.left.grid.hasFocus()
    assert linked(page.right) == "POST#a91f/LIKE#USER#7c20"


def test_the_way_back_shows_both_sides_as_they_were_and_reads_nothing(
    open_page: Open, reader: LaggingReader, qtbot: QtBot
) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page, page.left, "LIKE#USER#ff")
    click_arrow(qtbot, page, page.left, "LIKE#USER#7c20")
    click_arrow(qtbot, page, page.right, "POST#b002")
    asked = len(reader.asked)

    assert page.back()
    assert rows(page.left)[0] == "[POST#a91f]"
    assert rows(page.right)[0] == "[USER#7c20]"
    assert page.back()
    assert key_of(page.left.current) == "POST#a91f/LIKE#USER#7c20"
    assert page.left.grid.hasFocus()
    assert page.forward()
    assert page.forward()
    settle(qtbot, page)
    assert rows(page.left)[0] == "[POST#b002]"
    assert key_of(page.left.current) == "POST#b002/LIKE#USER#7c20"
    assert linked(page.right) == "POST#b002/LIKE#USER#7c20"
    assert not page.forward()
    assert len(reader.asked) == asked


def test_going_to_a_half_that_is_shown_already_is_a_step_on_the_way(
    open_page: Open, reader: LaggingReader, qtbot: QtBot
) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page, page.left, "LIKE#USER#7c20")
    steps: list[bool] = []
    page.way_changed.connect(lambda: steps.append(page.can_travel(1)))
    asked = len(reader.asked)
    keys(page, "Alt+Return")
    assert page.right.grid.hasFocus()
    keys(page, "Alt+Return")
    assert page.left.grid.hasFocus()
    assert steps == [False, False]

    assert page.back()
    assert page.right.grid.hasFocus()
    assert page.back()
    assert page.left.grid.hasFocus()
    assert key_of(page.left.current) == "POST#a91f/LIKE#USER#7c20"
    assert len(reader.asked) == asked


def test_from_an_index_at_the_left_an_edge_leads_through_it_again(open_page: Open, qtbot: QtBot) -> None:
    page = open_page(SOCIAL, "GSI1")
    ask(qtbot, page, "USER#7c20")
    click_arrow(qtbot, page, page.left, "POST#b002")
    assert rows(page.right)[0] == "[POST#b002]"
    page.open_collection({"PK": String("POST#a91f")})
    settle(qtbot, page)
    assert page.right.view.index == "GSI1"


# ----------------------------------------------------------------------------------------------------- any two views


def test_the_right_side_asks_by_itself_and_is_kept(open_page: Open, reader: LaggingReader, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    ask_right(qtbot, page, "USER#0a")
    assert rows(page.right) == ["[USER#0a]", "POST#a91f"]
    assert page.sides.beside.is_pinned
    asked = len(reader.asked)
    select(qtbot, page, page.left, "LIKE#USER#7c20")
    assert rows(page.right) == ["[USER#0a]", "POST#a91f"]
    assert linked(page.right) == ""
    select(qtbot, page, page.left, "LIKE#USER#0a")
    assert linked(page.right) == "POST#a91f/LIKE#USER#0a", "what is there is still marked"
    assert len(reader.asked) == asked
    select(qtbot, page, page.left, "LIKE#USER#7c20")
    keys(page, "Ctrl+Alt+P")
    settle(qtbot, page)
    assert rows(page.right)[0] == "[USER#7c20]", "let go of, it follows again"


def test_an_edge_lets_go_of_what_is_pinned(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    ask_right(qtbot, page, "USER#0a")
    click_arrow(qtbot, page, page.left, "LIKE#USER#7c20")
    assert rows(page.right)[0] == "[USER#7c20]"
    assert key_of(page.right.current) == "POST#a91f/LIKE#USER#7c20"
    pin = page.sides.beside.pin
    assert not pin.isChecked()
    assert page.back()
    assert rows(page.right)[0] == "[USER#0a]"
    assert pin.isChecked()


def test_two_collections_of_one_view_side_by_side(open_page: Open, reader: LaggingReader, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page, page.left, "LIKE#USER#7c20")
    keys(page, "Alt+Shift+Return")
    settle(qtbot, page)
    assert rows(page.right) == rows(page.left)
    assert page.beside.currentText() == "Base table"
    ask(qtbot, page, "POST#b002")
    assert rows(page.right)[0] == "[POST#a91f]"
    asked = len(reader.asked)
    select(qtbot, page, page.right, "LIKE#USER#ff")
    assert rows(page.left)[0] == "[POST#b002]", "the same view at both sides drives nothing"
    assert len(reader.asked) == asked
    keys(page, "Alt+Return")
    settle(qtbot, page)
    assert rows(page.left)[0] == "[POST#a91f]", "to follow is another thing"


def test_sides_are_swapped_and_swapped_back(open_page: Open, reader: LaggingReader, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page, page.left, "LIKE#USER#7c20")
    left, right = rows(page.left), rows(page.right)
    asked = len(reader.asked)
    keys(page, "Ctrl+Shift+B")
    settle(qtbot, page)
    assert (rows(page.left), rows(page.right)) == (right, left)
    assert page.form.view.index == "GSI1"
    assert page.form.partition[0].text() == "USER#7c20"
    assert page.beside.currentText() == "Base table"
    assert key_of(page.left.current) == "POST#a91f/LIKE#USER#7c20"
    assert linked(page.right) == "POST#a91f/LIKE#USER#7c20"
    assert page.back()
    assert (rows(page.left), rows(page.right)) == (left, right)
    assert page.forward()
    keys(page, "Ctrl+Shift+B")
    settle(qtbot, page)
    assert (rows(page.left), rows(page.right)) == (left, right)
    assert len(reader.asked) == asked


def test_swapped_sides_stay_two_sets_of_rows(open_page: Open, qtbot: QtBot) -> None:
    """Folding on one side leaves the other alone, wherever the way has led."""
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page, page.left, "LIKE#USER#7c20")
    for step in ("Ctrl+Shift+B", "back", "forward", "Ctrl+Shift+B", "back", "back"):
        if step == "back":
            assert page.back()
        elif step == "forward":
            assert page.forward()
        else:
            keys(page, step)
        settle(qtbot, page)
        assert page.left.model.rows is not page.right.model.rows, step
        before = rows(page.right)
        page.left.model.toggle(0)
        page.left.model.toggle(0)
        assert rows(page.right) == before


def test_a_scan_at_the_left_shows_collections_of_the_same_view(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    page.beside.setCurrentText("Base table")
    select(qtbot, page, page.left, "META")
    current = page.left.current
    assert current is not None
    assert rows(page.right)[0] == f"[{key_of(current).partition('/')[0]}]"
    assert linked(page.right) == key_of(current)


def test_a_table_without_an_index_has_a_second_side_when_asked(
    open_page: Open, reader: LaggingReader, qtbot: QtBot
) -> None:
    reader.put("Names", {"id": String("USER#1")}, {"id": String("USER#2")})
    page = open_page(NAMES)
    assert not page.right.isVisible()
    ask_right(qtbot, page, "USER#2")
    assert page.right.isVisible()
    assert rows(page.right) == ["USER#2"]
    assert len(rows(page.left)) == 2


def test_what_is_pinned_comes_back_with_the_page(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    ask_right(qtbot, page, "USER#7c20")
    select(qtbot, page, page.left, "LIKE#USER#ff")
    state = json.loads(json.dumps(page.state()))
    again = open_page()
    again.restore(state)
    settle(qtbot, again)
    assert rows(again.left)[0] == "[POST#a91f]"
    assert rows(again.right)[0] == "[USER#7c20]"
    assert again.sides.beside.is_pinned
    assert key_of(again.left.current) == "POST#a91f/LIKE#USER#ff"


def test_a_mistake_in_the_form_of_the_right_side_is_said_there(
    open_page: Open, reader: LaggingReader, qtbot: QtBot
) -> None:
    page = open_page(PLACES)
    asked = len(reader.asked)
    ask_right(qtbot, page, "NL")
    year = page.sides.beside.query.form.partition[1]
    assert "needs the whole partition key" in year.accessibleDescription()
    assert len(reader.asked) == asked


# ------------------------------------------------------------------------------------------------ several attributes


def place(name: str, city: str, street: str, **more: String | Number) -> Item:
    return {
        "id": String(name),
        "at": Number("1"),
        "country": String("NL"),
        "year": Number("2025"),
        "city": String(city),
        "street": String(street),
        **more,
    }


def test_keys_of_several_attributes_lead_there_and_back(open_page: Open, reader: LaggingReader, qtbot: QtBot) -> None:
    reader.put("Places", place("a", "Delft", "Oude"), place("b", "Delft", "Nieuwe"), place("c", "Breda", "Markt"))
    reader.put("Places", {**place("d", "Delft", "Oude"), "year": Number("2024")})
    page = open_page(PLACES)
    ask(qtbot, page, "a")
    click_arrow(qtbot, page, page.left, "1")
    assert rows(page.right)[0] == "[NL / 2025]"
    assert [entry.item["city"] for entry in page.right.model.rows.entries] == [
        String("Breda"),
        String("Delft"),
        String("Delft"),
    ]
    assert page.right.model.columns[:4] == ("id", "city", "street", "at")
    plan, _ = reader.asked[-1]
    assert isinstance(plan, QueryPlan)
    assert plan.partition == {"country": String("NL"), "year": Number("2025")}
    click_arrow(qtbot, page, page.right, "c")
    assert rows(page.left) == ["[c]", "1"]
    assert page.back()
    assert rows(page.left)[0] == "[a]"


def test_each_attribute_of_such_a_key_is_asked_for(open_page: Open, reader: LaggingReader, qtbot: QtBot) -> None:
    reader.put("Places", place("a", "Delft", "Oude"), place("b", "Delft", "Nieuwe"), place("c", "Breda", "Markt"))
    page = open_page(PLACES)
    keys(page, "Ctrl+Alt+Q")
    form = page.sides.beside.query.form
    for typed in ("NL", "2025"):
        QTest.keyClicks(page.focusWidget(), typed)
        QTest.keyClick(page.focusWidget(), Qt.Key.Key_Tab)
    form.sorts[0].operator.setCurrentText("=")
    QTest.keyClicks(form.sorts[0].low, "Delft")
    form.sorts[1].operator.setCurrentText("begins_with")
    QTest.keyClicks(form.sorts[1].low, "Ou")
    QTest.keyClick(form.sorts[1].low, Qt.Key.Key_Return)
    settle(qtbot, page)
    assert [entry.item["id"] for entry in page.right.model.rows.entries] == [String("a")]


def test_equal_index_keys_over_pages_lose_and_repeat_nothing(
    open_page: Open, reader: LaggingReader, qtbot: QtBot
) -> None:
    reader.put("Social", *(like(f"w{at:02}", "widget", 7) for at in range(50)))
    page = open_page(SOCIAL, "GSI2")
    page.form.options.page.setCurrentText("25")
    ask(qtbot, page, "like")
    found = [entry.identity for entry in page.left.model.rows.entries if "widget" in entry.identity[1]]
    assert len(found) == len(set(found)) == 50
    assert [plan.page_limit for plan, _ in reader.asked if isinstance(plan, QueryPlan)] == [25, 25, 25]


# ------------------------------------------------------------------------------------------------------- differences


def test_a_row_that_a_sparse_index_does_not_hold_says_so_and_why(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    assert remark(page.left, "META") == "not in GSI1"
    assert remark(page.left, "LIKE#USER#0a") == ""
    assert tip(page.left, "META") == "<qt>not in GSI1: its key GSI1PK is missing; its key GSI1SK is missing</qt>"
    select(qtbot, page, page.left, "META")
    assert page.inspector.fact("Seen").endswith(
        "base table, eventual · not in GSI1: its key GSI1PK is missing; its key GSI1SK is missing"
    )
    keys(page, "Ctrl+B")
    assert remark(page.left, "META") == "", "with one side there is nothing to compare with"


def test_a_key_of_another_type_keeps_an_item_out_of_the_index(
    open_page: Open, reader: LaggingReader, qtbot: QtBot
) -> None:
    reader.put("Social", {**like("a91f", "wrong", 1), "GSI1SK": Number("5")})
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page, page.left, "LIKE#USER#wrong")
    assert page.right.message == (
        "Not in GSI1: its key GSI1SK is a Number, and GSI1 holds Strings there (a sparse index)."
    )
    assert remark(page.left, "LIKE#USER#wrong") == "not in GSI1"


def test_what_is_not_projected_says_so(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page, page.left, "LIKE#USER#7c20")
    column = page.right.model.columns.index("reactions")
    index = page.right.model.index(1, column)
    assert index.data(CELL).kind == "unprojected"
    said = index.data(Qt.ItemDataRole.ToolTipRole)
    assert said == "<qt>reactions is not projected into GSI1: its copies do not have it</qt>"


def test_reading_again_tells_an_index_that_is_behind(open_page: Open, reader: LaggingReader, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#b002")
    behind = MemoryReader(SOCIAL)
    behind.put("Social", *social_items())
    reader.index = behind
    reader.put("Social", {**like("b002", "7c20", 210), "likedAt": Number("999")})
    keys(page, "F5")
    settle(qtbot, page)
    select(qtbot, page, page.left, "LIKE#USER#7c20")
    assert remark(page.right, "POST#b002") == "differs"
    assert "1 likedAt differs from the base" in page.right.foot
    select(qtbot, page, page.right, "POST#b002")
    assert "likedAt of this copy is not what the base table had" in page.inspector.fact("Seen")

    keys(page, "Shift+F5")
    settle(qtbot, page)
    assert remark(page.right, "POST#b002") == "behind"
    assert "read again: GSI1 is still behind in likedAt" in page.right.foot
    assert "1 likedAt is behind the base" in page.right.foot

    reader.index = None
    keys(page, "Shift+F5")
    settle(qtbot, page)
    assert remark(page.right, "POST#b002") == ""
    assert page.right.foot.startswith("read again: GSI1 has caught up, both are the same")
    shown = page.right.model.index(rows(page.right).index("POST#b002"), page.right.model.columns.index("likedAt"))
    assert shown.data() == "999"


def test_sides_read_at_different_times_are_not_a_lag(open_page: Open, reader: LaggingReader, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#b002")
    select(qtbot, page, page.left, "LIKE#USER#7c20")
    reader.put("Social", {**like("b002", "7c20", 210), "likedAt": Number("999")})
    keys(page, "F5")
    settle(qtbot, page)
    assert remark(page.right, "POST#b002") == "differs"
    button = next(b for b in page.right.findChildren(QWidget) if b.accessibleName() == "Read both again")
    assert button.isVisible()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(qtbot, page)
    assert remark(page.right, "POST#b002") == ""
    assert not button.isVisible()


def test_a_copy_whose_item_is_gone(open_page: Open, reader: LaggingReader, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#b002")
    select(qtbot, page, page.left, "LIKE#USER#7c20")
    behind = MemoryReader(SOCIAL)
    behind.put("Social", *social_items())
    reader.index = behind
    reader.delete("Social", {"PK": String("POST#b002"), "SK": String("LIKE#USER#7c20")})
    keys(page, "F5")
    settle(qtbot, page)
    assert rows(page.left) == ["[POST#b002]", "META"]
    assert remark(page.right, "POST#b002") == "not in the base"
    assert remark(page.right, "POST#a91f") == "", "of another collection nothing is known"
    assert "1 not in the base table" in page.right.foot
    select(qtbot, page, page.right, "POST#b002")
    keys(page, "Shift+F5")
    settle(qtbot, page)
    assert "the base table has the item no more, and GSI1 still has its copy: it is behind" in page.right.foot
    reader.index = None
    keys(page, "Shift+F5")
    settle(qtbot, page)
    assert "POST#b002" not in rows(page.right)


def test_the_header_of_a_collection_tells_its_room_and_cost(
    open_page: Open, reader: LaggingReader, qtbot: QtBot
) -> None:
    reader.put("Places", place("a", "Delft", "Oude", note=String("x")))
    page = open_page(PLACES)
    ask(qtbot, page, "a")
    header = page.left.model.index(0, 0)
    assert header.data(ROW).note.endswith("all read · 0.5 RCU to read, 1 consistent · less than 0.1 % of 10 GB")
    said = header.data(Qt.ItemDataRole.ToolTipRole)
    assert "From the 1 item loaded" in said
    assert "replies to writes" in said


# ------------------------------------------------------------------------------------------------------------- types


def test_types_are_named_in_a_dialog_and_shown_everywhere(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    kept: list[EntityTypes] = []
    page.remember_types(EntityTypes((EntityRule.of("Person", {"PK": "USER#{user}"}),)), kept.append)
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page, page.left, "LIKE#USER#7c20")
    assert page.right.model.index(0, 0).data(ROW).entity == "Person", "a header in an index is named by the same rule"
    keys(page, "Ctrl+Alt+Y")
    (dialog,) = page.findChildren(EntityTypesDialog)
    dialog.reject()
    types = EntityTypes((EntityRule.of("Reaction", {"SK": "LIKE#{user}"}, "teal"),))
    page.show_types(types)
    cell = page.left.model.index(rows(page.left).index("LIKE#USER#7c20"), 0).data(CELL)
    assert (cell.entity, cell.tint) == ("Reaction", "teal")
    assert page.left.model.index(0, 0).data(ROW).entity == "POST"
    assert page.right.model.index(1, 0).data(CELL).entity == "Reaction"
    assert post("x", 1)["SK"] == String("META")
