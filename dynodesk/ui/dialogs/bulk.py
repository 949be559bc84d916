"""The same change for many loaded rows: what it is, for which rows, what it would do, and then it is staged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QWidget

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.cells import visible
from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.progress import Progress
from dynodesk.domain.spelled_text import unspelled
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item, String
from dynodesk.editing.bulk import BulkChange, DeleteItems, DryRun, LeftOut, SetAttributes
from dynodesk.ui.dialogs.commit_rows import changes_words, edits_words
from dynodesk.ui.dialogs.commit_work import EditTools, try_change
from dynodesk.ui.dialogs.form import Form
from dynodesk.ui.dialogs.outcome import Outcome
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.pages.browse_filter_lines import TYPE_WORDS
from dynodesk.ui.pages.browse_filter_values import typed_value
from dynodesk.ui.pages.reconcile_rows import Column, RowsModel
from dynodesk.ui.staging import Staging
from dynodesk.ui.theme import Cell, Row, Text, metrics, px
from dynodesk.ui.widgets.connection_bar import STAGES
from dynodesk.ui.widgets.controls import button, combo, field
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.layouts import area, column, row
from dynodesk.ui.widgets.lines import Line
from dynodesk.ui.widgets.marks import Chip

COLUMNS = (Column("Item", 300), Column("Change, or why not", 430))
SET, REMOVE, DELETE = range(3)
TYPES = ("S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M")
SAYS = "Nothing is written here. What the change does is shown first; then it is staged, and committed as any edit is."


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a grid that a change can be for."""

    selected: tuple[Item, ...]
    shown: tuple[Item, ...]
    """All that are loaded and pass the grid's filter."""
    whole: bool
    """Whether they have all attributes of their items: else these are read first."""
    is_filtered: bool


class BulkDialog(QDialog):
    """Used once. Show it with `open`."""

    commit_asked = Signal(object)
    """`Edit`s that are staged and to be committed now. The dialog is closed by then."""

    def __init__(
        self,
        table: TableInfo,
        rows: Rows,
        staging: Staging,
        tools: EditTools,
        runner: JobRunner,
        is_deletion: bool,
        window: QWidget | None = None,
    ) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._table, self._rows, self._staging, self._tools, self._runner = table, rows, staging, tools, runner
        self._job: Job | None = None
        self._tried: DryRun | None = None
        title = f"{'Delete' if is_deletion else 'Change'} rows of {visible(table.name)}"
        self.setWindowTitle(title)
        self.which = combo("For which rows")
        words = "rows that the filter shows" if rows.is_filtered else "loaded rows"
        self.which.addItem(f"{len(rows.selected):,} selected", rows.selected)
        self.which.addItem(f"All {len(rows.shown):,} {words}", rows.shown)
        self.which.setCurrentIndex(0 if rows.selected else 1)
        self.what = combo("What to do")
        for name in ("Set an attribute", "Remove an attribute", "Delete the items"):
            self.what.addItem(name)
        self.what.setCurrentIndex(DELETE if is_deletion else SET)
        self.attribute = field("Attribute", r"name, a.b within a map, a\.b for a dot in the name")
        self.kind = combo("Type of the value")
        for tag in TYPES:
            self.kind.addItem(TYPE_WORDS[tag], tag)
        self.value = field("Value")
        self._form = Form()
        self._form.add("Rows", self.which, "" if rows.whole else "Their whole items are read from the table first.")
        self._form.add("Do", self.what)
        self._attribute_row = self._form.add("Attribute", self.attribute)
        self._kind_row = self._form.add("Type", self.kind)
        self._value_row = self._form.add("Value", self.value, r"What cannot be seen is typed as \n, \t or \u00a0.")
        self.model = RowsModel(COLUMNS, self)
        self.grid = Grid()
        self.grid.setModel(self.model)
        dress_grid(self.grid, "What the change would do")
        for at, of in enumerate(COLUMNS):
            self.grid.setColumnWidth(at, px(of.width))
        self.grid.horizontalHeader().setStretchLastSection(True)
        self.grid.setMinimumHeight(5 * metrics().row)
        self.outcome = Outcome()
        self.note = Line("", "text2")
        self._noted = area(row(self.note, margins=(5, 0, 5, 0)), "window", "t", metrics().bar)
        self._noted.hide()
        self.cancel_button = button("Cancel", keys="Esc")
        self.try_button = button("Try", "beaker")
        self.stage_button = button("Stage", "check")
        self.commit_button = button("Stage and commit…", "save")
        self._arrange(title)
        self.what.currentIndexChanged.connect(self._asked_anew)
        self.which.currentIndexChanged.connect(self._asked_anew)
        self.kind.currentIndexChanged.connect(self._asked_anew)
        self.attribute.textChanged.connect(self._asked_anew)
        self.value.textChanged.connect(self._asked_anew)
        self.try_button.clicked.connect(self.try_out)
        self.stage_button.clicked.connect(self.stage)
        self.commit_button.clicked.connect(self.stage_and_commit)
        self.cancel_button.clicked.connect(self.reject)
        self._asked_anew()
        (self.try_button if is_deletion else self.attribute).setFocus()
        if is_deletion:
            self.try_out()

    def _arrange(self, title: str) -> None:
        word, glyph, solid, ink = STAGES[self._tools.profile.stage]
        heading = row(Text(title, size="title", weight="semibold"), None, Chip(word, glyph, solid, ink))
        head = area(column(heading, Text(SAYS, "text2", wrap=True), gap=1.5, margins=(5, 4, 5, 3)), "window", "b")
        foot = row(
            None, self.cancel_button, self.try_button, self.stage_button, self.commit_button,
            gap=2, margins=(5, 0, 5, 0),
        )  # fmt: skip
        parts = column(
            head, area(self._form), self.grid, self._noted, self.outcome,
            area(foot, "window", "t", metrics().control + 6 * metrics().unit), gap=0,
        )  # fmt: skip
        parts.setStretch(2, 1)
        self.setLayout(parts)
        room = self.screen().availableSize()
        self.resize(min(px(820), round(0.95 * room.width())), min(px(640), round(0.92 * room.height())))

    # -- what is asked

    @property
    def items(self) -> Sequence[Item]:
        return self._rows.selected if self.which.currentIndex() == 0 else self._rows.shown

    @property
    def tried(self) -> DryRun | None:
        """What the change as it stands would do; None as long as that was not tried."""
        return self._tried

    def _change(self) -> BulkChange | None:
        """None where a field has no value, which is said there."""
        do = self.what.currentIndex()
        if do == DELETE:
            return DeleteItems()
        path, value = None, None
        try:
            path = AttributePath.parse(self.attribute.text())
        except ValueError:
            self._attribute_row.show_problem(InvalidValue("An attribute has a name."))
        if do == REMOVE:
            return None if path is None else SetAttributes(remove=(path,))
        try:
            tag, text = str(self.kind.currentData()), self.value.text()
            value = String(unspelled(text)) if tag == "S" else typed_value(tag, text)
        except InvalidValue as problem:
            self._value_row.show_problem(problem)
        return None if path is None or value is None else SetAttributes({path: value})

    @Slot()
    def _asked_anew(self) -> None:
        """What was tried was for another change."""
        do = self.what.currentIndex()
        self._attribute_row.set_visible(do != DELETE)
        for one in (self._kind_row, self._value_row):
            one.set_visible(do == SET)
        self.value.setEnabled(self.kind.currentData() != "NULL")
        for one in (self._attribute_row, self._value_row):
            one.show_problem(None)
        if self._job is not None:
            self._job.cancel()
        self._tried = None
        self.model.set_rows([])
        self._noted.hide()
        self.outcome.clear()
        self._show_state()

    @Slot()
    def _show_state(self) -> None:
        why = self._tools.access.setting_refusal
        number = 0 if self._tried is None else len(self._tried.edits)
        self.try_button.setEnabled(bool(self.items) and self._job is None)
        self.try_button.setDefault(number == 0)
        for made in (self.stage_button, self.commit_button):
            made.setEnabled(number > 0 and not why)
            made.setToolTip(why)
        self.stage_button.setText(f"Stage {edits_words(number)}" if number else "Stage")
        self.stage_button.setAccessibleName(self.stage_button.text())
        self.stage_button.setDefault(number > 0)

    # -- dry run

    @Slot()
    def try_out(self) -> None:
        """Show what the change would do. Nothing is staged by it."""
        change = self._change()
        if change is None or not self.items:
            return
        self.outcome.show_running("Looking at each item…")
        staged = self._staging.of(self._table.name)
        work = partial(try_change, self._tools, self._table, self.items, staged, change, whole=self._rows.whole)
        self._job = self._runner.start(work, title=self.windowTitle(), done=self._show_tried, failed=self._failed)
        self._job.progressed.connect(self._progressed)
        self._job.ended.connect(self._ended)
        self._show_state()

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        if self.sender() is self._job:
            self.outcome.show_running(f"{progress.note} · {progress.done:,} of {len(self.items):,}")

    @Slot()
    def _ended(self) -> None:
        if self.sender() is self._job:
            self._job = None
        self._show_state()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        if self.sender() is self._job:
            self.outcome.show_error(error)

    @Slot(object)
    def _show_tried(self, tried: DryRun) -> None:
        job = self._job
        if job is None or self.sender() is not job or job.stopping:
            return
        self._tried = tried
        self.outcome.clear()
        self.model.set_rows([*map(_left_row, tried.left_out), *map(_edit_row, tried.edits)])
        gone = len(self.items) - len(tried.edits) - len(tried.left_out)
        words = [
            f"{len(tried.edits):,} {'deleted' if self.what.currentIndex() == DELETE else 'changed'}",
            f"{len(tried.left_out):,} left out",
        ]
        if gone > 0:
            words.append(f"{gone:,} not in the table any more, or chosen twice")
        self.note.set_text(f"{', '.join(words)} · {tried.units:,} WCU and what indexes take")
        self._noted.show()
        self._show_state()
        (self.stage_button if tried.edits else self.cancel_button).setFocus()

    # -- staged

    @Slot()
    def stage(self) -> None:
        self._stage()

    def _stage(self) -> tuple[Edit, ...]:
        """Those that are staged now. Where one could not be, the dialog stays and says why."""
        if self._tried is None:
            return ()
        edits = self._tried.edits
        left = self._staging.stage_all(edits)
        refused = {one.edit.identity for one in left}
        found = (self._staging.find(edit.table, edit.identity) for edit in edits if edit.identity not in refused)
        staged = tuple(edit for edit in found if edit is not None)
        if left:
            self._tried = None
            self._show_state()
            first = f"{left[0].edit.title}: {left[0].reason}"
            self.outcome.show_end("warning", f"{len(staged):,} staged, {len(left):,} not", visible(first))
        else:
            self.accept()
        return staged

    @Slot()
    def stage_and_commit(self) -> None:
        staged = self._stage()
        if staged and self.result() == QDialog.DialogCode.Accepted:
            self.commit_asked.emit(staged)

    def reject(self) -> None:
        if self._job is not None:
            self._job.cancel()
        super().reject()


def _edit_row(edit: Edit) -> Row:
    return Row((Cell(visible(edit.title), "key"), Cell(changes_words(edit), "S")), staged=edit.kind)


def _left_row(left: LeftOut) -> Row:
    why = visible(f"Left out: {left.reason}.")
    return Row((Cell(visible(left.title), "key"), Cell(why, "text", ink="warn")))
