"""The history of rules: a curve for the one that is chosen, and every run in words."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pytestqt.qtbot import QtBot

from dynodesk.domain.past_runs import PastRun, Where
from dynodesk.ui.dialogs.history import HistoryDialog

WHERE = Where("hash", "Social", "http://127.0.0.1:9", "nowhere", "")


def run(day: int, drift: int, *, complete: bool = True) -> PastRun:
    return PastRun(
        WHERE, "post likes", f"r{day}", f"2026-05-{day:02}T12:00:00Z", "whole table", complete,
        None if complete else "cancelled", 1200, {"exact": 3, "ok": 1197}, Decimal(drift),
    )  # fmt: skip


@pytest.fixture
def dialog(dressed_application: object, qtbot: QtBot) -> HistoryDialog:
    made = HistoryDialog(
        {"post likes": [run(1, 2), run(2, 9, complete=False), run(3, 5)], "following": []}, "post likes"
    )
    qtbot.addWidget(made)
    made.open()
    return made


def rows_of(dialog: HistoryDialog) -> list[list[str]]:
    return [[cell.text for cell in dialog.model.row_at(at).cells] for at in range(dialog.model.rowCount())]


def test_runs_are_listed_newest_first_and_those_that_do_not_count_say_why(dialog: HistoryDialog) -> None:
    assert rows_of(dialog) == [
        ["2026-05-03 12:00", "5", "3", "1,200", "whole table"],
        ["2026-05-02 12:00", "9", "3", "1,200", "not counted: partial: cancelled"],
        ["2026-05-01 12:00", "2", "3", "1,200", "whole table"],
    ]
    assert dialog.chart.accessibleName() == "Drift by run: 2 on 1 May, 5 on 3 May"


def test_a_dot_that_is_chosen_goes_to_its_run(dialog: HistoryDialog) -> None:
    dialog.chart.run_chosen.emit(run(1, 2))
    assert dialog.grid.currentIndex().row() == 2


def test_a_rule_without_runs_says_so(dialog: HistoryDialog) -> None:
    dialog.rules.setCurrentIndex(1)
    assert rows_of(dialog) == []
    assert "no run counts yet" in dialog.chart.accessibleName()
