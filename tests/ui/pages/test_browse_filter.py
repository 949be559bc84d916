"""The filter of a read by keys and clicks: lines and text say the same, and what is wrong is said where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.expressions import parse_where
from dynodesk.domain.values import Item, Map, Number, String
from dynodesk.ui.pages.browse_filter import FilterPanel
from dynodesk.ui.pages.browse_filter_lines import FilterGroup, TermLine
from dynodesk.ui.widgets.layouts import column
from tests.helpers.small_tables import SOCIAL

LOADED: list[Item] = [
    {"n": Number("5"), "user-id": String("x"), "a.b": Number("1")},
    {"n": String("5"), "a": Map({"b": Number("2")})},
    {},
]


@pytest.fixture
def panel(qtbot: QtBot) -> Iterator[FilterPanel]:
    def loaded() -> Sequence[Item]:
        return LOADED

    window, panel = QWidget(), FilterPanel(SOCIAL, loaded)
    window.setLayout(column(panel))
    qtbot.addWidget(window)
    window.resize(900, 400)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    yield panel
    window.hide()


def open_lines(panel: FilterPanel) -> TermLine:
    panel.open_filter()
    return next(panel.group.lines)


def type_in(field: QWidget, text: str) -> None:
    field.setFocus()
    QTest.keyClicks(field, text)


def said(panel: FilterPanel) -> str:
    return "" if panel.condition is None else str(panel.condition)


def test_it_is_hidden_until_it_is_asked_for(panel: FilterPanel) -> None:
    assert panel.isHidden()
    assert panel.condition is None
    line = open_lines(panel)
    assert panel.is_open
    assert line.path.hasFocus()
    assert len(list(panel.group.lines)) == 1
    assert panel.remarks == []
    QTest.mouseClick(panel.close_button, Qt.MouseButton.LeftButton)
    assert not panel.is_open


def test_a_condition_by_keys_alone(panel: FilterPanel, qtbot: QtBot) -> None:
    line = open_lines(panel)
    QTest.keyClicks(line.path, "title")
    QTest.keyClick(line.path, Qt.Key.Key_Escape)  # the names that are offered
    for expected in (line.operator, line.kind, line.value):
        QTest.keyClick(panel.window().focusWidget(), Qt.Key.Key_Tab)
        assert panel.window().focusWidget() is expected
        if expected is line.operator:
            QTest.keyClicks(expected, "contains")
    QTest.keyClicks(line.value, "walk")
    assert said(panel) == "contains(title, 'walk')"
    with qtbot.waitSignal(panel.run_asked):
        QTest.keyClick(line.value, Qt.Key.Key_Return)
    QTest.keyClick(line.value, Qt.Key.Key_Tab)
    assert panel.window().focusWidget() is line.remove
    QTest.keyClick(line.remove, Qt.Key.Key_Tab)
    assert panel.window().focusWidget() is panel.add_line
    QTest.keyClick(panel.add_line, Qt.Key.Key_Space)
    second = list(panel.group.lines)[1]
    assert second.path.hasFocus()
    QTest.keyClicks(second.path, "likeTally")
    second.operator.setCurrentText(">")
    second.kind.setCurrentText("N")
    QTest.keyClicks(second.value, "0")
    assert said(panel) == "contains(title, 'walk') AND likeTally > 0"


def test_one_lead_joins_the_whole_group(panel: FilterPanel) -> None:
    panel.set_condition(parse_where("a = 1 AND b = 2 AND c = 3"))
    first, second, third = panel.group.lines
    assert [first.lead.itemText(i) for i in range(first.lead.count())] == ["where", "where not"]
    third.lead.setCurrentText("or")
    assert (second.lead.currentText(), said(panel)) == ("or", "a = 1 OR b = 2 OR c = 3")
    second.lead.setCurrentText("or not")
    first.lead.setCurrentText("where not")
    assert said(panel) == "NOT a = 1 OR NOT b = 2 OR c = 3"


def test_groups_within_groups(panel: FilterPanel) -> None:
    where = "a = 1 AND (b = 2 OR NOT (c = 3 AND d = 4))"
    panel.set_condition(parse_where(where))
    assert said(panel) == where
    inner = panel.group.parts[1]
    assert isinstance(inner, FilterGroup)
    QTest.mouseClick(inner.add_line, Qt.MouseButton.LeftButton)
    added = list(inner.lines)[-1]
    QTest.keyClicks(added.path, "e")
    added.operator.setCurrentText("exists")
    assert said(panel) == "a = 1 AND (b = 2 OR NOT (c = 3 AND d = 4) OR attribute_exists(e))"
    QTest.mouseClick(inner.remove, Qt.MouseButton.LeftButton)
    assert said(panel) == "a = 1"
    QTest.mouseClick(panel.add_group, Qt.MouseButton.LeftButton)
    assert len(list(panel.group.lines)) == 3
    assert said(panel) == "", "its lines are not filled in yet"


def test_without_lines_there_is_no_filter(panel: FilterPanel) -> None:
    line = open_lines(panel)
    QTest.mouseClick(line.remove, Qt.MouseButton.LeftButton)
    assert not panel.is_open
    assert panel.condition is None


WHERES = [
    "a = '' AND b <> 0 AND c = FALSE",
    'size(tags) BETWEEN 1 AND 5 OR attribute_type(x, \'NS\') OR y = {"SS": ["a", "b, c"]}',
    "NOT (a IN (1, 2) OR b IN ('x', 'y z'))",
    '"a.b" = 1 AND a.b = 1 AND a.b[0] = 1 AND "user-id" = \'é🌊\'',
    "5 < a AND size(a) = size(b)",
    "a = 'no\u00a0break'",
]


@pytest.mark.parametrize("where", WHERES)
def test_both_views_say_the_same(panel: FilterPanel, where: str) -> None:
    condition = parse_where(where)
    panel.set_condition(condition)
    assert panel.condition == condition
    QTest.mouseClick(panel.as_text, Qt.MouseButton.LeftButton)
    assert panel.text.text == where
    assert panel.condition == condition
    QTest.mouseClick(panel.as_text, Qt.MouseButton.LeftButton)
    assert panel.text.isHidden()
    assert panel.condition == condition


def test_text_becomes_lines(panel: FilterPanel) -> None:
    open_lines(panel)
    QTest.mouseClick(panel.as_text, Qt.MouseButton.LeftButton)
    QTest.keyClicks(panel.text, "status = 'open' or (kind = 'like' and n > 3)")
    assert said(panel) == "status = 'open' OR kind = 'like' AND n > 3"
    QTest.mouseClick(panel.as_text, Qt.MouseButton.LeftButton)
    assert [line.path.text() for line in panel.group.lines] == ["status", "kind", "n"]


def test_a_text_that_cannot_be_read_stays_text_and_says_where(panel: FilterPanel) -> None:
    open_lines(panel)
    QTest.mouseClick(panel.as_text, Qt.MouseButton.LeftButton)
    QTest.keyClicks(panel.text, "user-id = 1")
    assert panel.is_wrong
    assert panel.condition is None
    assert "hyphen stands in double quotes" in panel.remarks[0]
    (mark,) = panel.text.extraSelections()
    assert (mark.cursor.selectionStart(), mark.cursor.selectionEnd()) == (4, 5)
    QTest.mouseClick(panel.as_text, Qt.MouseButton.LeftButton)
    assert panel.as_text.isChecked()
    assert not panel.text.isHidden()


def test_the_mark_is_right_behind_characters_beyond_the_first_plane(panel: FilterPanel) -> None:
    open_lines(panel)
    QTest.mouseClick(panel.as_text, Qt.MouseButton.LeftButton)
    panel.text.setPlainText("z = '🌊' AND y < TRUE")
    (mark,) = panel.text.extraSelections()
    assert mark.cursor.selectedText() == "TRUE"


def test_lines_that_are_not_filled_in_are_not_dropped(panel: FilterPanel) -> None:
    line = open_lines(panel)
    QTest.keyClicks(line.path, "n")
    line.kind.setCurrentText("N")
    QTest.mouseClick(panel.as_text, Qt.MouseButton.LeftButton)
    assert not panel.as_text.isChecked()
    assert line.path.text() == "n"
    assert "not filled in" in panel.remarks[-1]


def test_characters_that_a_text_field_would_change_stay_in_lines(panel: FilterPanel) -> None:
    condition = parse_where("a = 'one\r\ntwo\u2029three'")
    panel.set_condition(condition)
    QTest.mouseClick(panel.as_text, Qt.MouseButton.LeftButton)
    assert not panel.as_text.isChecked()
    assert panel.condition == condition


def test_a_long_filter_is_text(panel: FilterPanel) -> None:
    condition = parse_where(" OR ".join(f"a{n} = {n}" for n in range(60)))
    panel.set_condition(condition)
    assert panel.as_text.isChecked()
    assert panel.condition == condition
    QTest.mouseClick(panel.as_text, Qt.MouseButton.LeftButton)
    assert panel.as_text.isChecked()
    assert "stays text" in panel.remarks[-1]


def test_what_is_empty_is_remarked_on_when_it_is_run(panel: FilterPanel) -> None:
    line = open_lines(panel)
    assert panel.remarks == []
    panel.show_gaps()
    assert panel.remarks == ["the name of an attribute is missing. Type or choose one."]
    assert line.path.property("invalid")
    QTest.keyClicks(line.path, "title")
    assert panel.remarks == []
    assert said(panel) == "title = ''", "an empty text is a value"


@pytest.mark.parametrize(
    ("where", "of_query", "remark"),
    [
        ("SK = 'META'", True, "SK is a key attribute here"),
        ("n < 6", False, "n is N in 1 item, S in 1, missing in 1"),
        ("begins_with(title, size)", False, ""),
        ("n BETWEEN 6 AND 5", False, "the lower end is above the upper one. Turn them round."),
        (f"n IN ({', '.join(map(str, range(101)))})", False, "IN has 101 values; there may be 100. Use OR."),
        ("a <> 5", False, "<> also holds where there is no Number"),
        ("gone = NULL", False, "gone = NULL finds where NULL is stored"),
    ],
)
def test_what_is_said_of_a_line(panel: FilterPanel, where: str, of_query: bool, remark: str) -> None:
    panel.set_read(None, of_query=of_query)
    panel.set_condition(parse_where(where))
    assert "".join(panel.remarks)[: len(remark)] == remark


def test_an_error_is_no_filter_and_a_warning_is_one(panel: FilterPanel) -> None:
    panel.set_read(None, of_query=True)
    panel.set_condition(parse_where("SK = 'META'"))
    assert panel.is_wrong
    assert panel.condition is None
    panel.set_read(None, of_query=False)
    assert said(panel) == "SK = 'META'"
    panel.set_condition(parse_where("n < 6"))
    assert panel.remarks
    assert said(panel) == "n < 6"


def test_a_dot_is_read_as_a_way_inside_and_says_so(panel: FilterPanel) -> None:
    line = open_lines(panel)
    QTest.keyClicks(line.path, "a.b")
    line.operator.setCurrentText("exists")
    assert said(panel) == "attribute_exists(a.b)"
    assert "b in a" in [label.text() for label in line.findChildren(type(line._inside))]
    line.path.setText('"a.b"')
    assert parse_where(said(panel)) == parse_where('attribute_exists("a.b")')
    line.path.setText("user-id")
    assert '"user-id"' in panel.remarks[0]


def test_known_names_are_offered_as_they_are_written(panel: FilterPanel) -> None:
    names = panel.names()
    assert {'"a.b"', '"user-id"', "GSI1PK", "PK", "n"} <= set(names)
    line = open_lines(panel)
    assert line.path.completer().model().rowCount() == len(names)
    QTest.keyClicks(line.path, "USER")
    assert line.path.completer().currentCompletion() == '"user-id"'


def test_the_type_of_the_value_follows_an_attribute_that_has_one_type(panel: FilterPanel) -> None:
    line = open_lines(panel)
    QTest.keyClicks(line.path, '"a.b"')
    assert line.kind.currentText() == "N"
    QTest.keyClicks(line.value, "1")
    assert said(panel) == '"a.b" = 1'
    for typed, kind in (
        ("a", "M"),
        ("a.b", "N"),
        ('"user-id"', "S"),
        ("a.b", "N"),
        ("n", "S"),
        ("a.b", "N"),
        ("x", "S"),
    ):
        line.path.selectAll()
        QTest.keyClicks(line.path, typed)
        assert line.kind.currentText() == kind, typed
    line.path.selectAll()
    QTest.keyClicks(line.path, "a.b")
    line.operator.setCurrentText("begins_with")
    assert line.kind.currentText() == "S"
    line.operator.setCurrentText("=")
    assert line.kind.currentText() == "N"


def test_a_type_that_was_chosen_stays(panel: FilterPanel) -> None:
    line = open_lines(panel)
    QTest.keyClicks(line.path, "PK")
    line.kind.setFocus()
    QTest.keyClick(line.kind, Qt.Key.Key_End)
    chosen = line.kind.currentText()
    assert chosen not in ("S", "N")
    line.path.selectAll()
    QTest.keyClicks(line.path, "a.b")
    assert line.kind.currentText() == chosen
    panel.set_condition(parse_where("PK = '5'"))
    line = next(panel.group.lines)
    line.path.selectAll()
    QTest.keyClicks(line.path, "a.b")
    assert said(panel) == "a.b = '5'"


def test_values_have_the_type_that_was_chosen(panel: FilterPanel) -> None:
    line = open_lines(panel)
    QTest.keyClicks(line.path, "n")
    QTest.keyClicks(line.value, "5")
    assert said(panel) == "n = '5'"
    line.kind.setCurrentText("N")
    assert said(panel) == "n = 5"
    line.kind.setCurrentText("BOOL")
    assert said(panel) == "n = TRUE"
    line.truth.setCurrentText("false")
    assert said(panel) == "n = FALSE"
    line.kind.setCurrentText("NULL")
    assert (said(panel), line.value.isHidden()) == ("n = NULL", True)
    line.operator.setCurrentText("size >")
    assert [line.kind.itemText(i) for i in range(line.kind.count())] == ["N", "attribute", "size of"]


def test_every_control_has_a_name(panel: FilterPanel) -> None:
    panel.set_condition(parse_where("a = 1 AND (b = 2 OR c BETWEEN 1 AND 2)"))
    assert all(control.accessibleName() for control in panel.focus_order)


def test_it_says_what_it_costs(panel: FilterPanel) -> None:
    open_lines(panel)
    words = [label.text() for label in panel.findChildren(QWidget) if hasattr(label, "text") and callable(label.text)]
    assert "What is filtered out is read and paid for all the same." in words
