"""The note beside the sandbox that leads from a drift to its report."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QAbstractButton, QFrame, QScrollArea

from dynodesk.ui.theme import Text, focus_ring, metrics, px, rounded, tokens, ui_font
from dynodesk.ui.widgets.controls import button, tool
from dynodesk.ui.widgets.layouts import Area, area, column, give_way, panel_header, row


@dataclass(frozen=True, slots=True)
class WalkStep:
    """`id` tells the frame what to open when the step's button is pressed."""

    id: str
    title: str
    text: str
    go: str
    """The words on the button."""


STEPS = (
    WalkStep("look", "Look", "Social, POST#a91f: the post says 41 likes.", "Open the post"),
    WalkStep("count", "Count", "Its item collection holds 37 LIKE# items. The grid shows both at once.", "I see both"),
    WalkStep(
        "sure",
        "Be sure",
        "Reconcile reads twice, strongly, with a wait between. Only then is it called exact.",
        "Open Reconcile",
    ),
    WalkStep(
        "why",
        "Ask why",
        "Run it, then choose POST#a91f: every read is listed, and why the count is certain.",
        "I see why",
    ),
    WalkStep("report", "Report", "Export the findings: the same numbers as HTML, CSV, JSON or Markdown.", "Done"),
)


class Step(QAbstractButton):
    """One step: its number, a title, a sentence. Pressing it makes it the current one."""

    def __init__(self, number: int, step: WalkStep) -> None:
        super().__init__()
        self._number, self._current = number, False
        self.setAccessibleName(f"Step {number}, {step.title}")
        self.setAccessibleDescription(step.text)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        words = column(
            Text(step.title, weight="semibold"), Text(step.text, "text2", wrap=True), gap=0.5, margins=(11, 2, 3, 2)
        )
        self.setLayout(words)
        give_way(self)

    def set_current(self, current: bool) -> None:
        self._current = current
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        p, t, m = QPainter(self), tokens(), metrics()
        if self._current:
            p.fillRect(self.rect(), t.color("linked"))
            p.fillRect(QRectF(0, 0, 3, self.height()), t.color("accent"))
        r = QRectF(3.5 * m.unit, 2 * m.unit - 1, m.icon + 3, m.icon + 3)
        if self._current:
            rounded(p, r, t.color("fill"), None, r.width() / 2)
        else:
            rounded(p, r, t.color("base"), t.color("control"), r.width() / 2)
        p.setFont(ui_font("caption", "semibold"))
        p.setPen(t.color("on_fill" if self._current else "text2"))
        p.drawText(r, Qt.AlignmentFlag.AlignCenter, str(self._number))
        if self.hasFocus():
            focus_ring(p, QRectF(self.rect()).adjusted(1, 1, -1, -1), t, 2)


class SandboxWalk(Area):
    """Shows the steps. Before the sandbox is open, its one button opens it."""

    sandbox_asked = Signal()
    step_asked = Signal(str)
    """The id of the step whose button was pressed."""

    hidden_asked = Signal()
    """Its cross was pressed, or its last step is done; shown again, it begins with the first one."""

    def __init__(self) -> None:
        super().__init__("window")
        self._at = 0
        self._open = False
        self._steps = tuple(Step(n, step) for n, step in enumerate(STEPS, 1))
        self._go = button("", "play")
        hide = tool("close", "Hide the sandbox walk, F1")
        steps = column(*self._steps, gap=1.5)
        intro = Text("The sandbox opens beside this note and waits for you. Leave at any time.", "text2", wrap=True)
        body = column(
            row(Text("From a drift to its report", size="title", weight="semibold"), margins=(3, 3, 3, 0)),
            row(intro, margins=(3, 0, 3, 0)),
            1,
            steps,
            None,
            gap=1.5,
        )
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.viewport().setBackgroundRole(QPalette.ColorRole.Window)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setAccessibleName("Steps of the walk")
        scroll.setWidget(area(body, "window"))
        self.setLayout(
            column(
                panel_header("Sandbox walk", hide),
                scroll,
                row(self._go, None, margins=(3, 2, 3, 3)),
                gap=0,
            )
        )
        self.setMinimumWidth(px(240))
        for step in self._steps:
            step.clicked.connect(self._chosen)
        self._go.clicked.connect(self._pressed)
        hide.clicked.connect(self.hidden_asked)
        self._show()

    def set_sandbox_open(self, is_open: bool) -> None:
        self._open = is_open
        self._show()

    @property
    def current(self) -> WalkStep:
        return STEPS[self._at]

    @Slot()
    def _chosen(self) -> None:
        step = self.sender()
        if isinstance(step, Step):
            self._at = self._steps.index(step)
            self._show()

    @Slot()
    def _pressed(self) -> None:
        if not self._open:
            self.sandbox_asked.emit()
            return
        pressed = self.current
        self._at = (self._at + 1) % len(STEPS)
        self._show()
        self.step_asked.emit(pressed.id)
        if pressed is STEPS[-1]:
            self.hidden_asked.emit()

    def _show(self) -> None:
        for n, step in enumerate(self._steps):
            step.set_current(n == self._at)
        words = self.current.go if self._open else "Open the sandbox"
        self._go.setText(words)
        self._go.setAccessibleName(words)
