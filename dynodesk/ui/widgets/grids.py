"""The look of a grid: fixed rows, hairlines painted by the delegate, a caption-sized header."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView

from dynodesk.ui.theme import GridDelegate, focus_ring, metrics, tokens, ui_font


class Grid(QTableView):
    """Shows that it has the focus where no cell can, as there is none."""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus() and not self.currentIndex().isValid():
            box = QRectF(self.viewport().rect()).adjusted(1, 1, -1, -1)
            focus_ring(QPainter(self.viewport()), box, tokens(), 2)


def dress_grid(view: QTableView, name: str) -> None:
    """Call before or after the model is set; column widths are the caller's."""
    view.setItemDelegate(GridDelegate(view))
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setAccessibleName(name)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setTabKeyNavigation(False)  # Tab leaves the grid, arrow keys move in it
    rows = view.verticalHeader()
    rows.hide()
    rows.setMinimumSectionSize(metrics().row)  # first, or Qt keeps its own 30 pixels
    rows.setDefaultSectionSize(metrics().row)
    rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    head = view.horizontalHeader()
    head.setFont(ui_font("caption", "medium"))
    head.setHighlightSections(False)
    head.setFixedHeight(metrics().bar - 3)
