"""Copies selected rows to the clipboard: at once where they are few, else in a job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.item_copy import COPIED, CopyForm, items_text
from dynodesk.domain.progress import Ticket
from dynodesk.domain.values import Item
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.widgets.whole_text import whole

AT_ONCE = 200
"""Items that are written out within a turn of the event loop."""


@dataclass(frozen=True, slots=True)
class _Copy:
    items: Sequence[Item]
    form: CopyForm
    columns: Sequence[str]
    keys: Sequence[str]


class RowCopier(QObject):
    copied = Signal(str)
    """What was copied, in words."""
    refused = Signal(str)
    """Why it was not."""

    def __init__(self, runner: JobRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._runner = runner

    def copy(self, items: Sequence[Item], form: CopyForm, columns: Sequence[str], keys: Sequence[str]) -> None:
        """As `items_text` writes them."""
        if not items:
            return
        wanted = _Copy(items, form, columns, keys)
        if len(items) > AT_ONCE:
            self._runner.start(
                partial(_work, wanted), title=f"Copy {len(items):,} items", done=self._done, failed=self._failed
            )
            return
        try:
            text = _work(wanted, Ticket())
        except InvalidValue as problem:
            self._failed(problem)
        else:
            self._done(text)

    @Slot(object)
    def _done(self, result: tuple[_Copy, str]) -> None:
        wanted, text = result
        QGuiApplication.clipboard().setText(whole(text))
        count = len(wanted.items)
        self.copied.emit(f"copied {count:,} {'item' if count == 1 else 'items'} as {COPIED[wanted.form]}")

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        if isinstance(error, InvalidValue):
            self.refused.emit(f"not copied: {error}")
        else:
            self._runner.error_raised.emit(error)


def _work(wanted: _Copy, ticket: Ticket) -> tuple[_Copy, str]:
    return wanted, items_text(wanted.items, wanted.form, wanted.columns, wanted.keys, ticket)
