"""What became of a request: each outcome in words, each action with its reason, and what can be done next."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from dynodesk.composing.words import MEANINGS
from dynodesk.domain.composed import ActionReason
from dynodesk.domain.errors import CannotConnect
from dynodesk.domain.values import Item, Number, String
from dynodesk.ui.dialogs.item_view import ItemDialog
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.compose_response import NOTHING_YET, ResponsePanel
from dynodesk.ui.pages.compose_response_rows import LOOK, SEND_AGAIN
from dynodesk.ui.theme import Text
from tests.helpers.small_tables import SOCIAL
from tests.ui.pages import composed_reports as reports

TABLES = {"Social": SOCIAL}
JUST_SENT = datetime.fromisoformat(reports.SENT).timestamp() + 48


class Clock:
    now = JUST_SENT


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def panel(qtbot: QtBot, clock: Clock) -> Iterator[ResponsePanel]:
    runner = JobRunner(threads=1)
    panel = ResponsePanel(runner, lambda: clock.now)
    qtbot.addWidget(panel)
    panel.resize(600, 300)
    panel.show()
    yield panel
    assert runner.shutdown()
    runner.deleteLater()


def lines(panel: ResponsePanel) -> list[list[str]]:
    model = panel.grid.model()
    return [
        [str(model.index(at, column).data()) for column in range(model.columnCount())] for at in range(model.rowCount())
    ]


def test_before_anything_was_sent_it_says_so(panel: ResponsePanel) -> None:
    assert panel.title == ""
    assert not panel.grid.isVisible()
    assert not panel.copy_button.isEnabled()
    assert NOTHING_YET in [one.text() for one in panel.findChildren(Text) if one.isVisible()]


def test_a_cancelled_transaction_names_the_action_and_shows_the_old_item(panel: ResponsePanel) -> None:
    panel.show_report(reports.cancelled(), TABLES)
    assert panel.title == "Cancelled: nothing was written."
    assert panel.said == "Put LIKE#USER#7c20: its condition did not hold."
    assert lines(panel) == [
        ["1  Put LIKE#USER#7c20", "ConditionalCheckFailed", "likedAt 1750550400, by web 8.2.1"],
        ["2  Update META", "None", "not returned"],
    ]
    assert panel.why.text().endswith("attribute_not_exists(SK) does not hold: SK is String LIKE#USER#7c20.")
    local = datetime.fromisoformat(reports.ENDED).astimezone().strftime("%H:%M:%S")
    assert panel.facts == f"{local}.402 · 21 ms"
    panel.grid.setCurrentIndex(panel.grid.model().index(1, 0))
    assert panel.why.text() == "None: not the cause."


def test_an_item_that_is_missing_is_why_a_guard_fails(panel: ResponsePanel) -> None:
    missing = ActionReason("ConditionalCheckFailed", "The conditional request failed", None)
    report = replace(reports.cancelled(ActionReason("None", "", None), missing), before=(None, None))
    panel.show_report(report, TABLES)
    assert lines(panel)[1] == ["2  Update META", "ConditionalCheckFailed", "no such item"]
    assert "attribute_exists(PK) does not hold: PK is missing." in panel.why.text()


@pytest.mark.parametrize("code", [code for code in MEANINGS if code not in {"None", "ConditionalCheckFailed"}])
def test_every_reason_has_a_plain_sentence(panel: ResponsePanel, code: str) -> None:
    panel.show_report(reports.cancelled(ActionReason("None", "", None), ActionReason(code, "said so", None)), TABLES)
    assert lines(panel)[1][1] == code
    assert panel.said == f"Update META: {MEANINGS[code]}."
    assert panel.why.text() == f"{code}: {MEANINGS[code]}. Said so."


def test_what_was_done_shows_what_changed(panel: ResponsePanel) -> None:
    panel.show_report(reports.done(), TABLES)
    assert panel.title == "Done: everything was written."
    assert [line[1] for line in lines(panel)] == ["5 attributes", "likeTally 41 → 42, rev 59 → 60"]
    assert panel.facts.endswith(" · 5 WCU · 21 ms")
    assert panel.units.text() == "Consumed: Social 4 WCU, Social.GSI1 1 WCU"


def test_an_item_is_opened_whole_by_enter(panel: ResponsePanel, qtbot: QtBot) -> None:
    panel.show_report(reports.done(), TABLES)
    panel.grid.setCurrentIndex(panel.grid.model().index(1, 0))
    QTest.keyClick(panel.grid, Qt.Key.Key_Return)
    (dialog,) = panel.findChildren(ItemDialog)
    assert dialog.windowTitle() == "Update POST#a91f / META in Social"
    assert dialog.editor.item == reports.LIKED_POST
    with qtbot.waitSignal(dialog.destroyed):
        QTest.keyClick(dialog, Qt.Key.Key_Escape)


def test_what_is_not_known_is_sent_again_while_its_token_lasts(
    panel: ResponsePanel, clock: Clock, qtbot: QtBot
) -> None:
    report = reports.unknown()
    panel.show_report(report, TABLES)
    assert panel.title == "Not certain, looks applied."
    assert panel.said == f"No answer came in 10 s. It may or may not have been written. {SEND_AGAIN}"
    assert lines(panel)[1] == ["2  Update META", "likeTally 41 → 42, rev 59 → 60"]
    assert panel.again_button.accessibleName() == "Send again safely, 7:42 left"
    with qtbot.waitSignal(panel.again_asked) as asked:
        panel.again_button.click()
    assert asked.args == [report]
    panel.hide()
    clock.now += 600
    panel.show()
    assert not panel.again_button.isEnabled()
    assert panel.said.endswith(LOOK)


def test_what_has_no_token_is_looked_at(panel: ResponsePanel, qtbot: QtBot) -> None:
    panel.show_report(reports.unknown_count(), TABLES)
    assert panel.title == "Not known whether it was applied."
    assert panel.said.endswith(LOOK)
    assert not panel.again_button.isVisible()
    with qtbot.waitSignal(panel.look_asked):
        panel.look_button.click()


def test_what_was_not_sent_says_what_to_do(panel: ResponsePanel) -> None:
    error = CannotConnect("dynamodb.example was not reached", hint="Look at the network")
    panel.show_report(replace(reports.report_of(reports.LIKE, "not sent"), error=error), TABLES)
    assert panel.title == "Not sent: nothing was written."
    assert panel.said == "dynamodb.example was not reached. Look at the network."


def test_a_new_request_takes_the_old_response_away(panel: ResponsePanel) -> None:
    panel.show_report(reports.cancelled(), TABLES)
    panel.show_sending("Sending it…")
    assert (panel.title, panel.said, panel.facts) == ("Sending it…", "", "")
    assert not panel.grid.isVisible()
    assert panel.report is None


def test_what_was_read_is_listed_and_copied(panel: ResponsePanel, qtbot: QtBot) -> None:
    panel.show_report(reports.looked_up(), TABLES, "Together 41.")
    assert panel.title == "1 of 2 items found."
    assert panel.said == "As of one instant. Together 41."
    assert lines(panel) == [
        ["1  Get META", "likeTally 41, rev 59, title Harbour walk"],
        ["2  Get GONE", "no such item"],
    ]
    QGuiApplication.clipboard().clear()
    panel.copy_button.click()
    qtbot.waitUntil(lambda: "Items" in QGuiApplication.clipboard().text())
    copied = json.loads(QGuiApplication.clipboard().text())
    assert copied["Items"][0]["likeTally"] == {"N": "41"}
    assert copied["Items"][1] is None
    assert copied["ConsumedCapacity"] == [{"TableName": "Social", "CapacityUnits": "4"}]


def test_many_items_do_not_hold_the_window_up(panel: ResponsePanel) -> None:
    many: list[Item] = [{"at": Number(str(at))} for at in range(3_000)]
    panel.show_report(reports.selected(many), TABLES)
    assert panel.title == "3,000 items found."
    assert panel.said == "The first 500 are shown; copy gives all. There are more than these: this is one page of them."
    assert len(lines(panel)) == 500


def test_the_shards_of_a_counter_are_summed(panel: ResponsePanel) -> None:
    panel.show_report(reports.sharded(Number("12"), None, Number("30.5")), TABLES)
    assert panel.said == "As of one instant. In all, likeTally is 42.5."
    panel.show_report(reports.sharded(Number("12"), String("many")), TABLES)
    assert panel.said == "As of one instant."
