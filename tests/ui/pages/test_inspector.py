"""Editing an item in the inspector, by keys and clicks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import InvalidFile
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import (
    Binary,
    Boolean,
    List,
    Map,
    Null,
    Number,
    String,
    StringSet,
    Value,
    numbers,
)
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.models.item_cells import VALUE
from dynodesk.ui.pages.item_editor import DYNAMODB_JSON, JSON, TREE
from dynodesk.ui.widgets.trees import GROUND, STRUCK
from tests.helpers.small_tables import READINGS, SOCIAL, like, post, reading
from tests.ui.pages.inspecting import Desk, press

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
OpenDesk = Callable[..., Desk]


@pytest.fixture
def open_desk(qtbot: QtBot, qapp: QApplication) -> Iterator[OpenDesk]:
    runner = JobRunner(threads=2)

    def opened(table: TableInfo = SOCIAL) -> Desk:
        return Desk(runner, qtbot, table)

    yield opened
    assert runner.shutdown()
    runner.deleteLater()


@pytest.fixture
def desk(open_desk: OpenDesk) -> Desk:
    return open_desk()


def changed(edit: Edit) -> dict[str, Value | None]:
    return {".".join(change.path.names): change.after for change in edit.changes}


# --------------------------------------------------------------------------------------------------------- values


def test_a_value_is_changed_in_its_row_and_nothing_else_is(desk: Desk) -> None:
    item = {**post("a91f", 3), "score": Number("1.50"), "tags": StringSet(("b", "a"))}
    desk.edit(item)
    desk.type_over("41", "likeTally")
    assert desk.rows["likeTally"] == ("N", "41")
    assert desk.note("likeTally") == "edited"
    edit = desk.stage()
    assert changed(edit) == {"likeTally": Number("41")}
    assert edit.after is not None
    assert all(edit.after[name] is item[name] for name in item if name != "likeTally")
    assert not desk.inspector.is_editing
    assert desk.note("likeTally") == "edited"
    assert desk.inspector.fact("Seen") == "edited: staged, not written"


def test_editing_begins_at_the_chosen_row_or_after_the_key(desk: Desk) -> None:
    desk.edit(post("a91f", 3))
    assert desk.inspector.tree.currentIndex().row() == len(SOCIAL.key_schema.names)
    assert not desk.inspector.tree.viewport().findChildren(QLineEdit)  # a key is not what somebody began to type into
    desk.inspector.discard()
    desk.show(post("a91f", 3))
    desk.go_to("title")
    desk.inspector.edit_action.trigger()
    assert desk.field.text() == "Harbour walk"


def test_a_number_stays_a_number_and_a_text_a_text(desk: Desk) -> None:
    desk.edit({**post("k", 5), "code": String("5")})
    desk.type_over("6", "likeTally")
    desk.type_over("6", "code")
    assert changed(desk.stage()) == {"likeTally": Number("6"), "code": String("6")}


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("7 ", "not a number"),
        ("NaN", "not a number"),
        ("1" * 39, "likeTally: 11111111111111111111111… has 39 significant digits"),
        ("1E126", "outside the range"),
        ("1E-131", "outside the range"),
        ("1_000", "not a number"),
    ],
)
def test_what_is_no_number_is_kept_as_typed_and_not_staged(desk: Desk, typed: str, said: str) -> None:
    desk.edit(post("k", 5))
    desk.type_over(typed, "likeTally")
    desk.settle()
    assert desk.rows["likeTally"][0] == "N"
    assert desk.note("likeTally") == "wrong"
    assert said in desk.said
    desk.inspector.stage()
    assert desk.edits == []
    desk.inspector.show_as(JSON)
    assert desk.inspector.editor.form == TREE
    desk.type_over("7", "likeTally")
    desk.settle()
    assert changed(desk.stage()) == {"likeTally": Number("7")}


@pytest.mark.parametrize("typed", ["30.40", "0.1", "1E3", "9.9999999999999999999999999999999999999E125", "1E-130"])
def test_numbers_are_taken_with_the_digits_typed(desk: Desk, typed: str) -> None:
    desk.edit(post("k", 5))
    desk.type_over(typed, "likeTally")
    edit = desk.stage()
    assert edit.after is not None
    value = edit.after["likeTally"]
    assert isinstance(value, Number)
    assert value.text == typed


def test_another_spelling_of_the_same_number_is_no_change(desk: Desk) -> None:
    desk.edit({**post("k", 5), "n": Number("1E3")})
    desk.type_over("1000.0", "n")
    desk.settle()
    assert desk.rows["n"] == ("N", "1E3")
    assert not desk.inspector.is_changed
    assert desk.said == "Nothing is changed yet."


def test_every_type_is_chosen_and_none_is_guessed(desk: Desk) -> None:
    desk.edit(post("k", 5))
    for tag in ("S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"):
        desk.go_to("title")
        desk.inspector.tree.retype()
        (chooser,) = desk.inspector.tree.viewport().findChildren(QComboBox)
        chooser.setCurrentIndex(chooser.findData(tag))
        chooser.activated.emit(chooser.currentIndex())
        desk.qtbot.waitUntil(lambda: not desk.inspector.tree.viewport().findChildren(QComboBox))
        assert desk.rows["title"][0] == tag
    desk.inspector.tree.put_back()
    assert desk.rows["title"] == ("S", "Harbour walk")
    assert not desk.inspector.is_changed


def test_a_form_that_cannot_be_shown_says_why(desk: Desk) -> None:
    desk.edit(post("k", 5))
    desk.type_over("abc", "likeTally")
    desk.settle()
    tabs = desk.inspector.editor.tabs
    QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(DYNAMODB_JSON).center())
    desk.settle()
    assert (desk.inspector.editor.form, tabs.currentIndex()) == (TREE, TREE)
    assert desk.said.startswith(
        "DynamoDB JSON cannot be shown while a value is wrong: correct it, put it back or remove it. "
        "likeTally: 'abc' is not a number"
    )
    desk.type_over("6", "likeTally")
    desk.settle()
    desk.type_over("x", "likeTally")
    desk.settle()
    assert desk.said.startswith("likeTally: ")
    desk.type_over("6", "likeTally")
    desk.inspector.show_as(DYNAMODB_JSON)
    replace(desk, '"6"', "6")
    desk.settle()
    desk.inspector.show_as(JSON)
    desk.settle()
    assert desk.said.startswith("JSON cannot be shown until the text is correct. Line ")


def test_of_several_wrong_values_the_selected_one_is_explained(desk: Desk) -> None:
    desk.edit({**post("k", 5), "score": Number("1"), "n": numbers(["1", "2"])})
    desk.type_over("abc", "likeTally")
    desk.settle()
    assert desk.said.startswith("likeTally: 'abc' is not a number")
    assert "more" not in desk.said
    desk.type_over("xyz", "score")
    desk.settle()
    assert desk.said.startswith("score: 'xyz' is not a number")
    assert desk.said.endswith("1 more value is wrong.")
    desk.inspector.tree.expand(desk.index("n").siblingAtColumn(0))
    desk.type_over("1.0", "n", "2")
    desk.settle()
    assert desk.said.endswith("2 more values are wrong.")
    desk.go_to("likeTally")
    desk.settle()
    assert desk.said.startswith("likeTally: 'abc' is not a number")
    desk.go_to("title")
    desk.settle()
    assert desk.said.startswith("likeTally: 'abc' is not a number")


def test_an_empty_text_is_no_member_of_the_set_made_of_it(desk: Desk) -> None:
    desk.edit({**post("k", 5), "empty": String(""), "full": String("heart")})
    model = desk.inspector.editor.model
    model.set_type(desk.index("full"), "SS")
    model.set_type(desk.index("empty"), "SS")
    assert desk.rows["full"] == ("SS", "1 value")
    assert desk.rows["empty"] == ("SS", "0 values")
    desk.settle()
    assert "an empty set cannot be stored" in desk.said.lower()
    desk.inspector.stage()
    assert desk.edits == []
    desk.go_to("empty")
    press(desk.inspector.tree, Qt.Key.Key_Insert, SHIFT)
    QTest.keyClicks(desk.field, "heart")
    desk.enter()
    desk.settle()
    assert changed(desk.stage()) == {"empty": StringSet(("heart",)), "full": StringSet(("heart",))}


def test_a_text_that_becomes_a_number_need_not_be_one(desk: Desk) -> None:
    desk.edit({**post("k", 5), "n": String("12"), "x": String("a")})
    model = desk.inspector.editor.model
    model.set_type(desk.index("n"), "N")
    assert desk.rows["n"] == ("N", "12")
    model.set_type(desk.index("x"), "N")
    desk.settle()
    assert desk.note("x") == "wrong"
    assert "x: 'a' is not a number" in desk.said


def test_a_boolean_is_chosen(desk: Desk) -> None:
    desk.edit({**post("k", 5), "on": Boolean(value=False)})
    desk.go_to("on")
    press(desk.inspector.tree, Qt.Key.Key_Return)
    (chooser,) = desk.inspector.tree.viewport().findChildren(QComboBox)
    press(chooser, Qt.Key.Key_Up)
    press(chooser, Qt.Key.Key_Return)
    assert changed(desk.stage()) == {"on": Boolean(value=True)}


# ----------------------------------------------------------------------------------------- sets, lists, maps


def test_a_member_is_added_to_a_set_and_an_element_to_a_list(desk: Desk) -> None:
    desk.edit({**post("s", 1), "tags": StringSet(("red", "blue")), "labels": List((String("red"), String("blue")))})
    for name in ("tags", "labels"):
        desk.go_to(name)
        press(desk.inspector.tree, Qt.Key.Key_Insert, SHIFT)
        QTest.keyClicks(desk.field, "green")
        desk.enter()
    edit = desk.stage()
    assert edit.after is not None
    assert edit.after["tags"] == StringSet(("red", "blue", "green"))
    assert edit.after["labels"] == List((String("red"), String("blue"), String("green")))
    assert isinstance(edit.after["tags"], StringSet)
    assert edit.after["tags"].members == ("blue", "red", "green")  # as they are shown, the new one last


def test_a_set_takes_no_member_twice_and_is_never_empty(desk: Desk) -> None:
    desk.edit({**post("s", 1), "n": numbers(["1", "2"])})
    desk.inspector.tree.expand(desk.index("n").siblingAtColumn(0))
    desk.type_over("1.0", "n", "2")
    desk.settle()
    assert "member already: 1.0 and 1 are equal." in desk.said
    desk.type_over("3", "n", "1.0")
    desk.settle()
    assert "changed: n" in desk.said
    for member in ("1", "3"):
        desk.go_to("n", member)
        press(desk.inspector.tree, Qt.Key.Key_Delete)
    desk.settle()
    assert "empty set" in desk.said
    desk.go_to("n", "1")
    press(desk.inspector.tree, Qt.Key.Key_Backspace, CTRL)
    assert changed(desk.stage()) == {"n": numbers(["1"])}


def test_elements_of_a_list_are_moved_and_taken_away(desk: Desk) -> None:
    desk.edit({**post("s", 1), "l": List(tuple(map(String, "abcde")))})
    tree = desk.inspector.tree
    desk.go_to("l", "b")
    press(tree, Qt.Key.Key_Delete)
    desk.go_to("l", "d")
    press(tree, Qt.Key.Key_Delete)
    assert [desk.note("l", letter) for letter in "abcd"] == ["a", "removed", "c", "removed"]
    desk.go_to("l", "e")
    for _ in range(4):
        press(tree, Qt.Key.Key_Up, CTRL)
    assert desk.index("l", "e").siblingAtColumn(0).data() == "[0]"
    assert changed(desk.stage()) == {"l": List(tuple(map(String, "eac")))}


def test_attributes_are_added_renamed_and_removed(desk: Desk) -> None:
    desk.edit({**post("s", 1), "m": Map({"a": Number("1"), "b": Null()})})
    tree = desk.inspector.tree
    desk.go_to("likeTally")
    press(tree, Qt.Key.Key_Delete)
    assert desk.note("likeTally") == "removed"
    desk.go_to("m", "a")
    press(tree, Qt.Key.Key_F2, SHIFT)
    desk.field.selectAll()
    QTest.keyClicks(desk.field, "a.b ")
    desk.enter()
    desk.go_to("title")
    press(tree, Qt.Key.Key_Insert)
    QTest.keyClicks(desk.field, "note")
    desk.enter()
    desk.type_over("two words", "note")
    edit = desk.stage()
    assert edit.after == {
        "PK": String("POST#s"),
        "SK": String("META"),
        "title": String("Harbour walk"),
        "note": String("two words"),
        "m": Map({"a.b ": Number("1"), "b": Null()}),
    }


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Escape])
def test_a_name_is_missed_only_after_its_field_was_left(desk: Desk, key: Qt.Key) -> None:
    desk.edit(post("s", 1))
    desk.go_to("title")
    press(desk.inspector.tree, Qt.Key.Key_Insert)
    desk.qtbot.waitUntil(lambda: not desk.inspector.is_judging)
    new = desk.inspector.tree.currentIndex().siblingAtColumn(VALUE)
    assert (desk.inspector.remark.tone, desk.said) == ("hint", "An attribute needs a name.")
    assert new.data(GROUND) == "ok_soft"
    assert not desk.inspector.stage_button.isEnabled()
    press(desk.field, key)
    desk.qtbot.waitUntil(lambda: desk.inspector.remark.tone == "problem")
    assert desk.said == "An attribute needs a name."
    assert desk.inspector.tree.currentIndex().data(GROUND) == "danger_soft"


def test_a_name_that_is_there_or_missing_is_refused(desk: Desk) -> None:
    desk.edit(post("s", 1))
    model = desk.inspector.editor.model
    model.rename(desk.index("likeTally"), "title")
    desk.settle()
    assert "another attribute with the name title" in desk.said
    model.rename(model.index(2, 0), "")
    desk.settle()
    assert "needs a name" in desk.said
    model.rename(model.index(2, 0), "likeTally")
    desk.settle()
    assert not desk.inspector.is_changed


def test_32_levels_are_opened_and_a_33rd_is_refused(desk: Desk) -> None:
    value: Value = String("deep")
    for level in range(30):
        value = Map({f"m{level}": value})
    desk.edit({**post("s", 1), "doc": value})
    tree, model = desk.inspector.tree, desk.inspector.editor.model
    index = desk.index("doc").siblingAtColumn(0)
    while model.rowCount(index):
        tree.expand(index)
        index = model.index(0, 0, index)
    model.set_type(index, "M")
    made = model.add(index, 0)
    model.rename(made, "x")
    desk.settle()
    assert "changed: doc" in desk.said
    model.set_type(made, "L")
    model.add(made, 0)
    desk.settle()
    assert "nested deeper than 32 levels" in desk.said


def test_ten_thousand_attributes_are_shown_as_they_are_scrolled_to(desk: Desk) -> None:
    item = {**post("s", 1), **{f"a{i:04d}": Number(str(i)) for i in range(10_000)}}
    desk.edit(item)
    tree, model = desk.inspector.tree, desk.inspector.editor.model
    shown = model.rowCount()
    assert shown < 1_000
    tree.setFocus()
    press(tree, Qt.Key.Key_End)
    desk.qtbot.waitUntil(lambda: model.rowCount() > shown)
    model.set_text(model.find("a9999").siblingAtColumn(2), "7")
    assert model.rowCount() == len(item)
    assert changed(desk.stage()) == {"a9999": Number("7")}


# --------------------------------------------------------------------------------------------------------- forms


def test_a_change_goes_along_through_the_three_forms(desk: Desk) -> None:
    item = {**post("s", 1), "n": Number("1.0"), "tags": StringSet(("a",)), "b": Binary(b"\0\xff")}
    desk.edit(item)
    desk.type_over("2", "likeTally")
    inspector = desk.inspector
    inspector.show_as(JSON)
    replace(desk, '"title": "Harbour walk"', '"title": "Pier"')
    inspector.show_as(DYNAMODB_JSON)
    replace(desk, '"n": {\n    "N": "1.0"', '"n": {\n    "S": "one"')
    inspector.show_as(TREE)
    assert desk.rows["n"] == ("S", "one")
    edit = desk.stage()
    assert changed(edit) == {"likeTally": Number("2"), "title": String("Pier"), "n": String("one")}
    assert edit.after is not None
    assert edit.after["tags"] is item["tags"]
    assert edit.after["b"] is item["b"]


def replace(desk: Desk, old: str, new: str) -> None:
    text = desk.inspector.text
    assert old in text.typed
    text.setPlainText(text.typed.replace(old, new))


def test_text_that_is_wrong_is_said_with_its_place_and_kept(desk: Desk) -> None:
    desk.edit(post("s", 1))
    desk.inspector.show_as(JSON)
    replace(desk, '"likeTally": 1', '"likeTally": 1,')
    desk.settle()
    assert desk.said.startswith("Line 5, column 3: ") or desk.said.startswith("Line 4")
    assert desk.inspector.text.faulty
    typed = desk.inspector.text.typed
    for form in (TREE, DYNAMODB_JSON):
        desk.inspector.show_as(form)
        assert desk.inspector.editor.form == JSON
    assert desk.inspector.text.typed == typed
    assert not desk.inspector.stage_button.isEnabled()
    press(desk.inspector.text, Qt.Key.Key_Return, CTRL)
    assert desk.edits == []
    assert desk.inspector.is_changed


def test_a_change_of_type_in_plain_json_is_refused_with_its_place(desk: Desk) -> None:
    desk.edit(post("s", 1))
    desk.inspector.show_as(JSON)
    replace(desk, '"likeTally": 1', '"likeTally": "1"')
    desk.settle()
    assert desk.said.startswith("Line 4, column 16: this was a Number (N) and would become a String (S).")


def test_large_text_is_checked_without_holding_the_window_up(desk: Desk) -> None:
    desk.edit({**post("s", 1), **{f"a{i}": String("x" * 40) for i in range(2_000)}})
    desk.inspector.show_as(JSON)
    replace(desk, '"a7": "xxxx', '"a7": "yxxx')
    desk.settle()
    assert desk.said == "1 attribute changed: a7"
    replace(desk, '"a7": "yxxx', '"a7": yxxx')
    desk.settle()
    assert "yxxx" in desk.said
    assert "is no value" in desk.said


# ------------------------------------------------------------------------------------------------------ the whole


def test_a_row_of_an_index_is_read_whole_before_anybody_edits(desk: Desk) -> None:
    item = like("a91f", "7c20", 200, reactions=("clap",))
    projected = {name: item[name] for name in ("PK", "SK", "GSI1PK", "GSI1SK", "likedAt")}
    entry = desk.show(projected, "GSI1")
    desk.stored[entry.identity] = item
    desk.go.clear()
    desk.inspector.edit_action.trigger()
    assert not desk.inspector.is_editing
    assert not desk.inspector.edit_action.isEnabled()
    assert "whole item" in desk.said
    desk.go.set()
    desk.qtbot.waitUntil(lambda: desk.inspector.is_editing)
    assert desk.rows["reactions"] == ("SS", "1 value")
    desk.type_over("201", "likedAt")
    edit = desk.stage()
    assert edit.before == item
    assert edit.after == {**item, "likedAt": Number("201")}


def test_a_projection_is_read_whole_too(desk: Desk) -> None:
    entry = desk.show({"PK": String("POST#a91f"), "SK": String("META")}, whole=False)
    desk.stored[entry.identity] = post("a91f", 3)
    desk.inspector.delete_action.trigger()
    desk.qtbot.waitUntil(lambda: bool(desk.edits))
    assert desk.edits[0].before == post("a91f", 3)
    assert desk.edits[0].kind == "deleted"


def test_an_item_that_is_gone_is_not_edited(desk: Desk) -> None:
    desk.show(like("a91f", "7c20", 200), "GSI1")
    desk.inspector.edit_action.trigger()
    desk.qtbot.waitUntil(lambda: "not in the base table" in desk.said)
    assert not desk.inspector.is_editing
    assert desk.inspector.edit_action.isEnabled()


def test_who_goes_on_while_an_item_is_read_is_not_taken_back(desk: Desk) -> None:
    first = desk.show(like("a91f", "7c20", 200), "GSI1")
    desk.stored[first.identity] = like("a91f", "7c20", 200)
    desk.go.clear()
    desk.inspector.edit_action.trigger()
    desk.show(post("a91f", 3))
    desk.go.set()
    QTest.qWait(50)
    assert not desk.inspector.is_editing
    assert desk.rows["likeTally"] == ("N", "3")


# ----------------------------------------------------------------------------------------------------- keys, items


def test_another_key_means_a_move_and_says_so(desk: Desk) -> None:
    desk.edit(post("a", 1))
    desk.type_over("META2", "SK")
    desk.settle()
    assert "deleted under the old one" in desk.said
    edit = desk.stage()
    assert edit.kind == "moved"
    assert edit.key == {"PK": String("POST#a"), "SK": String("META")}


def test_a_key_is_not_renamed_retyped_or_removed(desk: Desk) -> None:
    desk.edit(post("a", 1))
    desk.go_to("PK")
    tree = desk.inspector.tree
    assert [action.isEnabled() for action in (tree.rename_action, tree.retype_action, tree.remove_action)] == [
        False
    ] * 3
    desk.go_to("SK")
    press(tree, Qt.Key.Key_F2)
    press(desk.field, Qt.Key.Key_Backspace)
    desk.enter()
    desk.settle()
    assert "SK: a key cannot be empty" in desk.said


@pytest.mark.parametrize("value", [Number("5"), Null(), String("")])
def test_an_index_key_of_another_type_is_refused_with_the_index_and_may_be_removed(desk: Desk, value: Value) -> None:
    desk.edit(like("a", "7c20", 1))
    model = desk.inspector.editor.model
    model.set_value(desk.index("GSI1PK"), value)
    desk.settle()
    assert "GSI1" in desk.said
    assert desk.said.startswith(("GSI1PK", "Index GSI1: "))
    assert not desk.inspector.stage_action.isEnabled()
    model.put_back(desk.index("GSI1PK"))
    model.remove(desk.index("GSI1PK"))
    assert changed(desk.stage()) == {"GSI1PK": None}


def test_a_new_item_begins_with_the_key_of_the_collection(desk: Desk) -> None:
    desk.show(post("a91f", 3))
    desk.inspector.new_action.trigger()
    assert desk.rows == {"PK": ("S", "POST#a91f"), "SK": ("S", '""')}
    QTest.keyClicks(desk.field, "NOTE#1")
    desk.enter()
    desk.settle()
    assert "only where there is none" in desk.said
    edit = desk.stage()
    assert (edit.kind, edit.after) == ("new", {"PK": String("POST#a91f"), "SK": String("NOTE#1")})


def test_an_empty_table_takes_its_first_item(desk: Desk) -> None:
    desk.inspector.new_action.trigger()
    QTest.keyClicks(desk.field, "META")
    press(desk.field, Qt.Key.Key_Return, CTRL)
    assert desk.edits[0].after == {"PK": String("POST#a91f"), "SK": String("META")}


def test_an_edit_that_cannot_be_staged_is_changed_on(desk: Desk) -> None:
    desk.inspector.edited.connect(desk.inspector.refuse)
    desk.edit(post("a", 1))
    desk.type_over("2", "likeTally")
    desk.inspector.stage()
    assert desk.inspector.is_editing
    assert desk.rows["likeTally"] == ("N", "2")
    desk.inspector.edited.disconnect(desk.inspector.refuse)
    assert changed(desk.stage()) == {"likeTally": Number("2")}
    assert not desk.inspector.is_changed


def test_a_number_key_of_a_new_item_is_asked_for(open_desk: OpenDesk) -> None:
    desk = open_desk(READINGS)
    desk.show(reading("d", "1"))
    desk.inspector.new_action.trigger()
    desk.settle()
    assert not desk.inspector.stage_action.isEnabled()
    desk.inspector.editor.model.remove(desk.index("PK"))
    desk.type_over("d", "device")
    desk.type_over("12", "at")
    assert desk.stage().after == {"device": String("d"), "at": Number("12")}


def test_a_duplicate_needs_another_key(desk: Desk) -> None:
    desk.show({**post("a", 1), "tags": StringSet(("x",))})
    desk.inspector.duplicate_action.trigger()
    desk.settle()
    assert desk.said.startswith("The copy has the key of the item it was made from.")
    desk.type_over("POST#b", "PK")
    edit = desk.stage()
    assert edit.kind == "new"
    assert edit.after == {**post("b", 1), "tags": StringSet(("x",))}


def test_delete_stages_the_whole_item_as_gone(desk: Desk) -> None:
    desk.show(post("a", 1))
    desk.inspector.delete_action.trigger()
    (edit,) = desk.edits
    assert (edit.kind, edit.before, edit.after) == ("deleted", post("a", 1), None)
    assert {desk.note(name) for name in post("a", 1)} == {"removed"}
    assert desk.inspector.fact("Seen") == "deleted: staged, not written"
    assert not desk.inspector.delete_action.isEnabled()


def test_a_deletion_strikes_out_what_is_nested_too(desk: Desk) -> None:
    item = {**post("s", 1), "client": Map({"app": String("web"), "tags": List((String("a"),))})}
    desk.show(item)
    desk.inspector.delete()
    assert desk.index("client", "tags", "[0]").data(STRUCK)
    assert desk.index("client", "app").data(STRUCK)
    desk.show(item)
    desk.inspector.edit_action.trigger()
    assert not desk.index("client", "app").data(STRUCK)
    desk.go_to("client")
    press(desk.inspector.tree, Qt.Key.Key_Delete)
    assert desk.index("client", "app").data(STRUCK)
    assert not desk.index("title").data(STRUCK)


def test_what_is_staged_is_shown_and_gone_on_with(desk: Desk) -> None:
    before, after = post("a", 1), post("a", 2)
    staged = Edit("Social", {"PK": before["PK"], "SK": before["SK"]}, before, after)  # type: ignore[dict-item]  # texts
    desk.show(before, staged=staged)
    assert desk.rows["likeTally"] == ("N", "2")
    assert desk.note("likeTally") == "edited"
    desk.inspector.edit_action.trigger()
    assert not desk.inspector.is_changed
    desk.type_over("1", "likeTally")
    edit = desk.stage()
    assert edit.before == edit.after == before
    assert "staged" not in desk.inspector.fact("Seen")


# --------------------------------------------------------------------------------------------------- size and cost


def test_the_size_and_the_units_are_those_of_the_changed_item(desk: Desk) -> None:
    desk.edit(like("a", "7c20", 1))
    desk.settle()
    assert desk.inspector.fact("Next write") == "1 WCU"
    desk.type_over("2", "likedAt")
    desk.settle()
    assert desk.inspector.fact("Next write") == "4 WCU: 1 on the table, 1 on GSI1, 2 on GSI2"
    desk.inspector.editor.model.set_value(desk.index("kind"), String("k" * 1_500))
    desk.settle()
    assert desk.inspector.fact("Next write") == "6 WCU: 2 on the table, 1 on GSI1, 3 on GSI2"


def test_near_and_over_the_limit_are_said_in_words(desk: Desk) -> None:
    desk.edit({**post("a", 1), "big": String("x" * 350_000), "other": String("y" * 50_000)})
    desk.settle()
    assert desk.inspector.fact("Size").endswith("of 400 KB, near the limit")
    assert desk.inspector.facts.bar.role == "warn"
    model = desk.inspector.editor.model
    model.set_value(desk.index("big"), String("x" * 380_000))
    desk.settle()
    assert desk.inspector.fact("Size").endswith(": too large")
    assert desk.inspector.facts.bar.role == "danger"
    assert desk.said.startswith("The item is too large. The largest attributes: big 371.1 KB, other 48.8 KB")
    assert not desk.inspector.stage_action.isEnabled()


# ------------------------------------------------------------------------------------------------- keys are not stolen


def test_keys_typed_in_a_field_reach_the_field(desk: Desk) -> None:
    desk.edit(post("a", 1))
    desk.go_to("title")
    press(desk.inspector.tree, Qt.Key.Key_F2)
    field = desk.field
    field.clear()
    QTest.keyClicks(field, "two words")
    press(field, Qt.Key.Key_Home)
    press(field, Qt.Key.Key_Delete)
    press(field, Qt.Key.Key_F2)
    press(field, Qt.Key.Key_Insert)
    press(field, Qt.Key.Key_Z, CTRL)
    assert desk.inspector.window().focusWidget() is field
    assert field.text() == "two words"
    press(field, Qt.Key.Key_Delete)
    press(field, Qt.Key.Key_Return, CTRL)
    assert changed(desk.edits[-1]) == {"title": String("wo words")}


def test_escape_in_a_field_leaves_the_value(desk: Desk) -> None:
    desk.edit(post("a", 1))
    desk.go_to("title")
    press(desk.inspector.tree, Qt.Key.Key_Return)
    QTest.keyClicks(desk.field, "gone")
    press(desk.field, Qt.Key.Key_Escape)
    desk.qtbot.waitUntil(lambda: not desk.inspector.tree.viewport().findChildren(QLineEdit))
    assert desk.rows["title"] == ("S", "Harbour walk")


def test_ctrl_enter_stages_from_wherever_in_the_editor(desk: Desk) -> None:
    for form in (TREE, JSON, DYNAMODB_JSON):
        desk.edit(post("a", form))
        desk.inspector.show_as(TREE)
        desk.type_over("99", "likeTally")
        desk.inspector.show_as(form)
        widget: QWidget = desk.inspector.tree if form == TREE else desk.inspector.text
        widget.setFocus()
        press(widget, Qt.Key.Key_Return, CTRL)
        assert len(desk.edits) == form + 1
        desk.inspector.show_as(TREE)


# --------------------------------------------------------------------------------------------------------- drafts


def test_what_is_not_staged_is_kept_while_another_item_is_looked_at(desk: Desk) -> None:
    desk.edit(post("a", 1))
    desk.type_over("2x", "likeTally")
    desk.show(post("b", 7))
    assert desk.inspector.edit_action.isEnabled()
    assert desk.inspector.is_changed
    assert desk.rows["likeTally"] == ("N", "7")
    desk.show(post("a", 1))
    assert desk.inspector.is_editing
    assert desk.rows["likeTally"] == ("N", "2x")
    desk.type_over("2", "likeTally")
    assert changed(desk.stage()) == {"likeTally": Number("2")}
    assert not desk.inspector.is_changed


@pytest.mark.parametrize("form", [TREE, JSON, DYNAMODB_JSON])
def test_a_draft_survives_as_json_also_what_is_wrong_in_it(open_desk: OpenDesk, form: int) -> None:
    desk = open_desk()
    item = {**post("a", 1), "odd": String("\r\n\u00a0\u2028\0"), "n": Number("1.0")}
    desk.edit(item)
    desk.inspector.show_as(form)
    if form == TREE:
        desk.type_over("2x", "likeTally")
    else:
        replace(desk, "1", "oops")
    assert desk.inspector.is_changed
    kept = json.loads(json.dumps(desk.inspector.draft()))
    other = open_desk()
    other.inspector.restore(kept)
    assert other.inspector.is_changed
    other.show(item)
    assert other.inspector.is_editing
    assert other.inspector.editor.form == form
    assert other.inspector.editor.problem
    if form == TREE:
        assert other.rows["likeTally"] == ("N", "2x")
    else:
        assert "oops" in other.inspector.text.typed
    assert other.inspector.draft() == kept


def test_what_is_half_typed_in_a_row_is_in_the_draft(open_desk: OpenDesk) -> None:
    desk, other = open_desk(), open_desk()
    desk.edit(post("a", 1))
    desk.go_to("title")
    press(desk.inspector.tree, Qt.Key.Key_F2)
    QTest.keyClicks(desk.field, "half a w")
    assert desk.inspector.is_changed
    other.inspector.restore(json.loads(json.dumps(desk.inspector.draft())))
    other.show(post("a", 1))
    assert other.rows["title"] == ("S", "half a w")
    assert desk.field.text() == "half a w"


def test_the_draft_of_a_new_item_waits_for_new_item(open_desk: OpenDesk) -> None:
    desk = open_desk()
    desk.show(post("a", 1))
    desk.inspector.new_action.trigger()
    desk.type_over("NOTE", "SK")
    kept = json.loads(json.dumps(desk.inspector.draft()))
    other = open_desk()
    other.inspector.restore(kept)
    other.show(post("a", 1))
    assert not other.inspector.is_editing
    other.inspector.new_action.trigger()
    assert other.rows["SK"] == ("S", "NOTE")


@pytest.mark.parametrize("found", [{}, {"drafts": [1]}, {"drafts": [{"item": None, "before": 3, "copied": None}]}])
def test_a_draft_that_is_none_is_refused(desk: Desk, found: dict[str, object]) -> None:
    with pytest.raises(InvalidFile):
        desk.inspector.restore(found)


def test_discard_asks_and_forgets(desk: Desk) -> None:
    desk.edit(post("a", 1))
    desk.type_over("2", "likeTally")
    desk.asker.answer = False
    desk.inspector.discard()
    assert desk.inspector.edit_action.isEnabled() is False
    desk.asker.answer = True
    desk.inspector.discard()
    assert [question.accept for question in desk.asker.questions] == ["Discard", "Discard"]
    assert desk.rows["likeTally"] == ("N", "1")
    assert not desk.inspector.is_changed
    desk.edit(post("a", 1))
    desk.inspector.discard()
    assert len(desk.asker.questions) == 2


def test_the_same_item_read_again_does_not_end_the_editing(desk: Desk) -> None:
    desk.edit(post("a", 1))
    desk.type_over("2", "likeTally")
    desk.show(post("a", 5))
    assert desk.inspector.is_editing
    edit = desk.stage()
    assert edit.before == post("a", 1)


def test_every_control_has_a_name(desk: Desk) -> None:
    desk.edit({**post("a", 1), "etag": Binary(b"\0")})
    desk.go_to("etag")
    for child in desk.inspector.findChildren(QWidget):
        if child.isVisible() and child.focusPolicy() & Qt.FocusPolicy.TabFocus:
            assert child.accessibleName(), child
