"""Rules proposed in the window: tables chosen, evidence shown, kept in a new file or added to the open one."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ReadPlan
from dynodesk.domain.values import Number, Value
from dynodesk.reconcile.rules import read_rules
from dynodesk.ui.dialogs.suggest import SuggestDialog
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.wiring import SANDBOX_PROFILE, Workspace, open_workspace
from tests.helpers.asking import FakeAsker
from tests.helpers.social import RULES, likes, post, social
from tests.ui.pages.reconcile_desk import in_memory

WAIT = 20_000
AGREEING: list[dict[str, Value]] = [
    *(item for name, count in (("a", 3), ("b", 2), ("c", 5), ("d", 4)) for item in likes(name, count)),
    *(post(name, Number(str(count))) for name, count in (("a", 3), ("b", 2), ("c", 5), ("d", 4))),
]


class Suggesting:
    def __init__(self, qtbot: QtBot, workspace: Workspace) -> None:
        self.qtbot, self.workspace = qtbot, workspace
        self.runner, self.asker = JobRunner(threads=2), FakeAsker()
        self.kept: list[Path] = []

    def open(self, file: Path | None = None, why_not: str = "") -> SuggestDialog:
        dialog = SuggestDialog(self.workspace, {"Social"}, file, why_not, self.runner, self.asker)
        self.qtbot.addWidget(dialog)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        dialog.kept.connect(self.kept.append)
        dialog.open()
        self.settle()
        return dialog

    def settle(self) -> None:
        self.qtbot.waitUntil(lambda: not self.runner.findChildren(Job), timeout=WAIT)


@pytest.fixture
def over(dressed_application: QApplication, qtbot: QtBot) -> Iterator[Suggesting]:
    """Over a few posts in memory, all of whose likes are counted right. Nothing is asked of the address."""
    profile = replace(SANDBOX_PROFILE, kind="endpoint", endpoint_url="http://127.0.0.1:9")
    opened = open_workspace(profile, Ticket())
    suggesting = Suggesting(qtbot, in_memory(opened, social(*AGREEING)))
    yield suggesting
    assert suggesting.runner.shutdown()
    suggesting.runner.deleteLater()
    opened.close()


def test_what_agrees_is_proposed_with_its_evidence_and_kept_in_a_new_file(over: Suggesting, tmp_path: Path) -> None:
    dialog = over.open()
    assert dialog.chosen_tables == ("Social",)
    assert dialog.add_button.isHidden()
    dialog.look_button.click()
    over.settle()
    assert [proposal.suggestion.name for proposal in dialog.chosen] == ["likeTally of LIKE"]
    assert dialog.proposals.item(0).text().endswith("4 of 4 parents agree; 4 of 4 parents agree when read anew")
    assert dialog.preview.toPlainText().startswith("version = 1\n\n# 4 of 4 parents agree;")
    over.asker.path = tmp_path / "found.toml"
    dialog.new_button.click()
    over.settle()
    assert over.kept == [over.asker.path]
    assert [draft.name for draft in read_rules(over.asker.path)] == ["likeTally of LIKE"]
    assert not dialog.isVisible()


def test_rules_are_added_to_the_open_file_under_free_names(over: Suggesting, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes(RULES.replace("post likes", "likeTally of LIKE").replace("\n", "\r\n").encode())
    dialog = over.open(file)
    dialog.look_button.click()
    over.settle()
    dialog.add_button.click()
    over.settle()
    names = [draft.name for draft in read_rules(file)]
    assert names == ["likeTally of LIKE", "following", "likeTally of LIKE 2"]
    assert b"\n" not in file.read_bytes().replace(b"\r\n", b"")
    assert over.kept == [file]


def test_what_is_not_ticked_is_not_kept(over: Suggesting, tmp_path: Path) -> None:
    dialog = over.open(tmp_path / "mine.toml")
    dialog.look_button.click()
    over.settle()
    dialog.proposals.setFocus()
    QTest.keyClick(dialog.proposals, Qt.Key.Key_Space)
    assert dialog.chosen == ()
    assert dialog.preview.toPlainText() == ""
    assert not dialog.new_button.isEnabled()
    assert not dialog.add_button.isEnabled()


def test_a_file_that_is_not_added_to_says_why(over: Suggesting, tmp_path: Path) -> None:
    dialog = over.open(tmp_path / "sample.toml", "It is a sample.")
    dialog.look_button.click()
    over.settle()
    assert not dialog.add_button.isEnabled()
    assert dialog.add_button.toolTip() == "It is a sample."
    assert dialog.new_button.isEnabled()


def test_nothing_found_says_what_to_do(over: Suggesting) -> None:
    over.workspace = in_memory(over.workspace, social(*likes("a", 3)))
    dialog = over.open()
    dialog.look_button.click()
    over.settle()
    assert dialog.outcome.said.startswith("No number looks like a count of other items.")


@pytest.mark.parametrize("sample", ["", "99", "many"])
def test_a_sample_has_a_size(over: Suggesting, sample: str) -> None:
    dialog = over.open()
    dialog.sample.setText(sample)
    assert not dialog.look_button.isEnabled()


def test_esc_stops_and_then_closes(over: Suggesting) -> None:
    reader = social(*AGREEING)
    over.workspace = in_memory(over.workspace, reader)
    dialog = over.open()

    def stop(_plan: ReadPlan) -> None:
        if dialog.job is not None:
            dialog.job.cancel()

    reader.before_page = stop
    dialog.look_button.click()
    over.settle()
    assert dialog.isVisible()
    assert dialog.proposals.count() == 0
    assert dialog.look_button.isEnabled()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_a_closed_dialog_is_gone_at_once(over: Suggesting) -> None:
    gc.disable()
    try:
        dialog = over.open()
        opened = weakref.ref(dialog)
        dialog.look_button.click()
        over.settle()
        dialog.reject()
        del dialog
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        assert opened() is None
    finally:
        gc.enable()
