"""The form of a Query or Scan: what is typed is what is asked, or it is refused where it stands."""

from __future__ import annotations

import json
import shlex
from decimal import Decimal

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.collections import View
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.reading import EVERYTHING, Portion
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan, SortCondition, check_plan
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.domain.values import Binary, KeyValue, Number, String
from dynodesk.ui.pages.browse_form import ReadForm
from dynodesk.ui.pages.browse_keys import KeyField
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


PLACES = TableInfo(
    "Places",
    KeySchema((KeyAttribute("id", "S"),)),
    indexes=(
        IndexInfo(
            "byPlace",
            "GSI",
            KeySchema(
                (KeyAttribute("country", "S"), KeyAttribute("year", "N")),
                (KeyAttribute("city", "S"), KeyAttribute("street", "S"), KeyAttribute("house", "N")),
            ),
            Projection("ALL"),
        ),
    ),
)


def form_for(qtbot: QtBot, table: TableInfo, index: str | None = None, *, options: bool = False) -> ReadForm:
    views = (View(table), *(View(table, found.name) for found in table.indexes))
    form = ReadForm(table, views, options=options)
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


# ------------------------------------------------------------------------------------- sort keys of several attributes


def fill(form: ReadForm, country: str = "FR", year: str = "2025") -> None:
    form.partition[0].setText(country)
    form.partition[1].setText(year)


def test_sort_attributes_open_up_from_left_to_right(qtbot: QtBot) -> None:
    form = form_for(qtbot, PLACES, "byPlace")
    fill(form)
    city, street, house = form.sorts
    assert (city.isVisible(), street.isVisible(), house.isVisible()) == (True, False, False)
    city.operator.setCurrentText("=")
    QTest.keyClicks(city.low, "Paris")
    assert (street.isVisible(), house.isVisible()) == (True, False)
    street.operator.setCurrentText("begins_with")
    QTest.keyClicks(street.low, "Rue")
    assert not house.isVisible(), "only = lets the one after it have a condition"
    place: dict[str, KeyValue] = {"country": String("FR"), "year": Number("2025")}
    assert form.plan() == QueryPlan(
        "Places",
        place,
        SortCondition("begins_with", String("Rue")),
        "street",
        "byPlace",
        sort_equals={"city": String("Paris")},
    )
    street.operator.setCurrentText("=")
    house.operator.setCurrentText("between")
    house.low.setText("1")
    house.high.setText("9")
    plan = form.plan()
    assert isinstance(plan, QueryPlan)
    assert (plan.sort_name, dict(plan.sort_equals)) == ("house", {"city": String("Paris"), "street": String("Rue")})
    check_plan(plan, PLACES)
    city.operator.setCurrentText("<")
    assert form.plan() == QueryPlan("Places", place, SortCondition("<", String("Paris")), "city", "byPlace")


def test_a_sort_attribute_left_open_ends_the_condition(qtbot: QtBot) -> None:
    form = form_for(qtbot, PLACES, "byPlace")
    fill(form)
    form.sorts[0].operator.setCurrentText("=")
    form.sorts[0].low.setText("Paris")
    plan = form.plan()
    assert isinstance(plan, QueryPlan)
    assert (plan.sort, plan.sort_name, plan.sort_equals) == (SortCondition("=", String("Paris")), "city", {})
    form.sorts[1].operator.setCurrentText("=")
    assert form.plan() is None
    assert form.sorts[1].low.accessibleDescription() == "street: a value is needed. Type one, or choose any."


def test_a_sort_key_of_several_attributes_survives_the_form(qtbot: QtBot) -> None:
    form = form_for(qtbot, PLACES, "byPlace")
    plan = QueryPlan(
        "Places",
        {"country": String("FR"), "year": Number("2025")},
        SortCondition(">", Number("7")),
        "house",
        "byPlace",
        descending=True,
        sort_equals={"city": String("Paris"), "street": String("Rue")},
    )
    form.set_plan(plan)
    assert form.plan() == plan
    form.set_plan(QueryPlan("Places", plan.partition, index="byPlace"))
    assert form.plan() == QueryPlan("Places", plan.partition, index="byPlace")


# ------------------------------------------------------------------------------------ one item, a filter, the options


def test_the_whole_key_is_one_item(qtbot: QtBot) -> None:
    form = form_for(qtbot, SOCIAL, options=True)
    form.partition[0].setText("POST#a91f")
    form.operator.setCurrentText("=")
    QTest.keyClicks(low(form), "META")
    plan = form.plan()
    assert plan == QueryPlan(
        "Social", {"PK": String("POST#a91f")}, SortCondition("=", String("META")), "SK", by_key=True
    )
    assert form.explanation == "GetItem Social: PK = 'POST#a91f' AND SK = 'META' · eventually consistent"
    form.filter.set_condition(parse_where("likeTally > 3"))
    plan = form.plan()
    assert isinstance(plan, QueryPlan)
    assert not plan.by_key, "GetItem takes no filter"
    form.index.choose(View(SOCIAL, "GSI1"))
    form.partition[0].setText("x")
    assert isinstance(plan := form.plan(), QueryPlan)
    assert not plan.by_key, "an index may have many items of one key"


@pytest.mark.parametrize(
    "plan",
    [
        ScanPlan("Social", filter=parse_where("a = 1 AND (b = '' OR NOT size(c) > 3)"), segments=4),
        ScanPlan("Social", attributes=("PK", "SK", "a.b", "title"), segments=3),
        QueryPlan("Social", {"PK": String("a")}, filter=parse_where("a = 'x'"), attributes=("PK", "SK", "a")),
        QueryPlan("Social", {"kind": String("like")}, index="GSI2", attributes=("PK", "SK", "kind", "likedAt", "x")),
    ],
)
def test_filters_and_options_survive_the_form(qtbot: QtBot, plan: ReadPlan) -> None:
    form = form_for(qtbot, SOCIAL, options=True)
    form.set_plan(plan)
    assert form.plan() == plan
    assert form.filter.is_open == (plan.filter is not None)
    form.set_plan(ScanPlan("Social"))
    assert form.plan() == ScanPlan("Social")
    assert not form.filter.is_open


def test_the_filter_opens_with_a_key_and_closes_without_a_trace(qtbot: QtBot) -> None:
    form = form_for(qtbot, SOCIAL)
    form.activateWindow()
    qtbot.waitUntil(form.isActiveWindow)
    QTest.keySequence(form, QKeySequence("Ctrl+Alt+F"))
    assert form.filter.is_open
    assert not form.add_filter.isVisible()
    assert form.draft() is None, "a condition that says nothing is no filter yet"
    assert form.plan() is None
    assert form.filter.remarks
    QTest.mouseClick(form.filter.close_button, Qt.MouseButton.LeftButton)
    assert form.add_filter.isVisible()
    assert form.plan() == ScanPlan("Social")


def test_a_key_in_the_filter_is_for_scans_only(qtbot: QtBot) -> None:
    form = form_for(qtbot, SOCIAL)
    form.filter.set_condition(parse_where("SK = 'META'"))
    assert form.plan() == ScanPlan("Social", filter=parse_where("SK = 'META'"))
    form.partition[0].setText("POST#a91f")
    assert form.plan() is None
    assert form.filter.remarks[0].startswith("SK is a key attribute here")
    form.index.choose(View(SOCIAL, "GSI1"))
    form.partition[0].setText("USER#7c20")
    assert form.plan() is not None, "in this index it is none"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("title, ", "the name of an attribute is missing"),
        ("user-id", "double quotes"),
        ("a.b", 'one attribute "a.b" in double quotes'),
    ],
)
def test_attributes_to_return_are_checked_as_they_are_typed(qtbot: QtBot, typed: str, said: str) -> None:
    form = form_for(qtbot, SOCIAL, options=True)
    form.options.returned.setText(typed)
    assert form.plan() is None
    assert form.options.returned.property("invalid")
    assert said in form.options.returned.accessibleDescription()
    form.options.returned.setText('title, "user-id"')
    assert form.plan() == ScanPlan("Social", attributes=("PK", "SK", "title", "user-id"))


def test_an_index_returns_what_it_has_a_copy_of(qtbot: QtBot) -> None:
    form = form_for(qtbot, SOCIAL, "GSI1", options=True)
    form.options.returned.setText("likedAt, title")
    assert form.plan() is None
    assert form.options.returned.accessibleDescription() == (
        "attributes to return: GSI1 does not project title. Leave them out, or read the base table."
    )
    form.index.choose(View(SOCIAL, "GSI2"))
    assert form.plan() is not None


@pytest.mark.parametrize(
    ("partition", "sort", "said"),
    [
        ("x" * 2049, "", "PK: 2049 bytes; a key of this kind has at most 2048"),
        ("é" * 1025, "", "PK: 2050 bytes"),
        ("p", "x" * 1025, "SK: 1025 bytes; a key of this kind has at most 1024"),
    ],
)
def test_keys_that_are_too_long(qtbot: QtBot, partition: str, sort: str, said: str) -> None:
    form = form_for(qtbot, SOCIAL, options=True)
    form.partition[0].setText(partition)
    if sort:
        form.operator.setCurrentText("=")
        low(form).setText(sort)
    assert form.plan() is None
    assert problems(form)[0].startswith(said)
    assert not form.explanation


def test_how_far_and_how_fast(qtbot: QtBot) -> None:
    form = form_for(qtbot, SOCIAL, options=True)
    assert form.portion() == Portion(1000)
    form.options.items.setCurrentText("all")
    form.options.page.setCurrentText("25")
    form.options.rate.setText("12.5")
    assert form.portion() == Portion(EVERYTHING, 25, rate=Decimal("12.5"))
    for wrong in ("0", "-1", "x", "NaN", "inf"):
        form.options.rate.setText(wrong)
        assert form.plan() is None
        assert "no number of units" in form.options.rate.accessibleDescription()
        assert form.portion().rate == Decimal("12.5"), "what is half typed is no order to go faster"
    form.options.rate.clear()
    assert form.portion().rate is None


def test_segments_are_for_scans(qtbot: QtBot) -> None:
    form = form_for(qtbot, SOCIAL, options=True)
    form.options.show()
    form.options.segments.setCurrentText("8")
    assert form.plan() == ScanPlan("Social", segments=8)
    assert form.explanation == "Scan Social in 8 segments · eventually consistent"
    form.partition[0].setText("POST#a91f")
    assert not form.options.segments.isVisible()
    assert form.plan() == QueryPlan("Social", {"PK": String("POST#a91f")})


def test_the_request_is_copied_as_it_is_sent(qtbot: QtBot) -> None:
    form = form_for(qtbot, MANY_KEYS, options=True)
    form.partition[0].setText("0f9c")
    form.filter.set_condition(parse_where("\"a b\" <> 'it''s'"))
    form.options.items.setCurrentText("100")

    def copied(action: str) -> str:
        next(made for made in form.actions() if made.objectName() == action).trigger()
        return QGuiApplication.clipboard().text()

    sent = json.loads(copied("copy-request-json"))
    assert sent["ExpressionAttributeValues"][":v1"] == {"S": "it's"}
    assert sent["FilterExpression"] == "#n1 <> :v1"
    assert sent["Limit"] == 100
    command = shlex.split(copied("copy-request-cli"), comments=True)
    assert command[:3] == ["aws", "dynamodb", "query"]
    assert json.loads(command[-1]) == sent
    python = copied("copy-request-boto3")
    compile(python, "copied", "exec")
    assert 'base64.b64decode("D5w=")' in python, "boto3 writes the Base64 itself"
    form.options.rate.setText("x")
    assert not any(made.isEnabled() for made in form.actions() if made.objectName().startswith("copy-request"))


def test_loads_have_a_filter_and_no_options(qtbot: QtBot) -> None:
    form = form_for(qtbot, SOCIAL)
    form.partition[0].setText("POST#a91f")
    form.operator.setCurrentText("=")
    low(form).setText("META")
    assert isinstance(plan := form.plan(), QueryPlan)
    assert not plan.by_key
    assert form.add_filter.isVisible()
    assert not form.order.isVisible()
    assert not form.options.isVisible()


def test_tab_goes_from_the_keys_through_the_filter_to_the_options(qtbot: QtBot) -> None:
    form = form_for(qtbot, SOCIAL, options=True)
    form.resize(1000, 500)
    form.filter.set_condition(parse_where("a = 1 OR (b = 2 AND c = 3)"))
    QTest.mouseClick(form.filter.add_line, Qt.MouseButton.LeftButton)
    form.options.show()
    form.activateWindow()
    qtbot.waitUntil(form.isActiveWindow)
    form.index.setFocus()
    passed: list[QWidget] = []
    while (here := form.focusWidget()) not in passed:
        passed.append(here)
        QTest.keyClick(here, Qt.Key.Key_Tab)
    wanted = [form.index, *form.partition, form.operator, form.consistent]
    wanted += [*form.filter.focus_order, *form.options.focus_order]
    shown = [field for field in wanted if field.isVisible()]
    assert [field for field in passed if field in shown] == shown
    assert len(list(form.filter.group.lines)) == 4
