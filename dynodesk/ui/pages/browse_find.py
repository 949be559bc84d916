"""Find in page: searches the rows shown in a job, and walks from match to match."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from dynodesk.domain.collections import Line
from dynodesk.domain.find_rows import Matches, columns_with, find_in
from dynodesk.domain.progress import Ticket
from dynodesk.domain.text_search import Sought
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.pages.browse_bars import FindBar
from dynodesk.ui.pages.browse_grid import CollectionGrid

SETTLE_MS = 300
"""Rows must have stayed the same for so long before they are searched anew."""


class RowFinder(QObject):
    """Hides no rows and moves nothing but the current cell. Where the rows change, it searches again."""

    def __init__(self, grid: CollectionGrid, bar: FindBar, runner: JobRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._grid, self._model, self._bar, self._runner = grid, grid.collection_model, bar, runner
        self._sought: Sought | None = None
        self._matches = Matches()
        self._search: _Search | None = None
        self._step = 0
        """Where to go as soon as that is known: 1 on, -1 back."""
        self._partial = False
        self.is_stepping = False
        """Whether the row that becomes current is one that was found, passed on the way to others."""
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.setInterval(SETTLE_MS)
        self._settling.timeout.connect(self._start)
        for changed in (
            self._model.rowsInserted,
            self._model.rowsRemoved,
            self._model.modelReset,
            self._model.layoutChanged,
        ):
            changed.connect(self._rows_changed)
        grid.selectionModel().currentChanged.connect(self._show_count)
        bar.asked.connect(self._ask)
        bar.next_asked.connect(self.next)
        bar.previous_asked.connect(self.previous)

    @property
    def busy(self) -> bool:
        return self._search is not None or self._settling.isActive()

    @property
    def count(self) -> int:
        """Cells that hold what is sought, as far as it is known."""
        return self._matches.count

    def set_partial(self, is_partial: bool) -> None:
        """Whether there is more to read than is loaded."""
        self._partial = is_partial
        self._show_count()

    @Slot()
    def next(self) -> None:
        self._go(1)

    @Slot()
    def previous(self) -> None:
        self._go(-1)

    # -- searching

    @Slot(object)
    def _ask(self, sought: Sought | None) -> None:
        self._sought = sought
        self._model.set_sought(sought)
        self._drop()
        if sought is not None:
            self._start()
        self._step = 1 if sought is not None and not self._is_match() else 0
        self._show_count()

    @Slot()
    def _rows_changed(self) -> None:
        if self._sought is not None:
            self._drop()
            self._settling.start()
            self._show_count()

    def _drop(self) -> None:
        self._settling.stop()
        self._matches, self._step = Matches(), 0
        if self._search is not None:
            self._search.cancel()
            self._search = None

    @Slot()
    def _start(self) -> None:
        if self._sought is None:
            return
        self._drop()
        search = self._search = _Search(self._runner)
        search.found.connect(self._take)
        search.ended.connect(self._over)
        search.start(self._model.rows.lines, self._sought, self._model.columns)

    @Slot(object, object)
    def _take(self, search: _Search, found: Matches) -> None:
        if search is self._search:
            self._matches.add(found)
            self._try_step()
            self._show_count()

    @Slot(object)
    def _over(self, search: _Search) -> None:
        if search is self._search:
            self._search = None
            self._try_step()
            self._step = 0
            self._show_count()

    # -- going there

    def _go(self, step: int) -> None:
        if self._sought is None:
            return
        if self._settling.isActive():
            self._start()
        self._step = step
        self._try_step()

    def _try_step(self) -> None:
        """Go where the step leads, unless what is there has not been searched yet."""
        if not self._step:
            return
        index, columns = self._grid.currentIndex(), self._model.columns
        row, column = index.row(), index.column()
        within = self._columns_of(row)
        beyond = [at for at in within if (at > column if self._step > 0 else at < column)]
        if row >= 0 and beyond:
            target, at = row, beyond[0] if self._step > 0 else beyond[-1]
        else:
            found = self._matches.after(row) if self._step > 0 else self._matches.above(row)
            wraps = found is not None and (found <= row if self._step > 0 else found >= row)
            if found is None or (self._search is not None and (wraps or self._step < 0)):
                return
            target = found
            in_row = columns_with(self._model.rows.lines[target], self._sought, columns) if self._sought else [0]
            at = in_row[0] if self._step > 0 else in_row[-1]
        self._step = 0
        self.is_stepping = True
        self._grid.go_to(target, at)
        self.is_stepping = False

    def _columns_of(self, row: int) -> list[int]:
        lines = self._model.rows.lines
        if self._sought is None or not 0 <= row < len(lines):
            return []
        return columns_with(lines[row], self._sought, self._model.columns)

    def _is_match(self) -> bool:
        index = self._grid.currentIndex()
        return index.column() in self._columns_of(index.row())

    @Slot()
    def _show_count(self) -> None:
        self._bar.count.set_text(self._words())

    def _words(self) -> str:
        if self._sought is None:
            return ""
        index = self._grid.currentIndex()
        within = self._columns_of(index.row())
        total = f"{self.count:,} {'match' if self.count == 1 else 'matches'}"
        if self.busy:
            return f"{total} so far"
        if index.column() in within and self._matches.has(index.row()):
            place = self._matches.before(index.row()) + within.index(index.column()) + 1
            total = f"{place:,} of {self.count:,}"
        return f"{total}{', loaded rows only' if self._partial else ''}"


class _Search(QObject):
    """The way of one search's parts to the GUI thread. Lives as long as its job: a worker may emit at any time."""

    found = Signal(object, object)
    ended = Signal(object)

    def __init__(self, runner: JobRunner) -> None:
        super().__init__(runner)
        self._runner = runner
        self._job: Job | None = None

    def start(self, lines: Sequence[Line], sought: Sought, columns: Sequence[str]) -> None:
        work = partial(self._work, lines, sought, columns)
        self._job = self._runner.start(work, title="Find in loaded rows", done=self._done)
        self._job.ended.connect(self._job_ended)

    def _work(self, lines: Sequence[Line], sought: Sought, columns: Sequence[str], ticket: Ticket) -> None:
        """On the worker's thread."""
        for part in find_in(lines, sought, columns, ticket):
            self.found.emit(self, part)

    def cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    @Slot(object)
    def _done(self, _nothing: object) -> None:
        """All parts are on their way, before the end."""

    @Slot()
    def _job_ended(self) -> None:
        self._job = None  # it deletes itself
        self.ended.emit(self)
        self.deleteLater()
