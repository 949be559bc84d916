"""What is said of a composed request while it is typed: what holds, what may not be meant, what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from dynodesk.domain.cells import visible
from dynodesk.domain.composition import ActionRemark
from dynodesk.domain.expressions import Remark
from dynodesk.ui.actions import Action, make, tool_for
from dynodesk.ui.theme import draw_glyph, draw_shape, face, focus_ring, metrics, tokens
from dynodesk.ui.widgets.layouts import Area, column, panel_header

FIX = Action("fix-remark", "Fix", "Put right what the current remark is about.", "Ctrl+.", "lightbulb")
MOST = 200
"""Remarks that are shown."""
_LOOKS = {"ok": ("ok", "tick"), "note": ("warn", "triangle-open"), "error": ("danger", "")}
CHECK = Qt.ItemDataRole.UserRole + 12

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Check:
    word: Literal["ok", "note", "error"]
    text: str
    remark: ActionRemark | None = None
    """What it is about: where a click leads."""
    action: int | None = None
    """Where there is no remark: which action it is in."""
    row: int | None = None

    @property
    def can_be_fixed(self) -> bool:
        return self.remark is not None and self.remark.mended is not None


def sentence(remark: Remark) -> str:
    return visible(f"{remark.message.rstrip('.')}. {remark.fix}".strip()) if remark.fix else visible(remark.message)


class _Checks(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.checks: tuple[Check, ...] = ()

    def show(self, checks: tuple[Check, ...]) -> None:
        if checks != self.checks:
            self.beginResetModel()
            self.checks = checks
            self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  (an index that is none is the same always)
        return 0 if parent.isValid() else len(self.checks)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        check = self.checks[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return f"{check.word} {check.text}"
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{check.word}: {check.text}{'. Ctrl+. fixes it' if check.can_be_fixed else ''}"
            case _ if role == CHECK:
                return check
            case _:
                return None


class _CheckDelegate(QStyledItemDelegate):
    """A sign, a word, the sentence in as many lines as it needs, and what fixes it."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def _indent(self) -> int:
        m, words = metrics(), face(weight="medium").measure
        return 3 * m.unit + m.icon + m.unit + max(map(words.horizontalAdvance, _LOOKS)) + 2 * m.unit

    def _end(self, check: Check) -> int:
        """Room at the right."""
        fix = face(weight="medium").measure.horizontalAdvance(FIX.text) + 4 * metrics().unit
        return fix if check.can_be_fixed else 3 * metrics().unit

    def fix_box(self, row: QRect, check: Check) -> QRect:
        width = self._end(check)
        return QRect(row.right() - width, row.top(), width, metrics().row) if check.can_be_fixed else QRect()

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        check: Check = index.data(CHECK)
        width = self._view.viewport().width()
        room = QRect(0, 0, max(80, width - self._indent() - self._end(check)), 100 * metrics().line)
        words = face().measure.boundingRect(room, Qt.TextFlag.TextWordWrap, check.text).height()
        return QSize(width, max(metrics().line, words) + 2 * metrics().unit - 1)

    def paint(self, p: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        check: Check = index.data(CHECK)
        t, m, r = tokens(), metrics(), QRectF(option.rect)
        role, shape = _LOOKS[check.word]
        selected, focused = bool(option.state & QStyle.StateFlag.State_Selected), self._view.hasFocus()
        if selected and focused:
            p.fillRect(r, t.color("selection"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            p.fillRect(r, t.color("hover"))
        line = QRectF(r.left(), r.top() + m.unit, r.width(), m.line)
        sign = QRectF(r.left() + 3 * m.unit, line.center().y() - m.icon / 2, m.icon, m.icon)
        if shape:
            draw_shape(p, sign.adjusted(3, 3, -3, -3), shape, t.color(role))
        else:
            draw_glyph(p, sign, "error", t.color(role))
        word = face(weight="medium")
        p.setFont(word.font)
        p.setPen(t.color(role))
        left = sign.right() + m.unit
        p.drawText(QRectF(left, line.top(), r.width(), m.line), Qt.AlignmentFlag.AlignVCenter, check.word)
        p.setFont(face().font)
        p.setPen(t.color("text" if check.word == "error" else "text2"))
        text = QRectF(r.left() + self._indent(), line.top(), r.width() - self._indent() - self._end(check), r.height())
        p.drawText(text, Qt.TextFlag.TextWordWrap, check.text)
        if check.can_be_fixed:
            p.setFont(word.font)
            p.setPen(t.color("accent"))
            box = QRectF(self.fix_box(option.rect, check))
            p.drawText(box, Qt.AlignmentFlag.AlignCenter, FIX.text)
        if selected and focused:
            focus_ring(p, r.adjusted(1, 1, -1, -1), t, 2)


class _List(QListView):
    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Checks")
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setResizeMode(QListView.ResizeMode.Adjust)

    clicked_at = Signal(object, bool)
    """An index, and whether what fixes it was hit."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.clicked_at.emit(self.currentIndex(), False)
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        of = self.itemDelegate()
        if index.isValid() and event.button() == Qt.MouseButton.LeftButton and isinstance(of, _CheckDelegate):
            box = of.fix_box(self.visualRect(index), index.data(CHECK))
            self.clicked_at.emit(index, box.contains(event.position().toPoint()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()  # their heights follow from the width


class ChecksPanel(Area):
    place_asked = Signal(object)
    """To go where a `Check` leads."""
    fix_asked = Signal(object)
    """To put right what an `ActionRemark` is about: it has a `mended` draft."""

    def __init__(self) -> None:
        super().__init__("base")
        self._model = _Checks(self)
        self.list = _List()
        self.list.setModel(self._model)
        self.list.setItemDelegate(_CheckDelegate(self.list))
        self.fix_action = make(FIX, self, self._fix, Qt.ShortcutContext.WidgetWithChildrenShortcut)
        head = panel_header("Checks", tool_for(self.fix_action), note="as you type")
        layout = column(head, 1.0, self.list, gap=0)
        layout.setStretch(2, 1)
        self.setLayout(layout)
        self.begin_at(self.list)
        self.list.clicked_at.connect(self._clicked)
        self.list.selectionModel().currentChanged.connect(self._show_state)
        self._model.modelReset.connect(self._show_state)
        self._show_state()

    @property
    def checks(self) -> tuple[Check, ...]:
        return self._model.checks

    def show_checks(self, checks: Sequence[Check]) -> None:
        shown = tuple(checks[:MOST])
        if len(checks) > MOST:
            shown = (*shown, Check("note", f"And {len(checks) - MOST:,} more."))
        row = self.list.currentIndex().row()
        self._model.show(shown)
        if 0 <= row < len(shown):
            self.list.setCurrentIndex(self._model.index(row))

    @property
    def _current(self) -> Check | None:
        index = self.list.currentIndex()
        return None if not index.isValid() else self._model.checks[index.row()]

    @Slot()
    def _show_state(self) -> None:
        current = self._current
        fixable = current is not None and current.can_be_fixed
        self.fix_action.setEnabled(fixable or any(check.can_be_fixed for check in self.checks))

    @Slot()
    def _fix(self) -> None:
        """The current one, or the first that can be fixed."""
        current = self._current
        if current is None or not current.can_be_fixed:
            current = next((check for check in self.checks if check.can_be_fixed), None)
        if current is not None:
            self.fix_asked.emit(current.remark)

    @Slot(object, bool)
    def _clicked(self, index: QModelIndex, on_fix: bool) -> None:
        if not index.isValid():
            return
        check = self._model.checks[index.row()]
        if on_fix:
            self.fix_asked.emit(check.remark)
        else:
            self.place_asked.emit(check)
