"""The dialog of a rehearsal: what it says of each action, and that nothing is run from it by itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from dynodesk.composing.rehearsal import Rehearsal, RehearsedItem, RehearsedOutcome
from dynodesk.domain.actions import CheckAction, DeleteAction, PutAction, SingleWrite, TransactWrite, UpdateAction
from dynodesk.domain.composed import ActionReason, Done, Refused
from dynodesk.domain.errors import CannotConnect, InvalidRequest
from dynodesk.domain.expressions import parse_changes, parse_where
from dynodesk.domain.foretelling import foretell, write_actions
from dynodesk.domain.mirror import Before
from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.values import Item, KeyValue, Number, String
from dynodesk.ui.dialogs.rehearsal import DIFFER, MOST_ROWS, RehearsalDialog
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.widgets.trees import GROUND, NOTE
from tests.helpers.granted import granted
from tests.helpers.small_tables import SOCIAL

META: dict[str, KeyValue] = {"PK": String("POST#a91f"), "SK": String("META")}
USER: dict[str, KeyValue] = {"PK": String("USER#7c20"), "SK": String("META")}
LIKED: Item = {"PK": String("POST#a91f"), "SK": String("LIKE#USER#7c20"), "note": String("<b>\u202e")}
POST: Item = {**META, "likeTally": Number("41"), "rev": Number("7"), "draft": String("x"), "title": String("Walk")}
LIKE = TransactWrite(
    (
        PutAction("Social", LIKED, parse_where("attribute_not_exists(SK)")),
        UpdateAction("Social", META, parse_changes("SET views = 0 REMOVE draft ADD likeTally 1")),
        CheckAction("Social", USER, parse_where("attribute_exists(PK)")),
        DeleteAction("Social", {"PK": String("USER#7c20"), "SK": String("OLD")}),
    ),
    "t",
)
BEFORE: Before = (None, POST, USER, {"PK": String("USER#7c20"), "SK": String("OLD")})
DONE = Done((), (), 0.1, "")
Show = Callable[..., RehearsalDialog]


def rehearsal(request: SingleWrite | TransactWrite, before: Before, outcome: RehearsedOutcome) -> Rehearsal:
    told = foretell(request, before)
    after = told.after if isinstance(outcome, Done) else before
    actions = write_actions(request)
    keys = [
        SOCIAL.key_schema.key_of(action.item) if isinstance(action, PutAction) else action.key for action in actions
    ]
    return Rehearsal(request, tuple(map(RehearsedItem, actions, keys, before, after)), outcome, told)


@pytest.fixture
def runner(dressed_application: QApplication) -> Iterator[JobRunner]:
    made = JobRunner(threads=1)
    yield made
    assert made.shutdown()


@pytest.fixture
def show(runner: JobRunner, qtbot: QtBot) -> Iterator[Show]:
    shown: list[RehearsalDialog] = []

    def opened(
        outcome: RehearsedOutcome | Exception = DONE, before: Before = BEFORE, *, read_only: bool = False
    ) -> RehearsalDialog:
        def work(request: SingleWrite | TransactWrite, _ticket: Ticket) -> Rehearsal:
            if isinstance(outcome, Exception) and not isinstance(outcome, InvalidRequest):
                raise outcome
            return rehearsal(request, before, outcome)

        profile = Profile("1", "shop", "aws", "profile", stage="production", read_only=read_only)
        dialog = RehearsalDialog(LIKE, {"Social": SOCIAL}, granted(profile), work, runner)
        shown.append(dialog)
        dialog.open()
        qtbot.waitUntil(lambda: not dialog.is_running)
        return dialog

    yield opened
    for dialog in shown:
        if isValid(dialog):
            dialog.close()


def rows(dialog: RehearsalDialog, parent: QModelIndex | None = None) -> list[tuple[str, ...]]:
    """Of the whole tree, top down: the cells of a row that say something, and its note."""
    top = parent or QModelIndex()
    found: list[tuple[str, ...]] = []
    for at in range(dialog.model.rowCount(top)):
        cells = [dialog.model.index(at, column, top).data() or "" for column in range(4)]
        note = dialog.model.index(at, 0, top).data(NOTE)
        found.append((*filter(None, cells), *([note] if note else [])))
        found += rows(dialog, dialog.model.index(at, 0, top))
    return found


def test_each_item_is_shown_as_it_would_be(show: Show) -> None:
    dialog = show()
    update = dialog.model.index(1, 0)
    assert dialog.tree.isExpanded(update)
    assert not dialog.tree.isExpanded(dialog.model.index(3, 0, update))
    dialog.tree.expandAll()
    assert rows(dialog) == [
        ("1  Put POST#a91f / LIKE#USER#7c20", "would be made"),
        ("PK", "added", "POST#a91f"),
        ("SK", "added", "LIKE#USER#7c20"),
        ("note", "added", "<b>⟨U+202E⟩"),
        ("2  Update POST#a91f / META", "would change 3 attributes"),
        ("likeTally", "changed", "41", "42"),
        ("draft", "removed", "x"),
        ("views", "added", "0"),
        ("4 attributes unchanged",),
        ("PK", "unchanged", "POST#a91f", "POST#a91f"),
        ("SK", "unchanged", "META", "META"),
        ("rev", "unchanged", "7", "7"),
        ("title", "unchanged", "Walk", "Walk"),
        ("3  ConditionCheck USER#7c20 / META", "its condition holds"),
        ("2 attributes unchanged",),
        ("PK", "unchanged", "USER#7c20", "USER#7c20"),
        ("SK", "unchanged", "META", "META"),
        ("4  Delete USER#7c20 / OLD", "would be deleted"),
        ("PK", "removed", "USER#7c20"),
        ("SK", "removed", "OLD"),
    ]
    assert [dialog.model.index(at, 1, update).data(GROUND) for at in range(3)] == [
        "edited_soft", "danger_soft", "ok_soft",
    ]  # fmt: skip
    assert dialog.says.text() == "Tried on a private copy. Nothing was written to shop."
    assert dialog.outcome.said == "It would be done. 3 items would be changed."


def test_a_refusal_says_which_action_and_why(show: Show) -> None:
    reasons = (ActionReason("ConditionalCheckFailed", "", LIKED), *[ActionReason("None", "", None)] * 3)
    dialog = show(Refused(reasons, (), 0.1, ""), (LIKED, *BEFORE[1:]))
    dialog.tree.expandAll()
    said = rows(dialog)
    assert said[:3] == [
        ("1  Put POST#a91f / LIKE#USER#7c20", "refused: its condition did not hold"),
        ("attribute_not_exists(SK) does not hold: SK is String LIKE#USER#7c20.",),
        ("3 attributes unchanged",),
    ]
    assert ("2  Update POST#a91f / META", "not done") in said
    assert dialog.outcome.said == (
        "It would be refused: nothing would be written. Put POST#a91f / LIKE#USER#7c20: its condition did not hold."
    )
    assert dialog.run_button.isEnabled()
    assert not dialog.run_button.isDefault()


def test_what_would_not_be_taken_says_why(show: Show) -> None:
    dialog = show(InvalidRequest("The attribute is not there."))
    assert dialog.outcome.said.endswith("The attribute is not there.")
    assert {dialog.model.index(at, 0).data(NOTE) for at in range(4)} == {"not done"}
    assert DIFFER in dialog.differs.text()
    assert "it would be done" in dialog.differs.text()


def test_running_it_is_asked_for_and_done_elsewhere(show: Show, qtbot: QtBot) -> None:
    dialog = show()
    with qtbot.waitSignal(dialog.run_asked):
        QTest.mouseClick(dialog.run_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not isValid(dialog))


def test_a_connection_that_only_reads_rehearses_and_runs_nothing(show: Show) -> None:
    dialog = show(read_only=True)
    assert dialog.rehearsal is not None
    assert not dialog.run_button.isEnabled()
    assert "read-only" in dialog.run_button.toolTip()


def test_what_goes_wrong_is_said_and_it_can_be_tried_again(show: Show, qtbot: QtBot) -> None:
    dialog = show(CannotConnect("Nobody answers."))
    assert dialog.outcome.message is not None
    assert "Nobody answers" in dialog.outcome.message.line + dialog.outcome.message.title
    assert not dialog.run_button.isEnabled()
    with qtbot.waitSignal(dialog.again_button.clicked):
        QTest.keyClick(dialog.again_button, Qt.Key.Key_Space)
    assert dialog.is_running
    qtbot.waitUntil(lambda: not dialog.is_running)


def test_closing_it_stops_it(runner: JobRunner, qtbot: QtBot) -> None:
    started, stopped = threading.Event(), threading.Event()

    def work(_request: object, ticket: Ticket) -> Rehearsal:
        started.set()
        ticket.checkpoint(Progress(1, 8, "Starting a private server"))
        try:
            ticket.sleep(60)
        finally:
            stopped.set()
        raise AssertionError("it was not stopped")

    profile = Profile("1", "shop", "aws", "profile", stage="dev")
    dialog = RehearsalDialog(LIKE, {"Social": SOCIAL}, granted(profile), work, runner)
    dialog.open()
    qtbot.waitUntil(lambda: dialog.outcome.words == "Starting a private server")
    assert not dialog.again_button.isEnabled()
    dialog.reject()
    assert stopped.wait(10)
    qtbot.waitUntil(lambda: not isValid(dialog))


def test_thousands_of_attributes_do_not_hold_it_up(show: Show) -> None:
    many: Item = {**META, **{f"a{at}": Number(str(at)) for at in range(5_000)}, "likeTally": Number("1")}
    dialog = show(before=(None, many, USER, None))
    update = dialog.model.index(1, 0)
    unchanged = dialog.model.index(dialog.model.rowCount(update) - 1, 0, update)
    assert unchanged.data() == "5,002 attributes unchanged"
    dialog.tree.expand(unchanged)
    assert dialog.model.rowCount(unchanged) == MOST_ROWS + 1
    assert dialog.model.index(MOST_ROWS, 0, unchanged).data() == "… 4,502 more"
