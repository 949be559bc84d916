"""Uses the window as somebody who never reads it: clicks, keys, actions and texts at random, on everything there is.

What it does follows from its seed; what comes of it also depends on time, as it does for people.
"""

from __future__ import annotations

import random
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, QTimer, Slot
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QKeySequence, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QLineEdit, QPlainTextEdit, QWidget

from dynodesk.ui import actions as act
from dynodesk.ui.main_window import MainWindow
from dynodesk.ui.models.table_tree import Place

LEFT_ALONE = {act.QUIT.id, act.CONNECT_AWS.id, act.FORGET.id}
"""They end the run, or ask for what the run does not have: accounts of AWS, and connections made anew."""
KEYS = (
    *("Tab", "Tab", "Tab", "Shift+Tab", "Return", "Return", "Space", "Escape", "Up", "Down", "Down", "Left", "Right"),
    *("Home", "End", "PgUp", "PgDown", "Ctrl+Home", "Ctrl+End", "Del", "Shift+Del", "Backspace", "F2", "F5", "Menu"),
    *("Ctrl+A", "Ctrl+C", "Ctrl+V", "Ctrl+X", "Ctrl+Z", "Ctrl+Y", "Ctrl+Return", "Ctrl+Shift+Return", "Ctrl+S"),
    *("Ctrl+D", "Ctrl+F", "Ctrl+J", "Ctrl+K", "Ctrl+L", "Ctrl+E", "Ctrl+N", "Ctrl+T", "Ctrl+W", "Ctrl+Space"),
    *("Ctrl+Tab", "Ctrl+Shift+Tab", "Alt+Left", "Alt+Right", "Shift+Down", "Shift+End", "Ctrl+Shift+U", "Ctrl+Alt+Y"),
)
TEXTS = (
    *("Social", "POST#a91f", "META", "LIKE#USER#7c20", "likeTally", "0", "-1", "1e400", "12345678901234567890.5"),
    *("SET likeTally = likeTally + 1", "attribute_exists(PK) AND rev = 3", "#a = :b", "REMOVE x[0]", "((((", "'"),
    *("SELECT * FROM Social", "SELECT * FROM \"Social\" WHERE PK = 'POST#a91f'", "DELETE FROM Social WHERE PK='x'"),
    *("select count(*) from Social", "select * from range(100000000)", "copy Social to '/tmp/x'", ";", "--"),
    *("{", '{"PK": {"S": "x"}}', '[1, "two", {"three": null}]', "null", "\u202eabc", "e\u0301\u200d", "😀", "a\nb\tc"),
    *("<img src=x onerror=alert(1)>", "  padded  ", "x" * 3_000, "../../etc/passwd", "http://user:pass@host:1", "１２"),
)


class Monkey(QObject):
    """Does one thing after the other until `stop`. `done` counts what was done by its kind."""

    def __init__(self, window: MainWindow, seed: int, profiles: Sequence[str], every_ms: int = 15) -> None:
        """`profiles` are the ids of saved connections that it may open."""
        super().__init__(window)
        self._profiles = profiles
        self.done: Counter[str] = Counter()
        self.last = ""
        """What it does now, for whoever finds that something went wrong."""
        self._window, self._chance = window, random.Random(seed)
        self._ways: dict[Callable[[], None], int] = {
            self._click: 30,
            self._press: 25,
            self._act: 30,
            self._type: 10,
            self._open: 4,
            self._double_click: 4,
            self._wheel: 3,
            self._choose: 2,
            self._context_menu: 2,
            self._paste: 2,
            self._resize: 1,
        }
        self._timer = QTimer(self)
        self._timer.setInterval(every_ms)
        self._timer.timeout.connect(self._step)
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    @Slot()
    def _step(self) -> None:
        popup = QApplication.activePopupWidget()
        if popup is not None:
            self._use_popup(popup)
            return
        modal = QApplication.activeModalWidget()
        if modal is not None and self._chance.random() < 0.03:
            self._note("leave a dialog")
            QTest.keyClick(modal, Qt.Key.Key_Escape)
            return
        if QGuiApplication.focusWindow() is None:
            self._target().activateWindow()
        (way,) = self._chance.choices(list(self._ways), list(self._ways.values()))
        way()

    def _note(self, what: str) -> None:
        self.last = what
        self.done[what.partition(":")[0]] += 1

    def _target(self) -> QWidget:
        """The dialog that is open, or else the window."""
        dialogs = [one for one in self._window.findChildren(QDialog) if one.isVisible()]
        return QApplication.activeModalWidget() or (self._chance.choice(dialogs) if dialogs else self._window)

    def _somewhere(self) -> tuple[QWidget, QPoint] | None:
        target = self._target()
        at = QPoint(self._chance.randrange(max(1, target.width())), self._chance.randrange(max(1, target.height())))
        child = target.childAt(at) or target
        place = child.mapFrom(target, at)
        return (child, place) if child.isVisible() and child.rect().contains(place) else None

    # -- ways

    def _use_popup(self, popup: QWidget) -> None:
        self._note(f"popup: {type(popup).__name__}")
        match self._chance.randrange(4):
            case 0:
                QTest.keyClick(popup, Qt.Key.Key_Escape)
            case 1:
                QTest.keyClick(popup, Qt.Key.Key_Down)
            case 2:
                QTest.keyClick(popup, Qt.Key.Key_Down)
                if (chosen := getattr(popup, "activeAction", None)) is None or _is_harmless(chosen()):
                    QTest.keyClick(popup, Qt.Key.Key_Return)
            case _:
                popup.close()

    def _click(self) -> None:
        found = self._somewhere()
        if found is not None:
            self._note(f"click: {type(found[0]).__name__} {found[0].accessibleName()}")
            more = self._chance.choices(
                (
                    Qt.KeyboardModifier.NoModifier,
                    Qt.KeyboardModifier.ControlModifier,
                    Qt.KeyboardModifier.ShiftModifier,
                ),
                (8, 1, 1),
            )[0]
            QTest.mouseClick(found[0], Qt.MouseButton.LeftButton, more, found[1])

    def _double_click(self) -> None:
        found = self._somewhere()
        if found is not None:
            self._note(f"double click: {type(found[0]).__name__}")
            QTest.mouseDClick(found[0], Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, found[1])

    def _context_menu(self) -> None:
        found = self._somewhere()
        if found is not None:
            self._note(f"context menu: {type(found[0]).__name__}")
            asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, found[1], found[0].mapToGlobal(found[1]))
            QApplication.sendEvent(found[0], asked)

    def _wheel(self) -> None:
        found = self._somewhere()
        if found is not None:
            self._note(f"wheel: {type(found[0]).__name__}")
            place = QPointF(found[1])
            turned = QPoint(0, self._chance.choice((-1200, -120, 120, 1200)))
            event = QWheelEvent(
                place, QPointF(found[0].mapToGlobal(found[1])), QPoint(), turned, Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
            )  # fmt: skip
            QApplication.sendEvent(found[0], event)

    def _press(self) -> None:
        key = self._chance.choice(KEYS)
        window = QGuiApplication.focusWindow()
        if window is not None:
            self._note(f"press: {key}")
            QTest.keySequence(window, QKeySequence(key))

    def _type(self) -> None:
        focus = QApplication.focusWidget()
        if isinstance(focus, (QLineEdit, QPlainTextEdit)) and focus.isVisible():
            text = self._chance.choice(TEXTS)
            self._note(f"type: into {focus.accessibleName()}")
            for character in text[:80]:
                if character.isascii() and character.isprintable():
                    QTest.keyClick(focus, ord(character))

    def _paste(self) -> None:
        QGuiApplication.clipboard().setText(self._chance.choice(TEXTS))
        window = QGuiApplication.focusWindow()
        if window is not None:
            self._note("paste")
            QTest.keySequence(window, QKeySequence("Ctrl+V"))

    def _choose(self) -> None:
        boxes = [box for box in self._target().findChildren(QComboBox) if box.isVisible() and box.isEnabled()]
        if boxes:
            box = self._chance.choice(boxes)
            if box.count():
                self._note(f"choose: {box.accessibleName()}")
                box.setFocus()
                QTest.keyClick(box, self._chance.choice((Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_End)))

    def _act(self) -> None:
        page = self._window.tabs.current
        target = self._target()
        if target is not self._window:
            return
        offered = [*(page.actions() if page is not None else ()), *self._window.actions()]
        useful = [action for action in offered if action.isEnabled() and _is_harmless(action)]
        if useful:
            of_page = [action for action in useful if action.parent() is page]
            action = self._chance.choice(of_page if of_page and self._chance.random() < 0.6 else useful)
            self._note(f"act: {action.objectName()}")
            action.trigger()

    def _open(self) -> None:
        """A connection that is not open, or one of the tables of those that are."""
        known = self._window.sessions.tables()
        if known and self._chance.random() < 0.7:
            key, table = self._chance.choice(known)
            self._note(f"open: {table}")
            self._window.opener.open_place(Place(self._chance.choice(("table", "details")), key, table))
        else:
            self._note("open: a connection")
            self._window.desk.open(self._chance.choice(self._profiles))

    def _resize(self) -> None:
        self._note("resize")
        self._window.resize(self._chance.randrange(500, 1600), self._chance.randrange(400, 1000))


def _is_harmless(action: QAction | None) -> bool:
    return action is None or action.objectName() not in LEFT_ALONE


class Heartbeat(QObject):
    """How long the window's thread was away, at most, and where it was then."""

    EVERY = 20  # milliseconds
    LONG = 0.5  # seconds after which it is looked where the thread is
    FOR_GOOD = 20.0  # seconds after which it will not come back

    def __init__(self, parent: QObject, who: Callable[[], str]) -> None:
        """`who` says what it was doing then."""
        super().__init__(parent)
        self.gaps: list[tuple[int, str]] = []
        """Milliseconds, longest first, with those in which the thread itself worked, and what was going on."""
        self._who, self._thread = who, threading.get_ident()
        self._before, self._worked, self._where = time.monotonic(), time.thread_time(), ""
        self._ended, self._is_told = threading.Event(), False
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(self.EVERY)
        self._timer.timeout.connect(self._beat)
        self._timer.start()
        self._watch = threading.Thread(target=self._look, name="heartbeat")
        self._watch.start()

    def stop(self) -> None:
        self._timer.stop()
        self._ended.set()
        self._watch.join()

    @Slot()
    def _beat(self) -> None:
        now, worked = time.monotonic(), time.thread_time()
        gap, work = round((now - self._before) * 1000), round((worked - self._worked) * 1000)
        told = f"{self._who()}, {work} ms of it at work {self._where}".strip()
        self.gaps = sorted([*self.gaps, (gap, told)], reverse=True)[:5]
        self._before, self._worked, self._where = now, worked, ""

    def _look(self) -> None:
        while not self._ended.wait(0.1):
            away = time.monotonic() - self._before
            if away > self.FOR_GOOD and not self._is_told:
                self._is_told = True
                sys.stderr.write(f"the window does not come back from: {self._who()}\n")
            if away > self.LONG and not self._where:
                frame = sys._current_frames().get(self._thread)  # there is no other way to look
                stack = traceback.extract_stack(frame)[-8:]
                self._where = " < ".join(
                    f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in reversed(stack)
                )


class StaysOpen(QObject):
    """Refuses to let a window close, until it is let go."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.is_let_go = False
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 (Qt's name)
        if event.type() == QEvent.Type.Close and not self.is_let_go:
            event.ignore()
            return True
        return super().eventFilter(watched, event)
