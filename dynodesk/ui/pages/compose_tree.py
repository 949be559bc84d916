"""The tree of actions: every row is typed into where it stands."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QComboBox, QLineEdit, QMenu, QTreeView, QWidget

from dynodesk.domain.cells import exact_text
from dynodesk.domain.expressions.nodes import Span
from dynodesk.ui.actions import Action, make
from dynodesk.ui.pages.compose_cells import ActionDelegate, Names
from dynodesk.ui.pages.compose_model import PART, TYPE, VALUE, ActionsModel
from dynodesk.ui.pages.compose_rows import PartRow
from dynodesk.ui.pages.compose_texts import ExpressionText
from dynodesk.ui.theme import metrics, px
from dynodesk.ui.widgets.trees import dress_header, dress_tree
from dynodesk.ui.widgets.whole_text import whole

Index = QModelIndex | QPersistentModelIndex
PARTS_SHARE = 0.52
"""Of the width of the tree."""

ADD_PART = Action("add-part", "Attribute or clause", "Add an attribute to a Put, a clause to an Update.", "Ins", "add")
EDIT_ITEM = Action(
    "edit-action-item", "Edit as an item…", "Edit all attributes as a tree or JSON.", "Ctrl+Shift+J", "json"
)
RENAME = Action("rename-part", "Change the name or text", "Type the name, or the whole clause.", "Shift+F2", "edit")
RETYPE = Action("retype-part", "Change the type", "Choose another type for the value.", "Ctrl+F2", "symbol-field")
DUPLICATE = Action("duplicate-action", "Duplicate the action", "Add the same action once more.", "Ctrl+D", "copy")
MOVE_UP = Action("action-up", "Move up", "Move the action up.", "Ctrl+Up", "arrow-up")
MOVE_DOWN = Action("action-down", "Move down", "Move the action down.", "Ctrl+Down", "arrow-down")
REMOVE = Action("remove-action", "Remove", "Take the row away, or the whole action.", "Del", "trash")
MAY_CREATE = Action(
    "may-create", "May create the item", "Let the update make the item where there is none.", "Ctrl+Shift+N", "new-file"
)


class ActionsTree(QTreeView):
    item_asked = Signal(int)
    """The attributes of the action of this number are to be edited as an item."""
    paste_asked = Signal()
    current_changed = Signal()

    def __init__(self, model: ActionsModel, names: Names) -> None:
        super().__init__()
        self._model = model
        self._before: tuple[QPersistentModelIndex, PartRow] | None = None
        """The row that is typed into, and what it said."""
        self._kept = (-1, -1)
        """The current action, and the row in it, while all are made anew."""
        self.setModel(model)
        dress_tree(self, "Actions")
        self.setItemDelegate(ActionDelegate(self, model, names))
        self.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self.setExpandsOnDoubleClick(False)
        self.setIndentation(4 * metrics().unit)
        dress_header(self)
        self.setColumnWidth(TYPE, px(46))
        here = Qt.ShortcutContext.WidgetShortcut  # in an editor of a row the keys belong to that editor
        self.add_action = make(ADD_PART, self, self.add_part, here)
        self.item_action = make(EDIT_ITEM, self, self._ask_for_item, here)
        self.rename_action = make(RENAME, self, self._rename, here)
        self.retype_action = make(RETYPE, self, self._retype, here)
        self.duplicate_action = make(DUPLICATE, self, self.duplicate, here)
        self.up_action = make(MOVE_UP, self, self._move_up, here)
        self.down_action = make(MOVE_DOWN, self, self._move_down, here)
        self.remove_action = make(REMOVE, self, self.remove, here)
        self.create_action = make(MAY_CREATE, self, self._toggle_creating, here)
        self.create_action.setCheckable(True)
        self.takes_many = True
        """Whether there may be several actions."""
        model.shaped.connect(self._span)
        model.modelAboutToBeReset.connect(self._note_current)
        model.modelReset.connect(self._unfold)
        model.said.connect(self._show_said)
        model.edited.connect(self.show_actions)
        self.selectionModel().currentChanged.connect(self._current_changed)
        self.show_actions()

    # -- where it is

    @property
    def current(self) -> int:
        """The action of the current row; the only one, where there is no current row; else -1."""
        at = self._model.action_at(self.currentIndex())
        return 0 if at < 0 and len(self._model.actions) == 1 else at

    def go_to(self, at: int, part: PartRow | None, span: Span | None = None) -> None:
        """Make a row the current one; with a place in its text begin to type there."""
        if not 0 <= at < len(self._model.actions):
            return
        index = self._model.index_of(at, part, PART)
        self.setCurrentIndex(index)
        self.setFocus()
        if span is None or part is None:
            return
        if not part.is_expression:
            self.edit_main(index)
            return
        self._edit(index, PART)
        for editor in self.viewport().findChildren(ExpressionText):
            if editor.isVisible():
                editor.setTextCursor(editor.selected(span))

    # -- editing

    def edit_main(self, index: QModelIndex) -> bool:
        """Begin to type what is typed most into a row: a value, or an expression. False: there is nothing."""
        part = self._model.part(index)
        if part is None:
            self.setExpanded(index, not self.isExpanded(index))
            return False
        if part.has_own_editor:
            self._ask_for_item()
            return False
        return self._edit(index, PART if part.is_expression or not part.text else VALUE)

    def _edit(self, index: QModelIndex, column: int) -> bool:
        at, part = index.siblingAtColumn(column), self._model.part(index)
        if part is None or not self._model.may_edit(at, column):
            return False
        self.close_editor()
        self._before = QPersistentModelIndex(at), replace(part)
        self.setCurrentIndex(at)
        self.scrollTo(at)
        self.edit(at)
        return True

    def close_editor(self) -> None:
        for editor in self.viewport().findChildren(QWidget):
            is_editor = isinstance(editor, QLineEdit | QComboBox | ExpressionText)
            if is_editor and editor.parent() is self.viewport() and editor.isVisible():
                self.commitData(editor)
                self.closeEditor(editor, ActionDelegate.EndEditHint.NoHint)

    def closeEditor(self, editor: QWidget, hint: ActionDelegate.EndEditHint) -> None:
        ends = ActionDelegate.EndEditHint
        super().closeEditor(editor, ends.NoHint)
        before, self._before = self._before, None
        if before is None or not before[0].isValid():
            return
        index = self._model.index(before[0].row(), before[0].column(), before[0].parent())
        if hint == ends.RevertModelCache:
            self._model.put_back(index, before[1])
        else:
            self._model.end_typing(index)
        if hint in (ends.EditNextItem, ends.EditPreviousItem):
            self._edit_beside(index, forwards=hint == ends.EditNextItem)

    def _edit_beside(self, index: QModelIndex, *, forwards: bool) -> None:
        """From a name to its value, from a row to the next."""
        part, other = self._model.part(index), VALUE if forwards else PART
        crosses = part is not None and not part.is_expression and index.column() == (PART if forwards else VALUE)
        if crosses and self._edit(index, other):
            return
        beside = index.siblingAtColumn(PART)
        while (beside := self.indexBelow(beside) if forwards else self.indexAbove(beside)).isValid():
            if self._model.part(beside) is not None and self.edit_main(beside):
                return

    @Slot()
    def _show_said(self) -> None:
        self.viewport().update()
        if self._before is not None and self._before[0].isValid():
            part = self._model.part(self._before[0])
            for editor in self.viewport().findChildren(ExpressionText):
                if editor.isVisible() and part is not None:
                    editor.mark(part.remarks)

    # -- what is done with rows

    @property
    def tools(self) -> tuple[QAction, ...]:
        return (
            self.add_action, self.item_action, self.rename_action, self.retype_action, self.create_action,
            self.duplicate_action, self.up_action, self.down_action, self.remove_action,
        )  # fmt: skip

    @Slot()
    def add_part(self) -> None:
        at = self.current
        if not self._model.can_add_part(at):
            return
        index = self.currentIndex()
        self.close_editor()
        made = self._model.add_part(at, index.row() if self._model.part(index) is not None else None)
        self.setExpanded(self._model.index(at, PART), True)
        self._edit(made, PART)

    @Slot()
    def duplicate(self) -> None:
        at = self.current
        if at >= 0:
            self.setCurrentIndex(self._model.insert(at + 1, self._model.actions[at].draft()))

    @Slot()
    def remove(self) -> None:
        index = self.currentIndex()
        if not index.isValid() or not self.remove_action.isEnabled():
            return
        at, part, row = self._model.action_at(index), self._model.part(index), index.row()
        self._model.remove(index)
        if part is None:
            self.setCurrentIndex(self._model.index(min(at, len(self._model.actions) - 1), PART))
        elif not part.is_expression or part.kind == "clause":
            head = self._model.index(at, PART)
            self.setCurrentIndex(self._model.index(min(row, self._model.rowCount(head) - 1), PART, head))

    def _move(self, by: int) -> None:
        at = self.current
        if self._model.move(at, by):
            self.setCurrentIndex(self._model.index(at + by, PART))

    @Slot()
    def _move_up(self) -> None:
        self._move(-1)

    @Slot()
    def _move_down(self) -> None:
        self._move(1)

    @Slot()
    def _rename(self) -> None:
        self._edit(self.currentIndex(), PART)

    @Slot()
    def _retype(self) -> None:
        if self._edit(self.currentIndex(), TYPE):
            for chooser in self.viewport().findChildren(QComboBox):
                chooser.showPopup()

    @Slot()
    def _ask_for_item(self) -> None:
        if self.current >= 0:
            self.item_asked.emit(self.current)

    @Slot()
    def _toggle_creating(self) -> None:
        if self.current >= 0:
            self._model.set_may_create(self.current, self.create_action.isChecked())

    @Slot()
    def show_actions(self) -> None:
        """What can be done with the current row."""
        model, index, at = self._model, self.currentIndex(), self.current
        part = model.part(index)
        action = model.actions[at] if 0 <= at < len(model.actions) else None
        self.add_action.setEnabled(model.can_add_part(at))
        self.item_action.setEnabled(action is not None and action.kind == "Put")
        self.rename_action.setEnabled(part is not None and model.may_edit(index, PART))
        self.retype_action.setEnabled(part is not None and model.may_edit(index, TYPE))
        is_update = action is not None and action.kind == "Update"
        self.create_action.setEnabled(is_update)
        self.create_action.setChecked(is_update and action is not None and action.may_create)
        self.duplicate_action.setEnabled(action is not None and self.takes_many)
        self.up_action.setEnabled(self.takes_many and at > 0)
        self.down_action.setEnabled(self.takes_many and 0 <= at < len(model.actions) - 1)
        self.remove_action.setEnabled(index.isValid() and (self.takes_many if part is None else part.kind != "key"))

    @Slot()
    def _span(self) -> None:
        for at in range(len(self._model.actions)):
            head = self._model.index(at, PART)
            self.setFirstColumnSpanned(at, QModelIndex(), True)
            for row in range(self._model.rowCount(head)):
                self.setFirstColumnSpanned(row, head, self._model.is_spanned(self._model.index(row, PART, head)))
        self.show_actions()

    @Slot()
    def _note_current(self) -> None:
        index = self.currentIndex()
        self._kept = self._model.action_at(index), -1 if self._model.part(index) is None else index.row()

    @Slot()
    def _unfold(self) -> None:
        self._before = None
        self.expandAll()
        at, row = self._kept
        head = self._model.index(at, PART)
        self.setCurrentIndex(self._model.index(row, PART, head) if row >= 0 and head.isValid() else head)

    @Slot()
    def _current_changed(self) -> None:
        self.show_actions()
        self.current_changed.emit()

    # -- Qt's own calls

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Expressions get most of the room: what an item has is short."""
        super().resizeEvent(event)
        self.setColumnWidth(PART, max(px(160), round(PARTS_SHARE * event.size().width())))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.state() == QTreeView.State.EditingState:
            event.ignore()
            return
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if event.matches(QKeySequence.StandardKey.Copy) and self.currentIndex().isValid():
            self._copy()
        elif event.matches(QKeySequence.StandardKey.Paste):
            self.paste_asked.emit()
        elif plain and event.key() in (Qt.Key.Key_F2, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.edit_main(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _copy(self) -> None:
        part = self._model.part(self.currentIndex())
        if part is not None:
            is_value = not part.is_expression and part.value is not None
            QGuiApplication.clipboard().setText(whole(exact_text(part.value) if is_value and part.value else part.text))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if not (index.isValid() and self._edit(index, index.column())):
            self.edit_main(index)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() == event.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        if index.isValid():
            self.setCurrentIndex(index)
        at = self.visualRect(index).bottomLeft() if by_key else event.pos()
        self.menu().popup(self.viewport().mapToGlobal(at))

    def menu(self) -> QMenu:
        made = QMenu(self)
        made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        made.addActions(self.tools[:5])
        made.addSeparator()
        made.addActions(self.tools[5:])
        return made
