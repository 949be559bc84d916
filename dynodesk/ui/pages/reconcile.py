"""The Reconcile page: a rules file over a connection, from the question to the findings and their evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Literal

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import InvalidRules
from dynodesk.domain.findings import Report, Verdict
from dynodesk.domain.progress import Progress
from dynodesk.domain.repairs import Place, RulesText
from dynodesk.domain.values import plain_digits
from dynodesk.ui.actions import Action, make
from dynodesk.ui.asking import Asker
from dynodesk.ui.dialogs.repair_work import RepairTools
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.messages import MessageBar
from dynodesk.ui.pages import reconcile_notes as notes
from dynodesk.ui.pages import reconcile_work as work
from dynodesk.ui.pages.reconcile_counts import CountsBar, RunLine
from dynodesk.ui.pages.reconcile_exports import ReportExports
from dynodesk.ui.pages.reconcile_form import RunForm
from dynodesk.ui.pages.reconcile_notes import Note, NotePane
from dynodesk.ui.pages.reconcile_places import OpenCollection
from dynodesk.ui.pages.reconcile_problems import ProblemList
from dynodesk.ui.pages.reconcile_repairs import Found, Repairs
from dynodesk.ui.pages.reconcile_results import Results
from dynodesk.ui.pages.reconcile_rows import FindingRow
from dynodesk.ui.pages.reconcile_rules import RulesDesk
from dynodesk.ui.pages.reconcile_stream import FindingStream, run_with_rows
from dynodesk.ui.pages.reconcile_templates import sample_rules
from dynodesk.ui.shell import Workspace
from dynodesk.ui.theme import icon
from dynodesk.ui.widgets.layouts import Area, column

RUN = Action("run-rules", "Run", "Compare the tallies with their children. Nothing is written.", "F5", "play")
PAUSE = Action("pause-run", "Pause", "Read nothing more until you go on. What arrived is kept.", "F6", "debug-pause")


class ReconcilePage(Area):
    """Made for one connection and a first rules file, which is read at once; no item is read before Run."""

    rules_read = Signal(object)
    """The rules of a file that fits its tables, as a tuple."""

    def __init__(
        self,
        workspace: Workspace,
        rules: Path,
        runner: JobRunner,
        asker: Asker,
        messages: MessageBar,
        open_collection: OpenCollection,
        tools: RepairTools,
    ) -> None:
        super().__init__("window")
        self._workspace, self._runner, self._messages = workspace, runner, messages
        self._path = rules
        self._loaded: work.LoadedRules | None = None
        self._after_loading: Literal["", "say", "run"] = ""
        self._job: Job | None = None
        self._failures: list[BaseException] = []
        """What the messages still say of earlier runs."""
        self._meter = Meter()
        self._ran: work.LoadedRules | None = None
        self._report: Report | None = None
        self._counts: Counter[Verdict] = Counter()
        self.setWindowIcon(icon("law"))
        self.setAccessibleName("Reconcile")

        self.run_action = make(RUN, self, self._ask_run)
        self.run_action.setShortcuts([QKeySequence(RUN.shortcut), QKeySequence("Ctrl+Return")])
        self.pause_action = make(PAUSE, self, self._pause_or_go_on)
        self.rules = RulesDesk(self, workspace, sample_rules(), runner, asker, messages, open_collection)
        self.editor = self.rules.editor
        place = Place(workspace.identity, workspace.endpoint, workspace.region)
        self.repairs = Repairs(self, tools, place, runner, asker, messages)
        self.exports = ReportExports(self, runner, asker, messages)

        actions = (self.rules.watch_action, self.run_action, self.pause_action)
        self.form = RunForm(sample_rules(), self.rules.tools, *actions)
        self.counts = CountsBar(self.exports, self.rules.history_action)
        self.line = RunLine()
        self.note = NotePane()
        self.problems = ProblemList()
        self.results = Results(open_collection, self.repairs.plan_action)
        self.addActions([self.results.open_action, self.results.children_action])
        self.stack = QStackedWidget()
        for pane in (self.note, self.problems, self.results, self.editor):
            self.stack.addWidget(pane)
        layout = column(self.form, self.counts, self.line, self.stack, gap=0)
        layout.setStretch(3, 1)
        self.setLayout(layout)
        self.begin_at(self.form.run)

        self.form.path_chosen.connect(self._use_file)
        self.form.changed.connect(self._make_plan)
        self.form.stop_asked.connect(self._stop)
        self.counts.chosen.connect(self._filter)
        self.results.chosen_changed.connect(self._chosen_changed)
        self.repairs.run_asked.connect(self._ask_run)
        self.problems.line_asked.connect(self.rules.edit_line)
        self.rules.file_chosen.connect(self._use_file)
        self.rules.check_asked.connect(self._check)
        self.rules.editor_wanted.connect(self._show_editor)
        self._show_state()
        self._use_file(rules)

    @property
    def unfinished(self) -> str:
        return "Rules that were changed are not saved: they go with the tab." if self.editor.is_dirty else ""

    # -- kept over a restart

    def state(self) -> dict[str, object]:
        """Rules that are not saved. What a run found is in its report and in the history."""
        return {"draft": self.editor.draft()}

    def restore(self, state: Mapping[str, object]) -> None:
        draft = state.get("draft")
        if isinstance(draft, dict) and self.editor.restore(draft):
            self._show_editor(True)

    # -- rules

    @Slot(object)
    def _use_file(self, path: Path) -> None:
        """Another file: what was found by the one before is not its answer."""
        if path != self._path:
            self.form.forget_rules()
        self._path = path
        self.rules.set_file(path)
        self.setWindowTitle(f"Reconcile: {path.name}")
        self.form.show_path(path)
        self._loaded = None
        self._forget_report()
        self._load("")

    @Slot()
    def _check(self) -> None:
        self._load("say")

    def _load(self, after: Literal["", "say", "run"]) -> None:
        self._after_loading = after
        self.form.show_words(f"Reading {self._path.name}…")
        self._job = self._runner.start(
            partial(work.load_rules, self._path, self._workspace.catalog),
            title=f"Check {self._path.name}",
            done=self._rules_loaded,
            failed=self._rules_refused,
        )
        self._job.cancelled.connect(self._loading_stopped)
        self._show_state()

    @Slot(object)
    def _rules_loaded(self, loaded: work.LoadedRules) -> None:
        self._job, self._loaded = None, loaded
        self.rules.set_loaded(loaded)
        self.rules_read.emit(loaded.rules)
        self.form.show_rules(loaded.rules)
        self._make_plan()
        if not self._is_editing:
            self._show_answer()
        if self._after_loading == "run" and self.run_action.isEnabled():
            self._run(loaded)
            return
        self._take_back_failures()
        if self._after_loading == "say":
            number = len(loaded.rules)
            fits = "1 rule fits its table" if number == 1 else f"{number} rules fit their tables"
            self._messages.notice(f"{self._path.name} has no mistakes", f"{fits}. No item was read.")

    @Slot(object)
    def _rules_refused(self, error: BaseException) -> None:
        self._job, self._loaded = None, None
        self.form.show_words("Nothing can be run before the rules are right.")
        if isinstance(error, InvalidRules):
            self.form.show_rules(())
            self.problems.show_problems(self._path.name, error.problems)
            if not self._is_editing:  # where they stand at their lines
                self._show(self.problems)
        else:
            self._show_failure(error)
            self._forget_report()
            self._show_note(notes.not_loaded(error))
        self._show_state()

    @Slot()
    def _loading_stopped(self) -> None:
        self._job = None
        self.form.show_words("Stopped. Check rules reads the file again.")
        if not self._is_editing:
            self._show_answer()
        self._show_state()

    # -- the plan

    @Slot()
    def _make_plan(self) -> None:
        wish = self.form.wish
        self.rules.set_ticked(wish.names)
        if self._loaded is not None and not self._is_running:
            if self.form.wrong_pace:
                self.form.show_words(self.form.wrong_pace)
            elif not wish.names:
                self.form.show_words("Choose at least one rule.")
            elif wish.parents == ():
                self.form.show_words("Write at least one parent.")
            elif wish.names_files:
                self.form.show_words("Query per parent, for the parents in the file")  # read at the start of the run
            else:
                try:
                    self.form.show_plan(work.plan_of(wish, self._loaded))
                except work.ParentsRefused as refused:
                    self.form.show_refusal(refused.error)
        self._show_state()

    # -- a run

    @property
    def report(self) -> Report | None:
        """Of the last run, once it is over."""
        return self._report

    @property
    def job(self) -> Job | None:
        """What is being done for the page: reading the rules, or a run."""
        return self._job

    @property
    def _is_editing(self) -> bool:
        return self.stack.currentWidget() is self.editor

    @property
    def _is_running(self) -> bool:
        return self._job is not None and self._job.property("run") is True

    @Slot()
    def _ask_run(self) -> None:
        """The file may have been changed since it was read: it is read again first."""
        self._load("run")

    def _run(self, loaded: work.LoadedRules) -> None:
        wish = self.form.wish
        try:
            if not wish.names_files:
                work.plan_of(wish, loaded)
        except work.ParentsRefused as refused:
            self._refuse(refused)  # and what the last run found stays
            return
        self._forget_report()
        self._ran = loaded
        self._meter = Meter(self._workspace.meter)
        self.results.begin({rule.name: rule for rule in loaded.rules})
        stream = FindingStream(self._runner)  # not ours: the worker may still use it when this page is closed
        stream.arrived.connect(self._arrived)
        self._job = self._runner.start(
            partial(run_with_rows, loaded, wish, self._workspace, self._meter, stream),
            title=f"Reconcile {self._path.name}",
            done=self._finished,
            failed=self._failed,
        )
        self._job.setProperty("run", True)
        self._job.progressed.connect(self._progressed)
        self._job.cancelled.connect(self._stopped)
        self._job.ended.connect(stream.deleteLater)
        self.destroyed.connect(self._job.cancel)
        self.line.show_progress("Starting…")
        self._show_note(notes.looking())
        self._show_state()

    @Slot()
    def _stop(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self.line.show_progress("Stopping…")

    @Slot()
    def _pause_or_go_on(self) -> None:
        if self._job is not None and self._is_running and not self._job.stopping:
            (self._job.resume if self._job.paused else self._job.pause)()
            paused = "Paused: nothing more is read until you go on."
            self.line.show_progress(paused if self._job.paused else "Going on…")
            self._show_state()

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        if self._job is None or self._job.stopping or self._job.paused:
            return
        done = f"{progress.done:,} of {progress.total:,} done" if progress.total else ""
        used = f"{plain_digits(self._meter.total)} RCU so far"
        self.line.show_progress(" · ".join(part for part in (progress.note, done, used) if part))

    @Slot(object)
    def _arrived(self, rows: tuple[FindingRow, ...]) -> None:
        self._counts.update(row.finding.verdict for row in rows)
        self.results.add(rows)
        self._show_counts()
        if self.results.model.rowCount() and self.stack.currentWidget() is self.note:
            self._show(self.results)

    @Slot(object)
    def _finished(self, result: tuple[Report, list[FindingRow]]) -> None:
        self._job = None
        self._take_back_failures()
        report, rows = result
        self._report = report
        if self._ran is not None:
            source = RulesText(str(self._ran.path), self._ran.text)
            self.repairs.set_found(Found(report, self._ran.rules, source))
        self._counts = Counter(report.verdicts)
        self.results.settle(rows)
        self.line.show_report(report)
        self._show_counts()
        self._show_state()
        self._show_answer()
        if rows and QApplication.focusWidget() in (None, self.form.run, self.form.stop):
            self.results.grid.setFocus()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._job = None
        self._forget_report()
        if isinstance(error, work.ParentsRefused):
            self._show_answer()
            self._refuse(error)
        else:
            self._show_failure(error)
            self._show_note(notes.failed(error))
        self._show_state()

    def _show_failure(self, error: BaseException) -> None:
        self._failures.append(error)
        self._messages.show_error(error)

    def _take_back_failures(self) -> None:
        for failure in self._failures:
            self._messages.take_back(failure)
        self._failures.clear()

    def _refuse(self, refused: work.ParentsRefused) -> None:
        self.form.show_refusal(refused.error)
        self.form.parents.setFocus()

    @Slot()
    def _stopped(self) -> None:
        self._job = None
        self._forget_report()
        self._show_note(notes.stopped())
        self._show_state()

    # -- what is shown

    def _forget_report(self) -> None:
        self._report = None
        self.repairs.set_found(None)
        self._counts.clear()
        self.results.begin({})
        self.counts.choose(None)
        self.line.hide()
        self._show_counts()

    @Slot()
    def _chosen_changed(self) -> None:
        self.repairs.set_chosen(self.results.chosen)
        if self.results.current is not None:
            self.rules.set_rule(self.results.current.rule)

    @Slot(bool)
    def _show_editor(self, wanted: bool) -> None:
        if wanted:
            self._show(self.editor)
            self.editor.setFocus()
        else:
            self._show_answer()

    @Slot(object)
    def _filter(self, verdict: Verdict | None) -> None:
        self.results.show_verdict(verdict)
        self._show_answer()

    def _show_answer(self) -> None:
        """Findings where there are some, else the words for why there are none."""
        report = self._report
        if report is not None and self.counts.current == "ok":
            self._show_note(notes.only_counted(self._counts["ok"]))
        elif self.results.model.rowCount():
            self._show(self.results)
        elif report is None:
            self._show_note(notes.before_run(self._loaded.rules if self._loaded else ()))
        else:
            self._show_note(notes.all_right(report) if report.complete else notes.nothing_found(report))

    def _show_note(self, note: Note) -> None:
        self.note.show_note(note)
        self._show(self.note)

    def _show(self, pane: QWidget) -> None:
        self.stack.setCurrentWidget(pane)
        self.rules.show_editing(pane is self.editor)
        of_a_run = pane not in (self.problems, self.editor) and (self._report is not None or self._is_running)
        self.counts.setVisible(of_a_run)
        self.line.setVisible(of_a_run)

    def _show_counts(self) -> None:
        report = self._report
        parents = sum(rule.parents for rule in report.rules) if report else 0
        words = "1 parent" if parents == 1 else f"{parents:,} parents"
        if report is None:
            words = "Running" if self._is_running else ""
        elif not report.complete:
            words = f"{words}, partial"
        findings = sum(count for verdict, count in self._counts.items() if verdict != "ok")
        self.counts.show_counts(words, self._counts, findings=findings, is_over=report is not None)

    def _show_state(self) -> None:
        busy = self._job is not None
        self.form.show_running(self._is_running)
        self.form.files.setEnabled(not busy)
        self.rules.set_busy(busy)
        is_right = self._loaded is None or (bool(self.form.wish.names) and not self.form.wrong_pace)
        self.run_action.setEnabled(not busy and is_right)
        self.run_action.setText("Run again" if self._report is not None else RUN.text)
        paused = self._job is not None and self._job.paused
        self.pause_action.setEnabled(self._is_running)
        self.pause_action.setText("Go on" if paused else PAUSE.text)
        self.exports.set_report(self._report, self._path.stem)
