"""Approval by the names of tables: all of them, exactly, and no others."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from dynodesk.ui.dialogs.approval import Approval


@pytest.mark.parametrize(
    ("typed", "is_approved"),
    [
        ("Social Stats", True),
        (" Stats,Social ", True),
        ("Social", False),
        ("Social Stats Members", False),
        ("social stats", False),
        ("", False),
    ],
)
def test_every_table_is_named_and_no_other(
    dressed_application: QApplication, qtbot: QtBot, typed: str, is_approved: bool
) -> None:
    approval = Approval(["Stats", "Social"])
    qtbot.addWidget(approval)
    assert approval.field.accessibleName() == "Type the tables' names, Social, Stats"
    approval.field.setText(typed)
    assert approval.approved == (frozenset({"Social", "Stats"}) if is_approved else frozenset())


def test_what_has_to_be_read_is_ticked_too(dressed_application: QApplication, qtbot: QtBot) -> None:
    approval = Approval(["Social"], "I have read them")
    qtbot.addWidget(approval)
    approval.field.setText("Social")
    assert approval.approved == frozenset()
    approval.was_read.click()
    assert approval.approved == frozenset({"Social"})
