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
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from PySide6.QtWidgets import QDialog, QWidget

    from dynodesk.ui.main_window import MainWindow
    from dynodesk.ui.pages.reconcile import ReconcilePage

    AnyDialog = TypeVar("AnyDialog", bound=QDialog)

FOLDER = Path(__file__).resolve().parents[1] / "packaging/pictures"
SIZE = (1440, 900)
DIALOG = (920, 660)
CHOSEN = ("POST#a91f", "POST#0c4e", "POST#5d19", "POST#c7a2", "POST#91d4", "POST#77b0")
"""Collections with drift in them."""


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

        yield from _repair(window, reconcile, folder, scheme)
        window.walk.hide()
        window.action(actions.SQL).trigger()
        yield lambda: isinstance(window.tabs.current, SqlPage)
        sql = window.tabs.current
        assert isinstance(sql, SqlPage)
        yield lambda: not window.status.jobs
        for name in ("sql", "sql-partial"):
            sql.load_table("Social")
            yield lambda: not window.status.jobs
            if name == "sql-partial":  # a budget that ends before the last of the chosen collections
                sql.form.of_collections.setChecked(True)
                sql.form.lines.edit.setPlainText("\n".join(CHOSEN))
                sql.form.segments.setCurrentIndex(0)
                sql.form.budget.setText("4")
            sql.form.load_button.click()
            yield lambda: not window.status.jobs
            sql.editor.clear()
            sql.sets.query_asked.emit(READY[0])
            yield lambda: not window.status.jobs
            sql.run_action.trigger()
            yield lambda: not window.status.jobs
            if not sql.result.chart.isVisible():
                sql.result.chart_action.trigger()
            sql.result.grid.setFocus()
            yield from _still()
            window.grab().save(str(folder / f"{name}-{scheme}.png"))

    return run_program(script, open_sandbox=False)


def _repair(
    window: MainWindow, page: ReconcilePage, folder: Path, scheme: str
) -> Generator[Callable[[], object], None, None]:
    """Rules being edited, rules proposed, a plan approved, applied and taken back, and the journal of it."""
    from PySide6.QtWidgets import QDialog  # noqa: PLC0415

    from dynodesk.ui.dialogs.journal import JournalDialog  # noqa: PLC0415
    from dynodesk.ui.dialogs.repair import RepairDialog  # noqa: PLC0415
    from dynodesk.ui.dialogs.suggest import SuggestDialog  # noqa: PLC0415
    from dynodesk.ui.dialogs.undo import UndoDialog  # noqa: PLC0415

    def take(seen: QWidget, name: str) -> None:
        seen.grab().save(str(folder / f"{name}-{scheme}.png"))

    def opened(kind: type[AnyDialog]) -> AnyDialog:
        dialog = next(dialog for dialog in window.findChildren(kind) if dialog.isVisible())
        dialog.resize(*DIALOG)  # off screen the screen is small
        return dialog

    def idle() -> bool:
        return not window.status.jobs

    def shown() -> bool:
        return idle() and any(dialog.isVisible() for dialog in window.findChildren(QDialog))

    page.results.grid.selectAll()
    page.repairs.plan_action.trigger()
    yield shown
    repairing = opened(RepairDialog)
    repairing.approval.was_read.click()
    repairing.approval.field.setText("Social")
    yield from _still()
    take(repairing, "repair")
    repairing.go_button.click()
    yield lambda: repairing.state == "over"
    yield from _still()
    take(repairing, "repaired")
    repairing.undo_button.click()
    yield shown
    undoing = opened(UndoDialog)
    undoing.approval.field.setText("Social")
    undoing.go_button.click()
    yield lambda: undoing.state == "over"
    undoing.reject()
    page.repairs.journal_action.trigger()
    yield shown
    journal = opened(JournalDialog)
    journal.verify_button.click()
    yield idle
    yield from _still()
    take(journal, "journal")
    journal.reject()

    page.rules.suggest_action.trigger()
    yield shown
    suggesting = opened(SuggestDialog)
    suggesting.look_button.click()
    yield idle
    yield from _still()
    take(suggesting, "suggest")
    suggesting.reject()
    page.rules.edit_action.trigger()
    yield lambda: page.editor.checked is not None
    page.editor.text.go_to(9)
    yield from _still()
    take(window, "rules")
    page.editor.close_button.click()


def _still() -> Generator[Callable[[], object], None, None]:
    """A few turns of the event loop, so that everything is laid out and painted."""
    for _ in range(15):
        yield lambda: True


if __name__ == "__main__":
    if sys.argv[1:2] == ["--scheme"]:
        sys.exit(tour(sys.argv[2], Path(sys.argv[3])))
    make(Path(sys.argv[1]) if sys.argv[1:] else FOLDER)
