"""Reads all of an item before it is edited: a row of an index or of a projection has only some of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, Signal, Slot

from dynodesk.domain.collections import Entry
from dynodesk.domain.values import Item
from dynodesk.ui.jobs import Job

Then = Callable[[Item], object]


class Complete(Protocol):
    """Reads the whole item of a row from the base table, strongly consistent, in a job."""

    def __call__(
        self, entry: Entry, done: Callable[[Item | None], object], failed: Callable[[BaseException], object]
    ) -> Job: ...


class WholeItem(QObject):
    """One reading at a time. The answer goes to whoever asked last, and to nobody after `forget`."""

    failed = Signal(object)
    gone = Signal()
    """The base table has no such item."""

    def __init__(self, complete: Complete, parent: QObject) -> None:
        super().__init__(parent)
        self._complete = complete
        self._job: Job | None = None
        self._then: Then | None = None

    @property
    def is_reading(self) -> bool:
        return self._then is not None

    def read(self, entry: Entry, then: Then) -> None:
        self.forget()
        self._then = then
        self._job = self._complete(entry, self._done, self._failed)

    def forget(self) -> None:
        """Whatever is being read is not wanted any more."""
        if self._job is not None and self._then is not None:
            self._job.cancel()
        self._job = self._then = None

    @Slot(object)
    def _done(self, item: Item | None) -> None:
        if self.sender() is not self._job:
            return
        then, self._job, self._then = self._then, None, None
        if item is None:
            self.gone.emit()
        elif then is not None:
            then(item)

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        if self.sender() is self._job:
            self._job = self._then = None
            self.failed.emit(error)
