"""The Requests page by keys: what is typed becomes the request, what is wrong is said, what is run is explained."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from dynodesk.domain.actions import BoundStatement, DeleteAction, SingleWrite, TransactWrite
from dynodesk.domain.capacity import Meter
from dynodesk.domain.composition import Draft, DraftAction
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Map, Number, String
from dynodesk.ui.dialogs.rehearsal import RehearsalDialog
from dynodesk.ui.dialogs.run_request import RunRequestDialog
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.compose_door import ComposeDoor
from dynodesk.ui.pages.compose_item import EditItemDialog
from dynodesk.ui.pages.compose_model import MARKS, PART
from dynodesk.ui.pages.compose_paste import PasteDialog
from dynodesk.ui.pages.compose_texts import ExpressionText
from dynodesk.ui.shell import ComposesRequests, Restorable, ShowsItems, Unfinished
from dynodesk.ui.staging import Written
from dynodesk.ui.theme import Text
from dynodesk.ui.widgets.trees import GROUND
from dynodesk.wiring import Workspace, request_desk
from tests.helpers.granted import granted
from tests.ui.pages.compose_desk import CTRL, LIKE, OWN, ComposeDesk, put, transaction, update

pytestmark = pytest.mark.server
LIKED = put(LIKE, "attribute_not_exists(SK)")
COUNTED = update("ADD n 1")


@pytest.fixture
def runner() -> Iterator[JobRunner]:
    made = JobRunner(threads=2)
    yield made
    assert made.shutdown()
    made.deleteLater()


@pytest.fixture
def desk(workspace: Workspace, runner: JobRunner, qtbot: QtBot) -> Iterator[ComposeDesk]:
    made = ComposeDesk(workspace, runner, qtbot)
    yield made
    QTest.keyRelease(made.page, Qt.Key.Key_Control)  # or it would count as held in whatever comes next


@pytest.fixture(scope="module")
def social(workspace: Workspace) -> TableInfo:
    return workspace.catalog.describe("Social", Ticket())


@pytest.fixture
def own_items(workspace: Workspace, social: TableInfo) -> Iterator[None]:
    """What a test writes is gone afterwards: the sandbox is everybody's."""
    yield
    requests = request_desk(workspace, Meter())
    for key in (OWN, LIKE):
        assert (
            requests.run(SingleWrite(DeleteAction("Social", social.key_schema.key_of(dict(key)))), Ticket()).outcome
            == "done"
        )


# -- putting together


def test_a_page_without_actions_says_what_to_do_and_begins_there(desk: ComposeDesk) -> None:
    page = desk.page
    assert isinstance(page, Restorable)
    assert isinstance(page, Unfinished)
    assert isinstance(page, ComposesRequests)
    assert desk.focus == "Put"
    assert desk.checks == []  # nothing was done wrong
    assert not page.run_action.isEnabled()


def test_an_update_is_typed_by_keys_alone(desk: ComposeDesk, social: TableInfo) -> None:
    desk.page.set_table(social, [])
    desk.key(Qt.Key.Key_2, CTRL)
    assert desk.focus == "Value of PK"
    desk.type("COMPOSED#1")
    desk.key(Qt.Key.Key_Tab)
    desk.type("META")
    desk.key(Qt.Key.Key_Tab)
    assert desk.focus == "Clause of the update"
    desk.type("SET a = 'x', rev = if_not_exists(rev, 0) + 1 ADD n -2.50")
    desk.key(Qt.Key.Key_Return)
    desk.wait()
    assert desk.rows == [
        "1  Update  META [at least 2 WCU]",
        "PK | S | COMPOSED#1",
        "SK | S | META",
        "SET a = | S | x",
        "SET rev = if_not_exists(rev, 0) + | N | 1",
        "ADD n | N | -2.50",
        "if attribute_exists(PK)",
    ]
    assert desk.page.draft.actions == (update("SET a = 'x', rev = if_not_exists(rev, 0) + 1 ADD n -2.50"),)
    assert desk.page.panel.totals.startswith("1 of 100 actions · ")
    assert desk.page.panel.totals.endswith(" of 4 MB · at least 2 WCU")
    assert desk.page.windowTitle() == "TransactWriteItems: META"


def test_an_attribute_is_named_typed_and_given_another_type(desk: ComposeDesk) -> None:
    desk.show(transaction(put(OWN)))
    desk.choose(0, "n")
    desk.key(Qt.Key.Key_Insert)
    assert desk.focus == "Name of the attribute"
    desk.type("tags")
    desk.key(Qt.Key.Key_Tab)
    desk.type("0042")
    desk.key(Qt.Key.Key_Return)
    assert "tags | S | 0042" in desk.rows
    desk.come_back()
    desk.key(Qt.Key.Key_F2, CTRL)
    desk.key(Qt.Key.Key_N)
    desk.key(Qt.Key.Key_Return)
    desk.wait()
    assert desk.page.draft.actions[0].attributes[-1] == ("tags", Number("0042"))
    assert "tags | N | 0042" in desk.rows


def test_esc_puts_back_what_was_typed_over(desk: ComposeDesk) -> None:
    desk.show(transaction(update("SET a = 1")))
    desk.choose(0, "attribute_exists(PK)")
    desk.key(Qt.Key.Key_Return)
    desk.type("n = 2")
    assert desk.page.draft.actions[0].condition == "n = 2"  # at once: the code beside it shows what is typed
    desk.key(Qt.Key.Key_Escape)
    assert desk.page.draft.actions[0].condition == "attribute_exists(PK)"


def test_names_of_known_items_and_functions_are_offered(desk: ComposeDesk, social: TableInfo) -> None:
    desk.page.set_table(social, [{**dict(OWN), "likeTally": Number("1")}])
    desk.show(transaction(update("SET a = 1")))
    desk.choose(0, "attribute_exists(PK)")
    desk.key(Qt.Key.Key_Return)
    edit = QApplication.focusWidget()
    assert isinstance(edit, ExpressionText)
    desk.type("like")
    assert edit._offers.is_open
    assert edit._offers.popup.model().index(0, 0).data() == "likeTally"
    QTest.keyClick(edit._offers.popup, Qt.Key.Key_Return)
    assert edit.text == "likeTally"
    assert {"attribute_not_exists", "if_not_exists", "GSI1PK", "PK"} <= set(edit._offers.words)
    desk.key(Qt.Key.Key_Return)
    assert desk.page.draft.actions[0].condition == "likeTally"


def test_an_item_is_edited_whole(desk: ComposeDesk) -> None:
    desk.show(transaction(put(OWN)))
    desk.choose(0, "n")
    desk.key(Qt.Key.Key_J, CTRL | Qt.KeyboardModifier.ShiftModifier)
    dialog = desk.dialog()
    assert isinstance(dialog, EditItemDialog)
    dialog.editor.show_as(1)
    dialog.editor.text.setPlainText('{"PK": "COMPOSED#1", "SK": "META", "client": {"app": "web"}}')
    dialog.accept()
    desk.page.activateWindow()
    assert desk.page.draft.actions[0].attributes[-1] == ("client", Map({"app": String("web")}))
    assert "client | M | 1 attribute" in desk.rows


def test_actions_are_moved_repeated_and_taken_away(desk: ComposeDesk) -> None:
    desk.show(transaction(LIKED, COUNTED))
    tree = desk.page.panel.tree
    tree.setFocus()
    tree.setCurrentIndex(desk.page.model.index(1, PART))
    desk.key(Qt.Key.Key_Up, CTRL)
    assert [action.kind for action in desk.page.draft.actions] == ["Update", "Put"]
    assert tree.current == 0
    desk.key(Qt.Key.Key_D, CTRL)
    desk.wait()
    assert [action.kind for action in desk.page.draft.actions] == ["Update", "Update", "Put"]
    assert any(words.startswith("2: actions 1 and 2 are on one item") for _, words in desk.checks)
    desk.key(Qt.Key.Key_Delete)
    desk.choose(0, "ADD n 1")
    desk.key(Qt.Key.Key_Delete)
    assert desk.page.draft.actions[0] == replace(COUNTED, update="")
    assert len(desk.page.draft.actions) == 2


def test_another_table_brings_its_own_key(desk: ComposeDesk) -> None:
    desk.show(transaction(COUNTED))
    field = desk.page.panel.table.lineEdit()
    assert field is not None
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "Stats")
    QTest.keyClick(field, Qt.Key.Key_Return)
    desk.wait()
    action = desk.page.draft.actions[0]
    assert action.table == "Stats"
    assert [name for name, _ in action.attributes] == list(desk.page.known.infos["Stats"].key_schema.names)


# -- what is said


def test_a_mistake_is_marked_at_its_place_and_a_click_leads_there(desk: ComposeDesk) -> None:
    desk.show(transaction(LIKED, update("ADD n 1 SET PK = 'x'")))
    (place,) = [check for check in desk.page.checks.checks if check.word == "error"]
    row = desk.index(1, "SET PK = 'x'")
    assert row.data(MARKS) == [(4, 6, "danger")]
    assert not desk.page.run_action.isEnabled()
    desk.page.checks.list.setFocus()
    QTest.keyClick(desk.page.checks.list, Qt.Key.Key_Home)
    desk.key(Qt.Key.Key_Return)
    edit = QApplication.focusWidget()
    assert isinstance(edit, ExpressionText)
    assert edit.textCursor().selectedText() == "PK"
    assert len(edit.extraSelections()) == 1
    assert "no update changes" in place.text


def test_what_can_be_mended_is_mended_by_a_key(desk: ComposeDesk) -> None:
    desk.show(transaction(LIKED, update("SET rev = rev + 1")))
    assert [word for word, _ in desk.checks if word == "note"]
    desk.page.checks.list.setFocus()
    desk.key(Qt.Key.Key_Period, CTRL)
    desk.wait()
    assert desk.page.draft.actions[1].update == "SET rev = if_not_exists(rev, 0) + 1"
    assert desk.page.draft.token == "a-token-of-this-test"


def test_a_text_that_is_no_value_keeps_the_request_from_being_sent(desk: ComposeDesk) -> None:
    desk.show(transaction(put(OWN)))
    desk.choose(0, "n")
    desk.page.model.set_type(desk.page.panel.tree.currentIndex(), "B")
    desk.key(Qt.Key.Key_Return)
    desk.type("0g")
    desk.key(Qt.Key.Key_Return)
    desk.wait()
    assert desk.checks[0] == ("error", "n: 'g' is no hexadecimal digit (digit 2). Two of 0-9 a-f for a byte.")
    assert not desk.page.run_action.isEnabled()


def test_units_are_those_of_the_items_once_they_are_read(desk: ComposeDesk) -> None:
    desk.show(transaction(DraftAction("Update", "Social", (("PK", String("POST#a91f")), ("SK", String("META"))),
                                      update="ADD likeTally 1", condition="attribute_exists(PK)")))  # fmt: skip
    assert desk.page.panel.totals.endswith("at least 2 WCU")
    assert ("note", "Units depend on the items as they are. F5 reads them.") in desk.checks
    desk.page.panel.tree.setFocus()
    desk.key(Qt.Key.Key_F5)
    desk.wait()
    assert desk.page.panel.totals.endswith("· 2 WCU")
    assert not desk.page.panel.read_button.isVisible()


# -- running


@pytest.mark.usefixtures("own_items")
def test_a_like_sent_twice_is_refused_the_second_time_and_says_where(desk: ComposeDesk) -> None:
    written: list[tuple[Written, ...]] = []
    desk.page.written.connect(written.append)
    desk.show(transaction(LIKED, replace(put(OWN), condition="")))
    desk.run()
    assert desk.page.response.title == "Done: everything was written."
    assert [(one.table, one.item) for one in written[0]] == [
        ("Social", {**dict(LIKE), "n": Number("1")}),
        ("Social", {**dict(OWN), "n": Number("1")}),
    ]  # so that other pages follow
    assert {action.fate for action in desk.page.model.actions} == {"done"}
    sent = desk.page.draft.token
    assert desk.page.panel.clock.seconds_left is not None
    desk.page.token.renew()
    assert desk.page.draft.token != sent
    desk.wait()
    desk.run()
    assert desk.page.response.title == "Cancelled: nothing was written."
    assert "if attribute_not_exists(SK) [failed: the item exists]" in desk.rows
    assert desk.index(0, "attribute_not_exists(SK)").data(GROUND) == "danger_soft"
    assert any(row.startswith("2  Put  META [not evaluated") for row in desk.rows)
    desk.choose(1, "n")
    desk.key(Qt.Key.Key_Return)
    desk.type("5")
    desk.wait()
    assert not any("failed" in row or "not evaluated" in row for row in desk.rows)


@pytest.mark.usefixtures("own_items")
def test_a_request_that_was_sent_gets_a_new_token_when_it_becomes_another(desk: ComposeDesk) -> None:
    desk.show(transaction(LIKED))
    desk.run()
    sent = desk.page.draft.token
    assert sent == "a-token-of-this-test"
    desk.page.model.set_text(desk.index(0, "attribute_not_exists(SK)"), "attribute_exists(SK)")
    desk.wait()
    assert desk.page.draft.token != sent
    assert desk.page.panel.clock.seconds_left is None


def test_a_read_is_run_without_a_question(desk: ComposeDesk) -> None:
    desk.show(Draft("GetItem", (DraftAction("Get", "Social", (("PK", String("POST#a91f")), ("SK", String("META")))),)))
    assert desk.page.bar.run_button.text() == "Run GetItem"
    desk.page.panel.tree.setFocus()
    desk.key(Qt.Key.Key_Return, CTRL)
    desk.wait()
    assert desk.page.response.report is not None
    assert desk.page.response.report.outcome == "done"


def test_on_a_connection_that_only_reads_everything_but_the_writing_works(
    workspace: Workspace, runner: JobRunner, qtbot: QtBot
) -> None:
    reading = replace(workspace, access=granted(replace(workspace.profile, read_only=True)))
    desk = ComposeDesk(reading, runner, qtbot)
    desk.show(transaction(LIKED))
    desk.page.panel.tree.setFocus()
    desk.key(Qt.Key.Key_Return, CTRL)
    dialog = desk.dialog()
    assert isinstance(dialog, RunRequestDialog)
    assert not dialog.go_button.isEnabled()
    assert any("is read-only" in text.text() for text in dialog.outcome.findChildren(Text))
    dialog.reject()
    QTest.keyRelease(desk.page, Qt.Key.Key_Control)


def test_the_undo_is_composed_in_a_tab_of_its_own(desk: ComposeDesk) -> None:
    desk.show(transaction(LIKED, update("SET rev = rev + 1 ADD n 1")))
    desk.page.mirror_action.trigger()
    ((turned, name),) = desk.opened
    assert [action.kind for action in turned.actions] == ["Delete", "Update"]
    assert turned.actions[1].update == "SET rev = rev + 1 ADD n -1"  # a version only ever rises
    assert name == "Undo of TransactWriteItems: LIKE#me"


def test_a_rehearsal_is_of_the_request_as_it_stands(desk: ComposeDesk) -> None:
    desk.show(transaction(LIKED))
    desk.page.rehearse_action.trigger()
    dialog = desk.dialog()
    assert isinstance(dialog, RehearsalDialog)
    desk.wait(lambda: bool(desk.rehearsed))
    desk.wait()
    (request,) = desk.rehearsed
    assert isinstance(request, TransactWrite)
    assert request.token == "a-token-of-this-test"
    dialog.reject()


# -- statements, pasting, tabs


def test_statements_have_editors_and_typed_values(desk: ComposeDesk) -> None:
    desk.page.choose_kind("ExecuteTransaction")
    desk.wait()
    assert desk.page.panel.first.accessibleName() == "Statement 1"
    desk.page.panel.first.setFocus()
    desk.type("UPDATE Social SET n = ? WHERE PK = 'a' AND SK = ?")
    first, second = desk.page.panel.statements.cards[0].values.shown
    first.type.setCurrentText("N")
    first.text.setText("1x")
    second.text.setText("META")
    desk.wait()
    assert desk.checks[0][0] == "error"
    assert "1x" in desk.checks[0][1]
    first.text.setText("1.50")
    desk.wait()
    wanted = BoundStatement("UPDATE Social SET n = ? WHERE PK = 'a' AND SK = ?", (Number("1.50"), String("META")))
    assert desk.page.draft.statements == (wanted,)
    desk.come_back()
    desk.key(Qt.Key.Key_6, CTRL)
    desk.wait(lambda: desk.focus == "Statement 2")
    desk.type("SELECT * FROM Social WHERE PK = 'a' AND SK = 'b'")
    desk.wait()
    assert any("SELECT has no place" in words for word, words in desk.checks if word == "error")
    desk.page.choose_kind("TransactWriteItems")
    desk.page.choose_kind("ExecuteTransaction")
    assert desk.page.draft.statements[0] == wanted


def test_what_stands_in_a_tip_is_no_markup(desk: ComposeDesk) -> None:
    clause = 'SET "<b>x</b>" = "<i>y</i>" + 1'
    desk.show(transaction(update(clause), replace(put(LIKE), table="<u>No</u>")))
    for index, words in ((desk.index(0, clause), "<i>y</i>"), (desk.page.model.index(1, PART), "<u>No</u>")):
        tip = QTextDocument()
        tip.setHtml(str(index.data(Qt.ItemDataRole.ToolTipRole)))
        assert words in tip.toPlainText()


def test_a_command_is_pasted(desk: ComposeDesk) -> None:
    command = (
        """aws dynamodb delete-item --table-name Social --key '{"PK": {"S": "a"}, "SK": {"S": "b"}}' """
        "--condition-expression 'attribute_exists(PK)'"
    )
    QGuiApplication.clipboard().setText(command)
    desk.page.paste_action.trigger()
    assert desk.page.draft.operation == "DeleteItem"
    assert desk.page.draft.actions[0].condition == "attribute_exists(PK)"
    QGuiApplication.clipboard().setText("no request")
    desk.page.paste_action.trigger()
    dialog = desk.dialog()
    assert isinstance(dialog, PasteDialog)
    dialog.show_text(command.replace("attribute_exists(PK)", "attribute_exists(PK"))
    assert dialog.remark.text.startswith("Line 1, column ")
    assert dialog.text.faulty == (1,)
    assert not dialog.take_button.isEnabled()
    dialog.show_text(command)
    dialog.accept()
    assert [draft.operation for draft, _ in desk.opened] == ["DeleteItem"]  # what is there is not written over


def test_a_page_comes_back_as_it_was(desk: ComposeDesk, workspace: Workspace, runner: JobRunner, qtbot: QtBot) -> None:
    draft = transaction(LIKED, update("SET a = 'open", "n = "))
    desk.page.show_draft(draft, "Like")
    kept = json.loads(json.dumps(desk.page.state()))
    again = ComposeDesk(workspace, runner, qtbot)
    again.page.restore(kept)
    assert again.page.draft == draft
    assert again.page.windowTitle() == "Like"
    again.page.restore({"draft": {"operation": "?"}})
    assert again.page.draft == draft


def test_selected_rows_become_updates_or_checks(
    desk: ComposeDesk, workspace: Workspace, social: TableInfo, runner: JobRunner, qtbot: QtBot
) -> None:
    browse = BrowsePage(social, workspace.reader, runner)
    qtbot.addWidget(browse)
    browse.resize(1200, 700)
    door = ComposeDoor(browse, lambda items, kind, whole: desk.page.compose_items(social, items, kind, are_whole=whole))
    browse.show()
    browse.open_collection({"PK": String("POST#a91f")}, {"PK": String("POST#a91f"), "SK": String("META")})
    qtbot.waitUntil(lambda: bool(browse.whole_items) and not browse.left.feed.running, timeout=30_000)
    assert isinstance(browse, ShowsItems)
    door.check_action.trigger()
    desk.wait()
    (action,) = desk.page.draft.actions
    assert (action.kind, action.condition) == ("ConditionCheck", "attribute_exists(PK)")
    assert dict(action.attributes) == {"PK": String("POST#a91f"), "SK": String("META")}
    assert desk.page.panel.totals.endswith("· 2 WCU")  # its item is known: it was read whole
    assert isinstance(desk.page.request, TransactWrite)
    door.update_action.trigger()
    assert desk.page.draft.actions[0].kind == "Update"
