"""The PartiQL page by keys: what it says of a statement, what it runs, and what it never sends."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.capacity import Meter
from dynodesk.domain.ports import TableCatalog
from dynodesk.domain.progress import Ticket
from dynodesk.domain.statements import Select, StatementReader, as_select
from dynodesk.domain.tables import Key, TableInfo
from dynodesk.domain.values import Binary, Boolean, Item, Null, Number, String
from dynodesk.ui.actions import all_actions
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.pages.partiql import PartiqlPage
from dynodesk.ui.shell import Restorable
from dynodesk.wiring import Workspace
from tests.helpers.granted import granted
from tests.helpers.statements import PagedStatements

pytestmark = pytest.mark.server
LONG = 30_000
CTRL = Qt.KeyboardModifier.ControlModifier
OF_POST = "SELECT * FROM Social WHERE PK = 'POST#a91f'"
SCAN = "SELECT * FROM Social"


class SizedCatalog:
    """The sandbox's, whose server knows no sizes: every table is as large as one of ten thousand items."""

    def __init__(self, catalog: TableCatalog) -> None:
        self._catalog = catalog
        self.table_names = catalog.table_names
        self.time_to_live = catalog.time_to_live

    def describe(self, table: str, ticket: Ticket) -> TableInfo:
        info = self._catalog.describe(table, ticket)
        return replace(info, item_count_estimate=10_000, size_bytes_estimate=8_192_000)


class Desk:
    """A page over the sandbox's tables, and hands for it."""

    def __init__(self, workspace: Workspace, statements: StatementReader, runner: JobRunner, qtbot: QtBot) -> None:
        self._qtbot = qtbot
        self.opened: list[tuple[str, Key, Key | None]] = []
        self.ran: list[Select] = []
        self.running = 0
        self.raised: list[BaseException] = []
        runner.started.connect(self._started)
        runner.error_raised.connect(self.raised.append)
        if isinstance(statements, PagedStatements):  # it reads all of the language, as no emulator does
            workspace = replace(workspace, access=granted(replace(workspace.profile, kind="endpoint")))
        workspace = replace(workspace, catalog=SizedCatalog(workspace.catalog))
        self.page = PartiqlPage(workspace, statements, runner, self._open)
        self.page.ran.connect(self.ran.append)
        self.page._pause.setInterval(0)
        qtbot.addWidget(self.page)
        self.page.resize(1200, 760)
        self.page.show()
        self.page.activateWindow()
        self.page.editor.setFocus()
        self.wait()

    def _started(self, job: Job) -> None:
        self.running += 1
        job.ended.connect(self._ended)

    def _ended(self) -> None:
        self.running -= 1

    def _open(self, table: str, partition: Key, select: Key | None) -> None:
        self.opened.append((table, partition, select))

    def wait(self, condition: Callable[[], bool] | None = None) -> None:
        self._qtbot.waitUntil(condition or self.is_still, timeout=LONG)

    def is_still(self) -> bool:
        return not self.running and not self.page.pane.feed.running and not self.page._pause.isActive()

    def type(self, text: str) -> None:
        """Key by key, as somebody types, and until the table is known."""
        self.page.editor.selectAll()
        QTest.keyClick(self.page.editor, Qt.Key.Key_Delete)
        QTest.keyClicks(self.page.editor, text)
        self.page.editor._popup.hide()
        self.wait()

    def press_run(self) -> None:
        QTest.keyClick(self.page.editor, Qt.Key.Key_Return, CTRL)

    def run(self, text: str) -> None:
        self.type(text)
        self.press_run()
        self.wait()

    @property
    def said(self) -> str:
        return self.page.strip.text

    @property
    def rows(self) -> list[list[str]]:
        model = self.page.pane.model
        return [[model.index(row, at).data() for at in range(model.columnCount())] for row in range(model.rowCount())]


Open = Callable[[StatementReader], Desk]


@pytest.fixture
def open_desk(workspace: Workspace, qtbot: QtBot) -> Iterator[Open]:
    runners: list[JobRunner] = []

    def opened(statements: StatementReader) -> Desk:
        runners.append(JobRunner(threads=2))
        return Desk(workspace, statements, runners[-1], qtbot)

    yield opened
    for runner in runners:
        assert runner.shutdown()
        runner.deleteLater()


def likes(count: int, start: int = 0) -> list[Item]:
    return [
        {"PK": String("POST#a91f"), "SK": String(f"LIKE#{n:04}"), "n": Number("1234567890123456789012345678901234.50")}
        for n in range(start, start + count)
    ]


@pytest.fixture
def paged() -> PagedStatements:
    return PagedStatements(likes(3), [], likes(2, 3))


@pytest.fixture
def desk(open_desk: Open, paged: PagedStatements) -> Desk:
    return open_desk(paged)


@pytest.fixture
def sandbox_desk(open_desk: Open, workspace: Workspace) -> Desk:
    return open_desk(workspace.new_statement_reader(Meter()))


# -- against a server


def test_a_statement_by_key_shows_its_items_and_opens_one(open_desk: Open, workspace: Workspace) -> None:
    desk = open_desk(workspace.new_statement_reader(Meter()))
    desk.run("SELECT * FROM Social WHERE PK='POST#a91f'")
    assert desk.said == ""
    assert len(desk.rows) == 38
    assert "end of answer" in desk.page._facts.text
    assert desk.page._count.text == "38 items"
    QTest.keyClick(desk.page.editor, Qt.Key.Key_Tab)
    desk.page.pane.grid.setFocus()
    desk.page.pane.grid.setCurrentIndex(desk.page.pane.model.index(0, 0))
    QTest.keyClick(desk.page.pane.grid, Qt.Key.Key_Return)
    ((table, partition, key),) = desk.opened
    assert (table, partition) == ("Social", {"PK": String("POST#a91f")})
    assert key is not None
    assert set(key) == {"PK", "SK"}


@pytest.mark.parametrize(
    "statement",
    [
        f"{OF_POST} AND begins_with(SK, 'LIKE#USER#7c')",
        f"{OF_POST} AND SK IN ['META', 'LIKE#USER#7c20']",
        f"{OF_POST} OR PK = 'POST#77b0'",
        "SELECT SK FROM Social WHERE PK = 'POST#a91f'",
        'SELECT * FROM "Social"."GSI1" WHERE GSI1PK = \'USER#7c20\'',
        "SELECT * FROM Social WHERE PK = ?",
    ],
)
def test_what_the_sandbox_would_answer_wrongly_it_is_not_asked(sandbox_desk: Desk, statement: str) -> None:
    sandbox_desk.run(statement)
    assert "To others it answers wrongly, so it is not asked." in sandbox_desk.said
    assert (sandbox_desk.ran, sandbox_desk.rows) == ([], [])


def test_what_the_sandbox_reads_it_reads_right(sandbox_desk: Desk) -> None:
    sandbox_desk.run(f"{OF_POST} AND SK = 'META'")
    assert [row[:2] for row in sandbox_desk.rows] == [["POST#a91f", "META"]]


# -- before it is run


def test_a_scan_is_told_as_it_is_typed_and_runs_at_the_second_press(desk: Desk, paged: PagedStatements) -> None:
    desk.type(SCAN)
    assert desk.said.startswith("This reads all of Social: WHERE does not hold PK to a value.")
    cost = "About 100 RCU for the next 1,000 items, 1,000 RCU for all, by a table size that may be 6 hours old."
    assert cost in desk.said
    assert desk.page.run_button.text() == "Scan · about 100 RCU, old estimate"
    desk.press_run()
    desk.wait()
    assert paged.asked == []
    assert "Run it once more to read it all the same." in desk.said
    assert desk.page.run_button.text().startswith("Scan all the same")
    QTest.keyClicks(desk.page.editor, " ")
    QTest.keyClick(desk.page.editor, Qt.Key.Key_Backspace)
    desk.press_run()
    desk.wait()
    assert len(paged.asked) == 1
    assert desk.ran == [as_select(SCAN)]


def test_another_statement_has_to_be_asked_for_twice_again(desk: Desk, paged: PagedStatements) -> None:
    desk.run(SCAN)
    desk.run(f"{SCAN} WHERE n > 3")
    assert paged.asked == []
    desk.press_run()
    desk.wait()
    assert [asked.text for asked in paged.asked] == [f"{SCAN} WHERE n > 3"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELECT * FROM Social WHERE PK = 'POST#a91f' OR likeTally = 3", "This reads all of Social"),
        ("SELECT * FROM Social WHERE SK = 'META'", "WHERE does not hold PK to a value"),
        ("SELECT * FROM Social.GSI1 WHERE PK = 'POST#a91f'", "This reads all of GSI1"),
        ("SELECT * FROM Sociable WHERE PK = 'a'", "There is no table Sociable in the list."),
    ],
)
def test_what_may_read_everything_is_not_run_at_once(desk: Desk, paged: PagedStatements, text: str, words: str) -> None:
    desk.run(text)
    assert words in desk.said
    assert paged.asked == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("UPDATE my-table SET active=? WHERE subscriptionId=?", "my-table needs quotes."),
        ("DELETE FROM Social WHERE PK='a'", "WHERE needs SK = …"),
        ("DELETE FROM Social WHERE PK='a' AND SK='b'", "only SELECT is run here"),
        ("INSERT INTO Social VALUE {'PK': 'a', 'SK': 'b'}", "INSERT writes"),
        ("EXISTS(SELECT * FROM Social WHERE PK='a')", "EXISTS is a condition of a transaction"),
        ("SELECT * FROM Social; DELETE FROM Social WHERE PK='a' AND SK='b'", "DELETE writes"),
        ("SELECT * FROM Social.GSI9 WHERE PK = 'a'", "Social has no index GSI9"),
    ],
)
def test_what_writes_or_is_wrong_cannot_be_run(desk: Desk, paged: PagedStatements, text: str, words: str) -> None:
    desk.run(text)
    assert words in desk.said
    assert not desk.page.run_action.isEnabled()
    assert not desk.page.run_button.isEnabled()
    assert paged.asked == []


# -- values beside the text


def test_each_question_mark_gets_a_field_and_its_type(desk: Desk, paged: PagedStatements) -> None:
    desk.type("SELECT * FROM Social WHERE PK = ? AND a = ? AND b = ? AND c = ? AND d = ?")
    fields = desk.page.values.shown
    assert len(fields) == 5
    for field, kind, text in zip(
        fields, ("S", "N", "B", "BOOL", "NULL"), ("POST#1", "1.50", "00ff", "", ""), strict=True
    ):
        field.type.setFocus()
        field.type.setCurrentText(kind)
        if text:
            QTest.keyClicks(field.text, text)
    QTest.keyClick(fields[3].flag, Qt.Key.Key_Down)
    assert not fields[4].text.isVisible()
    desk.press_run()
    desk.wait()
    (asked,) = paged.asked
    assert asked.parameters == (*(String("POST#1"), Number("1.50"), Binary(b"\x00\xff"), Boolean(value=False), Null()),)
    assert [value.text for value in asked.parameters if isinstance(value, Number)] == ["1.50"]


def test_a_value_that_is_none_is_marked_and_nothing_is_sent(desk: Desk, paged: PagedStatements) -> None:
    desk.type("SELECT * FROM Social WHERE PK = ?")
    (field,) = desk.page.values.shown
    field.type.setCurrentText("N")
    QTest.keyClicks(field.text, "12x")
    desk.press_run()
    desk.wait()
    assert desk.said.startswith("value 1: '12x' is not a number")
    assert field.text.property("invalid") is True
    assert paged.asked == []
    QTest.keyClick(field.text, Qt.Key.Key_Backspace)
    desk.press_run()
    desk.wait()
    assert paged.asked[0].parameters == (Number("12"),)
    assert desk.said == ""


def test_an_empty_value_is_a_value(desk: Desk, paged: PagedStatements) -> None:
    desk.run("SELECT * FROM Social WHERE PK = 'a' AND note = ?")
    assert paged.asked[0].parameters == (String(""),)


# -- pages


def test_pages_stream_and_go_on_and_tell_what_they_took(desk: Desk, paged: PagedStatements) -> None:
    desk.run(OF_POST)
    assert len(desk.rows) == 3
    assert desk.page._facts.text == "1 page · 0.5 RCU · 1 ms · more in the answer"
    desk.page.more_action.trigger()
    desk.wait()
    QTest.keyClick(desk.page, Qt.Key.Key_Return, CTRL | Qt.KeyboardModifier.ShiftModifier)
    desk.wait()
    assert len(desk.rows) == 5
    assert desk.page._facts.text == "3 pages · 1.5 RCU · 3 ms · end of answer"
    assert not desk.page.more_action.isEnabled()
    assert [row[-1] for row in desk.rows] == ["1234567890123456789012345678901234.50"] * 5


def test_no_rows_so_far_is_told_from_none(open_desk: Open) -> None:
    desk = open_desk(PagedStatements([], []))
    desk.run(OF_POST)
    assert "so far" in desk.page.pane.message
    desk.page.more_action.trigger()
    desk.wait()
    assert desk.page.pane.message.endswith("Nothing else is in this answer.")


def test_a_run_is_stopped_and_taken_up_again(desk: Desk, paged: PagedStatements) -> None:
    paged.go.clear()
    desk.type(OF_POST)
    desk.press_run()
    desk.wait(desk.page.stop_button.isVisible)
    QTest.mouseClick(desk.page.stop_button, Qt.MouseButton.LeftButton)
    desk.wait()
    assert paged.asked == []
    assert "stopped" in desk.page._facts.text
    paged.go.set()
    desk.page.more_action.trigger()
    desk.wait()
    assert len(desk.rows) == 3


def test_the_same_is_run_again_by_its_key(desk: Desk, paged: PagedStatements) -> None:
    desk.run(OF_POST)
    desk.type("SELECT * FROM Social WHERE PK = 'another'")
    QTest.keyClick(desk.page, Qt.Key.Key_F5)
    desk.wait()
    assert [asked.text for asked in paged.asked] == [OF_POST, OF_POST]


def test_only_the_statement_at_the_cursor_runs_or_the_selection(desk: Desk, paged: PagedStatements) -> None:
    desk.run(f"SELECT * FROM Social WHERE PK = 'one'; {OF_POST}")
    assert [asked.text for asked in paged.asked] == [OF_POST]
    cursor = desk.page.editor.textCursor()
    cursor.setPosition(0)
    cursor.setPosition(len("SELECT * FROM Social WHERE PK = 'one'"), cursor.MoveMode.KeepAnchor)
    desk.page.editor.setTextCursor(cursor)
    desk.press_run()
    desk.wait()
    assert paged.asked[-1].text == "SELECT * FROM Social WHERE PK = 'one'"


def test_a_row_without_its_whole_key_says_so(open_desk: Open) -> None:
    desk = open_desk(PagedStatements([{"title": String("a post"), "PK": String("POST#1")}]))
    desk.run("SELECT title, PK FROM Social WHERE PK = 'POST#1'")
    assert not desk.page.open_action.isEnabled()
    desk.page.pane.grid.setCurrentIndex(desk.page.pane.model.index(0, 0))
    QTest.keyClick(desk.page.pane.grid, Qt.Key.Key_Return)
    assert desk.opened == []
    assert "select PK, SK" in desk.page.pane.foot
    assert [desk.page.pane.model.headerData(at, Qt.Orientation.Horizontal) for at in range(2)] == ["PK", "title"]


# -- the editor


def test_tables_keys_and_indexes_are_offered(desk: Desk) -> None:
    desk.type(OF_POST)
    offered = desk.page.editor._offers.words
    assert {"Social", "Workspaces", "PK", "SK", "GSI1", "GSI1PK", "begins_with", "MISSING"} <= set(offered)
    desk.page.editor.selectAll()
    QTest.keyClicks(desk.page.editor, "SELECT * FROM Soc")
    QTest.keyClick(desk.page.editor._popup, Qt.Key.Key_Return)
    assert desk.page.editor.toPlainText() == "SELECT * FROM Social"


def test_a_kept_statement_comes_back_with_its_values(desk: Desk, paged: PagedStatements) -> None:
    kept = as_select(
        "SELECT * FROM Social WHERE PK = ? AND n = ? AND f = ?",
        (String("POST#1"), Number("1.0"), Boolean(value=False)),
        consistent=True,
    )
    desk.page.set_select(kept)
    desk.page.run()
    desk.wait()
    assert desk.ran == [kept]
    assert paged.asked[0].consistent
    assert desk.page.query == kept
    desk.page.set_select(kept)
    assert desk.page.editor.toPlainText() == kept.text


def test_a_long_text_is_looked_at_when_it_rests(desk: Desk, paged: PagedStatements) -> None:
    desk.page.editor.setPlainText(f"{OF_POST};\n" * 2_000)
    assert desk.page._soon.isActive()
    desk.wait(lambda: desk.page.run_button.text() == "Read by key · from 0.5 RCU")
    desk.page.editor.setPlainText(f"SELECT * FROM Social WHERE PK = '{'x' * 40_000}'")
    desk.press_run()
    desk.wait()
    assert desk.said == "A statement has at most 8,192 bytes. Use parameters."
    assert paged.asked == []


def test_a_draft_comes_back_as_it_was_typed_and_is_not_run(open_desk: Open, desk: Desk) -> None:
    desk.type("SELECT * FROM Social WHERE PK = ? AND n = ? AND f = ?")
    first, second, third = desk.page.values.shown
    first.text.setText(" a 💙")
    second.type.setCurrentText("N")
    QTest.keyClicks(second.text, "12x")
    third.type.setCurrentText("BOOL")
    third.flag.setCurrentText("false")
    desk.page.consistent.click()
    state = json.loads(json.dumps(desk.page.state()))
    paged = PagedStatements([])
    other = open_desk(paged)
    other.page.restore(state)
    other.wait()
    assert other.page.state() == state
    assert paged.asked == []
    assert isinstance(other.page, Restorable)


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"text": 7},
        {"text": "SELECT * FROM t WHERE a = ?", "cursor": 10**9, "values": [["S"], 7], "consistent": 1},
        {"text": "SELECT * FROM t WHERE a = ?", "cursor": -1, "values": [["X", "y"]]},
        {"text": "💙", "cursor": 2, "values": {"a": 1}},
    ],
)
def test_a_state_that_makes_no_sense_is_left_out(desk: Desk, state: dict[str, object]) -> None:
    desk.page.restore(state)
    desk.wait()
    assert desk.page.state()["text"] == (state.get("text") if isinstance(state.get("text"), str) else "")


def test_every_control_has_a_name(desk: Desk) -> None:
    desk.run("SELECT * FROM Social WHERE PK = ?")
    controls = [
        widget
        for widget in desk.page.findChildren(QWidget)
        if widget.isVisibleTo(desk.page)
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not widget.objectName().startswith("qt_")
    ]
    assert len(controls) > 6
    nameless = [
        type(widget).__name__
        for widget in controls
        if not (widget.accessibleName() or QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name))
    ]
    assert nameless == []


def test_no_key_of_the_page_is_one_of_the_window(desk: Desk) -> None:
    frame = {action.shortcut for action in all_actions() if action.shortcut}
    page = [keys.toString() for action in desk.page.actions() for keys in action.shortcuts()]
    assert len(page) == len(set(page)) > 3
    assert frame.isdisjoint(page)


def test_what_it_will_cost_is_on_the_button(desk: Desk) -> None:
    desk.type(OF_POST)
    assert desk.page.run_button.text() == "Read by key · from 0.5 RCU"
    desk.page.consistent.click()
    assert desk.page.run_button.text() == "Read by key · from 1 RCU"
    outlook = desk.page._outlook
    assert outlook.cost is not None
    assert outlook.cost.units == Decimal(1)
