"""Staged edits on the Browse page: the panel, reverting, committing, and rows that follow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from dynodesk.domain.edits import Edit
from dynodesk.domain.values import Number, String, Value
from dynodesk.ui.pages.browse_changes_model import AFTER, BEFORE, WRITE
from tests.editing.edit_bench import edit, post
from tests.ui.pages.changes_desk import ChangesDesk, click_row, texts


def meta(likes: str = "4", **more: Value) -> dict[str, Value]:
    return {**post(likes=Number(likes), title=String("Harbour")), **more}


def like(number: int, at: str = "1", actor: str = "ann") -> dict[str, Value]:
    return post(f"LIKE#{number}", at=Number(at), actor=String(actor))


@pytest.fixture
def desk(dressed_application: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[ChangesDesk]:
    desk = ChangesDesk(tmp_path / "journal", qtbot, meta(), like(1), like(2), like(3))
    yield desk
    desk.end()


def shown(desk: ChangesDesk) -> list[tuple[str, ...]]:
    """Item, attribute, before and after of each row of the panel."""
    model = desk.changes.panel.model
    return [tuple(str(model.index(row, column).data()) for column in (0, 2, 3, 4)) for row in range(model.rowCount())]


def click_line(desk: ChangesDesk, row: int) -> None:
    grid = desk.changes.panel.grid
    at = grid.visualRect(desk.changes.panel.model.index(row, 0)).center()
    QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_each_edit_is_listed_with_what_it_changes(desk: ChangesDesk) -> None:
    assert not desk.changes.panel.isVisible()
    desk.stage(
        edit(meta(), meta("5", title=String("Harbour\u00a0walk"))), edit(like(1), None), edit(like(2), like(2, "9"))
    )
    assert desk.changes.panel.isVisible()
    assert shown(desk) == [
        ("POST#a91f / META", "2 attributes", "", ""),
        ("", "likes", "4", "5"),
        ("", "title", "Harbour", "Harbour⟨U+00A0⟩walk"),
        ("POST#a91f / LIKE#1", "▸ 4 attributes", "as read", "deleted"),
        ("POST#a91f / LIKE#2", "at", "1", "9"),
    ]
    assert desk.changes.panel.words == "3 edits staged, nothing written yet"
    assert desk.page.windowTitle().endswith("· 3 staged")
    assert desk.changes.switch.text() == "Changes 3"


def test_what_a_write_costs_is_said_in_one_way(desk: ChangesDesk) -> None:
    click_row(desk.page.left, "LIKE#1")
    desk.stage(edit(like(1), like(1, actor="bob")))  # out of one place in the index, into another
    model = desk.changes.panel.model
    words = "3 WCU: 1 on the table, 2 on ByActor"
    assert model.index(0, WRITE).data() == "UpdateItem, 3 WCU"
    assert words in str(model.index(0, WRITE).data(Qt.ItemDataRole.ToolTipRole))
    assert desk.page.inspector.fact("Next write") == words
    desk.changes.commit_action.trigger()
    dialog = desk.commit_dialog
    assert dialog.note.text == words
    assert dialog.rows.index(0, 3).data() == "3"
    desk.close(dialog)
    desk.stage(Edit("Elsewhere", edit(like(2), None).key, like(2), None))
    assert model.index(1, WRITE).data() == "DeleteItem, 1 WCU, and what indexes take"


def test_the_attributes_of_a_deletion_are_unfolded_by_space(desk: ChangesDesk) -> None:
    desk.stage(edit(like(1), None))
    grid = desk.changes.panel.grid
    click_line(desk, 0)
    QTest.keyClick(grid, Qt.Key.Key_Space)
    assert shown(desk)[1:] == [
        ("", "PK", "POST#a91f", "removed"),
        ("", "SK", "LIKE#1", "removed"),
        ("", "at", "1", "removed"),
        ("", "actor", "ann", "removed"),
    ]
    QTest.keyClick(grid, Qt.Key.Key_Space)
    assert len(shown(desk)) == 1


def test_the_whole_value_is_in_the_tip_as_plain_text(desk: ChangesDesk) -> None:
    desk.stage(edit(meta(), meta(title=String("<b>bold</b>" + "x" * 400 + "\u202e"))))
    model = desk.changes.panel.model
    after = model.index(0, AFTER)
    assert str(after.data()).endswith("…")
    tip = str(after.data(Qt.ItemDataRole.ToolTipRole))
    assert "&lt;b&gt;bold" in tip
    assert "⟨U+202E⟩" in tip
    assert "Harbour" in str(model.index(0, BEFORE).data(Qt.ItemDataRole.ToolTipRole))


def test_rows_are_marked_and_a_chosen_edit_shows_its_item(desk: ChangesDesk) -> None:
    desk.stage(edit(meta(), meta("5")), edit(like(2), None))
    assert texts(desk.page.left, "likes")[0] == "5"
    desk.changes.panel.grid.setCurrentIndex(desk.changes.panel.model.index(1, 0))
    current = desk.page.left.current
    assert current is not None
    assert current.item["SK"] == String("LIKE#2")
    QTest.keyClick(desk.changes.panel.grid, Qt.Key.Key_Return)
    assert desk.gone_to == [("Posts", {"PK": String("POST#a91f")}, edit(like(2), None).key)]


def test_one_attribute_one_edit_and_all_are_reverted_and_come_back(desk: ChangesDesk) -> None:
    both = edit(meta(), meta("5", title=String("b")))
    desk.stage(both, edit(like(1), None), edit(like(2), None))
    grid = desk.changes.panel.grid
    click_line(desk, 1)
    QTest.keyClick(grid, Qt.Key.Key_Delete)
    assert shown(desk)[0] == ("POST#a91f / META", "title", "Harbour", "b")
    QTest.keyClick(grid, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert desk.staging.find("Posts", both.identity) == both
    click_line(desk, 0)
    QTest.keyClick(grid, Qt.Key.Key_Delete)
    assert [one.title for one in desk.staging.edits] == ["POST#a91f / LIKE#1", "POST#a91f / LIKE#2"]
    desk.changes.revert_all_action.trigger()
    assert len(desk.staging) == 0
    assert desk.changes.panel.isVisible()  # the way back is in it
    assert texts(desk.page.left, "likes")[0] == "4"
    desk.changes.undo_revert_action.trigger()
    assert len(desk.staging) == 2


def test_what_is_staged_in_one_tab_is_seen_in_the_other(desk: ChangesDesk) -> None:
    other, changes = desk.open_page()
    desk.stage(edit(meta(), meta("5")))
    assert texts(other.left, "likes")[0] == "5"
    assert changes.switch.text() == "Changes 1"
    desk.staging.revert(desk.staging.edits)
    assert texts(other.left, "likes")[0] == "4"


def test_rows_follow_what_was_written_without_being_read_again(desk: ChangesDesk) -> None:
    asked = len(desk.bench.reader.asked)
    desk.stage(
        edit(meta(), meta("5", colour=String("red"))), edit(like(1), None), edit(None, like(7, "7")),
        Edit("Posts", edit(like(3), None).key, like(3), {**like(3), "SK": String("LIKE#8")}),
    )  # fmt: skip
    dialog = desk.commit_now()
    assert dialog.outcome.said.startswith("4 edits: 4 applied")
    desk.close(dialog)
    assert not desk.changes.panel.isVisible()
    assert texts(desk.page.left, "SK") == ["META", "LIKE#2", "LIKE#7", "LIKE#8"]
    assert desk.page.left.foot == "Complete: 4 of 4 rows loaded"
    assert texts(desk.page.left, "likes")[0] == "5"
    assert texts(desk.page.left, "colour")[0] == "red"
    assert "staged" not in desk.page.windowTitle()
    assert len(desk.bench.reader.asked) == asked


def test_an_item_leaves_the_index_with_its_key(desk: ChangesDesk) -> None:
    desk.page.open_collection({"actor": String("ann")}, index="ByActor")
    desk.settle(desk.page)
    assert texts(desk.page.left, "SK") == ["LIKE#1", "LIKE#2", "LIKE#3"]
    gone = {name: value for name, value in like(1).items() if name != "actor"}
    desk.stage(edit(like(1), gone), edit(like(2), like(2, "5")))
    desk.close(desk.commit_now())
    assert texts(desk.page.left, "SK") == ["LIKE#2", "LIKE#3"]
    assert "at" not in desk.page.left.model.columns  # the index does not carry it


def test_a_lost_race_shows_theirs_below_what_is_staged(desk: ChangesDesk) -> None:
    desk.stage(edit(meta(), meta("5")))
    desk.bench.reader.put("Posts", meta("9"))
    dialog = desk.commit_now()
    dialog.race.take_button.click()
    desk.close(dialog)
    assert texts(desk.page.left, "likes")[0] == "9"


def test_what_is_being_edited_is_staged_first(desk: ChangesDesk) -> None:
    click_row(desk.page.left, "META")
    inspector = desk.page.inspector
    inspector.begin_edit()
    inspector.editor.tree.go_to("likes")
    inspector.tree.edit_value()
    field = QApplication.focusWidget()
    assert field is not None
    QTest.keyClicks(field, "12")
    QTest.keyClick(field, Qt.Key.Key_Return)
    desk.wait_for(lambda: inspector.editor.item["likes"] == Number("12"))
    desk.changes.commit_action.trigger()
    dialog = desk.commit_dialog
    assert dialog.rows.rowCount() == 1
    dialog.go_button.click()
    desk.wait_for(lambda: dialog.state == "over")
    desk.close(dialog)
    assert desk.bench.item() == meta("12")


def test_what_was_staged_elsewhere_meanwhile_is_not_lost(desk: ChangesDesk) -> None:
    click_row(desk.page.left, "META")
    inspector = desk.page.inspector
    inspector.edit_action.trigger()
    model = inspector.editor.model
    model.set_value(model.find("title").siblingAtColumn(2), String("mine"))
    desk.stage(edit(meta(), meta("5")))  # by another tab, or for many rows
    inspector.stage()
    assert desk.staging.edits == (edit(meta(), meta("5")),)
    assert inspector.is_editing
    assert desk.messages.current is not None
    assert "was staged since this change of it was begun" in desk.messages.current.line
    desk.staging.revert(desk.staging.edits)
    inspector.stage()
    assert desk.staging.edits == (edit(meta(), meta(title=String("mine"))),)


def test_a_new_item_is_shown_as_written_after_the_commit(desk: ChangesDesk) -> None:
    inspector = desk.page.inspector
    inspector.begin_new()
    inspector.editor.model.set_value(inspector.editor.model.find("PK").siblingAtColumn(2), String("POST#a91f"))
    inspector.editor.model.set_value(inspector.editor.model.find("SK").siblingAtColumn(2), String("LIKE#7"))
    inspector.stage()
    assert inspector.fact("Seen").startswith("new: staged")
    desk.close(desk.commit_now())
    assert inspector.editor.item == edit(None, post("LIKE#7")).after
    assert inspector.staged is None
    assert "staged" not in inspector.fact("Seen")
    assert inspector.remark.text == ""
    current = desk.page.left.current
    assert current is not None
    assert current.item["SK"] == String("LIKE#7")
    assert desk.page.result.startswith("5 items ")
    assert desk.page.left.foot == "Complete: 5 of 5 rows loaded"
    inspector.edit_action.trigger()
    desk.wait_for(lambda: inspector.is_editing and not inspector.is_judging)
    assert inspector.fact("Seen") == "being changed, not written"


def test_a_moved_item_is_shown_under_its_new_key_after_the_commit(desk: ChangesDesk) -> None:
    there = {**like(3), "SK": String("LIKE#8")}
    click_row(desk.page.left, "LIKE#3")
    desk.stage(Edit("Posts", edit(like(3), None).key, like(3), there))
    desk.close(desk.commit_now())
    inspector = desk.page.inspector
    assert inspector.face.has_item
    assert inspector.editor.item == there


def test_an_item_that_was_deleted_is_not_shown_any_more(desk: ChangesDesk) -> None:
    click_row(desk.page.left, "LIKE#2")
    inspector = desk.page.inspector
    desk.stage(*(edit(like(number), None) for number in (1, 2, 3)))
    assert inspector.fact("Seen").startswith("deleted: staged")
    desk.close(desk.commit_now())
    assert not inspector.face.has_item
    assert inspector.face.nothing.text().startswith("The item that was shown here is deleted.")
    assert not inspector.edit_action.isEnabled()
    assert desk.page.result.startswith("1 item ")
    click_row(desk.page.left, "META")
    assert inspector.editor.item == meta()


def test_a_new_item_that_is_reverted_is_not_shown_any_more(desk: ChangesDesk) -> None:
    desk.stage(edit(None, like(7)))
    click_row(desk.page.left, "LIKE#7")
    desk.changes.revert_all_action.trigger()
    assert not desk.page.inspector.face.has_item


def test_the_way_back_leaves_no_item_that_is_not_seen_there(desk: ChangesDesk) -> None:
    desk.bench.reader.put("Posts", {**post("META"), "PK": String("POST#b002")})
    page = desk.page
    page.open_collection({"PK": String("POST#b002")})
    desk.settle(page)
    click_row(page.left, "META")
    assert page.inspector.editor.item["PK"] == String("POST#b002")
    assert page.back()
    desk.settle(page)
    assert not page.inspector.face.has_item
    assert page.inspector.face.nothing.text() == "Select an item to see it whole."


def test_a_staged_new_item_gets_another_key_and_stays_one(desk: ChangesDesk) -> None:
    desk.stage(edit(None, like(7)))
    click_row(desk.page.left, "LIKE#7")
    inspector = desk.page.inspector
    inspector.edit_action.trigger()
    model = inspector.editor.model
    model.set_value(model.find("SK").siblingAtColumn(2), String("LIKE#8"))
    inspector.stage()
    assert desk.staging.edits == (edit(None, like(8)),)
    assert inspector.fact("Seen").startswith("new")


def test_a_staged_new_item_is_changed_again_and_given_up(desk: ChangesDesk) -> None:
    desk.stage(edit(None, like(7)))
    click_row(desk.page.left, "LIKE#7")
    inspector = desk.page.inspector
    for at in ("5", "6"):
        inspector.edit_action.trigger()
        model = inspector.editor.model
        model.set_value(model.find("at").siblingAtColumn(2), Number(at))
        inspector.stage()
        assert desk.staging.edits == (edit(None, like(7, at)),)
        assert not inspector.is_editing
    inspector.delete_action.trigger()
    assert desk.staging.edits == ()


def test_a_new_item_that_was_begun_outlives_the_deletion_of_another(desk: ChangesDesk) -> None:
    inspector = desk.page.inspector
    inspector.begin_new()
    model = inspector.editor.model
    model.set_value(model.find("SK").siblingAtColumn(2), String("LIKE#7"))
    click_row(desk.page.left, "LIKE#1")
    inspector.delete_action.trigger()
    assert desk.staging.edits == (edit(like(1), None),)
    inspector.begin_new()
    assert inspector.editor.item["SK"] == String("LIKE#7")


def test_an_item_in_the_way_of_a_move_is_not_taken_for_the_moved_one(desk: ChangesDesk) -> None:
    moved = Edit("Posts", edit(like(3), None).key, like(3), like(1, "9"))
    desk.stage(moved)
    click_row(desk.page.left, "LIKE#1")
    inspector = desk.page.inspector
    assert inspector.editor.item == like(1)
    inspector.delete_action.trigger()
    assert desk.staging.edits == (moved, edit(like(1), None))  # not the deletion of LIKE#3


def test_selected_rows_are_deleted_together(desk: ChangesDesk) -> None:
    click_row(desk.page.left, "LIKE#1")
    QTest.keyClick(desk.page.left.grid, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(desk.page.left.grid, Qt.Key.Key_Delete, Qt.KeyboardModifier.ShiftModifier)
    dialog = desk.bulk_dialog
    desk.wait_for(lambda: dialog.tried is not None)
    QTest.mouseClick(dialog.commit_button, Qt.MouseButton.LeftButton)
    commit = desk.commit_dialog
    assert [commit.rows.index(row, 0).data() for row in range(2)] == ["POST#a91f / LIKE#1", "POST#a91f / LIKE#2"]
    desk.close(commit)


def test_a_connection_that_only_reads_says_why(dressed_application: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    desk = ChangesDesk(tmp_path / "journal", qtbot, meta(), read_only=True)
    click_row(desk.page.left, "META")
    inspector = desk.page.inspector
    for action in (
        desk.changes.commit_action, desk.changes.delete_action, desk.changes.change_action,
        inspector.edit_action, inspector.new_action, inspector.delete_action, inspector.duplicate_action,
    ):  # fmt: skip
        assert not action.isEnabled()
        assert "read-only" in action.toolTip()
    desk.end()


def test_the_journal_opens_here_and_takes_an_edit_back(desk: ChangesDesk) -> None:
    desk.stage(edit(meta(), meta("5")))
    desk.close(desk.commit_now())
    QTest.keyClick(desk.page.left.grid, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    journal = desk.journal_dialog
    desk.wait_for(journal.undo_button.isEnabled)
    journal.undo_button.click()
    undo = desk.commit_dialog
    undo.go_button.click()
    desk.wait_for(lambda: undo.state == "over")
    desk.close(undo)
    assert desk.bench.item() == meta()
    assert texts(desk.page.left, "likes")[0] == "4"
