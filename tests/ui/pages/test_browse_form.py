"""The form of a Query or Scan: what is typed is what is asked, or it is refused where it stands."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.collections import View
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan, SortCondition
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.domain.values import Binary, Number, String
from dynodesk.ui.pages.browse_form import KeyField, ReadForm
from tests.helpers.small_tables import READINGS, SOCIAL

MANY_KEYS = TableInfo(
    "Orders",
    KeySchema((KeyAttribute("id", "B"),)),
    indexes=(
        IndexInfo(
            "byPlace",
            "GSI",
            KeySchema((KeyAttribute("country", "S"), KeyAttribute("year", "N")), (KeyAttribute("city", "S"),)),
            Projection("ALL"),
        ),
        IndexInfo("local", "LSI", KeySchema((KeyAttribute("id", "B"),), (KeyAttribute("at", "N"),)), Projection("ALL")),
    ),
)


def form_for(qtbot: QtBot, table: TableInfo, index: str | None = None) -> ReadForm:
    form = ReadForm(table, (View(table), *(View(table, found.name) for found in table.indexes)))
    form.index.choose(View(table, index))
    qtbot.addWidget(form)
    form.show()
    return form


def low(form: ReadForm) -> KeyField:
    assert form.low is not None
    return form.low


def problems(form: ReadForm) -> list[str]:
    """What stands below the fields, and the fields it is about."""
    fields = [field for field in (*form.partition, form.low, form.high) if field is not None]
    return [field.accessibleDescription() for field in fields if field.property("invalid")]


def test_no_partition_key_is_a_scan(qtbot: QtBot) -> None:
    form = form_for(qtbot, SOCIAL)
    assert form.plan() == ScanPlan("Social")
    assert not form.order.isEnabled()
    assert "no order" in form.order.accessibleDescription()


def test_a_partition_key_is_a_query(qtbot: QtBot) -> None:
    form = form_for(qtbot, SOCIAL)
    QTest.keyClicks(form.partition[0], "POST#a91f")
    form.order.setCurrentText("descending")
    form.consistent.setChecked(True)
    assert form.plan() == QueryPlan("Social", {"PK": String("POST#a91f")}, consistent=True, descending=True)


def test_zero_is_a_value_and_an_empty_field_is_none(qtbot: QtBot) -> None:
    form = form_for(qtbot, READINGS)
    QTest.keyClicks(form.partition[0], "d")
    form.operator.setCurrentText("=")
    assert form.plan() is None
    assert problems(form) == ["at: a value is needed. Type one, or choose any."]
    QTest.keyClicks(low(form), "0")
    assert problems(form) == []
    assert form.plan() == QueryPlan(
        "Readings", {"device": String("d")}, SortCondition("=", Number("0")), sort_name="at"
    )


def test_between_takes_two_values(qtbot: QtBot) -> None:
    form = form_for(qtbot, SOCIAL)
    QTest.keyClicks(form.partition[0], "POST#a91f")
    form.operator.setCurrentText("between")
    assert form.high is not None
    assert form.high.isVisible()
    QTest.keyClicks(low(form), "A")
    assert form.plan() is None
    assert problems(form) == ["SK to: a value is needed. Type one, or choose any."]
    QTest.keyClicks(form.high, "B")
    plan = form.plan()
    assert isinstance(plan, QueryPlan)
    assert plan.sort == SortCondition("between", String("A"), String("B"))
    form.operator.setCurrentText(">=")
    plan = form.plan()
    assert isinstance(plan, QueryPlan)
    assert plan.sort == SortCondition(">=", String("A"))


def test_a_sort_condition_without_partition_key_is_not_dropped(qtbot: QtBot) -> None:
    form = form_for(qtbot, SOCIAL)
    form.operator.setCurrentText("begins_with")
    QTest.keyClicks(low(form), "LIKE#")
    assert form.plan() is None
    assert problems(form) == ["PK: a sort key condition needs a partition key. Fill it in, or choose any."]


@pytest.mark.parametrize("typed", ["abc", "1e", "1_000", "--1", "1" * 39])
def test_a_number_key_is_checked_as_it_is_typed(qtbot: QtBot, typed: str) -> None:
    form = form_for(qtbot, READINGS)
    QTest.keyClicks(form.partition[0], "d")
    form.operator.setCurrentText("<")
    QTest.keyClicks(low(form), typed)
    assert low(form).property("invalid")
    assert problems(form)[0].startswith("at: ")
    assert form.plan() is None
    low(form).setText("-12.5E3")
    assert problems(form) == []
    plan = form.plan()
    assert isinstance(plan, QueryPlan)
    assert plan.sort == SortCondition("<", Number("-12500"))


def test_begins_with_is_offered_for_text_and_bytes_only(qtbot: QtBot) -> None:
    def offered(form: ReadForm) -> list[str]:
        return [form.operator.itemText(i) for i in range(form.operator.count())]

    assert "begins_with" in offered(form_for(qtbot, SOCIAL))
    assert "begins_with" not in offered(form_for(qtbot, READINGS))
    assert offered(form_for(qtbot, READINGS)) == ["any", "=", "<", "<=", ">", ">=", "between"]


def test_binary_keys_are_typed_as_hexadecimal(qtbot: QtBot) -> None:
    form = form_for(qtbot, MANY_KEYS)
    QTest.keyClicks(form.partition[0], "0f9")
    assert "hexadecimal" in problems(form)[0]
    QTest.keyClicks(form.partition[0], "c")
    assert form.plan() == QueryPlan("Orders", {"id": Binary(b"\x0f\x9c")})


def test_every_partition_key_attribute_has_a_field(qtbot: QtBot) -> None:
    form = form_for(qtbot, MANY_KEYS, "byPlace")
    assert [key.attribute.name for key in form.partition] == ["country", "year"]
    QTest.keyClicks(form.partition[0], "FR")
    assert form.plan() is None
    assert problems(form) == ["year: a Query needs the whole partition key. Fill it in, or empty the others."]
    QTest.keyClicks(form.partition[1], "2025")
    assert form.plan() == QueryPlan("Orders", {"country": String("FR"), "year": Number("2025")}, index="byPlace")


def test_consistent_read_is_off_where_it_is_impossible_and_says_why(qtbot: QtBot) -> None:
    form = form_for(qtbot, MANY_KEYS)
    form.consistent.setChecked(True)
    form.index.choose(View(MANY_KEYS, "byPlace"))
    assert not form.consistent.isEnabled()
    assert "no consistent reads" in form.consistent.toolTip()
    assert "no consistent reads" in form.consistent.accessibleDescription()
    plan = form.plan()
    assert plan is not None
    assert not plan.consistent
    form.index.choose(View(MANY_KEYS, "local"))
    assert form.consistent.isEnabled()


@pytest.mark.parametrize(
    "key", ['POST#l\'été "25" #2', "a\0b", "two\nlines", "\u202eabc", " spaced ", "🌊 plage", "<b>"]
)
def test_a_key_shown_in_the_form_is_asked_exactly(qtbot: QtBot, key: str) -> None:
    form = form_for(qtbot, SOCIAL)
    plan = QueryPlan("Social", {"PK": String(key)}, SortCondition("begins_with", String(key)), "SK", descending=True)
    form.set_plan(plan)
    assert form.plan() == plan
    unseen = not key.isprintable() or key != key.strip()
    assert ("cannot be seen" in form.partition[0].accessibleDescription()) == unseen


@pytest.mark.parametrize(
    "plan",
    [
        ScanPlan("Social"),
        ScanPlan("Social", index="GSI1"),
        QueryPlan("Social", {"GSI1PK": String("USER#7c20")}, index="GSI1"),
        QueryPlan("Social", {"PK": String("a")}, SortCondition("between", String("b"), String("c")), "SK"),
        QueryPlan("Social", {"kind": String("like")}, SortCondition(">", Number("0")), "likedAt", index="GSI2"),
    ],
)
def test_plans_survive_the_form(qtbot: QtBot, plan: ReadPlan) -> None:
    form = form_for(qtbot, SOCIAL)
    form.set_plan(plan)
    assert form.plan() == plan


def test_tab_goes_through_the_fields_in_reading_order(qtbot: QtBot) -> None:
    form = form_for(qtbot, MANY_KEYS, "byPlace")
    QTest.keyClicks(form.partition[0], "x")
    form.operator.setCurrentText("between")
    form.activateWindow()
    form.index.setFocus()
    passed: list[QWidget | None] = []
    for _ in range(6):
        passed.append(form.focusWidget())
        QTest.keyClick(form.focusWidget(), Qt.Key.Key_Tab)
    assert passed == [form.index, *form.partition, form.operator, form.low, form.high]


def test_enter_in_a_field_runs(qtbot: QtBot) -> None:
    form = form_for(qtbot, SOCIAL)
    with qtbot.waitSignal(form.run_asked):
        QTest.keyClick(form.partition[0], Qt.Key.Key_Return)
