"""The SQL page over a running sandbox: load, ready queries, stop, partial sets, refusals, exports, rows."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from dynodesk.domain.values import String
from dynodesk.sandbox.answers import answers
from dynodesk.ui.theme import CELL
from dynodesk.wiring import Workspace
from tests.ui.pages.sql_desk import Desk, OpenSql

RUNAWAY = "SELECT count(*) FROM range(1000000000) a, range(1000000000) b;"


# -- loading


def test_a_new_page_reads_no_item_and_offers_only_what_works(sql: Desk) -> None:
    page = sql.page
    assert [action.text() for action in page.tables.actions()][:2] == ["Social", "Workspaces"]
    for action in (page.run_action, page.go_on_action, page.remove_action, page.open_action, *page.exports.actions()):
        assert not action.isEnabled()
    assert not page.stop_button.isEnabled()
    assert not page.sets.ready.isVisibleTo(page)


def test_a_table_loaded_once_more_is_a_set_of_its_own(sql: Desk) -> None:
    sql.load("Members")
    sql.load("Members")
    assert sql.run('SELECT (SELECT count(*) FROM "Members 2") - count(*) FROM Members') == [["0"]]
    sql.page.remove_action.trigger()
    sql.wait()
    assert sql.page.sets.current is not None
    assert sql.page.sets.current.loaded.name == "Members"
    assert [line for line in sql.tree if line == "Members 2"] == []


def test_every_control_has_a_name(sql: Desk) -> None:
    sql.load("Social")
    sql.ready("Tallies against children")
    sql.page.result.chart_action.trigger()
    controls = [
        widget
        for widget in sql.page.findChildren(QWidget)
        if widget.isVisibleTo(sql.page)
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not widget.objectName().startswith("qt_")
    ]
    assert len(controls) > 8
    nameless = [
        type(widget).__name__
        for widget in controls
        if not (widget.accessibleName() or QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name))
    ]
    assert nameless == []


# -- ready queries


def test_tallies_against_children_finds_the_posts_of_the_answer_key(sql: Desk) -> None:
    sql.load("Social")
    found = sql.ready("Tallies against children")
    expected = [answer for answer in answers()["social.toml"] if answer["rule"] == "post likes"]
    words = {"exact": "drift"}
    assert {tuple(row) for row in found} == {
        (
            answer["parent"]["PK"]["S"],
            answer["stored"] if answer["drift"] else "NULL",  # a text that looks like a number is none
            answer["real"],
            answer["drift"] or "NULL",
            words.get(answer["verdict"], answer["verdict"]),
        )
        for answer in expected
    }
    assert len(found) == len(expected)
    assert sql.page.result.origin.startswith("Social: Scan of Social at http://127.0.0.1:")
    assert sql.page.result.banner.text == ""


def test_the_sum_of_shards_is_that_of_both_layouts(sql: Desk) -> None:
    sql.load("Stats")
    sums = {(row[0], row[1]): row[2:] for row in sql.ready("Sum of shards")}
    stored = {a["parent"]["PK"]["S"]: a["stored"] for a in answers()["stats.toml"]}
    assert sums["VID#9f3a", "STATS#TOTAL"] == ["4", stored["VID#9f3a"]]
    assert sums["VID#5c08", "STATS"] == ["4", stored["VID#5c08"]]


def test_collections_and_attributes_are_counted(sql: Desk) -> None:
    sql.load("Social")
    assert sql.ready("Largest collections")[0][:2] == ["POST#e001", "801"]
    census = sql.ready("Attribute census")
    assert ["likeTally", "N", "38"] in census
    assert ["likeTally", "S", "1"] in census


def test_a_set_without_what_a_ready_query_is_about_says_so(sql: Desk) -> None:
    sql.load("Workspaces")
    said: list[BaseException] = []
    sql.runner.error_raised.connect(said.append)
    sql.page.editor.clear()
    sql.ready("Tallies against children")
    assert [str(error) for error in said] == ["Workspaces has no sort key, so no item has children beside it"]
    assert sql.page.editor.toPlainText() == ""


# -- running


def test_only_the_statement_at_the_cursor_runs_or_the_selection(sql: Desk) -> None:
    sql.type("SELECT 1 AS a;\n\nSELECT 'b;c' AS b; -- two\nSELECT 3")
    editor = sql.page.editor
    for place, expected in ((0, "1"), (25, "b;c"), (len(editor.toPlainText()), "3")):
        cursor = editor.textCursor()
        cursor.setPosition(place)
        editor.setTextCursor(cursor)
        sql.page.run()
        sql.wait()
        assert sql.rows == [[expected]]
    sql.run("SELECT 4")
    editor.selectAll()
    sql.page.run()
    sql.wait()
    assert sql.page.words.startswith("1 row ")


def test_a_runaway_statement_ends_when_it_is_stopped(sql: Desk) -> None:
    sql.start(RUNAWAY)
    assert sql.page.result.note == "Running…"
    assert not sql.page.run_action.isEnabled()
    QTest.mouseClick(sql.page.stop_button, Qt.MouseButton.LeftButton)
    sql.wait()
    assert sql.page.result.note == "Stopped."
    assert sql.run("SELECT 2") == [["2"]]


def test_a_page_that_is_closed_stops_what_it_runs(sql: Desk) -> None:
    sql.start(RUNAWAY)
    sql.page.deleteLater()
    sql.wait()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("COPY (SELECT 1) TO 'out.csv'", "COPY is not allowed here"),
        ("SELECT * FROM read_csv('/etc/passwd')", "disabled by configuration"),
        ("INSTALL httpfs", "is not allowed here"),
        ("SET memory_limit = '100GB'", "SET is not allowed here"),
        ("SELECT <b>1</b>", "syntax error"),
    ],
)
def test_what_is_refused_is_said_under_the_editor(sql: Desk, text: str, said: str) -> None:
    assert sql.run(f"\n\n{text}") == []
    assert said in sql.page.fault.text
    assert sql.page.result.outcome is None
    assert sql.run("SELECT 1") == [["1"]]
    assert sql.page.fault.text == ""


def test_a_fault_names_the_line_of_the_editor(sql: Desk) -> None:
    sql.run("SELECT 1;\n\nSELECT 2,\n  3 4 5;")
    assert sql.page.fault.text.startswith("line 4: syntax error")
    sql.run("SELECT 1;\n\nSELECT nothing_there;")
    assert sql.page.fault.text.startswith("line 3: Referenced column")


def test_values_are_exact_whatever_they_are(sql: Desk) -> None:
    row = sql.run("SELECT 123456789012345678901234567890::HUGEINT, NULL, '', '<b>x</b>', 0.1::DOUBLE, [1, 2]")
    assert row == [["123456789012345678901234567890", "NULL", "", "<b>x</b>", "0.1", "[1,2]"]]
    model = sql.page.result.model
    assert [model.index(0, at).data(CELL).kind for at in range(6)] == ["N", "null", "empty", "S", "N", "map"]
    assert model.index(0, 0).data(Qt.ItemDataRole.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight


def test_what_was_run_comes_back(sql: Desk) -> None:
    editor = sql.page.editor
    sql.run("SELECT 1")
    sql.run("SELECT 2")
    sql.type("SELECT 3")
    for key, text in ((Qt.Key.Key_Up, "SELECT 2"), (Qt.Key.Key_Up, "SELECT 1"), (Qt.Key.Key_Up, "SELECT 1")):
        QTest.keyClick(editor, key, Qt.KeyboardModifier.AltModifier)
        assert editor.toPlainText() == text
    for text in ("SELECT 2", "SELECT 3"):
        QTest.keyClick(editor, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
        assert editor.toPlainText() == text


# -- partial sets


def test_a_stopped_load_is_a_partial_set_and_every_result_says_so(stopped: tuple[Desk, Event]) -> None:
    desk, go = stopped
    assert desk.tree[:2] == ["Social", "Partial: stopped before the end"]
    ((count,),) = desk.run("SELECT count(*) FROM Social")
    assert 0 < int(count) < 1607
    assert desk.page.result.banner.text.startswith(
        f"Social is not complete (stopped before the end; {int(count):,} items"
    )
    model = desk.page.result.model
    assert model.headerData(0, Qt.Orientation.Horizontal) == "count_star(), partial"
    assert desk.page.result.origin.startswith("PARTIAL (stopped before the end) · ")
    desk.run("SELECT 1")
    assert desk.page.result.banner.text == ""

    desk.run("SELECT count(*) FROM Social")
    go.set()
    QTest.mouseClick(desk.page.result.banner.go_on, Qt.MouseButton.LeftButton)
    desk.wait()
    assert desk.rows == [["1607"]]
    assert desk.page.result.banner.text == ""
    assert desk.tree[:2] == ["Social", "Complete"]


# -- results


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "xlsx"])
def test_a_result_is_exported_with_where_it_comes_from(sql: Desk, tmp_path: Path, form: str) -> None:
    sql.load("Members")
    sql.run("SELECT count(*) AS n FROM Members")
    sql.asker.path = tmp_path / f"out.{form}"
    (export,) = (a for a in sql.page.exports.actions() if a.objectName() == f"export-result-{form}")
    export.trigger()
    sql.wait()
    assert sql.messages.current is not None
    assert sql.messages.current.title == "Result written"
    assert (tmp_path / f"out.{form}").stat().st_size > 0
    if form == "csv":
        assert (tmp_path / "out.csv").read_text(encoding="utf-8") == '"n"\n280\n'
        assert "Scan of Members" in (tmp_path / "out.csv.provenance.json").read_text(encoding="utf-8")


def test_enter_on_a_row_opens_its_item(sql: Desk) -> None:
    sql.load("Social")
    sql.run("SELECT PK, SK FROM Social WHERE PK = 'POST#a91f' AND SK = 'META'")
    QTest.keyClick(sql.page.result.grid, Qt.Key.Key_Return)
    key = {"PK": String("POST#a91f"), "SK": String("META")}
    assert sql.opened == [("Social", {"PK": String("POST#a91f")}, key)]
    sql.run("SELECT PK FROM Social WHERE PK = 'POST#a91f' AND SK = 'META'")
    sql.page.open_action.trigger()
    assert sql.opened[1] == ("Social", {"PK": String("POST#a91f")}, None)
    sql.run("SELECT SK FROM Social")
    assert not sql.page.open_action.isEnabled()


def test_the_chart_follows_the_current_column_and_waits_where_there_are_no_numbers(sql: Desk) -> None:
    result = sql.page.result
    sql.run("SELECT 'a' AS word, 2 AS n, 3 AS m")
    assert not result.chart.isVisible()
    result.chart_action.trigger()
    assert result.chart.words == "m by word 1 row"
    result.grid.setCurrentIndex(result.model.index(0, 1))
    assert result.chart.words == "n by word 1 row"
    sql.run("SELECT 'a' AS word")
    assert not result.chart.isVisible()
    assert not result.chart_action.isEnabled()
    sql.run("SELECT 4 AS n")
    assert result.chart.isVisible()
    assert result.chart_action.isChecked()


def test_sets_stay_when_the_page_is_opened_anew(sql: Desk, open_sql: OpenSql, own: Workspace) -> None:
    sql.load("Members")
    assert open_sql(own).tree[0] == "Members"
