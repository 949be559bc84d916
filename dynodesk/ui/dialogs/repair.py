"""The repair dialog: a plan's exact requests, how they will be made, the approval, and each repair as it is made."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QStackedWidget, QWidget

from dynodesk.domain.progress import Progress
from dynodesk.domain.repairs import PLAN_SECONDS, WRITTEN, RepairResult
from dynodesk.domain.writes import GuardedUpdate
from dynodesk.reconcile.planning import USUAL_COUNT, RepairLimits, is_large
from dynodesk.ui.asking import Asker
from dynodesk.ui.dialogs import repair_rows as rows
from dynodesk.ui.dialogs import repair_work as work
from dynodesk.ui.dialogs.approval import Approval
from dynodesk.ui.dialogs.repair_work import Applied, Planned, RepairTools
from dynodesk.ui.dialogs.writing import ResultStream, WritesDialog
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.reconcile_rows import RowsModel
from dynodesk.ui.theme import Text, metrics, px
from dynodesk.ui.widgets.controls import button, field, sub_tabs
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.layouts import Area, area, column, row

SAYS = "Each request applies only while the item is as it was read. A write that arrives meanwhile wins."


class RepairDialog(WritesDialog):
    """For one plan, used once."""

    run_asked = Signal()
    """To look again whether all is right now. The dialog is closed by then."""
    undo_asked = Signal(object)
    """Ids of repairs that were made, as a tuple. The dialog is closed by then."""
    journal_asked = Signal()

    def __init__(
        self, planned: Planned, tools: RepairTools, runner: JobRunner, asker: Asker, window: QWidget | None = None
    ) -> None:
        self._plan, self._planned, self._tools, self._asker = planned.plan, planned, tools, asker
        plan = planned.plan
        self._places = {repair.id: at for at, repair in enumerate(plan.repairs)}
        self.results: dict[str, RepairResult] = {}
        number = len(plan.repairs)
        approval = Approval(
            plan.tables, _to_read(planned), is_production=tools.profile.stage == "production" and number > 0
        )
        repairs = "1 repair" if number == 1 else f"{number:,} repairs"
        super().__init__(
            rows.title_of(plan), SAYS, tools.access, approval, rows.COLUMNS, f"Apply {repairs}", runner, window
        )
        self.save_button = button("Save plan file…", "save")
        self.journal_button = button("Journal…", "book", tone="quiet")
        self.undo_button = button("Undo…", "discard")
        self.again_button = button("Run again", "play")
        self.tabs = sub_tabs("Below", "Requests", f"Left out {len(plan.left_out):,}")
        self.tabs.setVisible(bool(plan.left_out))
        self.left_out = Grid()
        self._left_rows = RowsModel(rows.LEFT_OUT_COLUMNS, self)
        self.arrange(
            self._make_facts(),
            (self.save_button, self.journal_button),
            (self.undo_button, self.again_button),
            self.tabs,
        )
        self._add_left_out()
        self.set_rows([rows.repair_row(repair, None, is_over=False) for repair in plan.repairs])
        self._age = QTimer(self)
        self._age.setInterval(1000)
        self._age.timeout.connect(self._aged)
        self._age.start()
        self.save_button.clicked.connect(self._ask_file)
        self.journal_button.clicked.connect(self.journal_asked)
        self.again_button.clicked.connect(self._run_again)
        self.undo_button.clicked.connect(self._undo)
        self._aged()
        self.show_current()
        if not number:
            self.tabs.setCurrentIndex(1)
        self._say_cost()

    # -- building

    def _make_facts(self) -> Area:
        grid = QGridLayout()
        u = metrics().unit
        grid.setContentsMargins(5 * u, 2 * u, 5 * u, 2 * u)
        grid.setHorizontalSpacing(3 * u)
        grid.setVerticalSpacing(u)
        grid.setColumnStretch(1, 1)
        self._made = Text("", "text2")
        facts = (
            (
                "Before",
                Text("Each parent is confirmed once more; what moved is left as it is.", "text2", wrap=True),
            ),
            ("Waves", Text(self._waves_words(), "text2", wrap=True)),
            ("Journal", Text("Written before a request is sent. Undo is in it.", "text2", wrap=True)),
            ("Limits", self._make_limits()),
            ("Plan", self._made),
        )
        for at, (name, content) in enumerate(facts):
            grid.addWidget(Text(name, "muted"), at, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(content, at, 1)
        self._facts = area(grid, "window", "t")
        return self._facts

    def _waves_words(self) -> str:
        if not self._plan.repairs:
            return "None."
        sizes = rows.waves_words(self._plan.repairs)
        return f"{sizes}. Each is counted again before the next. The first surprise ends the run."

    def _make_limits(self) -> QWidget:
        """A sentence; fields only where the plan is beyond what is usual, to be raised on purpose."""
        self._beyond = Text("", "text2", wrap=True)
        self.max_delta = field("Allow changes up to", width=90)
        self.max_repairs = field("Allow repairs up to", width=90)
        usual = RepairLimits()
        is_beyond = any(is_large(repair, usual) for repair in self._plan.repairs)
        is_long = len(self._plan.repairs) > USUAL_COUNT
        parts: list[QWidget] = []
        for edit, is_needed in ((self.max_delta, is_beyond), (self.max_repairs, is_long)):
            label = Text(edit.accessibleName(), "text2")
            for widget in (label, edit):
                widget.setVisible(is_needed)
            parts += [label, edit]
            edit.textChanged.connect(self._limits_changed)
        needs = (is_beyond, is_long)
        limits = QWidget()
        line = row(*parts, None, gap=1.5)
        limits.setLayout(column(self._beyond, *([line] if any(needs) else []), gap=1))
        return limits

    def _add_left_out(self) -> None:
        self.left_out.setModel(self._left_rows)
        dress_grid(self.left_out, "Left out of the plan")
        for at, of in enumerate(rows.LEFT_OUT_COLUMNS):
            self.left_out.setColumnWidth(at, px(of.width))
        self.left_out.horizontalHeader().setStretchLastSection(True)
        self._left_rows.set_rows([rows.left_out_row(left) for left in self._plan.left_out])
        self._below = QStackedWidget()
        layout = self.layout()
        if layout is not None:
            layout.replaceWidget(self._middle, self._below)
        self._below.addWidget(self._middle)
        self._below.addWidget(self.left_out)
        self.tabs.currentChanged.connect(self._below.setCurrentIndex)

    def _say_cost(self) -> None:
        number = len(self._plan.repairs)
        self.note.set_text(f"{number:,} write{'' if number == 1 else 's'}, 1 WCU per KB of each item" if number else "")

    # -- what the frame asks for

    def update_at(self, at: int) -> GuardedUpdate | None:
        return self._plan.repairs[at].update

    def result_at(self, at: int) -> str:
        result = self.results.get(self._plan.repairs[at].id)
        return "" if result is None or self.state == "asking" else rows.result_words(result)

    @property
    def limits(self) -> RepairLimits:
        """What the person allows. A field that holds no number allows what is usual."""
        delta, count = self.max_delta.text().strip(), self.max_repairs.text().strip()
        return RepairLimits(
            Decimal(delta) if _is_whole(delta) else None, int(count) if _is_whole(count) else USUAL_COUNT
        )

    @Slot()
    def go(self) -> None:
        stream = ResultStream(self._runner)
        stream.told.connect(self._told, Qt.ConnectionType.QueuedConnection)
        made = partial(work.apply_plan, self._tools, self._plan, self.approval.approved, self.limits, stream.take)
        job = self.start(made, f"Repair {rows.tables_words(self._plan)}", self._show_end)
        job.ended.connect(stream.deleteLater)
        self._age.stop()
        self._facts.hide()

    @Slot(object)
    def _told(self, result: RepairResult) -> None:
        if self.state == "running":
            self._show_result(result, is_over=False)

    def _show_result(self, result: RepairResult, *, is_over: bool) -> None:
        self.results[result.repair.id] = result
        at = self._places[result.repair.id]
        self.rows.set_row(at, rows.repair_row(result.repair, result, is_over=is_over))
        if at == self.current:
            self.show_current()

    def progress_words(self, progress: Progress) -> str:
        wave, of = rows.wave_of(self._plan.repairs, max(0, len(self.results) - 1))
        return f"Wave {wave} of {of} · {super().progress_words(progress)}"

    def _show_end(self, applied: Applied) -> None:
        report = applied.report
        for one in report.results:
            self._show_result(one, is_over=True)
        stopped = f"Stopped: {report.stopped}." if report.stopped else ""
        self.outcome.show_end(
            "pass" if report.is_done else "warning",
            rows.counted(report),
            " ".join(filter(None, (stopped, work.resolved_words(applied.resolved)))),
        )
        self.note.set_text("")

    # -- state

    @Slot()
    def show_state(self) -> None:
        super().show_state()
        is_over = self.state == "over"
        self.save_button.setVisible(self.state == "asking")
        self.save_button.setEnabled(bool(self._plan.repairs))
        self.again_button.setVisible(is_over)
        self.again_button.setDefault(is_over)
        self.undo_button.setVisible(is_over and bool(self._made_ids))

    @property
    def _made_ids(self) -> tuple[str, ...]:
        return tuple(id_ for id_, result in self.results.items() if result.outcome in WRITTEN)

    @Slot()
    def _limits_changed(self) -> None:
        self._aged()

    @Slot()
    def _aged(self) -> None:
        """What keeps the plan from being applied now: it changes with time and with what is allowed."""
        left = PLAN_SECONDS - work.seconds_old(self._plan)
        hash_ = self._planned.hash
        made = f"Made {self._plan.created[11:19]} UTC, hash {hash_[:6]}…{hash_[-4:]}"
        self._made.setText(
            f"{made}, expires in {int(left) // 60}:{int(left) % 60:02}" if left > 0 else f"{made}, expired"
        )
        beyond = tuple(rows.beyond(self._plan, self.limits))
        self._beyond.setText(" ".join(beyond) or rows.usual_words())
        read_only = self._tools.access.refusal
        if self.state == "asking":
            self._refuse_for(read_only, left, beyond)

    def _refuse_for(self, read_only: str, left: float, beyond: tuple[str, ...]) -> None:
        why = ""
        if not self._plan.repairs:
            why = "Each finding is left out, and why is said above."
        elif read_only:
            why = read_only
        elif left <= 0:
            why = "The plan is too old: what it rests on holds for 15 minutes. Close, run again and plan anew."
        elif beyond:
            why = "Raise the limits on purpose, or plan fewer repairs."
        if why != self.refusal:
            self.refuse(why)

    # -- around it

    @Slot()
    def _ask_file(self) -> None:
        stamp = self._plan.created[:16].replace(":", "")
        suggested = f"repair-{'-'.join(self._plan.tables)}-{stamp}.json"
        self._asker.save_file("Save the plan", ("Repair plan (*.json)",), suggested, self._save)

    def _save(self, path: Path) -> None:
        self._runner.start(
            partial(work.save_plan, self._plan, path),
            title=f"Write {path.name}",
            done=self._saved,
            failed=self.outcome.show_error,
        )

    @Slot(object)
    def _saved(self, path: Path) -> None:
        self.note.set_text(f"Saved: {path.name}")
        self.note.setToolTip(str(path))

    @Slot()
    def _run_again(self) -> None:
        self.accept()
        self.run_asked.emit()

    @Slot()
    def _undo(self) -> None:
        made = self._made_ids
        self.accept()
        self.undo_asked.emit(made)


def _to_read(planned: Planned) -> str:
    if not planned.new_rules:
        return ""
    rules = ", ".join(planned.new_rules)
    verb = "was" if len(planned.new_rules) == 1 else "were"
    return f"I have read the requests: {rules} {verb} never applied before as it is now"


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdecimal()
