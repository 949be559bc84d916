"""How rows of actions are typed into, and how they show what is said of them at its place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
)
from PySide6.QtGui import QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QComboBox, QLineEdit, QStyleOptionViewItem, QTreeView, QWidget

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.spelled_text import spelled, unspelled
from dynodesk.domain.values import Boolean, type_word
from dynodesk.ui.models.item_nodes import TAGS, fresh
from dynodesk.ui.pages.browse_names import NameField
from dynodesk.ui.pages.compose_model import MARKS, TYPE, VALUE, ActionsModel
from dynodesk.ui.pages.compose_rows import PartRow
from dynodesk.ui.pages.compose_texts import ExpressionText
from dynodesk.ui.theme import face, metrics, tokens
from dynodesk.ui.widgets.tree_editors import LONGEST, EditingDelegate
from dynodesk.ui.widgets.whole_text import whole

Index = QModelIndex | QPersistentModelIndex
Names = Callable[[str], Iterable[str]]
"""The names of attributes that are known of a table."""
_NAMES = {"clause": "Clause of the update", "condition": "Condition", "projection": "Attributes to read"}


class ActionDelegate(EditingDelegate):
    """Names, types, values and expressions, each typed or chosen as what it is. Every key is in the draft at once."""

    def __init__(self, view: QTreeView, model: ActionsModel, names: Names) -> None:
        super().__init__(view)
        self._view, self._model, self._names = view, model, names

    # -- what is shown

    def paint(self, p: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(p, option, index)
        marks = index.data(MARKS)
        if not marks:
            return
        text, of = str(index.data() or ""), face(mono=True)
        left, right = option.rect.left() + metrics().unit, option.rect.right() - metrics().unit
        base = option.rect.center().y() + of.measure.height() / 2 - 1
        for start, end, role in marks:
            begin = left + of.measure.horizontalAdvance(text[:start])
            until = max(left + of.measure.horizontalAdvance(text[:end]), begin + 2 * metrics().unit)
            if begin < right:
                _wave(p, begin, min(until, right), base, role)

    # -- editors

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        part = self._model.part(index)
        if part is None:
            return QWidget(parent)
        where = QPersistentModelIndex(index)
        if index.column() == TYPE:
            made: QWidget = self.chooser(parent, "Type", [(tag, type_word(fresh(tag))) for tag in TAGS])
        elif index.column() == VALUE and isinstance(part.shown_value, Boolean):
            made = self.chooser(parent, "Value", [("true", ""), ("false", "")])
        elif index.column() == VALUE:
            made = self._value_field(parent, part, where)
        elif part.is_expression:
            made = self._expression(parent, part, where)
        else:
            made = self._name_field(parent, part, where)
        made.setAutoFillBackground(True)
        return made

    def _known(self, index: Index) -> list[str]:
        at = self._model.action_at(index)
        return sorted(self._names(self._model.actions[at].table))

    def _expression(self, parent: QWidget, part: PartRow, where: QPersistentModelIndex) -> ExpressionText:
        edit = ExpressionText(_NAMES[part.kind], map(WRITTEN_OUT.name, self._known(where)), parent)
        edit.fill(whole(part.text))
        edit.mark(part.remarks)
        edit.selectAll()
        edit.textChanged.connect(partial(self._expression_typed, where, edit))
        edit.finished.connect(partial(self.finish, edit))
        return edit

    def _expression_typed(self, where: QPersistentModelIndex, edit: ExpressionText) -> None:
        self._model.set_text(where, edit.text)

    def _name_field(self, parent: QWidget, part: PartRow, where: QPersistentModelIndex) -> QLineEdit:
        edit = NameField("Name of the attribute", "", lambda: [spelled(name) for name in self._known(where)])
        edit.setTextMargins(0, 0, 0, 0)
        edit.setText(whole(spelled(part.text)))
        edit.setMaxLength(LONGEST)
        edit.setParent(parent)
        edit.textChanged.connect(partial(self._name_typed, where))
        return edit

    def _name_typed(self, where: QPersistentModelIndex, text: str) -> None:
        try:
            self._model.set_text(where, unspelled(text))
        except InvalidValue:
            self._model.set_text(where, text)  # a backslash that begins no escape is itself

    def _value_field(self, parent: QWidget, part: PartRow, where: QPersistentModelIndex) -> QLineEdit:
        edit = self.field(parent, f"Value of {part.lead}")
        edit.setText(whole(part.typed_value))
        edit.textEdited.connect(partial(self._model.set_value, where))
        return edit

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Only to choose from: what stands in a field is in the model already."""
        part = self._model.part(index)
        if isinstance(editor, QComboBox) and part is not None and not editor.property("filled"):
            word = str(index.data()) if index.column() == TYPE else part.typed_value
            editor.setCurrentIndex(max(0, editor.findData(word)))
            editor.setProperty("filled", True)

    def setModelData(self, editor: QWidget, _model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QComboBox):
            take = self._model.set_type if index.column() == TYPE else self._model.set_value
            take(index, str(editor.currentData()))

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        box = QRect(option.rect)
        if isinstance(editor, ExpressionText):
            box.setRight(self._view.viewport().width() - 1)
            editor.place(box)
            return
        if isinstance(editor, QComboBox):
            box.setWidth(max(box.width(), editor.sizeHint().width()))
        elif index.column() == VALUE:
            box.setRight(self._view.viewport().width() - 1)
        editor.setGeometry(box)


def _wave(p: QPainter, left: float, right: float, base: float, role: str) -> None:
    """What marks a mistake in a text editor, below a text that is painted."""
    step = max(2.0, metrics().unit / 2)
    count = max(2, math.ceil((right - left) / step))
    points = [QPointF(min(left + at * step, right), base + (at % 2) * step) for at in range(count + 1)]
    p.save()
    p.setRenderHint(QPainter.RenderHint.Antialiasing)
    p.setClipRect(QRectF(left, base - step, right - left + 1, 3 * step))
    p.setPen(QPen(tokens().color(role), 1))
    p.drawPolyline(QPolygonF(points))
    p.restore()
