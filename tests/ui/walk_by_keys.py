"""Through the window by keys alone: from the sandbox to a commit and back, and to each of the other pages."""

from __future__ import annotations

import json
import sys
import traceback

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from dynodesk.domain.values import String
from dynodesk.ui import actions as act
from dynodesk.ui.dialogs.commit import CommitDialog
from dynodesk.ui.dialogs.queries import QueriesDialog
from dynodesk.ui.main_window import MainWindow
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.browse_columns import ColumnChooser
from dynodesk.ui.pages.partiql import PartiqlPage
from dynodesk.ui.pages.table_details import TableDetailsPage
from tests.helpers.driving import run_program
from tests.helpers.keyboard import described
from tests.ui.walking import Steps, Walker

TABLE = "Social"
LIKE = "LIKE#USER#7c20"
DIALOGS = (
    *("Shift+Del", "Ctrl+Shift+U", "Ctrl+Alt+Y", "Ctrl+J"),
    *("find create a table", "find delete the table", "find connect to aws", "find connect to an endpoint"),
)
"""What opens each: keys, or words for the finder."""
ARRIVED = "walked"
"""Printed at the end of the walk."""


class Walk(Walker):
    """All that it does are keys."""

    def all(self) -> Steps:
        for part in (
            self.from_the_welcome_page,
            self.to_a_table,
            self.ask,
            self.filter,
            self.follow_and_return,
            self.arrange_rows,
            self.copy_rows,
            self.edit,
            self.commit,
            self.take_back,
            self.new_and_deleted,
            self.dialogs,
            self.statements,
            self.kept_queries,
            self.details,
            self.find_anything,
        ):
            sys.stderr.write(f"{part.__name__}\n")
            yield from part()
        self.keys.press("Ctrl+W")
        yield from self.settle()
        self.keys.expect_in(self.window)
        print(json.dumps(ARRIVED))  # noqa: T201  (read by the test)
        sys.stdout.flush()
        self.keys.press("Ctrl+Q")

    def from_the_welcome_page(self) -> Steps:
        keys, window = self.keys, self.window
        yield from self.settle()
        keys.expect(window.welcome.first)
        keys.go_round(window.welcome)
        keys.press("Return")
        yield self.shows(BrowsePage)
        yield from self.settle()
        keys.expect(self.page(BrowsePage).left.grid)
        keys.press("Ctrl+W")
        yield from self.settle()
        assert window.tabs.current is None
        keys.expect_in(window)

    def to_a_table(self) -> Steps:
        keys, window = self.keys, self.window
        keys.press("Ctrl+Shift+F")
        keys.expect(window.navigator.field)
        keys.type("soc")
        keys.press("Down")
        keys.expect(window.navigator.tree)
        place = window.navigator.current
        assert place is not None
        assert place.table == TABLE
        keys.press("Return")
        yield self.shows(BrowsePage)
        yield from self.settle()
        keys.expect(self.page(BrowsePage).left.grid)
        keys.go_round(window)

    def ask(self) -> Steps:
        keys, page = self.keys, self.page(BrowsePage)
        form = page.form
        keys.tab_to(form.partition[0])
        keys.type("POST#a91f")
        keys.press("Tab")
        keys.expect(form.operator)
        keys.type("begins")
        assert form.operator.currentText() == "begins_with"
        keys.press("Tab")
        keys.expect(form.low)
        keys.type("LIKE#")
        keys.press("Ctrl+Return")
        yield lambda: page.left.reading is not None and page.left.reading.count == 37
        yield from self.settle()
        keys.expect(form.low)
        keys.tab_to(form.operator, "Shift+Tab")
        keys.press("Home", "Tab", "Ctrl+Return")
        yield lambda: page.left.reading is not None and page.left.reading.count == 38
        yield from self.settle()
        keys.tab_to(page.left.grid)

    def filter(self) -> Steps:
        keys, page = self.keys, self.page(BrowsePage)
        keys.press("Ctrl+Alt+F")
        (line,) = page.form.filter.group.lines
        keys.expect(line.path)
        keys.type("likedAt")
        keys.press("Escape")  # the names that are offered
        yield from self.settle()
        keys.press("Tab")
        keys.expect(line.operator)
        keys.type("<=")
        keys.press("Tab")
        keys.expect(line.kind)
        keys.type("N")
        keys.press("Tab")
        keys.expect(line.value)
        keys.type("1750636800")
        keys.go_round(page.form)
        keys.press("Ctrl+Return")
        yield lambda: page.left.reading is not None and page.left.reading.count == 1
        yield from self.settle()
        keys.tab_to(page.form.filter.close_button)
        keys.press("Space")
        keys.expect(page.form.add_filter)
        keys.press("Ctrl+Alt+O")
        yield from self.settle()
        assert page.form.options.isVisible()
        keys.go_round(page.form)
        keys.press("Ctrl+Alt+O")
        yield from self.settle()
        assert not page.form.options.isVisible()
        keys.expect_in(page)
        keys.press("Ctrl+Return")
        yield lambda: page.left.reading is not None and page.left.reading.count == 38
        yield from self.settle()
        keys.tab_to(page.left.grid)

    def follow_and_return(self) -> Steps:
        keys, page = self.keys, self.page(BrowsePage)
        keys.choose("Down", lambda: LIKE in self.current_key())
        yield from self.settle()
        keys.press("Alt+Return")
        yield from self.settle()
        keys.expect(page.right.grid)
        assert page.right.current is not None
        assert page.right.current.identity == ("SPOST#a91f", f"S{LIKE}")
        keys.press("Down")
        yield from self.settle()
        keys.press("Alt+Return")
        yield from self.settle()
        keys.expect(page.left.grid)
        elsewhere = self.current_key()
        assert elsewhere.endswith(LIKE)
        assert not elsewhere.startswith("POST#a91f")
        keys.press("Alt+Left")
        yield from self.settle()
        assert page.left.current is not None
        assert self.current_key() == f"POST#a91f/{LIKE}"
        keys.press("Alt+Right")
        yield from self.settle()
        assert self.current_key() == elsewhere
        keys.press("Alt+Left")
        yield from self.settle()
        keys.press("Alt+Left")
        yield from self.settle()
        assert self.current_key() == f"POST#a91f/{LIKE}"
        keys.expect(page.left.grid)

    def arrange_rows(self) -> Steps:
        keys, pane = self.keys, self.page(BrowsePage).left
        column = pane.model.columns.index("likedAt")
        keys.choose("Right", lambda: pane.grid.currentIndex().column() == column)
        keys.press_menu()
        keys.press("Escape")
        yield from self.settle()
        assert QApplication.activePopupWidget() is None
        keys.expect(pane.grid)
        keys.choose_in(keys.press_menu(), "Sort loaded rows by likedAt, ascending")
        yield from self.settle()
        keys.press("Ctrl+Home")
        yield from self.settle()
        assert self.current_key() in {"", f"POST#a91f/{LIKE}"}  # the first of all likes, or the heading over them
        keys.choose_in(keys.press_menu(), "Rows in the order read")
        yield from self.settle()
        keys.press("Ctrl+F")
        keys.expect(pane.find_bar.edit)
        keys.type("see")
        yield lambda: self.idle() and pane.finder.count == 1 and not pane.finder.busy
        assert LIKE in self.current_key()
        keys.press("Escape")
        assert not pane.find_bar.isVisible()
        keys.expect(pane.grid)
        keys.press("Ctrl+Shift+H")
        yield from self.settle()
        chooser = QApplication.activePopupWidget()
        assert isinstance(chooser, ColumnChooser), described(chooser)
        keys.go_round(chooser)
        keys.press("Escape")
        yield from self.settle()
        keys.expect(pane.grid)

    def copy_rows(self) -> Steps:
        keys = self.keys
        keys.press("Shift+Down", "Shift+Down", "Ctrl+Shift+C")
        yield from self.settle()
        assert len(json.loads(QGuiApplication.clipboard().text())) == 3
        keys.press("Up", "Up")
        keys.choose("Up", lambda: LIKE in self.current_key())
        yield from self.settle()

    def edit(self) -> Steps:
        keys, page = self.keys, self.page(BrowsePage)
        inspector = page.inspector
        keys.press("F2")
        yield lambda: inspector.is_editing
        yield from self.settle()
        keys.expect_in(inspector)
        keys.go_round(inspector)
        keys.tab_to(inspector.editor.tabs)
        for _form in ("JSON", "DynamoDB JSON"):
            keys.press("Right")
            yield from self.settle()
            keys.go_round(inspector)
            keys.tab_to(inspector.text)
            keys.tab_to(inspector.editor.tabs, "Shift+Tab")
        keys.press("Left", "Left")
        keys.tab_to(inspector.tree)
        keys.choose("Home", lambda: inspector.tree.currentIndex().row() == 0)
        keys.choose("Down", lambda: inspector.editor.model.node(inspector.tree.currentIndex()).name == "likedAt")
        keys.press("F2")
        assert not inspector.tree.hasFocus()
        keys.press("Ctrl+A")
        keys.type("1750636801")
        keys.press("Return")
        yield from self.settle()
        keys.expect(inspector.tree)
        keys.press("Ctrl+Return")
        yield lambda: not inspector.is_editing
        yield from self.settle()
        assert self.staged() == ["edited"]
        assert self.changes.panel.isVisible()
        keys.expect_in(self.page(BrowsePage))

    def commit(self) -> Steps:
        keys = self.keys
        keys.press("Ctrl+S")
        yield self.asks(CommitDialog)
        yield from self.settle()
        dialog = self.dialog(CommitDialog)
        keys.expect_in(dialog)
        keys.go_round(dialog)
        yield from self._approve(dialog)
        assert self.liked_at(LIKE) == "1750636801"
        assert self.staged() == []

    def _approve(self, dialog: CommitDialog) -> Steps:
        keys = self.keys
        if dialog.approval.isVisible():
            keys.tab_to(dialog.approval.field)
            keys.type(TABLE)
        keys.tab_to(dialog.go_button)
        keys.press("Return")
        yield lambda: dialog.state == "over" and self.idle()
        yield from self.settle()
        assert [result.outcome for result in dialog.results.values()] == ["applied"]
        keys.expect_in(dialog)

    def take_back(self) -> Steps:
        keys = self.keys
        dialog = self.dialog(CommitDialog)
        keys.go_round(dialog)
        keys.tab_to(dialog.undo_button)
        keys.press("Space")
        yield lambda: self.idle() and [one for one in self.open_dialogs() if one is not dialog]
        yield from self.settle()
        undo = self.dialog(CommitDialog)
        yield from self._approve(undo)
        keys.press("Escape")
        yield from self.settle()
        assert not self.open_dialogs()
        keys.expect_in(self.page(BrowsePage))
        assert self.liked_at(LIKE) == "1750636800"

    def new_and_deleted(self) -> Steps:
        keys, page = self.keys, self.page(BrowsePage)
        inspector, changes = page.inspector, self.changes
        keys.press("Ctrl+Shift+N")
        yield lambda: inspector.is_editing
        yield from self.settle()
        keys.expect_in(inspector.tree)
        keys.type("LIKE#USER#keys")
        keys.press("Return")
        yield from self.settle()
        keys.press("Ctrl+Return")
        yield lambda: not inspector.is_editing
        yield from self.settle()
        assert self.staged() == ["new"]
        keys.tab_to(page.left.grid)
        keys.choose("Up", lambda: LIKE in self.current_key())
        yield from self.settle()
        keys.press("Del")
        yield lambda: len(self.staged()) == 2
        yield from self.settle()
        assert self.staged() == ["new", "deleted"]
        keys.expect_in(page)
        keys.press("Ctrl+Shift+M")
        assert changes.panel.isHidden()
        keys.expect_in(page)
        keys.press("Ctrl+Shift+M")
        keys.expect(changes.panel.grid)
        keys.go_round(changes.panel)
        keys.press("Del")
        yield from self.settle()
        assert len(self.staged()) == 1
        keys.expect(changes.panel.grid)
        keys.press("Ctrl+Z")
        yield from self.settle()
        assert self.staged() == ["new", "deleted"]
        keys.press("Ctrl+A", "Del")
        yield from self.settle()
        assert self.staged() == []
        keys.expect_in(page)

    def dialogs(self) -> Steps:
        """Each is gone round, closed by Esc, and leaves the focus where it was."""
        keys, page = self.keys, self.page(BrowsePage)
        keys.tab_to(page.left.grid)
        for opened_by in DIALOGS:
            if opened_by.startswith("find "):
                keys.press("Ctrl+K")
                keys.type(opened_by.removeprefix("find "))
                keys.press("Return")
            else:
                keys.press(opened_by)
            yield lambda: self.idle() and self.open_dialogs()
            yield from self.settle()
            (dialog,) = self.open_dialogs()
            keys.expect_in(dialog)
            keys.go_round(dialog)
            keys.press("Escape")
            yield from self.settle()
            assert not self.open_dialogs(), f"Esc does not close what {opened_by} has opened"
            keys.expect(page.left.grid)

    def statements(self) -> Steps:
        keys = self.keys
        keys.press("Ctrl+Shift+P")
        yield self.shows(PartiqlPage)
        yield from self.settle()
        page = self.page(PartiqlPage)
        keys.expect(page.editor)
        keys.type("SELECT * FROM Social WHERE PK = 'POST#77b0'")
        keys.press("Escape")  # the names that are offered
        yield from self.settle()
        keys.go_round(page)
        keys.press("Ctrl+Return")
        yield lambda: page.pane.reading is not None and self.idle()
        yield from self.settle()
        assert [entry.item["PK"] for entry in page.pane.model.rows.entries] == [String("POST#77b0")]
        keys.expect_in(page)

    def kept_queries(self) -> Steps:
        keys = self.keys
        keys.press("Ctrl+Shift+Q")
        yield self.asks(QueriesDialog)
        yield from self.settle()
        dialog = self.dialog(QueriesDialog)
        keys.expect_in(dialog)
        keys.go_round(dialog)
        keys.press("Escape")
        yield from self.settle()
        assert not self.open_dialogs()
        keys.expect_in(self.page(PartiqlPage))

    def details(self) -> Steps:
        keys = self.keys
        keys.press("Ctrl+I")
        yield self.shows(TableDetailsPage)
        yield from self.settle()
        page = self.page(TableDetailsPage)
        keys.expect_in(page)
        keys.go_round(page)
        keys.press("Alt+Left")
        yield self.shows(PartiqlPage)
        keys.expect_in(self.page(PartiqlPage))

    def find_anything(self) -> Steps:
        keys, window = self.keys, self.window
        before = keys.focus
        keys.press("Ctrl+K")
        keys.expect(window.finder.field)
        keys.press("Escape")
        keys.expect(before)
        keys.press("Ctrl+K")
        keys.type("dark")
        keys.press("Return")
        assert window.action(act.DARK_SCHEME).isChecked()
        keys.expect(before)
        keys.press("Ctrl+K")
        keys.type("social details")
        keys.press("Return")
        yield self.shows(TableDetailsPage)
        keys.expect_in(self.page(TableDetailsPage))


def run() -> int:
    def script(window: MainWindow) -> Steps:
        try:
            yield from Walk(window).all()
        except Exception:
            traceback.print_exc()
            raise

    return run_program(script, open_sandbox=False)
