"""Every test of the window starts from the same look, whatever scheme the one before it chose."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from dynodesk.ui import theme

POINT_SIZE = 9.75


@pytest.fixture(scope="session")
def dressed_application(qapp: QApplication) -> QApplication:
    theme.apply(qapp, theme.LIGHT, POINT_SIZE)
    return qapp


@pytest.fixture(autouse=True)
def light_scheme(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("gui"):
        application: QApplication = request.getfixturevalue("dressed_application")
        application.setPalette(theme.palette_of(theme.LIGHT))


@pytest.fixture(autouse=True)
def windows_outlive_their_test(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is handed to `qtbot` is held until it has been closed.

    It holds nothing itself. A window that only refers to itself could be collected while it paints, between the end of
    its test and its closing. A dialog that deletes itself when it is closed is to be gone then, and is not held.
    """
    if "qtbot" not in request.fixturenames:
        yield
        return
    qtbot: Any = request.getfixturevalue("qtbot")
    held: list[object] = []
    add_widget = qtbot.addWidget

    def let_go(widget: QWidget) -> None:
        held[:] = [one for one in held if one is not widget]

    def add_and_hold(widget: QWidget, **more: object) -> None:
        if not widget.testAttribute(Qt.WidgetAttribute.WA_DeleteOnClose):
            held.append(widget)
            widget.destroyed.connect(lambda: let_go(widget))  # one that is deleted by its test is closed by nobody
        add_widget(widget, **more)

    monkeypatch.setattr(qtbot, "addWidget", add_and_hold)
    yield
    held.clear()
