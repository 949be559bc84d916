"""Text that moves while work runs must not move what is around it: each time, all of the window would be laid out."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from dynodesk.ui.pages.browse_parts import ShortText
from dynodesk.ui.widgets.layouts import row
from dynodesk.ui.widgets.lines import Line, Lines


class _Around(QWidget):
    """Counts how often its layout was asked to be made anew."""

    asked = 0

    def event(self, event: QEvent) -> bool:
        self.asked += event.type() is QEvent.Type.LayoutRequest
        return super().event(event)


@pytest.mark.gui
@pytest.mark.parametrize(
    "made", [lambda: Line(stretch=False), lambda: Lines(3), ShortText], ids=["line", "lines", "short"]
)
def test_a_number_that_moves_lays_out_nothing_anew(qtbot: QtBot, made: object) -> None:
    assert callable(made)
    text, window = made(), _Around()
    window.setLayout(row(text, None))
    qtbot.addWidget(window)
    text.set_text("Loading Social: 111,111 items")
    window.show()
    qtbot.wait(20)
    window.asked = 0

    for items in range(0, 1_000_000, 33_333):
        text.set_text(f"Loading Social: {items:07,d} items")
        qtbot.wait(1)

    assert text.text == text.accessibleName() == "Loading Social: 999,990 items"
    assert window.asked <= 2  # not for each of the thirty


@pytest.mark.gui
def test_longer_text_gets_the_room_it_needs(qtbot: QtBot) -> None:
    line, window = Line("short", stretch=False), QWidget()
    window.setLayout(row(line, None))
    qtbot.addWidget(window)
    window.resize(600, 40)
    window.show()
    line.set_text("a much longer text than there was before, as jobs have")
    qtbot.waitUntil(lambda: line.width() >= line.fontMetrics().horizontalAdvance(line.text))
