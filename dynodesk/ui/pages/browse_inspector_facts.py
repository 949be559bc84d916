"""What is said below an item: its size against the limit, what it costs to read and to write, when it was seen."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from dynodesk.domain.capacity import read_units, write_units
from dynodesk.domain.cells import byte_text, visible
from dynodesk.domain.collections import Entry, View
from dynodesk.domain.edits import Edit
from dynodesk.domain.index_writes import index_writes, units_words
from dynodesk.domain.reading import units_text
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import MAX_ITEM_BYTES, Item, item_size, size
from dynodesk.ui.pages.browse_parts import ShortText
from dynodesk.ui.theme import Text, metrics, tokens

NEAR = 0.8
"""Part of the limit from which an item is near it."""
LIMIT = byte_text(MAX_ITEM_BYTES).replace(".0", "")


class SizeBar(QWidget):
    """How much of the limit an item takes."""

    def __init__(self) -> None:
        super().__init__()
        self._part = 0.0
        self.setFixedHeight(metrics().unit)
        self.setAccessibleName("Size of the item")

    def show_size(self, count: int) -> None:
        self._part = count / MAX_ITEM_BYTES
        self.setAccessibleDescription(f"{byte_text(count)} of {LIMIT}")
        self.update()

    @property
    def role(self) -> str:
        return "danger" if self._part > 1 else "warn" if self._part >= NEAR else "accent"

    def sizeHint(self) -> QSize:
        return QSize(20 * metrics().unit, metrics().unit)

    def paintEvent(self, _event: QPaintEvent) -> None:
        p, t, r = QPainter(self), tokens(), QRectF(self.rect())
        p.fillRect(r, t.color("line"))
        p.fillRect(QRectF(r.left(), r.top(), r.width() * min(1.0, self._part), r.height()), t.color(self.role))


class ItemFacts(QWidget):
    """`Size`, `Read`, `Next write` and `Seen`, each a line."""

    def __init__(self) -> None:
        super().__init__()
        m = metrics()
        self._facts = {name: ShortText("text") for name in ("Size", "Read", "Next write", "Seen")}
        self.bar = SizeBar()
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(3 * m.unit)
        grid.setVerticalSpacing(m.unit)
        for line, (name, value) in enumerate(self._facts.items()):
            grid.addWidget(Text(name, "muted"), line + (line > 0), 0)
            grid.addWidget(value, line + (line > 0), 1)
        grid.addWidget(self.bar, 1, 0, 1, 2)
        grid.setColumnStretch(1, 1)
        self.setLayout(grid)

    def fact(self, name: str) -> str:
        return self._facts[name].text

    def show_entry(self, entry: Entry, view: View, seen: str) -> None:
        """An item as it was read."""
        count = entry.size
        if view.index is None:
            self._show_size(count)
            self._facts["Next write"].set_text(units_words(write_units(count), _of_all(entry.item, view.table)))
        else:
            self._facts["Size"].set_text(f"{byte_text(count)} in {view.index}, a copy")
            self._facts["Next write"].set_text("see the item in the base table")
            self.bar.hide()
        self._show_read(count, strong=not view.always_eventual)
        self._facts["Seen"].set_text(seen)

    def show_edit(self, edit: Edit | None, item: Item, table: TableInfo, seen: str) -> int:
        """An item as it is after an edit, and what writing that costs; no edit: the item cannot be written yet.

        Its size in bytes.
        """
        count = item_size(item)
        self._show_size(count)
        self._show_read(count, strong=True)
        if edit is None:
            self._facts["Next write"].set_text(f"{write_units(count)} WCU, and what indexes take")
        else:
            self._facts["Next write"].set_text(units_words(edit.units, index_writes(edit.before, edit.after, table)))
        self._facts["Seen"].set_text(seen)
        return count

    def _show_size(self, count: int) -> None:
        near = ", near the limit" if NEAR <= count / MAX_ITEM_BYTES <= 1 else ""
        over = ": too large" if count > MAX_ITEM_BYTES else ""
        self._facts["Size"].set_text(f"{byte_text(count)} of {LIMIT}{near}{over}")
        self.bar.show_size(count)
        self.bar.show()

    def _show_read(self, count: int, *, strong: bool) -> None:
        words = f", strong {units_text(read_units(count, 'strong'))} RCU" if strong else ""
        self._facts["Read"].set_text(f"{units_text(read_units(count, 'eventual'))} RCU{words}")


def largest(item: Item) -> str:
    """The attributes that take the most room, each with its size."""
    biggest = sorted(item, key=lambda name: -size(item[name]))[:3]
    return ", ".join(f"{visible(name)} {byte_text(size(item[name]))}" for name in biggest)


def _of_all(item: Item, table: TableInfo) -> dict[str, int]:
    """Units for each index that holds the item, as when all of its attributes change."""
    return index_writes(None, item, table)
