"""The attributes of a key: a name and a type each, one of them or several."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from dynodesk.domain.tables import KeyAttribute, KeyType
from dynodesk.ui.theme import px
from dynodesk.ui.widgets.controls import button, combo, field, tool
from dynodesk.ui.widgets.layouts import column, row

TYPES: tuple[tuple[KeyType, str], ...] = (("S", "String"), ("N", "Number"), ("B", "Binary"))


class _Attribute(QWidget):
    changed = Signal()
    removed = Signal()

    def __init__(self, name: str, hint: str) -> None:
        """`name` is read aloud."""
        super().__init__()
        self.edit: QLineEdit = field(name, hint)
        self.type: QComboBox = combo(f"Type of the {name[0].lower()}{name[1:]}", 96)
        for kind, words in TYPES:
            self.type.addItem(words, kind)
        self.remove_button = tool("close", f"Take away the {name[0].lower()}{name[1:]}")
        line = row(self.edit, self.type, self.remove_button, gap=1.5)
        line.setStretch(0, 1)
        self.setLayout(line)
        self.setFocusProxy(self.edit)
        self.edit.textChanged.connect(self.changed)
        self.type.currentIndexChanged.connect(self.changed)
        self.remove_button.clicked.connect(self.removed)

    @property
    def attribute(self) -> KeyAttribute:
        return KeyAttribute(self.edit.text(), cast(KeyType, self.type.currentData()))


class KeyEditor(QWidget):
    """Partition key or sort key. Attributes without a name are not there."""

    changed = Signal()

    def __init__(self, title: str, hint: str, most: int) -> None:
        super().__init__()
        self._title, self._hint, self._most = title, hint, most
        self.parts: list[_Attribute] = []
        self.add_button = button("One more attribute", "add", tone="quiet")
        self.add_button.setAccessibleName(f"One more attribute of the {title.lower()}")
        self._lines = column(gap=1)
        foot = row(self.add_button, None)
        self.setLayout(column(self._lines, foot, gap=0.5))
        self.add_button.clicked.connect(self._add)
        self._add()

    @property
    def attributes(self) -> tuple[KeyAttribute, ...]:
        return tuple(part.attribute for part in self.parts[: self._most] if part.edit.text())

    @property
    def is_typed(self) -> bool:
        return bool(self.attributes)

    def set_most(self, most: int) -> None:
        """How many attributes there may be; those beyond are kept for when there may be more again."""
        self._most = most
        self._show_parts()

    @Slot()
    def _add(self) -> None:
        n = len(self.parts) + 1
        part = _Attribute(self._title if n == 1 else f"{self._title}, attribute {n}", self._hint)
        self.parts.append(part)
        self._lines.addWidget(part)
        self.setFocusProxy(self.parts[0].edit)
        part.changed.connect(self.changed)
        part.removed.connect(self._remove)
        self._show_parts()
        if n > 1:
            part.setFocus()
        self.changed.emit()

    @Slot()
    def _remove(self) -> None:
        part = cast(_Attribute, self.sender())
        self.parts.remove(part)
        part.hide()
        part.deleteLater()
        self.setFocusProxy(self.parts[0].edit)
        self.parts[-1].setFocus()
        self._show_parts()
        self.changed.emit()

    def _show_parts(self) -> None:
        for n, part in enumerate(self.parts):
            part.setVisible(n < self._most)
            part.remove_button.setVisible(self._most > 1 and len(self.parts) > 1)
        self.add_button.setVisible(len(self.parts) < self._most)
        self.setMinimumWidth(px(240))
