"""Through the window on a saved connection: on each page every action is taken and every button pressed, and every
button of every dialog that comes of it."""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QApplication, QCheckBox, QDialog, QFileDialog, QLineEdit, QWidget
from shiboken6 import isValid

from dynodesk.domain.actions import DeleteAction, PutAction, SingleWrite, TransactWrite
from dynodesk.domain.composition import draft_of
from dynodesk.domain.values import String
from dynodesk.ui import actions as act
from dynodesk.ui.dialogs.approval import Approval
from dynodesk.ui.main_window import MainWindow
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.compose import ComposePage
from dynodesk.ui.pages.partiql import PartiqlPage
from dynodesk.ui.pages.reconcile import ReconcilePage
from dynodesk.ui.pages.sql import SqlPage
from dynodesk.ui.pages.table_details import TableDetailsPage
from dynodesk.ui.shell import Workspace
from tests.helpers.driving import run_program
from tests.ui.walking import Steps, Walker

CONNECTION = "0123456789abcdef"
PARTS = ("browse", "compose", "partiql", "details", "sql", "reconcile")
RULES = """\
version = 1
[[tally]]
name = "post likes"
table = "Social"
parent = { PK = "POST#{post}", SK = "META" }
attribute = "likeTally"
children = { PK = "POST#{post}", SK = "LIKE#{user}" }
version = "rev"
settle = "0s"
wait = "0s"
"""
KEY = {"PK": String("POST#a91f"), "SK": String("LIKE#WALK")}
LEFT_OUT = {
    action.id
    for action in (
        *(act.QUIT, act.CLOSE_TAB, act.DISCONNECT, act.FORGET, act.CHANGE, act.STOP, act.ABOUT, act.COLLAPSE),
        *(act.OPEN_SANDBOX, act.CONNECT_AWS, act.CONNECT_ENDPOINT, act.WALK, act.LESSON, act.BACK, act.FORWARD),
        *(act.FOLLOW_SYSTEM, act.LIGHT_SCHEME, act.DARK_SCHEME, act.FIND, act.FILTER_TABLES, act.OPEN_NAMED),
        *(act.NEW_TAB, act.OPEN_TABLE, act.PARTIQL, act.SQL, act.RECONCILE, act.TABLE_DETAILS, act.NEW_REQUEST),
        *(act.LOAD_INTO_SQL, act.DELETE_TABLE),
    )
}
"""Those of the frame that leave the page, or have nothing to do with a table."""
LEAVE = {"Cancel", "Close", "Start", "Stop"}
"""Buttons that end something, or begin what has no end."""
MOST_TURNS = 2
"""Times that the buttons of one dialog are pressed from the first to the last: some come only after others."""


class EveryAction(Walker):
    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.taken: set[str] = set()
        self.pages: set[str] = set()
        self.is_frame_done = False

    @property
    def workspace(self) -> Workspace:
        found = self.window.sessions.workspace(CONNECTION)
        assert found is not None
        return found

    def all(self, parts: tuple[str, ...]) -> Steps:
        window = self.window
        yield lambda: window.desk.has_any and self.idle()
        window.desk.open(CONNECTION)
        yield lambda: window.sessions.tables() and self.idle()
        for part in parts:
            yield from getattr(self, part)()
        print(json.dumps({"actions": sorted(self.taken), "pages": sorted(self.pages)}))  # noqa: T201 (for the test)

    def browse(self) -> Steps:
        self.window.opener.show_table(self.workspace, "Social", QWidget.setFocus)
        yield self.shows(BrowsePage)
        page = self.page(BrowsePage)
        page.open_collection({"PK": String("POST#a91f")})
        yield from self.settle()
        page.left.grid.selectRow(1)
        yield from self.try_page(page)
        yield from self.stage_and_commit(page)

    def compose(self) -> Steps:
        for request in (
            SingleWrite(PutAction("Social", KEY)),
            TransactWrite((DeleteAction("Social", KEY),), "token-of-the-walk"),
        ):
            self.window.opener.open_request(self.workspace, partial(show, request))
            yield self.shows(ComposePage)
            yield from self.try_page(self.page(ComposePage))

    def partiql(self) -> Steps:
        self.window.opener.show_partiql(self.workspace, QWidget.setFocus)
        yield self.shows(PartiqlPage)
        for text in ("SELECT * FROM Social WHERE PK = 'POST#a91f'", "DELETE FROM Social WHERE PK = 'a' AND SK = 'b'"):
            self.page(PartiqlPage).editor.setPlainText(text)
            yield from self.try_page(self.page(PartiqlPage))

    def details(self) -> Steps:
        self.window.opener.open_details(CONNECTION, "Social")
        yield self.shows(TableDetailsPage)
        yield from self.try_page(self.page(TableDetailsPage))

    def sql(self) -> Steps:
        self.window.opener.open_sql(self.workspace, load="Stats")
        yield self.shows(SqlPage)
        yield from self.try_page(self.page(SqlPage))

    def reconcile(self) -> Steps:
        file = Path(os.environ["DYNODESK_HOME"]) / "quick.toml"
        file.write_text(RULES)
        self.window.opener.open_rules(self.workspace, file)
        yield self.shows(ReconcilePage)
        page = self.page(ReconcilePage)
        page.run_action.trigger()
        yield from self.settle()
        page.results.grid.selectAll()
        yield from self.settle()
        yield from self.try_page(page)

    def stage_and_commit(self, browse: BrowsePage) -> Steps:
        """What the actions do one after another without a thought may undo each other: once in order."""
        self.window.tabs.show_page(browse)
        yield from self.settle()
        browse.left.grid.selectRow(2)
        yield from self.settle()
        for action in (self.changes.delete_action, self.changes.commit_action):
            action.trigger()
            yield from self.settle()
            yield from self.answer()

    def try_page(self, page: QWidget | None) -> Steps:
        assert page is not None
        self.pages.add(type(page).__name__)
        yield from self.settle()
        of_frame = () if self.is_frame_done else self.window.actions()
        self.is_frame_done = True
        for action in (*page.actions(), *of_frame):
            if self.window.tabs.current is not page:
                self.window.tabs.show_page(page)
                yield from self.settle()
            if action.isEnabled() and action.objectName() not in LEFT_OUT:
                self.taken.add(f"{type(page).__name__} {action.objectName() or action.text()}")
                yield from self.take(action)
        for button in self.buttons_of(page):
            if self.can_press(button) and self.window.tabs.current is page:
                self.taken.add(f"{type(page).__name__} {button.accessibleName() or button.text()}")
                button.click()
                yield from self.settle()
                yield from self.answer()

    def take(self, action: QAction) -> Steps:
        action.trigger()
        yield from self.settle()
        yield from self.answer()

    def answer(self) -> Steps:
        """Says yes to whatever asks, and then closes it."""
        for _ in range(8):
            if popup := QApplication.activePopupWidget():
                popup.close()
            dialogs = self.open_dialogs()
            if not dialogs:
                return
            dialog = dialogs[-1]
            for _turn in range(MOST_TURNS if not isinstance(dialog, QFileDialog) else 0):
                if dialog in self.open_dialogs():
                    yield from self.agree(dialog)
            if dialog in self.open_dialogs():
                dialog.reject()
                yield from self.settle()
            if dialog in self.open_dialogs():
                dialog.reject()  # the first one stopped what ran
                yield from self.settle()

    def agree(self, dialog: QDialog) -> Steps:
        for approval in dialog.findChildren(Approval):
            approval.field.setText("Social")
        for edit in dialog.findChildren(QLineEdit):
            if "name" in edit.accessibleName().casefold() and not edit.text():
                edit.setText("Social")
        for box in dialog.findChildren(QCheckBox):
            if box.isVisible() and box.isEnabled():
                box.setChecked(True)
        for button in self.buttons_of(dialog):
            if dialog not in self.open_dialogs():
                return
            if self.can_press(button) and button.text() not in LEAVE:
                button.click()
                yield from self.settle()
                for other in self.open_dialogs():
                    if other is not dialog:  # it asks whether that is really wanted
                        yield from self.say_yes(other)

    def say_yes(self, dialog: QDialog) -> Steps:
        for button in self.buttons_of(dialog):
            if self.can_press(button) and button.text() not in LEAVE:
                button.click()
                break
        yield from self.settle()
        if dialog in self.open_dialogs():
            dialog.reject()
            yield from self.settle()

    def can_press(self, button: QAbstractButton) -> bool:
        return isValid(button) and button.isVisible() and button.isEnabled()

    def buttons_of(self, widget: QWidget) -> Iterator[QAbstractButton]:
        """Those that do something by themselves: not the ones that offer a menu, and would wait for its answer."""
        for button in widget.findChildren(QAbstractButton):
            if not isValid(button):  # an earlier one has made all of them anew
                continue
            menu = getattr(button, "menu", None)
            if menu is None or menu() is None:
                yield button


def show(request: SingleWrite | TransactWrite, page: QWidget) -> None:
    assert isinstance(page, ComposePage)
    page.show_draft(draft_of(request))


def run(*parts: str) -> int:
    def script(window: MainWindow) -> Steps:
        try:
            yield from EveryAction(window).all(parts or PARTS)
        except Exception:
            traceback.print_exc()
            raise

    return run_program(script, open_sandbox=False)
