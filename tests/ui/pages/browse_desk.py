"""What tests of both sides of a Browse page ask and do."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.collections import Collection, Entry
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.browse_pane import CollectionPane
from dynodesk.ui.theme import edge_mark


def settle(qtbot: QtBot, page: BrowsePage) -> None:
    """Wait until nothing is read or arranged, or waits to be."""
    panes = (page.left, page.right)
    qtbot.waitUntil(lambda: not page.links.busy and not any(p.feed.running or p.arranger.busy for p in panes))


def keys(page: BrowsePage, sequence: str) -> None:
    """To whatever has the focus."""
    focus: QWidget | None = page.focusWidget()
    assert focus is not None
    QTest.keySequence(focus, QKeySequence(sequence))


def rows(pane: CollectionPane) -> list[str]:
    """Headers in brackets, items by the text of their first column."""
    lines = pane.model.rows.lines
    return [
        f"[{line.title}]" if isinstance(line, Collection) else pane.model.index(row, 0).data()
        for row, line in enumerate(lines)
    ]


def key_of(entry: Entry | None) -> str:
    return "" if entry is None else "/".join(part[1:] for part in entry.identity)


def linked(pane: CollectionPane) -> str:
    return key_of(pane.model.linked_entry)


def click_arrow(qtbot: QtBot, page: BrowsePage, pane: CollectionPane, text: str) -> None:
    """On the row whose first column says `text`."""
    index = pane.model.index(rows(pane).index(text), 0)
    pane.grid.scrollTo(index)
    at = edge_mark(QRectF(pane.grid.visualRect(index))).center().toPoint()
    QTest.mouseClick(pane.grid.viewport(), Qt.MouseButton.LeftButton, pos=at)
    settle(qtbot, page)
