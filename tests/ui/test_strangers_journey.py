"""A stranger's first hour: nothing is on the computer, then keys, a look, one number changed, and a restart.

The program itself, in processes of its own, by clicks and keys, with a desktop's keyring and home where it always is.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import traceback
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QWidget

from dynodesk.ui.dialogs.allow_writes import AllowWritesDialog
from dynodesk.ui.dialogs.commit import CommitDialog
from dynodesk.ui.dialogs.connect import ConnectDialog
from dynodesk.ui.dialogs.draft import Field
from dynodesk.ui.dialogs.journal import JournalDialog
from dynodesk.ui.main_window import MainWindow
from dynodesk.ui.models.table_tree import Place, TableTree
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.widgets.connection_bar import ConnectionBar
from tests.aws.tables import make_table, plain_client, unique
from tests.helpers.driving import run_program
from tests.store.test_keyring_service import PASSWORD, ROOT, Machine
from tests.ui.pages.test_requests_journey import Journey
from tests.ui.walking import Steps

NAME = "shop"
KEY_ID = "AKIASTRANGERSTRANGER"
SECRET = "strangerSECRETstranger/stranger+01234567"
KEY = {"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}}
ITEM: dict[str, Any] = {**KEY, "likeTally": {"N": "41"}, "title": {"S": "Harbour walk"}}
BAR = f"Connection {NAME}, PRODUCTION, "


class Stranger(Journey):
    """Somebody who has the address of an endpoint, keys for it, and the name of a table."""

    def __init__(self, window: MainWindow, endpoint: str, table: str) -> None:
        super().__init__(window)
        self.endpoint, self.table = endpoint, table

    @property
    def client(self) -> Any:
        return plain_client(self.endpoint)

    @property
    def bar(self) -> str:
        """What is said of the connection in use."""
        (bar,) = [bar for bar in self.window.findChildren(ConnectionBar) if bar.isVisible()]
        return bar.accessibleName()

    def tick(self, box: QAbstractButton) -> Steps:
        """On the mark: what is beside the words belongs to the box and takes no click."""
        QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(box.height() // 2, box.height() // 2))
        yield from self.settle()
        assert box.isChecked()

    def first_hour(self) -> Steps:
        yield from self.settle()
        assert not self.window.sessions.keys()
        assert self.window.welcome.keyring == "Keyring found: Secret Service, unlocked."
        yield from self.connect()
        yield from self.look()
        yield from self.edit()
        yield from self.commit()
        yield from self.read_journal()

    def after_a_restart(self) -> Steps:
        yield self.shows(BrowsePage)
        yield from self.settle()
        assert self.bar == BAR + "Read-only"
        yield from self.edit("43")
        yield from self.press("Ctrl+S")
        yield self.asks(CommitDialog)
        dialog = self.dialog(CommitDialog)
        self.expect_refusal(dialog)
        yield from self.click(dialog.cancel_button)
        assert self.stored(KEY) == {**ITEM, "likeTally": {"N": "42"}}

    def connect(self) -> Steps:
        yield from self.click(button(self.window.welcome, "Connect to an endpoint"))
        yield self.asks(ConnectDialog)
        dialog = self.dialog(ConnectDialog)
        self.type(dialog.edits["address"], self.endpoint)
        yield from self.tick(dialog.sources["keys"])
        typed: dict[Field, str] = {"access_key_id": KEY_ID, "secret_access_key": SECRET, "name": NAME}
        for name, text in typed.items():
            self.type(dialog.edits[name], text)
        self.choose(dialog.stage, "Production")
        yield from self.tick(dialog.writes)
        yield from self.click(dialog.connect_button)
        yield lambda: self.window.sessions.keys() and self.idle()
        assert not self.open_dialogs()

    def look(self) -> Steps:
        (connection,) = self.window.sessions.keys()
        tree, place = self.window.navigator.tree, Place("table", connection, self.table)
        model = tree.model()
        assert isinstance(model, TableTree)
        yield partial(self.lists, model, place)
        tree.scrollTo(model.find(place))
        at = tree.visualRect(model.find(place)).center()
        QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=at)
        QTest.mouseDClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=at)
        yield self.shows(BrowsePage)
        yield from self.settle()
        assert self.bar == BAR + "Read-only"

    def edit(self, number: str = "42") -> Steps:
        """The only item there is: F2, down to the number, another one, staged."""
        keys, page = self.keys, self.page(BrowsePage)
        model, grid, inspector = page.left.model, page.left.grid, page.inspector
        cells = [model.index(row, column) for row in range(model.rowCount()) for column in range(model.columnCount())]
        (cell,) = [cell for cell in cells if cell.data() == "META"]
        QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=grid.visualRect(cell).center())
        yield from self.settle()
        assert self.current_key() == "POST#a91f/META", [cell.data() for cell in cells]
        keys.press("F2")
        yield lambda: inspector.is_editing
        yield from self.settle()
        keys.tab_to(inspector.tree)
        keys.choose("Home", lambda: inspector.tree.currentIndex().row() == 0)
        keys.choose("Down", lambda: inspector.editor.model.node(inspector.tree.currentIndex()).name == "likeTally")
        keys.press("F2", "Ctrl+A")
        keys.type(number)
        keys.press("Return")
        yield lambda: inspector.is_changed and not inspector.is_judging
        yield from self.settle()
        keys.press("Ctrl+Return")
        yield lambda: not inspector.is_editing
        yield from self.settle()
        assert self.staged() == ["edited"]

    def expect_refusal(self, dialog: CommitDialog) -> QAbstractButton:
        """What leads on from it."""
        assert not dialog.go_button.isEnabled()
        assert f"The connection {NAME} is read-only now." in dialog.refusal
        return button(dialog, "Allow writes…")

    def commit(self) -> Steps:
        """Refused; allowed by the connection's name; then done by the table's."""
        yield from self.press("Ctrl+S")
        yield self.asks(CommitDialog)
        dialog = self.dialog(CommitDialog)
        yield from self.click(self.expect_refusal(dialog))
        yield self.asks(AllowWritesDialog)
        allowing = self.dialog(AllowWritesDialog)
        self.type(allowing.approval.field, self.table)
        assert not allowing.allow_button.isEnabled()
        self.type(allowing.approval.field, NAME)
        yield from self.click(allowing.allow_button)
        yield lambda: self.bar.startswith(BAR + "Writes allowed, until ")  # the bar looks once a second
        assert not dialog.go_button.isEnabled()
        self.type(dialog.approval.field, self.table)
        assert self.stored(KEY) == ITEM  # nothing was written so far
        yield from self.click(dialog.go_button)
        yield lambda: dialog.state == "over" and self.idle()
        assert self.stored(KEY) == {**ITEM, "likeTally": {"N": "42"}}
        yield from self.click(dialog.cancel_button)
        assert self.staged() == []

    def read_journal(self) -> Steps:
        yield from self.press("Ctrl+J")
        yield self.asks(JournalDialog)
        journal = self.dialog(JournalDialog)
        assert journal.model.rowCount() == 1
        told = [str(journal.model.index(0, column).data()) for column in (1, 2, 3, 4, 5)]
        print(json.dumps(told))  # noqa: T201  (read by the test)
        yield from self.click(journal.close_button)


def button(within: QWidget, words: str) -> QAbstractButton:
    (found,) = [
        one
        for one in within.findChildren(QAbstractButton)
        if one.isVisible() and (one.text() or one.accessibleName()).startswith(words)
    ]
    return found


def walk(part: str, endpoint: str, table: str) -> int:
    """In a D-Bus session of its own, which ends with it."""
    subprocess.run(
        ["gnome-keyring-daemon", "--unlock", "--components=secrets"],
        input=PASSWORD.encode(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )

    def script(window: MainWindow) -> Steps:
        try:
            yield from getattr(Stranger(window, endpoint, table), part)()
        except Exception:
            traceback.print_exc()
            raise
        print("done")  # noqa: T201  (read by the test)

    return run_program(script, open_sandbox=False)


def walked(machine: Machine, *walk: str) -> list[str]:
    """What the walk printed."""
    ran = subprocess.run(
        ["dbus-run-session", "--", sys.executable, "-m", "tests.ui.test_strangers_journey", *walk],
        cwd=ROOT,
        env=machine.environment,
        capture_output=True,
        encoding="utf-8",
        timeout=180,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.endswith("done\n"), ran.stderr
    return ran.stdout.splitlines()[:-1]


@pytest.mark.gui
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the Secret Service is Linux's")
def test_a_stranger_connects_looks_changes_a_number_and_comes_back(ministack: str) -> None:
    client: Any = plain_client(ministack)
    table = make_table(client, [ITEM], name=unique("Social"))
    # the address of a socket may have 107 bytes, and pytest's own folders are deep
    with tempfile.TemporaryDirectory(prefix="dynodesk-") as folder:
        machine = Machine(Path(folder))
        del machine.environment["DYNODESK_HOME"]
        machine.environment["QT_QPA_PLATFORM"] = "offscreen"
        for part in ("config", "data", "state", "cache"):
            machine.environment[f"XDG_{part.upper()}_HOME"] = str(machine.folder / "home" / part)
        (written,) = walked(machine, "first_hour", ministack, table)
        assert json.loads(written) == ["edit", table, "POST#a91f / META", "likeTally 41 → 42", "applied"]
        ((profile, kept),) = machine.session(("load", None))
        assert (profile["name"], profile["stage"], profile["read_only"]) == (NAME, "production", False)
        assert kept == {"access_key_id": KEY_ID, "secret_access_key": SECRET, "session_token": ""}
        assert walked(machine, "after_a_restart", ministack, table) == []
        assert machine.files_with(profile["secret"]), "the search finds nothing at all"
        for canary in (KEY_ID, SECRET):
            assert machine.files_with(canary) == []
        assert client.get_item(TableName=table, Key=KEY)["Item"] == {**ITEM, "likeTally": {"N": "42"}}


if __name__ == "__main__":
    sys.exit(walk(*sys.argv[1:]))
