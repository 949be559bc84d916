"""The first page: three doors, reachable by 1, 2 and 3."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QAbstractButton, QScrollArea, QWidget

from dynodesk.ui.theme import Glyph, KeyCap, Text, focus_ring, metrics, px, rounded, tokens
from dynodesk.ui.widgets.layouts import Area, area, column, give_way, row
from dynodesk.ui.widgets.marks import TallyMark


class Door(QAbstractButton):
    """A way in: icon, title, a sentence, and the key that opens it."""

    def __init__(self, glyph: str, title: str, text: str, key: str, accent: bool = False) -> None:
        super().__init__()
        u = metrics().unit
        words = column(None, Text(title, size="title", weight="semibold"), Text(text, "text2", wrap=True), None, gap=1)
        layout = row(
            Glyph(glyph, "accent" if accent else "text2", 7 * u - 2),
            words,
            KeyCap(key),
            Glyph("chevron-right", "muted"),
            gap=4,
            margins=(4, 2, 4, 2),
        )
        layout.setStretch(1, 1)
        self.setLayout(layout)
        self.setMinimumHeight(19 * u)
        give_way(self)
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setShortcut(key)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.click()
            case Qt.Key.Key_Down:
                self.focusNextChild()
            case Qt.Key.Key_Up:
                self.focusPreviousChild()
            case _:
                super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        p, t, r = QPainter(self), tokens(), QRectF(self.rect())
        touched = self.underMouse() or self.isDown()
        rounded(p, r, t.color("hover" if touched and self.isEnabled() else "base"), t.color("edge"), 6)
        if self.hasFocus():
            focus_ring(p, r, t, 6)


class WelcomePage(Area):
    """Says what the program does and what it does not do by itself, and offers the ways in."""

    sandbox_asked = Signal()
    aws_asked = Signal()
    endpoint_asked = Signal()

    def __init__(self) -> None:
        super().__init__("window")
        self.setAccessibleName("Welcome")
        self.first = Door(
            "beaker",
            "Try the sandbox",
            "Sample tables on this computer, with planted drift. No account, no cost.",
            "1",
            accent=True,
        )
        aws = Door("cloud", "Connect to AWS", "From a profile or with keys. Secrets stay in the system keyring.", "2")
        endpoint = Door(
            "plug",
            "Connect to an endpoint",
            "DynamoDB Local, another emulator or a VPC endpoint, with TLS checked.",
            "3",
        )
        self._keyring = Text("Looking for a keyring…", "text2", wrap=True)
        promise = Text(
            "Nothing is sent anywhere until you choose. New connections start read-only.", "text2", wrap=True
        )
        told = (row(Glyph("workspace-trusted", "ok"), promise, gap=1.5), row(Glyph("key"), self._keyring, gap=1.5))
        for line in told:
            line.setStretch(1, 1)
        box = QWidget()
        box.setLayout(
            column(
                row(TallyMark(), Text("dynodesk", size="page", weight="semibold"), None, gap=2.5),
                Text(
                    "Browse item collections, and find tallies that no longer match their children.", "text2", wrap=True
                ),
                4,
                self.first,
                aws,
                endpoint,
                3,
                *told,
                gap=2.5,
            )
        )
        box.setMaximumWidth(px(648))
        middle = row(None, box, None, margins=(4, 4, 4, 4))
        middle.setStretch(1, 100)
        scroll = QScrollArea()
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.viewport().setBackgroundRole(QPalette.ColorRole.Window)
        scroll.setAccessibleName("Welcome")
        scroll.setWidget(area(column(None, middle, None, None), "window"))
        self.setLayout(column(scroll))
        self.begin_at(self.first)
        self.first.clicked.connect(self.sandbox_asked)
        aws.clicked.connect(self.aws_asked)
        endpoint.clicked.connect(self.endpoint_asked)

    @property
    def keyring(self) -> str:
        return self._keyring.text()

    def show_keyring(self, words: str) -> None:
        self._keyring.setText(words)
