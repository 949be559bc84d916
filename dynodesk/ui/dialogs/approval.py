"""What a person has to do before anything is written: type the names of the tables, and read what was never sent."""

from __future__ import annotations

import re
from collections.abc import Iterable

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox

from dynodesk.ui.theme import Glyph, Text, metrics, px, ui_font
from dynodesk.ui.widgets.controls import field
from dynodesk.ui.widgets.layouts import Area, FlowLayout, column
from dynodesk.ui.widgets.lines import Line


class Approval(Area):
    """A field for the names, and a box to tick where requests are to be read first."""

    changed = Signal()

    def __init__(
        self, tables: Iterable[str], to_read: str = "", *, is_production: bool = False, what: str = "table"
    ) -> None:
        """`to_read` says what has to be read; "": nothing has to be. `what` is named, if not tables."""
        super().__init__("danger_soft" if is_production else "window", "t")
        self._tables = frozenset(tables)
        names = ", ".join(sorted(self._tables))
        asks = f"Type the {what}'s name:" if len(self._tables) == 1 else f"Type the {what}s' names:"
        self.field = field(f"{asks.rstrip(':')}, {names}", width=200)
        self._sign = Glyph("pass", "ok")
        self._word = Text("matches", "ok", weight="medium")
        for widget in (self._sign, self._word):
            policy = widget.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            widget.setSizePolicy(policy)
        self.was_read = QCheckBox(to_read)
        self.was_read.setFont(ui_font())
        self.was_read.setMinimumHeight(metrics().control)
        self.was_read.setAccessibleName(to_read)
        self.was_read.setHidden(not to_read)
        name = Line(names, "text", mono=True, stretch=False)
        name.setMaximumWidth(px(420))
        name.setToolTip(names)
        typed = FlowLayout(Text(asks), name, self.field, self._sign, self._word, gap=2)
        self.setLayout(column(self.was_read, typed, gap=1, margins=(5, 2.5, 5, 2.5)))
        self.field.textChanged.connect(self._changed)
        self.was_read.toggled.connect(self.changed)
        self._changed()

    @property
    def approved(self) -> frozenset[str]:
        """The tables, once all of them are named and what has to be read was read; empty before."""
        return self._tables if self._matches and self._is_read else frozenset()

    @property
    def _matches(self) -> bool:
        """A single name may have spaces in it, as connections' have; those of tables have none."""
        typed = self.field.text()
        return frozenset(filter(None, re.split(r"[\s,]+", typed))) == self._tables or {typed.strip()} == self._tables

    @property
    def _is_read(self) -> bool:
        return self.was_read.isHidden() or self.was_read.isChecked()

    @Slot()
    def _changed(self) -> None:
        for widget in (self._sign, self._word):
            widget.setVisible(self._matches)
        self.changed.emit()
