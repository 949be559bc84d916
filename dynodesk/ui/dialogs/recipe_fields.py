"""The fields of a recipe as they are filled in: tables, keys with places in them, attributes, typed values."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QLineEdit, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.recipe_fields import Field, FieldValue, FieldValues, InvalidField, Typed, TypedText
from dynodesk.domain.spelled_text import spelled, unspelled
from dynodesk.domain.values import String, Value, type_tag
from dynodesk.ui.dialogs.form import Form, Row
from dynodesk.ui.pages.browse_filter_lines import TYPE_WORDS
from dynodesk.ui.pages.browse_filter_values import typed_value, value_text
from dynodesk.ui.theme import Text, metrics, px
from dynodesk.ui.widgets.controls import combo, field
from dynodesk.ui.widgets.layouts import Area, row
from dynodesk.ui.widgets.whole_text import whole

TAGS = ("S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M")
MISSING = ""
"""In the place of a type: the attribute is not there."""
LONGEST = 10_000_000
"""Characters in a field: by itself it cuts what is pasted."""


class FieldBox(Area):
    """One field. `value` raises `InvalidValue` for what is no value of it."""

    changed = Signal()

    def value(self) -> FieldValue:
        raise NotImplementedError

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it that could be wrong."""
        raise NotImplementedError


class TextBox(FieldBox):
    def __init__(self, of: Field, text: str) -> None:
        super().__init__()
        self.edit = field(of.title, "may be empty" if of.is_optional else "")
        self.edit.setMaxLength(LONGEST)
        self.edit.setText(whole(text))
        self.setLayout(row(self.edit))
        self.setFocusProxy(self.edit)
        self.edit.textChanged.connect(self.changed)

    def value(self) -> str:
        return self.edit.text()

    @property
    def is_empty(self) -> bool:
        return not self.edit.text()


class TableBox(FieldBox):
    def __init__(self, of: Field, table: str, tables: Sequence[str]) -> None:
        super().__init__()
        self.names = combo(of.title)
        for name in dict.fromkeys((*tables, *([table] if table else []))):
            self.names.addItem(visible(name), name)
        self.names.setCurrentIndex(self.names.findData(table))
        self.setLayout(row(self.names))
        self.setFocusProxy(self.names)
        self.names.currentIndexChanged.connect(self.changed)

    def value(self) -> str:
        found = self.names.currentData()
        return found if isinstance(found, str) else ""

    @property
    def is_empty(self) -> bool:
        return not self.value()


class TypedBox(FieldBox):
    """A key, or attributes beside it: a line for each, with its name and type."""

    def __init__(self, of: Field, rows: Typed) -> None:
        super().__init__()
        self._rows = rows
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(2 * metrics().unit)
        grid.setVerticalSpacing(metrics().unit)
        grid.setColumnStretch(2, 1)
        self.edits: list[QLineEdit] = []
        for at, one in enumerate(rows):
            edit = field(f"{of.title}: {one.name}", "may be empty" if of.is_optional else "")
            edit.setMaxLength(LONGEST)
            edit.setText(whole(one.text))
            edit.textChanged.connect(self.changed)
            name = Text(visible(one.name), "text2", mono=True)
            name.setMinimumWidth(px(56))
            grid.addWidget(name, at, 0)
            grid.addWidget(Text(one.type, "muted", size="caption", weight="medium"), at, 1)
            grid.addWidget(edit, at, 2)
            self.edits.append(edit)
        if not rows:
            grid.addWidget(Text("nothing", "muted"), 0, 0)
        self.setLayout(grid)
        if self.edits:
            self.setFocusProxy(self.edits[0])

    def value(self) -> Typed:
        return tuple(
            TypedText(one.name, one.type, edit.text()) for one, edit in zip(self._rows, self.edits, strict=True)
        )

    @property
    def is_empty(self) -> bool:
        return not all(edit.text() for edit in self.edits)


class ValueBox(FieldBox):
    """A value of any type. One that nobody touches stays as it is, to the last character."""

    def __init__(self, of: Field, value: Value | None) -> None:
        super().__init__()
        self._given, self._is_touched = value, False
        self.kind = combo(f"Type of {of.title}", 88)
        if of.is_optional:
            self.kind.addItem("missing", MISSING)
        for tag in TAGS:
            self.kind.addItem(tag, tag)
            self.kind.setItemData(self.kind.count() - 1, TYPE_WORDS[tag], Qt.ItemDataRole.ToolTipRole)
        begun = MISSING if of.is_optional else "S"
        self.kind.setCurrentIndex(self.kind.findData(begun if value is None else type_tag(value)))
        self.edit = field(of.title)
        self.edit.setMaxLength(LONGEST)
        if value is not None:
            self.edit.setText(whole(spelled(value.text) if isinstance(value, String) else value_text(value)))
        self.setLayout(row(self.kind, self.edit, gap=2))
        self.setFocusProxy(self.edit)
        self.kind.currentIndexChanged.connect(self._touched)
        self.edit.textChanged.connect(self._touched)
        self._show_state()

    def value(self) -> Value | None:
        if not self._is_touched:
            return self._given
        tag, text = self._tag, self.edit.text()
        if tag == MISSING:
            return None
        return String(unspelled(text)) if tag == "S" else typed_value(tag, text)

    @property
    def is_empty(self) -> bool:
        return self._tag == MISSING or (self._given is None and not self._is_touched)

    @property
    def _tag(self) -> str:
        return str(self.kind.currentData())

    @Slot()
    def _touched(self) -> None:
        self._is_touched = True
        self._show_state()
        self.changed.emit()

    def _show_state(self) -> None:
        self.edit.setEnabled(self._tag not in {MISSING, "NULL"})


class RecipeForm(Area):
    """All fields of one recipe, in their order."""

    changed = Signal()
    table_chosen = Signal(str)
    """The name of a field of a table in which another one was chosen: keys of it are to be other ones."""

    def __init__(self, fields: Sequence[Field], values: FieldValues, tables: Sequence[str]) -> None:
        super().__init__()
        self._fields = tuple(fields)
        self.boxes: dict[str, FieldBox] = {}
        self._rows: dict[str, Row] = {}
        form = Form()
        for one in fields:
            box = _box(one, values.get(one.name), tables)
            self.boxes[one.name] = box
            self._rows[one.name] = form.add(one.title, box, one.tip)
            box.changed.connect(self.changed)
            if one.kind == "table":
                box.changed.connect(partial(self.table_chosen.emit, one.name))
        form.setRowStretch(form.rowCount(), 1)
        self.setLayout(form)

    def values(self) -> dict[str, FieldValue]:
        """Raises `InvalidField` for one whose text is no value of it."""
        found: dict[str, FieldValue] = {}
        for name, box in self.boxes.items():
            try:
                found[name] = box.value()
            except InvalidValue as problem:
                raise InvalidField(name, problem.message, hint=problem.hint) from None
        return found

    def kept(self) -> dict[str, FieldValue]:
        """The same without those fields."""
        found: dict[str, FieldValue] = {}
        for name, box in self.boxes.items():
            with contextlib.suppress(InvalidValue):
                found[name] = box.value()
        return found

    def show_problem(self, problem: InvalidField | None) -> None:
        """At its field, unless that is still empty; None: nothing is wrong."""
        for name, its_row in self._rows.items():
            is_here = problem is not None and name == problem.field and not self.boxes[name].is_empty
            its_row.show_problem(problem if is_here else None)

    def problem_at(self, name: str) -> str:
        """What is said to be wrong at a field; "" where nothing is."""
        its_row = self._rows[name]
        return its_row.remark.text if its_row.is_invalid else ""

    def first_empty(self) -> QWidget | None:
        """Where a person has to type first."""
        for one in self._fields:
            if not one.is_optional and self.boxes[one.name].is_empty:
                return self.boxes[one.name]
        return None


def _box(of: Field, value: FieldValue, tables: Sequence[str]) -> FieldBox:
    match of.kind:
        case "table":
            return TableBox(of, value if isinstance(value, str) else "", tables)
        case "key" | "attributes":
            return TypedBox(of, value if isinstance(value, tuple) else ())
        case "value":
            return ValueBox(of, None if isinstance(value, str | tuple) else value)
        case _:
            return TextBox(of, value if isinstance(value, str) else "")
