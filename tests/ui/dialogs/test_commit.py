"""The commit dialog: exact requests, approval, outcomes, lost races, unknown outcomes, the way back."""

from __future__ import annotations

import gc
import json
import weakref
from functools import partial

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest

from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import CannotConnect, InvalidValue, Throttled
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tries import MAX_TRIES
from dynodesk.domain.values import Number, String, Value
from dynodesk.domain.writes import NotAsExpected
from dynodesk.editing.log import EditLog
from dynodesk.ui.dialogs.commit import LEFT_OUT, REQUEST, VERSIONS, CommitDialog
from dynodesk.ui.dialogs.commit_rows import unguarded_words
from dynodesk.ui.dialogs.commit_work import plan_edits
from dynodesk.ui.jobs import Job
from dynodesk.ui.staging import Written
from tests.editing.edit_bench import edit, post
from tests.ui.dialogs.conftest import NewEditShop
from tests.ui.dialogs.edit_shop import EditShop, column_of

OUTCOME = 4


def meta(likes: str = "4", **more: Value) -> dict[str, Value]:
    return {**post(likes=Number(likes), title=String("Harbour")), **more}


def others(count: int) -> list[dict[str, Value]]:
    return [post(f"LIKE#{n:04}", at=Number(str(n))) for n in range(count)]


@pytest.fixture
def shop(edit_shop: NewEditShop) -> EditShop:
    return edit_shop(meta(), *others(3))


def test_each_request_is_shown_as_it_is_sent(shop: EditShop) -> None:
    shop.stage(edit(meta(), meta("5")), edit(others(1)[0], None), edit(None, post("NEW", at=Number("9"))))
    dialog = shop.open_commit()
    assert dialog.windowTitle() == "Commit 3 edits to Posts"
    assert column_of(dialog, 0) == ["POST#a91f / META", "POST#a91f / LIKE#0000", "POST#a91f / NEW"]
    assert column_of(dialog, 2) == ["likes 4 → 5", "all 3 attributes", "3 attributes"]
    assert column_of(dialog, 5) == ["likes = 4", "as it was read: at = 0", "there is none with this key"]
    assert dialog.request_title.text() == "UpdateItem 1 of 3, exactly as sent"
    sent = json.loads(dialog.request.toPlainText())
    assert sent["UpdateExpression"].startswith("SET ")
    assert "title" not in sent["ExpressionAttributeNames"].values()
    dialog.grid.setCurrentIndex(dialog.rows.index(1, 0))
    assert dialog.request_title.text() == "DeleteItem 2 of 3, exactly as sent"
    assert "3 WCU" in dialog.note.text


def test_the_change_has_the_room_that_the_others_leave(shop: EditShop) -> None:
    shop.stage(edit(meta(), meta("5", title=String("Harbour at dawn"))))
    dialog = shop.open_commit()
    words = column_of(dialog, 2)[0]
    assert words == "likes 4 → 5, title Harbour → Harbour at dawn"
    room = dialog.grid.columnWidth(2)
    assert room > dialog.grid.fontMetrics().horizontalAdvance(words)
    assert dialog.grid.horizontalScrollBar().maximum() == 0
    assert dialog.grid.isColumnHidden(OUTCOME)
    dialog.resize(dialog.width() + 100, dialog.height())
    assert dialog.grid.columnWidth(2) == room + 100
    dialog.go_button.click()
    shop.wait_for(lambda: dialog.state == "over")
    assert not dialog.grid.isColumnHidden(OUTCOME)


def test_a_deletion_waits_for_the_name_of_the_table(shop: EditShop) -> None:
    shop.stage(edit(others(1)[0], None))
    dialog = shop.open_commit()
    assert not dialog.go_button.isEnabled()
    QTest.keyClicks(dialog.approval.field, "Posts")
    assert dialog.go_button.isEnabled()


def test_an_edit_outside_production_does_not(shop: EditShop) -> None:
    shop.stage(edit(meta(), meta("5")))
    dialog = shop.open_commit()
    assert dialog.approval.isHidden()
    assert dialog.go_button.isEnabled()


def test_production_always_asks(edit_shop: NewEditShop) -> None:
    shop = edit_shop(meta(), stage="production")
    shop.stage(edit(meta(), meta("5")))
    dialog = shop.open_commit()
    assert not dialog.go_button.isEnabled()
    dialog.approval.field.setText("Posts")
    assert dialog.go_button.isEnabled()


def test_a_connection_that_only_reads_commits_nothing(edit_shop: NewEditShop) -> None:
    shop = edit_shop(meta(), read_only=True)
    shop.stage(edit(meta(), meta("5")))
    dialog = shop.open_commit()
    assert not dialog.go_button.isEnabled()
    assert "read-only" in dialog.outcome.said


def test_what_was_written_leaves_the_staging_and_is_told(shop: EditShop) -> None:
    told: list[tuple[Written, ...]] = []

    def note(items: tuple[Written, ...]) -> None:
        told.append(items)

    shop.staging.written.connect(note)
    shop.stage(edit(meta(), meta("5")), edit(others(1)[0], None))
    dialog = shop.commit_all()
    assert column_of(dialog, OUTCOME) == ["applied", "applied"]
    assert dialog.outcome.said.startswith("2 edits: 2 applied")
    assert len(shop.staging) == 0
    assert shop.bench.item() == meta("5")
    assert shop.bench.item("LIKE#0000") is None
    ((first, second),) = told
    assert (first.item, second.item) == (meta("5"), None)


def test_a_refused_edit_stays_staged_and_says_why(shop: EditShop) -> None:
    shop.bench.writer.luck = [CannotConnect("no way there")]
    shop.stage(edit(meta(), meta("5")))
    dialog = shop.commit_all()
    assert column_of(dialog, OUTCOME) == ["refused"]
    assert "No way there" in dialog.became.text()
    assert "still staged" in dialog.became.text()
    assert len(shop.staging) == 1


def test_a_lost_race_shows_both_versions_and_waits_for_a_person(shop: EditShop) -> None:
    shop.stage(edit(meta(), meta("5", note=String("mine"))))
    shop.bench.reader.put("Posts", meta("9", by=String("bob")))
    dialog = shop.commit_all()
    assert column_of(dialog, OUTCOME) == ["lost race"]
    assert dialog.page == VERSIONS
    race = dialog.race
    cells = [[race.model.index(row, column).data() for column in range(5)] for row in range(race.model.rowCount())]
    assert cells == [
        ["likes", "4", "9", "5", "conflict: choose"],
        ["note", "", "", "mine", "mine"],
        ["by", "", "bob", "", "theirs"],
    ]
    assert "1 attribute is in conflict" in race.says.text()
    assert not race.keep_button.isEnabled()
    QTest.keyClick(race.grid, Qt.Key.Key_Space)
    assert race.model.index(0, 4).data() == "mine"
    race.keep_button.click()
    (anew,) = shop.staging.edits
    assert anew.before == meta("9", by=String("bob"))
    assert anew.after == meta("5", by=String("bob"), note=String("mine"))
    assert column_of(dialog, OUTCOME) == ["staged anew"]
    assert [race.model.index(row, 4).data() for row in range(3)] == ["mine", "mine", "theirs"]
    assert race.says.text() == "Staged anew, as shown here, and not written yet: commit again."
    assert dialog.outcome.said == ("1 edit: 1 lost race. 1 edit is staged anew, and not written yet: commit again.")
    assert shop.bench.item() == meta("9", by=String("bob"))  # nothing was written by choosing
    dialog.reject()
    shop.commit_all()
    assert shop.bench.item() == anew.after


def test_what_was_staged_anew_is_committed_again(shop: EditShop) -> None:
    first, second = others(2)
    shop.stage(edit(meta(), meta("5")), edit(first, {**first, "at": Number("7")}), edit(second, None))
    shop.bench.reader.put("Posts", meta("9"))
    shop.bench.reader.put("Posts", {**first, "at": Number("8")})
    dialog = shop.commit_all()
    assert dialog.outcome.said == ("3 edits: 1 applied, 2 lost races. Choose a lost race above to see both versions.")
    assert not dialog.again_button.isVisible()
    asked: list[tuple[Edit, ...]] = []

    def note(edits: tuple[Edit, ...]) -> None:
        asked.append(edits)

    dialog.again_asked.connect(note)
    dialog.race.mine_here.click()
    dialog.race.keep_button.click()
    assert "Choose a lost race above" in dialog.outcome.said  # there is another one
    dialog.grid.setCurrentIndex(dialog.rows.index(1, 0))
    dialog.race.take_button.click()
    assert "Choose a lost race" not in dialog.outcome.said
    assert dialog.race.model.index(0, 4).data() == "theirs"
    dialog.grid.setCurrentIndex(dialog.rows.index(0, 0))
    assert dialog.race.model.index(0, 4).data() == "mine"
    dialog.again_button.click()
    assert asked == [(edit(meta("9"), meta("5")),)]


def test_theirs_is_taken(shop: EditShop) -> None:
    shop.stage(edit(meta(), meta("5")))
    shop.bench.reader.put("Posts", meta("9"))
    dialog = shop.commit_all()
    dialog.race.take_button.click()
    assert len(shop.staging) == 0
    assert column_of(dialog, OUTCOME) == ["theirs stands"]
    assert not dialog.race.take_button.isVisible()
    assert shop.bench.item() == meta("9")


def test_a_table_without_capacity_is_no_race_with_anybody(shop: EditShop) -> None:
    shop.bench.writer.luck = [Throttled("no capacity")] * MAX_TRIES
    shop.stage(edit(meta(), meta("5")))
    dialog = shop.commit_all()
    assert dialog.page == REQUEST
    assert "No capacity" in dialog.became.text()
    assert "still staged" in dialog.became.text()
    assert len(shop.staging) == 1


def test_an_item_deleted_meanwhile(shop: EditShop) -> None:
    shop.stage(edit(meta(), meta("5")))
    shop.bench.reader.delete("Posts", edit(meta(), None).key)
    dialog = shop.commit_all()
    assert "deleted the item" in dialog.race.says.text()
    assert dialog.race.keep_button.text() == "Make it anew"
    dialog.race.keep_button.click()
    (anew,) = shop.staging.edits
    assert anew.kind == "new"


def test_an_unknown_outcome_is_found_out_by_reading_back(shop: EditShop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.stage(edit(meta(), meta("5")))
    dialog = shop.open_commit()
    shop.bench.writer.luck = ["reply lost"]
    shop.bench.writer.after = partial(monkeypatch.setattr, shop.bench.reader, "get", _failing)
    dialog.go_button.click()
    shop.wait_for(lambda: dialog.state == "over")
    monkeypatch.undo()
    assert column_of(dialog, OUTCOME) == ["unknown"]
    assert "Read back to find out" in dialog.became.text()
    assert len(shop.staging) == 1
    dialog.read_back_button.click()
    shop.wait_for(dialog.read_back_button.isHidden)
    assert column_of(dialog, OUTCOME) == ["applied"]
    assert len(shop.staging) == 0


def _failing(*_args: object, **_named: object) -> None:
    raise CannotConnect("no connection")


def test_a_commit_is_taken_back_right_after_it(shop: EditShop) -> None:
    shop.stage(edit(meta(), meta("5")), edit(others(1)[0], None))
    dialog = shop.commit_all()
    asked: list[tuple[str, ...]] = []

    def note(ids: tuple[str, ...]) -> None:
        asked.append(ids)

    dialog.undo_asked.connect(note)
    shop.bench.reader.put("Posts", meta("6"))  # somebody went on with it
    dialog.undo_button.click()
    undo = shop.open_undo(asked[0])
    assert undo.windowTitle() == "Take back 1 edit in Posts"
    assert [undo.tabs.tabText(at) for at in range(undo.tabs.count())] == ["Request", "Left out 1"]
    undo.tabs.setCurrentIndex(1)
    assert undo.page == LEFT_OUT
    assert [undo.left_out.model().index(0, column).data() for column in (0, 2)] == [
        "POST#a91f / META",
        "Somebody changed the item since.",
    ]
    undo.approval.field.setText("Posts")
    undo.go_button.click()
    shop.wait_for(lambda: undo.state == "over")
    assert shop.bench.item("LIKE#0000") == others(1)[0]
    assert shop.bench.item() == meta("6")


def test_many_deletions_go_one_by_one_unless_somebody_says_otherwise(edit_shop: NewEditShop) -> None:
    shop = edit_shop(*others(60))
    shop.stage(*(edit(item, None) for item in others(60)))
    dialog = shop.open_commit()
    assert not dialog.is_unguarded
    assert json.loads(dialog.request.toPlainText())["TableName"] == "Posts"
    dialog.unguarded.click()
    assert dialog.request_title.text() == "BatchWriteItem of 25 deletions, exactly as sent"
    assert column_of(dialog, 5)[0] == "nothing: whatever it has become"
    shop.bench.writer.leaves_out = [20, 3]
    shop.bench.reader.put("Posts", post("LIKE#0007", at=Number("99")))  # changed since: deleted nevertheless
    dialog.approval.field.setText("Posts")
    dialog.go_button.click()
    shop.wait_for(lambda: dialog.state == "over")
    assert set(column_of(dialog, OUTCOME)) == {"applied"}
    assert "23 deletions were left out at first and sent again" in dialog.outcome.said
    assert len(shop.staging) == 0
    assert not dialog.undo_button.isVisible()
    assert [shop.bench.item(f"LIKE#{n:04}") for n in range(60)] == [None] * 60
    batches = EditLog.of(shop.journal.read().records).batches.values()
    assert sum(len(batch.writes) - batch.left_out for batch in batches) == 60


def test_what_is_promised_follows_the_choice_of_batches(edit_shop: NewEditShop) -> None:
    shop = edit_shop(*others(26))
    shop.stage(*(edit(item, None) for item in others(26)))
    dialog = shop.open_commit()
    assert dialog.says.text().startswith("Each request applies only while what it changes is as it was read.")
    assert dialog.journal_note.text() == "Written before a request is sent. Undo is in it."
    assert dialog.batches_note.isVisible()
    assert not dialog.batches_warning.isVisible()
    dialog.unguarded.click()
    assert dialog.says.text() == (
        "Deletions have no condition: each item is deleted whatever it has become since it was read."
    )
    assert dialog.journal_note.text().endswith("Undo is in it, but not of deletions in batches.")
    assert dialog.batches_warning.isVisible()
    assert not dialog.batches_note.isVisible()
    dialog.unguarded.click()
    assert dialog.says.text().startswith("Each request applies only while")
    assert not dialog.batches_warning.isVisible()


def test_stopping_leaves_the_rest_staged(edit_shop: NewEditShop) -> None:
    shop = edit_shop(*others(60))
    shop.stage(*(edit(item, None) for item in others(60)))
    dialog = shop.open_commit()
    dialog.approval.field.setText("Posts")
    sent = shop.bench.writer.sent

    def stop() -> None:
        if len(sent) == 10 and dialog.job is not None:
            dialog.job.cancel()

    shop.bench.writer.before = stop
    dialog.go_button.click()
    shop.wait_for(lambda: dialog.state == "over")
    outcomes = column_of(dialog, OUTCOME)
    assert outcomes.count("applied") == len(sent) < 60
    assert outcomes.count("not tried") == 60 - len(sent) == len(shop.staging)
    assert "Stopped: cancelled." in dialog.outcome.said


def test_an_undo_never_touches_what_is_staged(shop: EditShop) -> None:
    shop.stage(edit(meta(), meta("5")))
    shop.commit_all()
    (commit,) = EditLog.of(shop.journal.read().records).commits
    shop.stage(edit(meta("5"), meta("7")))
    undo = shop.open_undo([commit])
    shop.bench.reader.put("Posts", meta("8"))
    undo.go_button.click()
    shop.wait_for(lambda: undo.state == "over")
    assert column_of(undo, OUTCOME) == ["lost race"]
    assert not undo.race.keep_button.isVisible()
    assert shop.staging.edits == (edit(meta("5"), meta("7")),)


def test_a_move_is_shown_as_both_of_its_requests(shop: EditShop) -> None:
    there = {**meta(), "SK": String("META2")}
    shop.stage(Edit("Posts", edit(meta(), None).key, meta(), there))
    dialog = shop.open_commit()
    assert [*json.loads(dialog.request.toPlainText())] == ["TransactItems", "ClientRequestToken"]
    dialog.go_button.click()
    shop.wait_for(lambda: dialog.state == "over")
    assert shop.bench.item() is None
    assert shop.bench.item("META2") == there


def test_what_no_condition_protects_is_said(edit_shop: NewEditShop) -> None:
    large = post("LARGE", **{f"a{number}": Number("1") for number in range(400)})
    shop = edit_shop(post(), large)
    shop.stage(edit(large, {name: Number("2") if name.startswith("a") else value for name, value in large.items()}))
    shop.stage(edit(post(), post("DRAFT")))
    words = " ".join(unguarded_words(plan_edits(shop.tools, shop.staging.edits, Ticket()), batches=False))
    assert "1 item has more changes than an update takes: sent whole, without attributes added since." in words
    assert "Attributes added to an item since do not move with it: they are lost." in words
    assert "are not sent" not in words


def test_the_journal_takes_an_edit_back(shop: EditShop) -> None:
    shop.stage(edit(meta(), meta("5")), edit(None, post("NEW", at=Number("9"))))
    shop.commit_all().reject()
    journal = shop.open_journal()
    assert sorted(column_of(journal, 4)) == ["likes 4 → 5", "new, 3 attributes"]
    assert set(column_of(journal, 1)) == {"edit"}
    assert set(column_of(journal, 5)) == {"applied"}
    asked: list[tuple[str, ...]] = []

    def note(ids: tuple[str, ...]) -> None:
        asked.append(ids)

    journal.undo_edits_asked.connect(note)
    journal.grid.selectAll()
    assert journal.undo_button.isEnabled()
    journal.undo_button.click()
    undo = shop.open_undo(asked[0])
    undo.approval.field.setText("Posts")
    undo.go_button.click()
    shop.wait_for(lambda: undo.state == "over")
    assert shop.bench.item() == meta()
    assert shop.bench.item("NEW") is None
    undo.reject()
    again = shop.open_journal()
    assert sorted(column_of(again, 5)) == ["applied", "applied", "applied, undone", "applied, undone"]
    again.grid.selectRow(3)
    assert not again.undo_button.isEnabled()


def test_deletions_in_batches_cannot_be_taken_back(edit_shop: NewEditShop) -> None:
    shop = edit_shop(*others(26))
    shop.stage(*(edit(item, None) for item in others(26)))
    dialog = shop.open_commit()
    dialog.unguarded.click()
    dialog.approval.field.setText("Posts")
    dialog.go_button.click()
    shop.wait_for(lambda: dialog.state == "over")
    dialog.reject()
    journal = shop.open_journal()
    assert column_of(journal, 3) == ["1 item", "25 items"]
    assert not journal.undo_button.isEnabled()
    assert "BatchWriteItem" not in journal.request.toPlainText()
    assert [*json.loads(journal.request.toPlainText())] == ["RequestItems"]


def test_nothing_is_planned_for_what_the_service_would_refuse(shop: EditShop) -> None:
    shop.stage(edit(meta(), meta(actor=Number("1"))))
    with pytest.raises(InvalidValue, match="META: actor is a key of the index"):
        plan_edits(shop.tools, shop.staging.edits, Ticket())


def committed(shop: EditShop) -> CommitDialog:
    """A dialog that is closed."""
    dialog = CommitDialog(plan_edits(shop.tools, shop.staging.edits, Ticket()), shop.staging, shop.tools, shop.runner)
    dialog.open()
    dialog.go_button.click()
    shop.wait_for(lambda: dialog.state == "over")
    shop.wait_for(lambda: not shop.runner.findChildren(Job))
    dialog.reject()
    return dialog


def test_a_closed_dialog_is_gone_at_once(shop: EditShop) -> None:
    """Left to the garbage collector it could be taken apart on a thread that works for another window."""
    shop.stage(edit(meta(), meta("5")))
    shop.bench.reader.put("Posts", meta("9"))
    gc.disable()
    try:
        opened = weakref.ref(committed(shop))
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        assert opened() is None
    finally:
        gc.enable()


def test_where_the_other_version_cannot_be_read_nobody_is_said_to_have_deleted_it(
    shop: EditShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.stage(edit(meta(), meta("5")))
    shop.bench.reader.put("Posts", meta("9"))
    hidden = NotAsExpected(None)  # an endpoint that does not show what it found
    monkeypatch.setattr(shop.bench.writer, "arrive", lambda _write: hidden)
    monkeypatch.setattr(shop.bench.reader, "batch_get", _failing)
    dialog = shop.commit_all()
    assert column_of(dialog, OUTCOME) == ["lost race"]
    assert dialog.page == REQUEST
    assert len(shop.staging) == 1
