"""Makes the pictures of the README from the real program: `python -m tests.pictures [folder]`.

Each scheme is a process of its own, off screen, at 1440 × 900, with settings and keyring of nobody.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynodesk.ui.main_window import MainWindow

FOLDER = Path(__file__).resolve().parents[1] / "packaging/pictures"
SIZE = (1440, 900)


def make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for scheme in ("light", "dark"):
        with tempfile.TemporaryDirectory() as home:
            subprocess.run(
                [sys.executable, "-m", "tests.pictures", "--scheme", scheme, str(folder)],
                env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "DYNODESK_HOME": home},
                check=True,
            )


def tour(scheme: str, folder: Path) -> int:
    from PySide6.QtCore import Qt  # noqa: PLC0415  (only the inner process has a window)
    from PySide6.QtTest import QTest  # noqa: PLC0415

    from dynodesk.ui import actions  # noqa: PLC0415
    from dynodesk.ui.pages.browse import BrowsePage  # noqa: PLC0415
    from dynodesk.ui.pages.reconcile import ReconcilePage  # noqa: PLC0415
    from dynodesk.ui.pages.sql import SqlPage  # noqa: PLC0415
    from dynodesk.ui.pages.sql_queries import READY  # noqa: PLC0415
    from tests.helpers.driving import run_program  # noqa: PLC0415

    def script(window: MainWindow) -> Generator[Callable[[], object], None, None]:
        window.action(actions.LIGHT_SCHEME if scheme == "light" else actions.DARK_SCHEME).trigger()
        window.resize(*SIZE)
        yield lambda: not window.status.jobs
        yield from _still()
        window.grab().save(str(folder / f"welcome-{scheme}.png"))

        window.action(actions.OPEN_SANDBOX).trigger()
        yield lambda: isinstance(window.tabs.current, BrowsePage) and not window.status.jobs
        window.action(actions.WALK).trigger()
        yield from _still()
        browse = window.tabs.current
        assert isinstance(browse, BrowsePage)
        grid = browse.left.grid
        (like,) = grid.model().match(grid.model().index(0, 0), Qt.ItemDataRole.DisplayRole, "LIKE#USER#7c20")
        grid.scrollTo(like)
        QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=grid.visualRect(like).center())
        yield lambda: not window.status.jobs
        yield from _still()
        window.grab().save(str(folder / f"browse-{scheme}.png"))

        window.walk.step_asked.emit("sure")
        yield lambda: isinstance(window.tabs.current, ReconcilePage) and not window.status.jobs
        reconcile = window.tabs.current
        assert isinstance(reconcile, ReconcilePage)
        reconcile.run_action.trigger()
        yield lambda: reconcile.run_action.text() == "Run again" and not window.status.jobs
        yield from _still()
        window.grab().save(str(folder / f"reconcile-{scheme}.png"))

        window.walk.hide()
        window.action(actions.SQL).trigger()
        sql = window.tabs.current
        assert isinstance(sql, SqlPage)
        yield lambda: not window.status.jobs
        sql.load_table("Social")
        yield lambda: not window.status.jobs
        sql.form.load_button.click()
        yield lambda: not window.status.jobs
        sql.editor.clear()
        sql.sets.query_asked.emit(READY[0])
        yield lambda: not window.status.jobs
        sql.run_action.trigger()
        yield lambda: not window.status.jobs
        sql.result.chart_action.trigger()
        sql.result.grid.setFocus()
        yield from _still()
        window.grab().save(str(folder / f"sql-{scheme}.png"))

    return run_program(script, open_sandbox=False)


def _still() -> Generator[Callable[[], object], None, None]:
    """A few turns of the event loop, so that everything is laid out and painted."""
    for _ in range(15):
        yield lambda: True


if __name__ == "__main__":
    if sys.argv[1:2] == ["--scheme"]:
        sys.exit(tour(sys.argv[2], Path(sys.argv[3])))
    make(Path(sys.argv[1]) if sys.argv[1:] else FOLDER)
