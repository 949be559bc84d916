"""Sorting, filtering and grouping of what a pane has loaded: at once where it is little, else in a job."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from dynodesk.domain.loaded_rows import Arrangement, LoadedRows
from dynodesk.domain.progress import Ticket
from dynodesk.domain.row_choice import RowFilter, Sorting, Wish
from dynodesk.domain.row_order import arranged
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.models.collection_model import CollectionModel

AT_ONCE = 1_000
"""Rows that are arranged within a turn of the event loop: a few milliseconds."""

FREED_AT_ONCE = 20_000


@dataclass(frozen=True, eq=False)
class _Made:
    rows: LoadedRows
    wish: Wish
    lines: Arrangement


class RowArranger(QObject):
    """Brings the rows of a model into the order last wished for. The newest wish wins."""

    arranged = Signal()
    """The rows are as wished for."""

    def __init__(self, model: CollectionModel, runner: JobRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._model, self._runner = model, runner
        self._wish = model.rows.wish
        self._job: Job | None = None
        self._replaced: list[Arrangement] = []
        self._freeing = QTimer(self)
        self._freeing.setInterval(0)
        self._freeing.timeout.connect(self._free_some)

    @property
    def wish(self) -> Wish:
        """What the rows are, or will be when `busy` is over."""
        return self._wish

    @property
    def busy(self) -> bool:
        return self._job is not None

    def rows_replaced(self) -> None:
        """Other rows are shown, as they were left: whatever was on its way was for those before."""
        self._drop()
        self._wish = self._model.rows.wish

    def sort(self, sorting: Sorting | None) -> None:
        self._ask(replace(self._wish, sorting=sorting))

    def filter(self, row_filter: RowFilter | None) -> None:
        self._ask(replace(self._wish, filter=row_filter))

    def group(self, grouped: bool) -> None:
        if grouped != self._wish.grouped:
            self._ask(replace(self._wish, grouped=grouped))

    def sort_again(self) -> None:
        """Sort what has come since among the others."""
        if self._wish.sorting is not None:
            self._ask(self._wish)

    def arrange_again(self) -> None:
        """The rows hold other items by now."""
        self._ask(replace(self._wish))

    def _ask(self, wish: Wish) -> None:
        self._drop()
        self._wish = wish
        rows = self._model.rows
        if len(rows.entries) <= AT_ONCE:
            self._adopt(arranged(rows, wish, Ticket()))
            return
        self._job = self._runner.start(partial(_work, rows, wish), title="Arrange loaded rows", done=self._done)
        self._job.ended.connect(self._over)

    def _drop(self) -> None:
        if self._job is not None:
            self._job.ended.disconnect(self._over)
            self._job.cancel()
            self._job = None

    @Slot(object)
    def _done(self, made: _Made) -> None:
        if made.rows is self._model.rows and made.wish is self._wish:
            self._drop()
            self._adopt(made.lines)

    def _adopt(self, lines: Arrangement) -> None:
        if self._model.adopt(lines):
            self._replaced.append(lines)
            self._freeing.start()
            self.arranged.emit()
        else:  # something was folded or staged meanwhile
            self._ask(replace(self._wish))

    @Slot()
    def _free_some(self) -> None:
        """Of the lines that were shown before, in no hurry."""
        last = self._replaced[-1]
        del last.lines[-FREED_AT_ONCE:]
        for _ in range(min(AT_ONCE, len(last.collections))):
            last.collections.popitem()
        if not last.lines and not last.collections:
            self._replaced.pop()
            if not self._replaced:
                self._freeing.stop()

    @Slot()
    def _over(self) -> None:
        """Of a job that failed or was stopped."""
        self._job = None
        self._wish = self._model.rows.wish
        self.arranged.emit()


def _work(rows: LoadedRows, wish: Wish, ticket: Ticket) -> _Made:
    return _Made(rows, wish, arranged(rows, wish, ticket))
