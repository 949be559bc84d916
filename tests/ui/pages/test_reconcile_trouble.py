"""The Reconcile page when rules are wrong or the table cannot be read; and its manners."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton, QTableView, QWidget

from dynodesk.domain.errors import DamagedReply, DynodeskError, NotAllowed
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ReadPlan
from dynodesk.domain.values import Number, String
from dynodesk.sandbox.process import Sandbox
from dynodesk.wiring import SANDBOX_PROFILE, Workspace, open_workspace
from tests.helpers.social import RULES, likes, post, social
from tests.ui.pages.reconcile_desk import (
    COURSES_TOML,
    NOTHING_TO_WAIT_FOR,
    Desk,
    OpenDesk,
    in_memory,
)

# -- rules with mistakes


def test_mistakes_are_listed_with_line_and_advice_and_can_be_copied(
    open_desk: OpenDesk, workspace: Workspace, quick: Path
) -> None:
    right = quick.read_text(encoding="utf-8")
    quick.write_text(right.replace('wait = "0s"', 'wait = "soon"', 1).replace("USER#{user}", "USER{user}"))
    before = workspace.meter.calls
    desk = open_desk(workspace, quick)
    problems = desk.page.problems
    assert desk.page.stack.currentWidget() is problems
    cells = problems.grid.model()
    listed = [[cells.index(row, column).data() for column in range(4)] for row in range(cells.rowCount())]
    lines = right.splitlines()
    assert [int(row[0]) for row in listed] == [
        lines.index('wait = "0s"') + 1,
        *(at for at, line in enumerate(lines, 1) if "USER#{user}" in line),
    ]
    assert [row[1] for row in listed] == ["post likes", "following", "followers"]
    assert listed[0][2:] == ["wait is 'soon'", 'Write seconds, or a text such as "30s", "5m", "1h".']
    assert "nothing closes 'USER'" in listed[1][2]
    next(b for b in problems.findChildren(QPushButton) if b.text() == "Copy all").click()
    assert QGuiApplication.clipboard().text().splitlines()[0].startswith(f"{quick}:{listed[0][0]}: rule")
    assert workspace.meter.calls == before

    quick.write_text(right, encoding="utf-8")
    desk.run()  # reads the file again
    assert len(desk.findings) == 12


def test_checking_says_that_all_is_well(desk: Desk) -> None:
    desk.page.rules.check_action.trigger()
    desk.wait_until_idle()
    assert desk.messages.current is not None
    assert desk.messages.current.line == "3 rules fit their tables. No item was read."


def test_a_mistake_found_by_checking_does_not_throw_the_findings_away(desk: Desk, quick: Path) -> None:
    desk.run()
    right = quick.read_text(encoding="utf-8")
    quick.write_text("version = 2", encoding="utf-8")
    desk.page.rules.check_action.trigger()
    desk.wait_until_idle()
    assert desk.page.stack.currentWidget() is desk.page.problems
    quick.write_text(right, encoding="utf-8")
    desk.page.rules.check_action.trigger()
    desk.wait_until_idle()
    assert desk.page.stack.currentWidget() is desk.page.results
    assert len(desk.findings) == 12
    desk.chips["ok 109"].click()
    desk.page.rules.check_action.trigger()
    desk.wait_until_idle()
    assert desk.note == "109 parents are ok"


def test_another_file_is_opened_through_the_asker(desk: Desk, tmp_path: Path) -> None:
    other = tmp_path / "sub" / "quick.toml"
    other.parent.mkdir()
    other.write_text(COURSES_TOML.read_text(encoding="utf-8"), encoding="utf-8")
    desk.asker.path = other
    desk.page.rules.open_action.trigger()
    desk.wait_until_idle()
    assert desk.asker.files == [("Open a rules file", ("Rules (*.toml)",))]
    assert desk.page.form.files.currentText() == "sub/quick.toml"
    assert [box.text() for box in desk.page.form.rule_boxes] == ["course places"]


def test_a_rule_that_was_unticked_stays_so_when_the_file_is_read_again(desk: Desk) -> None:
    desk.page.form.rule_boxes[0].click()
    desk.run()
    assert [box.isChecked() for box in desk.page.form.rule_boxes] == [False, True, True]
    assert {finding.rule for finding in desk.findings} == {"following"}


def test_a_missing_file_is_said(open_desk: OpenDesk, workspace: Workspace, tmp_path: Path) -> None:
    desk = open_desk(workspace, tmp_path / "gone.toml")
    assert desk.messages.current is not None
    assert "gone.toml cannot be read" in desk.messages.current.line
    assert desk.note == "The rules could not be checked against their tables"


# -- when the table cannot be read


def test_an_endpoint_that_is_gone_gives_an_error_and_no_findings(open_desk: OpenDesk, quick: Path) -> None:
    with Sandbox.start(scale=0.1) as sandbox:
        workspace = open_workspace(SANDBOX_PROFILE, Ticket(), sandbox_url=sandbox.endpoint)
        desk = open_desk(workspace, quick)
    desk.run()
    assert desk.messages.current is not None
    assert desk.messages.current.kind == "error"
    assert desk.findings == []
    workspace.close()


@pytest.mark.parametrize(
    "fault",
    [NotAllowed("These credentials may not scan Social."), DamagedReply("The reply was cut off, again and again.")],
    ids=lambda fault: fault.code,
)
def test_a_scan_that_fails_is_an_error_and_no_finding(
    open_desk: OpenDesk, workspace: Workspace, tmp_path: Path, fault: DynodeskError
) -> None:
    reader = social(post("p", Number("5")), *likes("p", 5))

    def fail(_plan: ReadPlan) -> None:
        raise fault

    reader.before_page = fail
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES, encoding="utf-8")
    desk = open_desk(in_memory(workspace, reader), rules)
    desk.run()
    assert desk.messages.current is not None
    assert fault.message in desk.messages.current.line
    assert desk.note == "The run failed. There are no findings"
    assert desk.page.report is None
    assert not desk.page.counts.isVisibleTo(desk.page)
    reader.before_page = lambda _plan: None
    desk.run()
    assert desk.note != "The run failed. There are no findings"
    assert desk.messages.isHidden()


def test_values_of_the_table_are_shown_as_plain_text(open_desk: OpenDesk, workspace: Workspace, tmp_path: Path) -> None:
    name = "<b>\u202e</b>\u0000\n&amp;"
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES.replace('version = "rev"', NOTHING_TO_WAIT_FOR), encoding="utf-8")
    desk = open_desk(in_memory(workspace, social(post(name, Number("9")))), rules)
    desk.run()
    shown = "POST#<b>⟨U+202E⟩</b>␀⏎&amp; / META"
    assert desk.page.results.model.index(0, 1).data() == shown
    assert desk.page.results.evidence.text.startswith(shown)
    desk.key(desk.page.results.grid, Qt.Key.Key_Return)
    assert desk.opened[0].partition == {"PK": String(f"POST#{name}")}


def test_findings_arrive_while_the_run_goes_on(open_desk: OpenDesk, workspace: Workspace, tmp_path: Path) -> None:
    """The second rule's parents are held back until the window shows the first one's."""
    shown = threading.Event()
    reader = social(post("p", Number("9")), *likes("p", 5), post("q", Number("3")))

    def hold(plan: ReadPlan) -> None:
        if getattr(plan, "partition", {}).get("PK") == String("POST#q"):
            assert shown.wait(20)

    reader.before_page = hold
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES.replace('version = "rev"', f'version = "rev"\n{NOTHING_TO_WAIT_FOR}'), encoding="utf-8")
    desk = open_desk(in_memory(workspace, reader), rules)
    desk.start()
    desk.wait_for(lambda: len(desk.findings) == 1)
    assert desk.page.form.stop.isVisibleTo(desk.page)
    shown.set()
    desk.wait_until_idle()
    assert [finding.drift_text for finding in desk.findings] == ["+4", "+3"]


# -- manners


def test_every_control_has_a_name_and_is_reached_by_tab(desk: Desk) -> None:
    desk.run()
    controls = [
        widget
        for widget in desk.page.findChildren(QWidget)
        if widget.isVisibleTo(desk.page)
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not widget.objectName().startswith("qt_")
    ]
    assert len(controls) > 12
    nameless = [
        type(widget).__name__
        for widget in controls
        if not (widget.accessibleName() or QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name))
    ]
    assert nameless == []
    assert isinstance(QApplication.focusWidget(), QTableView)  # the findings, once they are there
