"""The dialog of recipes: filled in from the table, followed by what it makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from dynodesk.domain.actions import SingleWrite, TransactWrite, UpdateAction, actions_of
from dynodesk.domain.recipes import RECIPES
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Boolean, Item, List, Null, String
from dynodesk.ui.dialogs.recipe import RecipeDialog
from dynodesk.ui.dialogs.recipe_fields import TableBox, TextBox, TypedBox, ValueBox
from tests.domain.test_recipes import SOCIAL as SOCIAL_RULES
from tests.domain.test_recipes import STATS as STATS_RULES
from tests.domain.test_recipes import TABLES, WORKSPACES, selected

Show = Callable[..., RecipeDialog]


@pytest.fixture
def show(dressed_application: QApplication, qtbot: QtBot) -> Iterator[Show]:
    shown: list[RecipeDialog] = []

    def opened(recipe: str, table: str, items: Sequence[Item], rules: Sequence[TallyRule] = ()) -> RecipeDialog:
        dialog = RecipeDialog(TABLES, table, items, rules, recipe=recipe)
        shown.append(dialog)
        dialog.open()
        return dialog

    yield opened
    for dialog in shown:
        if isValid(dialog):
            dialog.close()


def text_of(dialog: RecipeDialog, name: str) -> str:
    box = dialog.form.boxes[name]
    assert isinstance(box, TextBox)
    return box.edit.text()


def fill(dialog: RecipeDialog, name: str, text: str) -> None:
    box = dialog.form.boxes[name]
    assert isinstance(box, TextBox)
    box.edit.setText(text)


def value_box(dialog: RecipeDialog, name: str) -> ValueBox:
    box = dialog.form.boxes[name]
    assert isinstance(box, ValueBox)
    return box


def preview(dialog: RecipeDialog, parent: QModelIndex | None = None) -> list[str]:
    top = parent or QModelIndex()
    found = []
    for at in range(dialog.model.rowCount(top)):
        cells = [dialog.model.index(at, column, top).data() or "" for column in range(3)]
        found.append(" ".join(filter(None, cells)))
        found += preview(dialog, dialog.model.index(at, 0, top))
    return found


def test_a_like_is_there_once_it_is_said_who_likes(show: Show, qtbot: QtBot) -> None:
    dialog = show("like", "Social", selected("Social", "POST#a91f", "META"), SOCIAL_RULES)
    assert dialog.request is None
    assert not dialog.go_button.isEnabled()
    assert dialog.note.text == "Who is not filled in."
    me = dialog.form.boxes["me"]
    assert isinstance(me, TextBox)
    assert dialog.focusWidget() is me.edit
    assert me.edit.placeholderText().startswith("such as USER#")
    QTest.keyClicks(me.edit, "USER#7c20")
    said = preview(dialog)
    assert said[:3] == ["1  Put LIKE#USER#7c20", "PK S POST#a91f", "SK S LIKE#USER#7c20"]
    assert said[-5:] == [
        "2  Update META",
        "PK S POST#a91f",
        "SK S META",
        "SET rev = if_not_exists(rev, 0) + 1 ADD likeTally 1",
        "if attribute_exists(PK)",
    ]
    assert dialog.note.text == ""
    with qtbot.waitSignal(dialog.composed) as heard:
        QTest.keyClick(me.edit, Qt.Key.Key_Return)
    assert [type(request) for request in heard.args or ()] == [TransactWrite]
    qtbot.waitUntil(lambda: not isValid(dialog))


def test_another_recipe_keeps_who_was_typed_and_says_what_it_costs(show: Show) -> None:
    dialog = show("like", "Social", selected("Social", "POST#a91f", "META"), SOCIAL_RULES)
    fill(dialog, "me", "USER#x")
    dialog.recipes.setCurrentText("Unlike, with guards")
    assert text_of(dialog, "me") == "USER#x"
    assert preview(dialog)[0] == "1  Delete LIKE#USER#x"
    assert "second unlike" in dialog.trade_off.text()


def test_what_is_wrong_is_said_at_its_field(show: Show) -> None:
    dialog = show("increment-add", "Social", selected("Social", "POST#a91f", "META"))
    fill(dialog, "delta", "1x")
    assert dialog.request is None
    assert preview(dialog) == []
    assert "not a number" in dialog.form.problem_at("delta")
    fill(dialog, "delta", "2")
    assert dialog.form.problem_at("delta") == ""
    assert preview(dialog)[-2].endswith("ADD likeTally 2")


def test_another_table_has_keys_of_its_own(show: Show) -> None:
    dialog = show("like", "Workspaces", selected("Workspaces", "acme"), WORKSPACES)
    tables = dialog.form.boxes["child_table"]
    assert isinstance(tables, TableBox)
    assert tables.value() == "Members"
    tables.names.setCurrentText("Courses")
    child = dialog.form.boxes["child"]
    assert isinstance(child, TypedBox)
    assert [(one.name, one.type, one.text) for one in child.value()] == [("PK", "S", ""), ("SK", "S", "")]
    parent = dialog.form.boxes["parent"]
    assert isinstance(parent, TypedBox)
    assert [one.text for one in parent.value()] == ["acme"]


def test_shards_under_one_partition_key_are_warned_of(show: Show) -> None:
    dialog = show("sharded-increment", "Stats", selected("Stats", "VID#9f3a", "STATS#TOTAL#0"), STATS_RULES)
    assert dialog.warning.text().startswith("The shards differ in SK")
    assert dialog.warning.isVisible()
    dialog.recipes.setCurrentText("Read a sharded counter")
    assert not dialog.warning.isVisible()
    assert [line for line in preview(dialog) if "Get" in line] == [f"{at + 1}  Get STATS#TOTAL#{at}" for at in range(4)]


def test_values_are_typed_by_their_type_and_stay_as_they_are_until_then(show: Show) -> None:
    odd = List((String("\ufeffa\n"), Null()))
    items: list[Item] = [{"id": String("x"), "tags": odd}]
    dialog = show("update-observed", "Workspaces", items)
    assert text_of(dialog, "attribute") == "tags"
    box = value_box(dialog, "new")
    assert box.value() is odd
    box.kind.setCurrentText("BOOL")
    box.edit.setText("true")
    assert box.value() == Boolean(value=True)
    box.kind.setCurrentText("S")
    box.edit.setText(r"a\n{me}")
    assert box.value() == String("a\n{me}")
    box.kind.setCurrentText("L")
    box.edit.setText("[")
    assert "no JSON" in dialog.form.problem_at("new")
    box.kind.setCurrentText("NULL")
    observed = value_box(dialog, "observed")
    observed.kind.setCurrentIndex(0)
    request = dialog.request
    assert isinstance(request, SingleWrite)
    (action,) = actions_of(request)
    assert isinstance(action, UpdateAction)
    assert str(action.update) == "SET tags = NULL"
    assert str(action.condition) == "attribute_exists(id) AND attribute_not_exists(tags)"


def test_every_recipe_can_be_chosen_for_any_table(show: Show) -> None:
    for table in TABLES:
        dialog = show("like", table, ())
        for at, recipe in enumerate(RECIPES):
            dialog.recipes.setCurrentIndex(at)
            assert list(dialog.form.boxes) == [field.name for field in recipe.fields]
            assert dialog.summary.text() == recipe.summary


def test_a_table_that_is_not_known_leaves_all_to_be_filled_in(show: Show, dressed_application: QApplication) -> None:
    known: dict[str, TableInfo] = {}
    dialog = RecipeDialog(known, "Gone", ())
    assert dialog.request is None
    dialog.close()
