"""The Reconcile page, over a real sandbox and over its items in memory: from the rules to the report, and what can go
wrong on the way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QTableView, QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import DamagedReply, DynodeskError, NotAllowed
from dynodesk.domain.findings import Finding, Report
from dynodesk.domain.item_json import item_from_dynamodb, item_to_dynamodb
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ReadPlan
from dynodesk.domain.tables import Key, TableInfo
from dynodesk.domain.values import Item, Number, String
from dynodesk.reports.writers import FORMATS, render
from dynodesk.sandbox.answers import answers
from dynodesk.sandbox.process import Sandbox
from dynodesk.sandbox.samples import sample_tables
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.messages import MessageBar
from dynodesk.ui.pages.reconcile import ReconcilePage, sample_rules
from dynodesk.ui.pages.reconcile_parts import CountChip
from dynodesk.wiring import SANDBOX_PROFILE, Workspace, open_workspace
from tests.helpers.asking import FakeAsker
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.social import RULES, SOCIAL, likes, post, social

SOCIAL_TOML, COURSES_TOML = (
    next(p for p in sample_rules() if p.name == name) for name in ("social.toml", "courses.toml")
)
RUN_SECONDS = 30_000
NOTHING_TO_WAIT_FOR = 'settle = "0s"\nwait = "0s"\n'


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    with Sandbox.start() as sandbox:
        opened = open_workspace(SANDBOX_PROFILE, Ticket(), sandbox_url=sandbox.endpoint)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def known() -> dict[str, list[dict[str, Any]]]:
    return answers()


@pytest.fixture
def quick(tmp_path: Path) -> Path:
    """The sandbox's own rules without waits: nobody writes to it here."""
    path = tmp_path / "quick.toml"
    text = SOCIAL_TOML.read_text(encoding="utf-8").replace('settle = "1s"', 'settle = "0s"')
    path.write_text(text.replace('wait = "2s"', 'wait = "0s"'), encoding="utf-8")
    return path


class Desk:
    """A page, what it was given, and hands for it."""

    def __init__(self, page: ReconcilePage, asker: FakeAsker, messages: MessageBar, qtbot: QtBot) -> None:
        self.page, self.asker, self.messages, self._qtbot = page, asker, messages, qtbot
        self.opened: list[tuple[str, Key, Key | None]] = []

    def wait_for(self, condition: Callable[[], bool]) -> None:
        self._qtbot.waitUntil(condition, timeout=RUN_SECONDS)

    def wait_until_idle(self) -> None:
        self.wait_for(self.page.form.files.isEnabled)

    def run(self) -> None:
        self.start()
        self.wait_until_idle()

    def start(self) -> None:
        QTest.mouseClick(self.page.form.run, Qt.MouseButton.LeftButton)

    def key(self, widget: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(widget, key, modifier)

    @property
    def findings(self) -> list[Finding]:
        return [row.finding for row in self.page.results.model.shown]

    @property
    def chips(self) -> dict[str, CountChip]:
        chips = self.page.counts.findChildren(CountChip)
        return {chip.accessibleName(): chip for chip in chips if not chip.isHidden()}

    @property
    def note(self) -> str:
        """The title that stands in place of findings, or "" where there are some."""
        note = self.page.note.note
        return note.title if note is not None and self.page.stack.currentWidget() is self.page.note else ""

    def choose(self, parent: str) -> Finding:
        at = next(at for at, finding in enumerate(self.findings) if finding.parent_text == parent)
        self.page.results.grid.setCurrentIndex(self.page.results.model.index(at, 0))
        return self.findings[at]


Make = Callable[[Workspace, Path], Desk]


@pytest.fixture
def make(qtbot: QtBot) -> Iterator[Make]:
    runners: list[JobRunner] = []

    def made(workspace: Workspace, rules: Path) -> Desk:
        runner, asker, messages = JobRunner(threads=2), FakeAsker(), MessageBar()
        runners.append(runner)
        opened: list[tuple[str, Key, Key | None]] = []

        def open_collection(table: str, partition: Key, select: Key | None) -> None:
            opened.append((table, partition, select))

        page = ReconcilePage(workspace, rules, runner, asker, messages, open_collection)
        qtbot.addWidget(page)
        qtbot.addWidget(messages)
        page.resize(1200, 760)
        page.show()
        desk = Desk(page, asker, messages, qtbot)
        desk.opened = opened
        desk.wait_until_idle()
        return desk

    yield made
    for runner in runners:
        assert runner.shutdown()
        runner.deleteLater()


@pytest.fixture
def live_desk(make: Make, workspace: Workspace, quick: Path) -> Desk:
    return make(workspace, quick)


@pytest.fixture(scope="module")
def sample() -> list[Item]:
    """The items of the sandbox's table, as it is filled."""
    table = next(table for table in sample_tables() if table.name == "Social")
    return [item_from_dynamodb(item) for item in table.items]


@pytest.fixture
def desk(make: Make, workspace: Workspace, quick: Path, sample: list[Item]) -> Desk:
    """A page over the sandbox's items in memory, where a Scan takes no time."""
    reader = MemoryReader(SOCIAL)
    reader.put("Social", *sample)
    return make(in_memory(workspace, reader), quick)


def in_memory(workspace: Workspace, reader: MemoryReader, info: TableInfo = SOCIAL) -> Workspace:
    """The connection, but over a table in memory."""

    class Catalog:
        def table_names(self, _ticket: Ticket) -> tuple[str, ...]:
            return (info.name,)

        def describe(self, _table: str) -> TableInfo:
            return info

    def new_reader(_meter: Meter) -> MemoryReader:
        return reader

    return replace(workspace, catalog=Catalog(), reader=reader, new_reader=new_reader)


def as_answers(findings: list[Finding]) -> list[dict[str, Any]]:
    def number(finding: Finding) -> str | None:
        stored = finding.stored
        return stored.text if isinstance(stored, Number | String) else None

    return [
        {
            "rule": finding.rule,
            "verdict": finding.verdict,
            "parent": item_to_dynamodb(finding.parent),
            "stored": number(finding),
            "real": finding.real_text,
            "drift": None if finding.drift is None else str(finding.drift),
        }
        for finding in findings
    ]


# -- before a run


def test_opening_reads_no_item_and_says_what_a_run_will_do(desk: Desk, workspace: Workspace) -> None:
    assert desk.note == "Nothing has been read yet"
    assert desk.page.windowTitle() == "Reconcile: quick.toml"
    assert desk.page.form.plan.text.startswith("1 Scan of Social · ")
    assert "then about 8 to 11 RCU a suspect · waits for nothing" in desk.page.form.plan.text
    assert not desk.page.counts.isVisibleTo(desk.page)
    assert desk.page.form.run.text() == "Run"


def test_the_plan_follows_what_is_asked_for(desk: Desk) -> None:
    form = desk.page.form
    form.rule_boxes[1].click()
    assert "then about 8 RCU a suspect" in form.plan.text
    form.everyone.click()
    assert "then about 5 RCU a parent, 8 where it is off" in form.plan.text
    form.chosen.click()
    assert form.plan.text == "Write at least one parent."
    form.parents.edit.setPlainText("post=a91f")
    desk.wait_for(lambda: form.plan.text.startswith("Query per parent, 1 parent"))


def test_a_run_needs_a_rule(desk: Desk) -> None:
    for box in desk.page.form.rule_boxes:
        box.click()
    assert desk.page.form.plan.text == "Choose at least one rule."
    assert not desk.page.run_action.isEnabled()
    assert not desk.page.form.run.isEnabled()


# -- a run


@pytest.mark.slow
def test_the_sample_finds_exactly_the_answers(make: Make, workspace: Workspace, known: dict[str, Any]) -> None:
    desk = make(workspace, SOCIAL_TOML)
    desk.run()
    assert as_answers(desk.findings) == known["social.toml"]
    assert desk.page.line.text.startswith("Complete whole table · ")
    assert desk.page.form.run.text() == "Run again"
    desk.page.form.files.setCurrentIndex(desk.page.form.files.findText("courses.toml"))
    desk.page.form.files.activated.emit(desk.page.form.files.currentIndex())
    desk.wait_until_idle()
    assert desk.note == "Nothing has been read yet"  # those findings were another file's
    desk.run()
    assert desk.findings == []
    assert desk.note == "12 parents, all ok"


def test_findings_are_counted_filtered_and_never_lost(live_desk: Desk, known: dict[str, Any]) -> None:
    desk = live_desk
    desk.run()
    assert as_answers(desk.findings) == known["social.toml"]
    assert list(desk.chips) == ["Findings 12", "exact 7", "probable 2", "incomparable 2", "orphans 1", "ok 69"]
    desk.chips["probable 2"].click()
    assert [finding.verdict for finding in desk.findings] == ["probable", "probable"]
    assert desk.page.results.current is desk.findings[0]
    desk.chips["ok 69"].click()
    assert desk.note == "69 parents are ok"
    desk.chips["Findings 12"].click()
    assert len(desk.findings) == 12
    assert desk.note == ""


def test_chips_are_reached_and_moved_through_by_keys(desk: Desk) -> None:
    desk.run()
    desk.chips["Findings 12"].setFocus()
    desk.key(desk.chips["Findings 12"], Qt.Key.Key_Right)
    assert desk.chips["exact 7"].isChecked()
    assert {finding.verdict for finding in desk.findings} == {"exact"}


def test_the_largest_drift_is_shown_in_full_at_once(desk: Desk) -> None:
    desk.run()
    evidence = desk.page.results.evidence
    assert evidence.text == "POST#a91f / META exact stored 41 − real 37 = drift +4"
    looks = evidence.grid.model()
    assert [looks.index(row, 1).data() for row in range(looks.rowCount())] == [
        "Parent, transactional",
        "Pass 1, strong, 1 page",
        "Parent, transactional",
        "Pass 2, strong, 1 page",
        "Parent, transactional",
    ]
    assert evidence.why.accessibleName() == "Why this is certain"
    assert "Both passes saw the same 37 children" in evidence.why.toPlainText()


def test_another_run_starts_from_nothing(desk: Desk) -> None:
    desk.run()
    desk.chips["orphans 1"].click()
    desk.key(desk.page, Qt.Key.Key_F5)
    assert not desk.page.run_action.isEnabled()
    desk.wait_until_idle()
    assert len(desk.findings) == 12
    assert desk.chips["Findings 12"].isChecked()


def test_a_stopped_run_keeps_what_it_has_and_says_what_is_open(live_desk: Desk, quick: Path) -> None:
    desk = live_desk
    text = quick.read_text(encoding="utf-8")
    quick.write_text(text.replace('wait = "0s"', 'wait = "1h"'), encoding="utf-8")  # read again by Run
    desk.start()
    desk.wait_for(lambda: len(desk.findings) == 2)  # what cannot be compared needs no wait
    assert desk.page.form.stop.isVisibleTo(desk.page)
    assert not desk.page.form.run.isVisibleTo(desk.page)
    desk.page.form.stop.click()
    desk.wait_until_idle()
    assert desk.page.line.text.startswith("Partial: cancelled 10 parents were not confirmed.")
    assert list(desk.chips) == ["Findings 12", "suspect 10", "incomparable 2", "ok 69"]
    assert {finding.verdict for finding in desk.findings} == {"suspect", "incomparable"}
    assert "Seen off by one cheap look" in desk.page.results.evidence.why.toPlainText()


def test_a_page_that_is_closed_stops_its_run(make: Make, workspace: Workspace, quick: Path, qtbot: QtBot) -> None:
    quick.write_text(quick.read_text(encoding="utf-8").replace('wait = "0s"', 'wait = "1h"'), encoding="utf-8")
    desk = make(workspace, quick)
    desk.start()
    desk.wait_for(lambda: len(desk.findings) == 2)
    job = desk.page.job
    assert job is not None
    with qtbot.waitSignal(job.ended, timeout=RUN_SECONDS):
        desk.page.hide()
        desk.page.deleteLater()
    assert desk.messages.current is None


def test_chosen_parents_are_the_only_ones_looked_at(live_desk: Desk) -> None:
    desk = live_desk
    form = desk.page.form
    form.chosen.click()
    assert not form.everyone.isEnabled()
    key = '{"PK": {"S": "POST#0c4e"}, "SK": {"S": "META"}}'
    form.parents.edit.setPlainText(f"post=a91f\n\n  {key}\npost=e001\n")
    desk.run()
    assert [finding.parent_text for finding in desk.findings] == ["POST#a91f / META", "POST#0c4e / META"]
    assert desk.page.line.text.startswith("Complete 3 chosen parents")
    assert list(desk.chips) == ["Findings 2", "exact 2", "ok 1"]


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("post=a91f\nlikes", "'likes' names no parent."),
        ('{"PK": {"S": "NOBODY#1"}, "SK": {"S": "META"}}', "is not the key of a parent of any rule."),
        ("", "No parent is named."),
        ("@/nowhere/parents", "/nowhere/parents cannot be read"),
    ],
)
def test_wrong_parents_are_said_at_their_field_and_nothing_is_read(
    live_desk: Desk, workspace: Workspace, typed: str, message: str
) -> None:
    desk = live_desk
    form = desk.page.form
    form.chosen.click()
    form.parents.edit.setPlainText(typed)
    before = workspace.meter.calls
    desk.run()
    assert message in form.parents.edit.accessibleDescription()
    assert workspace.meter.calls == before
    assert desk.findings == []
    assert desk.note == "Nothing has been read yet"


# -- what is done with a finding


def test_enter_opens_the_parents_collection(desk: Desk) -> None:
    desk.run()
    desk.choose("POST#c7a2 / META")
    desk.key(desk.page.results.grid, Qt.Key.Key_Return)
    parent = {"PK": String("POST#c7a2"), "SK": String("META")}
    assert desk.opened == [("Social", {"PK": String("POST#c7a2")}, parent)]


def test_children_elsewhere_and_orphans_are_opened_where_they_are(desk: Desk) -> None:
    desk.run()
    desk.choose("POST#a91f / META")
    assert not desk.page.results.children_action.isEnabled()
    desk.choose("USER#b14a / META")
    desk.page.results.children_action.trigger()
    desk.choose("POST#9e21 / META")  # whose parent does not exist
    desk.page.results.open_action.trigger()
    assert desk.opened == [
        ("Social", {"PK": String("ACTOR#b14a")}, None),
        ("Social", {"PK": String("POST#9e21")}, None),
    ]


def test_a_header_sorts_by_value_and_the_third_click_gives_the_reports_order_back(desk: Desk) -> None:
    desk.run()
    in_order = desk.findings
    head = desk.page.results.grid.horizontalHeader()

    def click(column: int) -> None:
        at = head.viewport().rect().center()
        at.setX(head.sectionViewportPosition(column) + 10)
        QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=at)

    click(5)
    drifts = [finding.drift for finding in desk.findings if finding.drift is not None]
    assert drifts == sorted(drifts)
    click(5)
    assert desk.findings[0].drift_text == "+4"
    click(5)
    assert desk.findings == in_order


def test_rows_and_keys_are_copied_exactly(desk: Desk) -> None:
    desk.run()
    grid = desk.page.results.grid
    desk.choose("POST#a91f / META")
    desk.key(grid, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text().split("\t")
    assert copied[:6] == ["exact", "POST#a91f / META", "post likes", "41", "37", "+4"]
    desk.page.results.copy_key()
    assert QGuiApplication.clipboard().text() == '{"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}}'


# -- the report


@pytest.mark.parametrize("form", FORMATS)
def test_the_whole_report_is_written_in_each_form(desk: Desk, tmp_path: Path, form: str) -> None:
    desk.run()
    desk.asker.path = tmp_path / f"likes.{form}"
    export = next(action for action in desk.page.exports.actions() if action.objectName() == f"export-{form}")
    export.trigger()
    desk.wait_for(lambda: desk.messages.current is not None)
    assert desk.messages.current is not None
    assert (desk.messages.current.kind, desk.messages.current.line) == ("notice", str(desk.asker.path))
    report = desk.page.report
    assert isinstance(report, Report)
    assert desk.asker.path.read_bytes() == render(report, form)
    assert desk.asker.suggested[0].startswith("quick-20")
    assert desk.asker.suggested[0].endswith(f".{form}")
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".toml"] == [f"likes.{form}"]


def test_a_filter_does_not_shorten_the_report(desk: Desk, tmp_path: Path) -> None:
    desk.run()
    desk.chips["probable 2"].click()
    desk.asker.path = tmp_path / "likes.md"
    desk.page.exports.actions()[0].trigger()  # as HTML, but the name says Markdown
    desk.wait_for(desk.asker.path.exists)
    assert desk.page.report is not None
    assert desk.asker.path.read_bytes() == render(desk.page.report, "md")


def test_a_report_that_cannot_be_written_leaves_the_old_one(desk: Desk, tmp_path: Path) -> None:
    desk.run()
    old = tmp_path / "old.html"
    old.write_text("the old one", encoding="utf-8")
    desk.asker.path = tmp_path / "link.html"
    desk.asker.path.symlink_to(old)
    desk.page.exports.actions()[0].trigger()
    desk.wait_for(lambda: desk.messages.current is not None)
    assert desk.messages.current is not None
    assert desk.messages.current.kind == "error"
    assert old.read_text(encoding="utf-8") == "the old one"


def test_nothing_can_be_exported_before_a_run(desk: Desk) -> None:
    assert not any(action.isEnabled() for action in desk.page.exports.actions())


# -- rules with mistakes


def test_mistakes_are_listed_with_line_and_advice_and_can_be_copied(
    make: Make, workspace: Workspace, quick: Path
) -> None:
    right = quick.read_text(encoding="utf-8")
    quick.write_text(right.replace('wait = "0s"', 'wait = "soon"', 1).replace("USER#{user}", "USER{user}"))
    before = workspace.meter.calls
    desk = make(workspace, quick)
    problems = desk.page.problems
    assert desk.page.stack.currentWidget() is problems
    cells = problems.grid.model()
    listed = [[cells.index(row, column).data() for column in range(4)] for row in range(cells.rowCount())]
    lines = right.splitlines()
    assert [int(row[0]) for row in listed] == [
        lines.index('wait = "0s"') + 1,
        next(at for at, line in enumerate(lines, 1) if "USER#{user}" in line),
    ]
    assert [row[1] for row in listed] == ["post likes", "following"]
    assert listed[0][2:] == ["wait is 'soon'", 'Write seconds, or a text such as "30s", "5m", "1h".']
    assert "nothing closes 'USER'" in listed[1][2]
    next(b for b in problems.findChildren(QPushButton) if b.text() == "Copy all").click()
    assert QGuiApplication.clipboard().text().splitlines()[0].startswith(f"{quick}:{listed[0][0]}: rule")
    assert workspace.meter.calls == before

    quick.write_text(right, encoding="utf-8")
    desk.run()  # reads the file again
    assert len(desk.findings) == 12


def test_checking_says_that_all_is_well(desk: Desk) -> None:
    desk.page.check_action.trigger()
    desk.wait_until_idle()
    assert desk.messages.current is not None
    assert desk.messages.current.line == "2 rules fit their tables. No item was read."


def test_a_mistake_found_by_checking_does_not_throw_the_findings_away(desk: Desk, quick: Path) -> None:
    desk.run()
    right = quick.read_text(encoding="utf-8")
    quick.write_text("version = 2", encoding="utf-8")
    desk.page.check_action.trigger()
    desk.wait_until_idle()
    assert desk.page.stack.currentWidget() is desk.page.problems
    quick.write_text(right, encoding="utf-8")
    desk.page.check_action.trigger()
    desk.wait_until_idle()
    assert desk.page.stack.currentWidget() is desk.page.results
    assert len(desk.findings) == 12


def test_another_file_is_opened_through_the_asker(desk: Desk, tmp_path: Path) -> None:
    other = tmp_path / "sub" / "quick.toml"
    other.parent.mkdir()
    other.write_text(COURSES_TOML.read_text(encoding="utf-8"), encoding="utf-8")
    desk.asker.path = other
    desk.page.open_action.trigger()
    desk.wait_until_idle()
    assert desk.asker.files == [("Open a rules file", ("Rules (*.toml)",))]
    assert desk.page.form.files.currentText() == "sub/quick.toml"
    assert [box.text() for box in desk.page.form.rule_boxes] == ["course places"]


def test_a_rule_that_was_unticked_stays_so_when_the_file_is_read_again(desk: Desk) -> None:
    desk.page.form.rule_boxes[0].click()
    desk.run()
    assert [box.isChecked() for box in desk.page.form.rule_boxes] == [False, True]
    assert {finding.rule for finding in desk.findings} == {"following"}


def test_a_missing_file_is_said(make: Make, workspace: Workspace, tmp_path: Path) -> None:
    desk = make(workspace, tmp_path / "gone.toml")
    assert desk.messages.current is not None
    assert "gone.toml cannot be read" in desk.messages.current.line
    assert desk.note == "The rules could not be checked against their tables"


# -- when the table cannot be read


def test_an_endpoint_that_is_gone_gives_an_error_and_no_findings(make: Make, quick: Path) -> None:
    with Sandbox.start(scale=0.1) as sandbox:
        workspace = open_workspace(SANDBOX_PROFILE, Ticket(), sandbox_url=sandbox.endpoint)
        desk = make(workspace, quick)
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
    make: Make, workspace: Workspace, tmp_path: Path, fault: DynodeskError
) -> None:
    reader = social(post("p", Number("9")), *likes("p", 5))

    def fail(_plan: ReadPlan) -> None:
        raise fault

    reader.before_page = fail
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES, encoding="utf-8")
    desk = make(in_memory(workspace, reader), rules)
    desk.run()
    assert desk.messages.current is not None
    assert fault.message in desk.messages.current.line
    assert desk.note == "The run failed. There are no findings"
    assert desk.page.report is None
    assert not desk.page.counts.isVisibleTo(desk.page)


def test_values_of_the_table_are_shown_as_plain_text(make: Make, workspace: Workspace, tmp_path: Path) -> None:
    name = "<b>\u202e</b>\u0000\n&amp;"
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES.replace('version = "rev"', NOTHING_TO_WAIT_FOR), encoding="utf-8")
    desk = make(in_memory(workspace, social(post(name, Number("9")))), rules)
    desk.run()
    shown = "POST#<b>⟨U+202E⟩</b>␀⏎&amp; / META"
    assert desk.page.results.model.index(0, 1).data() == shown
    assert desk.page.results.evidence.text.startswith(shown)
    desk.key(desk.page.results.grid, Qt.Key.Key_Return)
    assert desk.opened[0][1] == {"PK": String(f"POST#{name}")}


def test_findings_arrive_while_the_run_goes_on(make: Make, workspace: Workspace, tmp_path: Path) -> None:
    """The second rule's parents are held back until the window shows the first one's."""
    shown = threading.Event()
    reader = social(post("p", Number("9")), *likes("p", 5), post("q", Number("3")))

    def hold(plan: ReadPlan) -> None:
        if getattr(plan, "partition", {}).get("PK") == String("POST#q"):
            assert shown.wait(20)

    reader.before_page = hold
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES.replace('version = "rev"', f'version = "rev"\n{NOTHING_TO_WAIT_FOR}'), encoding="utf-8")
    desk = make(in_memory(workspace, reader), rules)
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
