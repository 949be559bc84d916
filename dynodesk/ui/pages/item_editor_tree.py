"""The tree of an item: looked at, copied from, and edited in its rows."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QMenu, QStyleOptionViewItem, QTreeView, QWidget

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.spelled_text import spelled, unspelled
from dynodesk.domain.typed_values import typed
from dynodesk.domain.values import Binary, Boolean, List, Map, String, type_tag, type_word
from dynodesk.ui.actions import Action, make
from dynodesk.ui.models.item_cells import ATTRIBUTE, TYPE, VALUE
from dynodesk.ui.models.item_nodes import SETS, TAGS, Node, fresh
from dynodesk.ui.models.item_tree import IN_ONE_LINE, ItemTreeModel
from dynodesk.ui.theme import px
from dynodesk.ui.widgets.tree_editors import EditingDelegate
from dynodesk.ui.widgets.trees import dress_header, dress_tree
from dynodesk.ui.widgets.whole_text import whole

SEEN_AT_A_GLANCE = 8
"""Parts of a nested value."""
Index = QModelIndex | QPersistentModelIndex

ADD = Action("add-attribute", "Add attribute", "Add an attribute, or an element beside this one.", "Ins", "add")
ADD_INSIDE = Action("add-inside", "Add inside", "Add a part to this list, map or set.", "Shift+Ins", "indent")
RENAME = Action("rename-attribute", "Rename", "Change the name of the attribute.", "Shift+F2", "edit")
RETYPE = Action("retype-attribute", "Change the type", "Choose another type for the value.", "Ctrl+F2", "symbol-field")
REMOVE = Action("remove-attribute", "Remove", "Take the attribute or element away.", "Del", "trash")
PUT_BACK = Action("put-back", "Put back", "Give the value it had before.", "Ctrl+Backspace", "discard")
MOVE_UP = Action("element-up", "Move up", "Move the element of the list up.", "Ctrl+Up", "arrow-up")
MOVE_DOWN = Action("element-down", "Move down", "Move the element of the list down.", "Ctrl+Down", "arrow-down")


def is_long(node: Node) -> bool:
    """Whether the value is edited in the panel below the tree rather than in its row."""
    if node.typed is not None:
        return "\n" in node.typed or len(node.typed) > IN_ONE_LINE
    match node.value:
        case Binary():
            return True
        case String(text):
            return len(text) > IN_ONE_LINE or "\n" in text
        case _:
            return False


class ItemDelegate(EditingDelegate):
    """Editors of a row: names, types and values, each typed or chosen as what it is."""

    def __init__(self, view: QTreeView, model: ItemTreeModel) -> None:
        super().__init__(view)
        self._model = model

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        model = self._model
        node = model.node(index)
        if index.column() == TYPE:
            made: QWidget = self.chooser(parent, "Type", [(tag, type_word(fresh(tag))) for tag in TAGS])
        elif index.column() == VALUE and isinstance(node.value, Boolean):
            made = self.chooser(parent, "Value", [("true", ""), ("false", "")])
        else:
            is_name = index.column() == ATTRIBUTE
            made = self.field(parent, "Name of the attribute" if is_name else f"Value of {model.path(index)}")
        made.setAutoFillBackground(True)
        return made

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        node = self._model.node(index)
        if isinstance(editor, QComboBox):
            shown = type_tag(node.value) if index.column() == TYPE else str(index.data())
            editor.setCurrentIndex(editor.findData(shown))
        elif isinstance(editor, QLineEdit) and not editor.isModified():
            value = typed(node.value) if node.typed is None else node.typed
            editor.setText(spelled(node.name) if index.column() == ATTRIBUTE else value)
            editor.selectAll()

    def setModelData(self, editor: QWidget, _model: QAbstractItemModel, index: Index) -> None:
        model = self._model
        if isinstance(editor, QComboBox):
            chosen = str(editor.currentData())
            if index.column() == TYPE:
                model.set_type(index, chosen)
            elif chosen != index.data():
                model.set_value(index, Boolean(value=chosen == "true"))
        elif isinstance(editor, QLineEdit) and editor.isModified():
            if index.column() == VALUE:
                model.set_text(index, editor.text())
                return
            try:
                model.rename(index, unspelled(editor.text()))
            except InvalidValue:
                model.rename(index, editor.text())  # a backslash that begins no escape is itself

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, _index: Index) -> None:
        box = option.rect
        if isinstance(editor, QComboBox):
            box.setWidth(max(box.width(), editor.sizeHint().width()))
        editor.setGeometry(box)


class ItemTree(QTreeView):
    """Copies the value of the current row exactly as stored. While the model is editable, rows are edited in place."""

    edit_asked = Signal(object)
    """Somebody wants to change the value of the row with this index, and cannot yet."""
    panel_asked = Signal()
    """The current value is too long for its row."""
    current_changed = Signal()

    def __init__(self, model: ItemTreeModel) -> None:
        super().__init__()
        self._model = model
        self.setModel(model)
        dress_tree(self, "Attributes of the item")
        self.setItemDelegate(ItemDelegate(self, model))
        self.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self.setExpandsOnDoubleClick(False)
        dress_header(self)
        self.setColumnWidth(ATTRIBUTE, px(112))
        self.setColumnWidth(TYPE, px(46))
        here = Qt.ShortcutContext.WidgetShortcut  # in an editor of a row the keys belong to that editor
        self.add_action = make(ADD, self, self.add_beside, here)
        self.inside_action = make(ADD_INSIDE, self, self.add_inside, here)
        self.rename_action = make(RENAME, self, self.rename, here)
        self.retype_action = make(RETYPE, self, self.retype, here)
        self.remove_action = make(REMOVE, self, self.remove, here)
        self.back_action = make(PUT_BACK, self, self.put_back, here)
        self.up_action = make(MOVE_UP, self, self.move_up, here)
        self.down_action = make(MOVE_DOWN, self, self.move_down, here)
        model.edited.connect(self.show_actions)
        model.modelReset.connect(self.show_actions)
        self.selectionModel().currentChanged.connect(self._current_changed)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.show_actions()

    def unfold_small(self) -> None:
        """Unfold what is small enough to be taken in at a glance."""
        for row_number in range(self._model.rowCount()):
            index = self._model.index(row_number, ATTRIBUTE)
            if 0 < self._model.rowCount(index) <= SEEN_AT_A_GLANCE:
                self.expand(index)

    def go_to(self, name: str) -> None:
        """Make the row of an attribute the current one, where there is one."""
        index = self._model.find(name)
        if index.isValid():
            self.setCurrentIndex(index.siblingAtColumn(VALUE))

    # -- editing

    @property
    def tools(self) -> tuple[QAction, ...]:
        """What is offered below the tree while it is edited."""
        return (
            self.add_action, self.inside_action, self.rename_action, self.retype_action,
            self.up_action, self.down_action, self.back_action, self.remove_action,
        )  # fmt: skip

    def set_editable(self, editable: bool) -> None:
        self._model.editable = editable
        self.show_actions()
        self.viewport().update()

    def edit_value(self) -> None:
        """Begin to change the value of the current row; of a list, map or set unfold it."""
        index = self.currentIndex()
        if not index.isValid():
            return
        node = self._model.node(index)
        if not self._model.editable:
            self.edit_asked.emit(index)
        elif node.removed:
            self.put_back()
        elif isinstance(node.value, (List, Map, *SETS)):
            self.setExpanded(index.siblingAtColumn(0), not self.isExpanded(index.siblingAtColumn(0)))
        elif is_long(node) and self._model.may_edit(index, VALUE):
            self.panel_asked.emit()
        else:
            self._edit(index, VALUE)

    def close_editor(self) -> None:
        """What is typed in a row goes into the item."""
        for editor in self.viewport().findChildren(QWidget):
            if isinstance(editor, QLineEdit | QComboBox) and editor.parent() is self.viewport() and editor.isVisible():
                self.commitData(editor)
                self.closeEditor(editor, ItemDelegate.EndEditHint.NoHint)

    def closeEditor(self, editor: QWidget, hint: ItemDelegate.EndEditHint) -> None:
        super().closeEditor(editor, hint)
        self._model.end_naming()

    def half_typed(self) -> tuple[QModelIndex, str] | None:
        """The value that is being typed in a row right now."""
        for editor in self.viewport().findChildren(QLineEdit):
            index = self.indexAt(editor.geometry().center())
            if editor.isVisible() and editor.isModified() and index.column() == VALUE:
                return index, editor.text()
        return None

    def _edit(self, index: QModelIndex, column: int) -> None:
        at = index.siblingAtColumn(column)
        if self._model.may_edit(at, column):
            self.close_editor()
            self.scrollTo(at)
            self.edit(at)

    @Slot()
    def rename(self) -> None:
        self._edit(self.currentIndex(), ATTRIBUTE)

    @Slot()
    def retype(self) -> None:
        self._edit(self.currentIndex(), TYPE)
        for chooser in self.viewport().findChildren(QComboBox):
            chooser.showPopup()

    @Slot()
    def add_beside(self) -> None:
        """Below the current row; a new attribute of the item where there is none."""
        index = self.currentIndex()
        above = self._model.parent(index) if index.isValid() else QModelIndex()
        self._added(self._model.add(above, index.row() + 1 if index.isValid() else self._model.rowCount()))

    @Slot()
    def add_inside(self) -> None:
        index = self.currentIndex().siblingAtColumn(0)
        self._added(self._model.add(index, self._model.rowCount(index)))
        self.expand(index)

    def _added(self, index: QModelIndex) -> None:
        self.expand(self._model.parent(index))
        self.setCurrentIndex(index)
        self._edit(index, ATTRIBUTE if self._model.may_edit(index, ATTRIBUTE) else VALUE)

    @Slot()
    def remove(self) -> None:
        self._model.remove(self.currentIndex())

    @Slot()
    def put_back(self) -> None:
        self._model.put_back(self.currentIndex())

    @Slot()
    def move_up(self) -> None:
        self._model.move(self.currentIndex(), -1)

    @Slot()
    def move_down(self) -> None:
        self._model.move(self.currentIndex(), 1)

    @Slot()
    def show_actions(self) -> None:
        """What can be done with the current row."""
        model, index = self._model, self.currentIndex()
        some = model.editable and index.isValid()
        node = model.node(index)
        self.add_action.setEnabled(model.editable)
        self.inside_action.setEnabled(some and not node.removed and isinstance(node.value, (List, Map, *SETS)))
        self.rename_action.setEnabled(some and model.may_edit(index, ATTRIBUTE))
        self.retype_action.setEnabled(some and model.may_edit(index, TYPE))
        self.remove_action.setEnabled(some and model.may_remove(index))
        self.back_action.setEnabled(some and node.before is not None and node.mark != "")
        self.up_action.setEnabled(some and model.can_move(index, -1))
        self.down_action.setEnabled(some and model.can_move(index, 1))

    @Slot(int)
    def _scrolled(self, value: int) -> None:
        bar = self.verticalScrollBar()
        if value > bar.maximum() - bar.pageStep():
            self._model.show_more()

    @Slot()
    def _current_changed(self) -> None:
        self.show_actions()
        self.current_changed.emit()

    # -- Qt's own calls

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.state() == QTreeView.State.EditingState:
            event.ignore()  # what the editor of a row has no use for is for nobody in the tree
            return
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if event.matches(QKeySequence.StandardKey.Copy) and self.currentIndex().isValid():
            QGuiApplication.clipboard().setText(whole(self._model.exact(self.currentIndex())))
        elif plain and event.key() in (Qt.Key.Key_F2, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.edit_value()
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and index.column() != VALUE and self._model.may_edit(index, index.column()):
            self._edit(index, index.column())
        else:
            self.edit_value()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() == event.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        if not self._model.editable:
            return
        self.setCurrentIndex(index)
        menu = self.menu()
        at = self.visualRect(index).bottomLeft() if by_key else event.pos()
        menu.popup(self.viewport().mapToGlobal(at))

    def menu(self) -> QMenu:
        made = QMenu(self)
        made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        made.addActions(self.tools[:4])
        made.addSeparator()
        made.addActions(self.tools[4:])
        return made
