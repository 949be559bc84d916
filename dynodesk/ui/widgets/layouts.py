"""Plain grounds with hairlines, and rows and columns whose gaps are counted in the look's spacing unit."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QLayoutItem, QSizePolicy, QVBoxLayout, QWidget

from dynodesk.ui.theme import Text, metrics, tokens

Content = QWidget | QLayout | float | None
"""What a row or column holds: a widget, a layout, a gap in units, or None for a stretch."""
Margins = tuple[float, float, float, float]
NO_MARGINS: Margins = (0, 0, 0, 0)

AnyBox = TypeVar("AnyBox", bound=QBoxLayout)


class Area(QWidget):
    """A plain ground in a palette role, with hairlines on the named sides ("tblr")."""

    def __init__(self, ground: str = "window", lines: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ground, self._lines = ground, lines
        self._begins_at: QWidget | None = None

    def begin_at(self, control: QWidget) -> None:
        """Who gets the focus when the area is given it.

        With a focus proxy the area would be a stop of Tab itself, which then leaves out all that comes before it.
        """
        self._begins_at = control

    def focusInEvent(self, event: QFocusEvent) -> None:
        if self._begins_at is None:
            super().focusInEvent(event)
        else:
            self._begins_at.setFocus(event.reason())

    def set_ground(self, ground: str) -> None:
        self._ground = ground
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        p, t = QPainter(self), tokens()
        p.fillRect(self.rect(), t.color(self._ground))
        w, h = self.width(), self.height()
        sides = {"t": (0, 0, w, 1), "b": (0, h - 1, w, 1), "l": (0, 0, 1, h), "r": (w - 1, 0, 1, h)}
        for side in self._lines:
            p.fillRect(*sides[side], t.color("line"))


def row(*items: Content, gap: float = 2, margins: Margins = NO_MARGINS) -> QHBoxLayout:
    return _filled(QHBoxLayout(), items, gap, margins)


def column(*items: Content, gap: float = 2, margins: Margins = NO_MARGINS) -> QVBoxLayout:
    return _filled(QVBoxLayout(), items, gap, margins)


def _filled(layout: AnyBox, items: tuple[Content, ...], gap: float, margins: Margins) -> AnyBox:
    u = metrics().unit
    layout.setSpacing(round(gap * u))
    left, top, right, bottom = (round(x * u) for x in margins)
    layout.setContentsMargins(left, top, right, bottom)
    for item in items:
        if item is None:
            layout.addStretch(1)
        elif isinstance(item, QWidget):
            layout.addWidget(item)
        elif isinstance(item, QLayout):
            layout.addLayout(item)
        else:
            layout.addSpacing(round(item * u))
    return layout


def area(layout: QLayout, ground: str = "window", lines: str = "", height: int | None = None) -> Area:
    widget = Area(ground, lines)
    widget.setLayout(layout)
    if height:
        widget.setFixedHeight(height)
    return widget


def give_way(widget: QWidget) -> None:
    """Lets a button with wrapped words shrink in width and grow in height; by itself it keeps its full width."""
    policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    widget.setSizePolicy(policy)


def activate_layouts(dialog: QWidget) -> None:
    """Have all that is in it tell its size now, not when it is shown."""
    for widget in reversed(dialog.findChildren(QWidget)):  # the innermost first: each tells its size to the next
        layout = widget.layout()
        if layout is not None:
            layout.activate()


def fit_content(dialog: QWidget, width: int) -> None:
    """Fix a size: the width, as far as the screen has room, and the height that the content then takes."""
    activate_layouts(dialog)
    whole = dialog.layout()
    if whole is not None:
        width = min(width, dialog.screen().availableSize().width())
        dialog.setFixedSize(width, max(whole.totalHeightForWidth(width), whole.totalMinimumSize().height()))


def divider() -> QWidget:
    """An upright hairline between groups in a bar."""
    line = Area("edge")
    line.setFixedSize(1, metrics().icon + 2)
    return line


def panel_header(title: str, *tools: QWidget, note: str = "") -> Area:
    words = [Text(title, weight="semibold"), *([Text(note, "muted")] if note else [])]
    return area(row(*words, None, *tools, gap=1.5, margins=(3, 0, 1.5, 0)), "window", "b", metrics().bar + 2)


class FlowLayout(QLayout):
    """A row that wraps: form rows stay readable in a narrow window or with large text."""

    def __init__(self, *items: QWidget, gap: float = 2, margins: Margins = NO_MARGINS) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        u = metrics().unit
        self.setSpacing(round(gap * u))
        left, top, right, bottom = (round(x * u) for x in margins)
        self.setContentsMargins(left, top, right, bottom)
        for item in items:
            self.addWidget(item)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._placed(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._placed(rect, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        m = self.contentsMargins()
        return size + QSize(m.left() + m.right(), m.top() + m.bottom())

    def _placed(self, rect: QRect, move: bool) -> int:
        """The height needed at the rectangle's width; moves the items there when asked."""
        m = self.contentsMargins()
        inner = rect.adjusted(m.left(), m.top(), -m.right(), -m.bottom())
        lines: list[list[tuple[QLayoutItem, QSize]]] = [[]]
        used = 0
        for item in self._items:
            widget = item.widget()
            if widget is not None and widget.isHidden():
                continue
            size = item.sizeHint()
            if lines[-1] and used + size.width() > inner.width():
                lines.append([])
                used = 0
            lines[-1].append((item, size))
            used += size.width() + self.spacing()
        y = inner.top()
        for line in lines:
            height = max((size.height() for _, size in line), default=0)
            x = inner.left()
            for item, size in line:
                if move:
                    item.setGeometry(QRect(QPoint(x, y + (height - size.height()) // 2), size))
                x += size.width() + self.spacing()
            y += height + self.spacing()
        return y - self.spacing() - rect.top() + m.bottom()
