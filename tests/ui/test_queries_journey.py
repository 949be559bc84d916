"""What was asked is found, run again and named by keys, and is there after the program was ended: in processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from dynodesk.ui.dialogs.queries import QueriesDialog
from dynodesk.ui.main_window import MainWindow
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.partiql import PartiqlPage
from dynodesk.ui.shell import SANDBOX
from tests.helpers.driving import run_program

ROOT = Path(__file__).resolve().parent.parent.parent
Steps = Generator[Callable[[], object], None, None]


def idle(window: MainWindow) -> bool:
    return not window.status.jobs


def opened(window: MainWindow) -> QueriesDialog | None:
    return next((dialog for dialog in window.findChildren(QueriesDialog) if dialog.isVisible()), None)


def press(widget: QWidget, keys: str) -> None:
    QTest.keySequence(widget, QKeySequence(keys))


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def browse_page(window: MainWindow) -> BrowsePage | None:
    page = window.tabs.current
    return page if isinstance(page, BrowsePage) else None


def to_the_sandbox(window: MainWindow) -> Steps:
    window.open_sandbox()
    yield lambda: browse_page(window) is not None and idle(window)


def first(window: MainWindow) -> Steps:
    """Two queries by the form and a statement; the first is run again and saved."""
    yield from to_the_sandbox(window)
    page = browse_page(window)
    assert page is not None
    for key in ("USER#7c20", "POST#a91f"):
        page.form.partition[0].setText(key)
        press(page.form.partition[0], "Ctrl+Return")
        yield lambda: idle(window)
    press(window, "Ctrl+Shift+P")
    yield lambda: isinstance(window.tabs.current, PartiqlPage) and idle(window)
    partiql = window.tabs.current
    assert isinstance(partiql, PartiqlPage)
    QTest.keyClicks(partiql.editor, "SELECT * FROM Social WHERE PK = 'USER#7c20' ")
    press(partiql.editor, "Ctrl+Return")
    yield lambda: partiql.pane.reading is not None and not partiql.pane.feed.running and idle(window)
    say("statement", partiql.pane.reading.count if partiql.pane.reading else 0)
    press(window, "Ctrl+Shift+Q")
    yield lambda: opened(window) is not None
    dialog = opened(window)
    assert dialog is not None
    QTest.keyClicks(dialog.search, "query 7c20")
    QTest.keyClick(dialog.search, Qt.Key.Key_Return)
    yield lambda: browse_page(window) is page and idle(window)
    window.activateWindow()  # where there is no window manager, nobody else does
    yield window.isActiveWindow
    say("again", page.form.partition[0].text(), page.windowTitle())
    press(window, "Ctrl+Shift+D")
    yield lambda: opened(window) is not None
    dialog = opened(window)
    assert dialog is not None
    QTest.keyClicks(dialog.name, "My user")
    QTest.keyClick(dialog.name, Qt.Key.Key_Return)
    yield lambda: idle(window)
    dialog.reject()


def second(window: MainWindow) -> Steps:
    """In a new process: all of it is there, and the statement runs again."""
    window.open_sandbox()
    yield lambda: window.sessions.workspace(SANDBOX) is not None and idle(window)
    window.activateWindow()
    yield window.isActiveWindow
    press(window, "Ctrl+Shift+Q")
    yield lambda: opened(window) is not None and idle(window)
    dialog = opened(window)
    assert dialog is not None
    rows = range(dialog.model.rowCount())
    say("kept", "|".join(dialog.model.index(row, 3).data() for row in rows))
    say("named", dialog.model.index(0, 0).data())
    QTest.keyClicks(dialog.search, "partiql")
    QTest.keyClick(dialog.search, Qt.Key.Key_Return)
    yield lambda: isinstance(window.tabs.current, PartiqlPage) and idle(window)
    partiql = window.tabs.current
    assert isinstance(partiql, PartiqlPage)
    yield lambda: partiql.pane.reading is not None and not partiql.pane.feed.running and idle(window)
    say("statement", partiql.editor.toPlainText().strip(), partiql.pane.reading.count if partiql.pane.reading else 0)


def run(part: str, home: Path) -> list[str]:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.ui.test_queries_journey", part],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "DYNODESK_HOME": str(home)},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    assert "did not come" not in ended.stderr
    return ended.stdout.splitlines()


@pytest.mark.slow
def test_what_was_asked_outlives_the_program(tmp_path: Path) -> None:
    statement = "SELECT * FROM Social WHERE PK = 'USER#7c20'"
    found, again = run("first", tmp_path)
    assert found.startswith("statement ")
    assert int(found.split()[-1]) > 0
    assert again == "again USER#7c20 Social: USER#7c20"
    assert run("second", tmp_path) == [
        f"kept PK = USER#7c20|PK = USER#7c20|{statement}|PK = POST#a91f",
        "named My user",
        f"statement {statement} {found.split()[-1]}",
    ]


if __name__ == "__main__":
    sys.exit(run_program(first if sys.argv[1] == "first" else second, open_sandbox=False))
