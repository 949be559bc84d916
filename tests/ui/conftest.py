"""Every test of the window starts from the same look, whatever scheme the one before it chose."""

import pytest
from PySide6.QtWidgets import QApplication

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
