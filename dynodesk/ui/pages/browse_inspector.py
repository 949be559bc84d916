"""The item that is selected, whole: as a tree, as JSON, with its size and what it costs to read and write."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QTextOption
from PySide6.QtWidgets import QFrame, QGridLayout, QPlainTextEdit, QPushButton, QStackedWidget, QTreeView, QWidget

from dynodesk.domain.capacity import read_units, write_units
from dynodesk.domain.cells import byte_text, visible
from dynodesk.domain.collections import Entry, View, absence
from dynodesk.domain.item_json import readable_key
from dynodesk.domain.reading import units_text
from dynodesk.domain.values import MAX_ITEM_BYTES, Item, item_size
from dynodesk.ui.models.item_tree import ATTRIBUTE, TYPE, ItemTreeModel
from dynodesk.ui.pages.browse_grid import dynamodb_json, plain_json
from dynodesk.ui.pages.browse_parts import ShortText
from dynodesk.ui.theme import Text, entity_ink, metrics, mono_font, px, ui_font
from dynodesk.ui.widgets.controls import sub_tabs, tool
from dynodesk.ui.widgets.layouts import Area, area, column, panel_header, row
from dynodesk.ui.widgets.trees import dress_tree

TREE, JSON, DYNAMODB_JSON = range(3)
SEEN_AT_A_GLANCE = 8
"""Parts of a nested value."""


class ItemTree(QTreeView):
    """Copies the value of the current row exactly as stored."""

    def __init__(self, model: ItemTreeModel) -> None:
        super().__init__()
        self._model = model
        self.setModel(model)
        dress_tree(self, "Attributes of the item")
        self.setHeaderHidden(False)
        head = self.header()
        head.setFont(ui_font("caption", "medium"))
        head.setFixedHeight(metrics().bar - 3)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionsMovable(False)
        self.setColumnWidth(ATTRIBUTE, px(112))
        self.setColumnWidth(TYPE, px(46))

    def unfold_small(self) -> None:
        """Unfold what is small enough to be taken in at a glance."""
        for row_number in range(self._model.rowCount()):
            index = self._model.index(row_number, ATTRIBUTE)
            if 0 < self._model.rowCount(index) <= SEEN_AT_A_GLANCE:
                self.expand(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and self.currentIndex().isValid():
            QGuiApplication.clipboard().setText(self._model.exact(self.currentIndex()))
        else:
            super().keyPressEvent(event)


class Inspector(Area):
    """Read-only. Texts are copied from the item itself, so that nothing on the way to the screen changes them."""

    close_asked = Signal()

    def __init__(self, follow: QPushButton, parent: QWidget | None = None) -> None:
        super().__init__("window", "l", parent)
        m = metrics()
        self._entry: Entry | None = None
        self._view: View | None = None
        close = tool("close", "Close the inspector")
        close.clicked.connect(self.close_asked)
        self.copy = tool("copy", "Copy the item as JSON")
        self.copy.clicked.connect(self._copy_shown)
        self._entity = _EntityWord()
        self._key = ShortText("text", mono=True)
        self._tabs = sub_tabs("Form of the item", "Tree", "JSON", "DynamoDB JSON")
        self._tree_model = ItemTreeModel(self)
        self.tree = ItemTree(self._tree_model)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setFont(mono_font())
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.text.setAccessibleName("The item as JSON")
        self.text.document().setDocumentMargin(2 * m.unit)
        self._body = QStackedWidget()
        self._body.addWidget(self.tree)
        self._body.addWidget(self.text)
        nothing = Text("Select an item to see it whole.", "muted", wrap=True)
        self._facts = {name: ShortText("text") for name in ("Size", "Read", "Next write", "Seen")}
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(3 * m.unit)
        grid.setVerticalSpacing(m.unit)
        for line, (name, value) in enumerate(self._facts.items()):
            grid.addWidget(Text(name, "muted"), line, 0)
            grid.addWidget(value, line, 1)
        grid.setColumnStretch(1, 1)
        head = area(row(self._entity, self._key, None, self.copy, gap=1.5, margins=(3, 1, 1.5, 1)), "window", "b")
        foot = area(column(grid, row(follow, None), gap=3, margins=(3, 2.5, 3, 3)), "window", "t")
        tabs = area(row(self._tabs, None, margins=(1, 0, 1, 0)), "window", "b", m.tab)
        whole = area(column(head, tabs, self._body, foot, gap=0))
        self._pages = QStackedWidget()
        self._pages.addWidget(area(column(nothing, None, gap=0, margins=(3, 3, 3, 3))))
        self._pages.addWidget(whole)
        self.setLayout(column(panel_header("Inspector", close), self._pages, gap=0, margins=(0.25, 0, 0, 0)))
        self.setMinimumWidth(px(240))
        self._tabs.currentChanged.connect(self._show_form)

    def sizeHint(self) -> QSize:
        return QSize(px(300), px(400))

    def show_entry(self, entry: Entry | None, view: View, seen: str = "") -> None:
        """Show an item as read through `view`; `seen` says when and how."""
        self._entry, self._view = entry, view
        self._pages.setCurrentIndex(0 if entry is None else 1)
        if entry is None:
            return
        base = view.table.key_schema
        keys = {name: entry.item[name] for name in base.names if name in entry.item}
        self._entity.set_word(entry.entity)
        self._key.set_text(visible(readable_key(keys)))
        size, index = entry.size, view.index
        if index is None:
            self._facts["Size"].set_text(f"{byte_text(size)} of {byte_text(MAX_ITEM_BYTES).replace('.0', '')}")
            self._facts["Next write"].set_text(_write_cost(entry.item, view))
        else:
            self._facts["Size"].set_text(f"{byte_text(size)} in {index}, a copy")
            self._facts["Next write"].set_text("see the item in the base table")
        eventual = f"{units_text(read_units(size, 'eventual'))} RCU"
        strong = "" if view.always_eventual else f", strong {units_text(read_units(size, 'strong'))} RCU"
        self._facts["Read"].set_text(eventual + strong)
        self._facts["Seen"].set_text(seen)
        self._show_form(self._tabs.currentIndex())

    def fact(self, name: str) -> str:
        """What stands beside `Size`, `Read`, `Next write` or `Seen`."""
        return self._facts[name].text

    def show_as(self, form: int) -> None:
        """`TREE`, `JSON` or `DYNAMODB_JSON`."""
        self._tabs.setCurrentIndex(form)

    @Slot(int)
    def _show_form(self, form: int) -> None:
        entry, view = self._entry, self._view
        if entry is None or view is None:
            return
        self._body.setCurrentIndex(0 if form == TREE else 1)
        self.copy.setAccessibleName("Copy the item as DynamoDB JSON" if form == DYNAMODB_JSON else "Copy as JSON")
        if form == TREE:
            keys = dict.fromkeys((*view.table.key_schema.names, *view.schema.names))
            self._tree_model.show(entry.item, tuple(keys))
            self.tree.unfold_small()
        else:
            self.text.setPlainText(escaped(_written(entry.item, form)))

    @Slot()
    def _copy_shown(self) -> None:
        if self._entry is not None:
            QGuiApplication.clipboard().setText(_written(self._entry.item, self._tabs.currentIndex()))


class _EntityWord(QWidget):
    """The entity word in its tint."""

    def __init__(self) -> None:
        super().__init__()
        self._layout = row()
        self.setLayout(self._layout)
        self._word = ""

    def set_word(self, word: str) -> None:
        if word == self._word:
            return
        self._word = word
        self.setVisible(bool(word))
        while (item := self._layout.takeAt(0)) is not None:
            old = item.widget()
            if old is not None:
                old.deleteLater()
        if word:
            self._layout.addWidget(Text(word, entity_ink(word), "caption", "semibold"))


def _written(item: Item, form: int) -> str:
    return dynamodb_json(item) if form == DYNAMODB_JSON else plain_json(item)


def escaped(text: str) -> str:
    """JSON text in which every character that cannot be seen is a JSON escape: another spelling of the same item.

    A text widget replaces some of them when text is copied out of it; escapes it leaves alone.
    """
    if text.replace("\n", "").isprintable():
        return text
    return "".join(char if char == "\n" or char.isprintable() else _escape(char) for char in text)


def _escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))


def _write_cost(item: Item, view: View) -> str:
    """Units of the next write of the whole item, with those of the indexes that hold it."""
    words = [f"{write_units(item_size(item))} WCU"]
    for index in view.table.indexes:
        through = View(view.table, index.name)
        if not absence(item, through):
            copied = {name: value for name, value in item.items() if through.carries(name)}
            words.append(f"{write_units(item_size(copied))} for {index.name}")
    return ", and ".join([words[0], ", ".join(words[1:])]) if words[1:] else words[0]
