"""A Requests page over the sandbox, and hands for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from dynodesk.composing.rehearsal import Rehearsal
from dynodesk.domain.actions import SingleWrite, TransactWrite
from dynodesk.domain.capacity import Meter
from dynodesk.domain.composition import Draft, DraftAction
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.values import Number, String, Value
from dynodesk.ui.dialogs.run_request import RunRequestDialog
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.pages.compose import ComposePage
from dynodesk.ui.pages.compose_model import PART
from dynodesk.ui.pages.compose_run import ComposeTools
from dynodesk.ui.widgets.trees import NOTE
from dynodesk.wiring import Workspace, request_desk
from tests.helpers.asking import FakeAsker

LONG = 30_000
CTRL = Qt.KeyboardModifier.ControlModifier
PLAIN = Qt.KeyboardModifier.NoModifier
OWN: tuple[tuple[str, Value], ...] = (("PK", String("COMPOSED#1")), ("SK", String("META")))
"""An item that no other test looks at."""
LIKE: tuple[tuple[str, Value], ...] = (("PK", String("COMPOSED#1")), ("SK", String("LIKE#me")))


def transaction(*actions: DraftAction) -> Draft:
    return Draft("TransactWriteItems", actions, token="a-token-of-this-test")


def put(key: tuple[tuple[str, Value], ...], condition: str = "") -> DraftAction:
    return DraftAction("Put", "Social", (*key, ("n", Number("1"))), condition=condition)


def update(changes: str, condition: str = "attribute_exists(PK)") -> DraftAction:
    return DraftAction("Update", "Social", OWN, update=changes, condition=condition)


class ComposeDesk:
    """A page over the sandbox, and hands for it."""

    def __init__(self, workspace: Workspace, runner: JobRunner, qtbot: QtBot) -> None:
        self._qtbot, self._workspace = qtbot, workspace
        self.opened: list[tuple[Draft, str]] = []
        self.rehearsed: list[SingleWrite | TransactWrite] = []
        self.raised: list[BaseException] = []
        self.running = 0
        runner.started.connect(self._started)
        runner.error_raised.connect(self.raised.append)
        self.asker = FakeAsker()
        tools = ComposeTools(
            workspace.access,
            Place(workspace.identity, workspace.endpoint, workspace.region),
            partial(request_desk, workspace, Meter()),
            self._rehearse,
            self._open,
            tuple,
        )
        self.page = ComposePage(workspace, tools, runner, self.asker)
        qtbot.addWidget(self.page)
        self.page.resize(1180, 760)
        self.page.show()
        self.page.activateWindow()
        self.wait()

    def _rehearse(self, request: SingleWrite | TransactWrite, _ticket: Ticket) -> Rehearsal:
        self.rehearsed.append(request)
        raise InvalidRequest("this one cannot be tried")

    def _open(self, draft: Draft, name: str) -> None:
        self.opened.append((draft, name))

    def _started(self, job: Job) -> None:
        self.running += 1
        job.ended.connect(self._ended)

    def _ended(self) -> None:
        self.running -= 1

    def wait(self, condition: Callable[[], bool] | None = None) -> None:
        self._qtbot.waitUntil(condition or self.is_still, timeout=LONG)

    def is_still(self) -> bool:
        return not self.running and not self.page.checking.is_waiting

    # -- what is there

    def show(self, draft: Draft) -> None:
        self.page.show_draft(draft)
        self.wait()

    @property
    def rows(self) -> list[str]:
        return rows_of(self.page)

    @property
    def checks(self) -> list[tuple[str, str]]:
        return [(check.word, check.text) for check in self.page.checks.checks]

    @property
    def focus(self) -> str:
        widget = QApplication.focusWidget()
        return "" if widget is None else widget.accessibleName()

    def index(self, at: int, text: str) -> QModelIndex:
        """A row of an action, by what it says."""
        part = next(part for part in self.page.model.actions[at].parts if part.text == text)
        return self.page.model.index_of(at, part)

    # -- what is done

    def choose(self, at: int, text: str) -> None:
        self.page.panel.tree.setCurrentIndex(self.index(at, text))
        self.page.panel.tree.setFocus()

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
        QTest.keyClick(_focus(), key, modifiers)

    def type(self, text: str) -> None:
        QTest.keyClicks(_focus(), text)

    def dialog(self) -> QDialog:
        self.wait(lambda: any(one.isVisible() for one in self.page.findChildren(QDialog)))
        return next(one for one in self.page.findChildren(QDialog) if one.isVisible())

    def come_back(self) -> None:
        """From a list or a dialog: off screen nothing is brought back by itself."""
        self.wait()
        self.page.activateWindow()
        self.wait(self.page.isActiveWindow)

    def run(self) -> None:
        """By the key, and what is asked agreed to."""
        self.page.panel.tree.setFocus()
        self.key(Qt.Key.Key_Return, CTRL)
        dialog = self.dialog()
        assert isinstance(dialog, RunRequestDialog)
        if dialog.needs_name:
            QTest.keyClicks(dialog.approval.field, "Social")
        QTest.mouseClick(dialog.go_button, Qt.MouseButton.LeftButton)
        self.come_back()


def rows_of(page: ComposePage) -> list[str]:
    """Each row of the actions as it is read: its cells, and the note at its end in brackets."""
    model = page.model
    found = []
    for at in range(model.rowCount()):
        head = model.index(at, PART)
        cells = [[model.index(row, column, head) for column in range(3)] for row in range(model.rowCount(head))]
        found += [_read(head), *(_read(*row) for row in cells)]
    return found


def _focus() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def _read(*cells: QModelIndex) -> str:
    note = next((str(cell.data(NOTE)) for cell in cells if cell.data(NOTE)), "")
    words = " | ".join(str(cell.data()) for cell in cells if cell.data())
    return f"{words} [{note}]" if note else words
