"""The dialog shows the policy of a purpose, and hands it over."""

from __future__ import annotations

import json

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from dynodesk.domain.policies import PURPOSES, TableScope, policy
from dynodesk.ui.dialogs.policy import PolicyDialog

SCOPE = TableScope.named("Social", "eu-west-1", "111122223333")


def test_the_policy_of_each_purpose_can_be_copied(dressed_application: QApplication, qtbot: QtBot) -> None:
    dialog = PolicyDialog("Social", SCOPE, "edit")
    qtbot.addWidget(dialog)
    dialog.open()
    assert dialog.purpose.currentData() == "edit"
    for at, purpose in enumerate(PURPOSES):
        dialog.purpose.setCurrentIndex(at)
        dialog.copy_button.click()
        assert json.loads(QGuiApplication.clipboard().text()) == policy(purpose, [SCOPE])
    dialog.reject()
