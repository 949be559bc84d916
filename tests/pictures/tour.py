"""The way through the program, from the welcome page to SQL."""

from __future__ import annotations

from pathlib import Path

from dynodesk.ui import actions
from dynodesk.ui.main_window import MainWindow
from dynodesk.ui.pages.reconcile import ReconcilePage
from tests.helpers.driving import run_program
from tests.pictures import browsing, composing, editing, querying, reconciling
from tests.pictures.taking import SIZE, Camera, Steps


def tour(scheme: str, folder: str) -> int:
    """The status of the program, or 1 where the tour came to an end before its last picture."""
    ended = []

    def script(window: MainWindow) -> Steps:
        camera = Camera(window, Path(folder), scheme)
        window.action(actions.LIGHT_SCHEME if scheme == "light" else actions.DARK_SCHEME).trigger()
        window.resize(*SIZE)
        yield camera.idle
        yield from camera.still()
        camera.take("welcome")
        yield from browsing.side_by_side(camera)
        window.walk.step_asked.emit("sure")
        yield lambda: camera.shows(ReconcilePage)
        yield from reconciling.findings(camera)
        yield from reconciling.repairs(camera)
        yield from reconciling.rules(camera)
        window.walk.hide()
        yield from querying.sql(camera)
        yield from querying.partiql(camera)
        yield from browsing.filtered(camera)
        yield from browsing.details(camera)
        yield from composing.requests(camera)
        yield from composing.lesson(camera)
        yield from editing.staged(camera)
        yield from editing.committed(camera)
        yield from editing.lost_race(camera)
        ended.append(scheme)

    status = run_program(script, open_sandbox=False)
    return status if ended else 1
