"""The dialog that asks before a composed request is sent: what it says, and what has to be done first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from dynodesk.domain.actions import (
    BoundStatement,
    CheckAction,
    ComposedWrite,
    DeleteAction,
    PutAction,
    SingleWrite,
    StatementTransaction,
    TransactWrite,
    UpdateAction,
)
from dynodesk.domain.expressions import parse_changes, parse_where
from dynodesk.domain.profiles import Profile, Stage
from dynodesk.domain.repairs import Place
from dynodesk.domain.values import Number, String, Value
from dynodesk.ui.dialogs.run_request import RunQuestion, RunRequestDialog
from dynodesk.ui.jobs import JobRunner
from tests.helpers.granted import granted
from tests.helpers.small_tables import SOCIAL

HERE = Place("arn:aws:iam::111122223333:user/noor", "https://dynamodb.eu-west-1.amazonaws.com", "eu-west-1")
META = {"PK": String("POST#a91f"), "SK": String("META")}
GUARD = parse_where("attribute_exists(PK)")
LIKED: dict[str, Value] = {"PK": String("POST#a91f"), "SK": String("LIKE#USER#7c20"), "likedAt": Number("1750636800")}
LIKE = TransactWrite(
    (
        PutAction("Social", LIKED, parse_where("attribute_not_exists(SK)")),
        UpdateAction("Social", META, parse_changes("SET rev = rev + 1 ADD likeTally 1"), GUARD),
    ),
    "7d1e0b52-5f0e-4c1c-9a36-2b8e5d0640c2",
)
Ask = Callable[..., RunRequestDialog]


@pytest.fixture
def ask(dressed_application: QApplication, qtbot: QtBot) -> Iterator[Ask]:
    runner = JobRunner(threads=1)
    dialogs: list[QDialog] = []

    def asked(
        request: ComposedWrite,
        stage: Stage = "dev",
        *,
        read_only: bool = False,
        units: str = "",
        warnings: Sequence[str] = (),
        creates: Sequence[int] = (),
    ) -> RunRequestDialog:
        profile = Profile("1", "shop", "aws", "profile", stage=stage, read_only=read_only)
        question = RunQuestion(request, {"Social": SOCIAL}, units, warnings=warnings, creates=creates)
        dialog = RunRequestDialog(question, granted(profile), HERE, runner)
        dialogs.append(dialog)
        dialog.open()
        qtbot.waitUntil(lambda: dialog.preview.is_settled)
        return dialog

    yield asked
    for dialog in dialogs:
        if isValid(dialog):
            dialog.close()
    assert runner.shutdown()
    runner.deleteLater()


def said(dialog: RunRequestDialog) -> list[list[str]]:
    model = dialog.rows
    return [[str(model.index(at, column).data()) for column in (0, 2, 4)] for at in range(model.rowCount())]


def test_every_action_has_a_line_and_the_request_is_shown_as_it_is_sent(ask: Ask) -> None:
    dialog = ask(LIKE, warnings=("rev + 1 fails where rev is missing",), units="4 WCU")
    assert dialog.windowTitle() == "Run TransactWriteItems on Social"
    assert said(dialog) == [
        [
            "Put LIKE#USER#7c20",
            "3 attributes: PK POST#a91f, SK LIKE#USER#7c20, likedAt 1750636800",
            "attribute_not_exists(SK)",
        ],
        ["Update META", "rev + 1, likeTally + 1", "attribute_exists(PK)"],
    ]
    for words in ("shop", "111122223333", "eu-west-1", "rev + 1 fails", "sent again safely for ten minutes"):
        assert words in dialog.facts
    assert LIKE.token in dialog.preview.code.toPlainText()


def test_what_has_no_guard_says_so(ask: Ask) -> None:
    dialog = ask(SingleWrite(UpdateAction("Social", META, parse_changes("ADD likeTally -1 REMOVE title"))))
    assert said(dialog) == [["Update META", "title removed, likeTally - 1", "NO GUARD: whatever is there"]]
    assert "read back" in dialog.facts


def test_enter_sends_where_no_name_has_to_be_typed(ask: Ask, qtbot: QtBot) -> None:
    dialog = ask(LIKE)
    assert not dialog.needs_name
    with qtbot.waitSignal(dialog.accepted):
        QTest.keyClick(dialog, Qt.Key.Key_Return)


@pytest.mark.parametrize(
    ("request_", "stage"),
    [(LIKE, "production"), (SingleWrite(DeleteAction("Social", META, GUARD)), "dev")],
)
def test_production_and_deletions_wait_for_the_name(
    ask: Ask, qtbot: QtBot, request_: ComposedWrite, stage: Stage
) -> None:
    dialog = ask(request_, stage)
    assert dialog.focusWidget() is dialog.approval.field
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert not dialog.go_button.isEnabled()
    QTest.keyClicks(dialog.approval.field, "Social")
    with qtbot.waitSignal(dialog.accepted):
        QTest.keyClick(dialog.approval.field, Qt.Key.Key_Return)


def test_an_item_that_may_come_to_be_is_agreed_to(ask: Ask) -> None:
    dialog = ask(LIKE, creates=(1,))
    assert dialog.agreed.text() == "Update META may make an item that is not there: I mean that"
    assert not dialog.go_button.isEnabled()
    dialog.agreed.click()
    assert dialog.go_button.isEnabled()


def test_a_connection_that_only_reads_sends_nothing(ask: Ask) -> None:
    dialog = ask(LIKE, read_only=True)
    assert "is read-only" in dialog.outcome.said
    assert not dialog.go_button.isEnabled()
    assert not dialog.approval.isVisible()


def test_items_with_the_same_sort_key_are_told_apart(ask: Ask) -> None:
    other = {**META, "PK": String("POST#b002")}
    dialog = ask(TransactWrite((CheckAction("Social", META, GUARD), DeleteAction("Social", other)), LIKE.token))
    assert [line[:2] for line in said(dialog)] == [
        ["ConditionCheck POST#a91f / META", "nothing: it is only looked at"],
        ["Delete POST#b002 / META", "the whole item is deleted"],
    ]


def test_statements_are_shown_as_they_are(ask: Ask) -> None:
    text = """UPDATE "Social" SET rev = ? WHERE PK = 'POST#a91f' AND SK = 'META'"""
    dialog = ask(StatementTransaction((BoundStatement(text, (Number("2"),)),), LIKE.token), "production")
    assert said(dialog) == [["UPDATE", text, "what its WHERE says"]]
    assert dialog.approval.field.accessibleName() == "Type the table's name, Social"
