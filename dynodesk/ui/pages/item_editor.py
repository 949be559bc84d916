"""An item as tree, JSON and DynamoDB JSON: looked at, or edited in any of the three, one after the other."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from dynodesk.domain.errors import InvalidFile, InvalidValue
from dynodesk.domain.item_json import item_from_dynamodb, item_to_dynamodb, to_plain
from dynodesk.domain.item_text import item_from_dynamodb_text, item_from_plain_text
from dynodesk.domain.placed_json import line_and_column
from dynodesk.domain.progress import Ticket
from dynodesk.domain.values import Binary, Item, Number, String, Value
from dynodesk.ui.actions import tool_for
from dynodesk.ui.asking import Asker
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.models.item_cells import VALUE
from dynodesk.ui.models.item_tree import ItemTreeModel
from dynodesk.ui.pages.item_editor_texts import JsonText
from dynodesk.ui.pages.item_editor_tree import ItemTree, is_long
from dynodesk.ui.pages.item_editor_value import ValuePanel
from dynodesk.ui.widgets.controls import sub_tabs
from dynodesk.ui.widgets.layouts import area, column, row

TREE, JSON, DYNAMODB_JSON = range(3)
CHECK_AFTER = 250
"""Milliseconds after the last key before the text is checked."""
AT_ONCE = 60_000
"""Characters that are checked without a thread of their own."""
Read = Callable[[str, Item], dict[str, Value]]
_READERS: dict[int, Read] = {JSON: item_from_plain_text, DYNAMODB_JSON: item_from_dynamodb_text}


class ItemEditor(QWidget):
    """`show_item` gives it an item; while it is editable, `item` is what became of it.

    Going to another form takes the changed item along, and is refused while the text or a value of the tree is wrong.
    """

    changed = Signal()
    """The item, or what is wrong with it, is another one."""
    edit_asked = Signal()
    """Somebody wants to change a value, and cannot yet."""
    failed = Signal(object)
    """A `DynodeskError` of a file."""

    def __init__(self, runner: JobRunner, asker: Asker | None) -> None:
        super().__init__()
        self._runner = runner
        self._item: dict[str, Value] = {}
        self._before: Item | None = None
        self._like: Item = {}
        """What the text was made from."""
        self._keys: tuple[str, ...] = ()
        self._base_keys: tuple[str, ...] = ()
        self._editable = False
        self._form = TREE
        self._text_problem = ""
        self._refused = ""
        """The form that was asked for, and could not be shown."""
        self._unchecked = False
        self._checks = 0

        self.tabs = sub_tabs("Form of the item", "Tree", "JSON", "DynamoDB JSON")
        self.model = ItemTreeModel(self)
        self.tree = ItemTree(self.model)
        self.panel = ValuePanel(runner, asker)
        self.text = JsonText("The item as JSON")
        self._tools = area(row(*map(tool_for, self.tree.tools), None, gap=0.5, margins=(2, 0.5, 2, 0.5)), "window", "t")
        self._panes = QSplitter(Qt.Orientation.Vertical)
        self._panes.setChildrenCollapsible(False)
        self._panes.addWidget(area(column(self.tree, self._tools, gap=0)))
        self._panes.addWidget(self.panel)
        self._panes.setStretchFactor(0, 3)
        self._panes.setStretchFactor(1, 2)
        self._body = QStackedWidget()
        self._body.addWidget(self._panes)
        self._body.addWidget(self.text)
        self.setLayout(column(self._body, gap=0))
        self.panel.hide()
        self.text.setReadOnly(True)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(CHECK_AFTER)
        self._typing.timeout.connect(self._check)
        self.tabs.currentChanged.connect(self._form_chosen)
        self.model.edited.connect(self._tree_changed)
        self.text.textChanged.connect(self._text_changed)
        self.tree.current_changed.connect(self._current_changed)
        self.tree.panel_asked.connect(self.panel.setFocus)
        self.tree.edit_asked.connect(self._asked_to_edit)
        self.panel.typed.connect(self._typed_in_panel)
        self.panel.failed.connect(self.failed)

    # -- what is shown

    def show_item(
        self, item: Item, before: Item | None, keys: tuple[str, ...], base_keys: tuple[str, ...] = (), *, editable: bool
    ) -> None:
        """`before`: what changes are marked against; None: everything is new. The form stays what it was."""
        self._item, self._before = dict(item), before
        self._keys, self._base_keys = keys, base_keys
        self._editable = editable
        self._show_form()

    def show_as(self, form: int) -> None:
        """`TREE`, `JSON` or `DYNAMODB_JSON`."""
        self.tabs.setCurrentIndex(form)

    @property
    def form(self) -> int:
        return self._form

    @property
    def item(self) -> dict[str, Value]:
        """The item as far as it could be read: while there is a `problem`, what it was before."""
        return self._item

    @property
    def problem(self) -> str:
        """What cannot be read, with its place, and what to do; "" where nothing is wrong.

        Of several wrong values of the tree it is the current one, or the first, and how many more there are. Where
        another form was asked for meanwhile, it begins with why that is not shown.
        """
        return f"{self._refusal} {self._wrong}".strip() if self._wrong else ""

    @property
    def _refusal(self) -> str:
        if not self._refused:
            return ""
        if self._form != TREE:
            return f"{self._refused} cannot be shown until the text is correct."
        return f"{self._refused} cannot be shown while a value is wrong: correct it, put it back or remove it."

    @property
    def _wrong(self) -> str:
        if self._form != TREE:
            return self._text_problem
        problems = self.model.problems
        if not problems:
            return ""
        current = self.tree.currentIndex().siblingAtColumn(VALUE)
        where, what = next((found for found in problems if found[0] == current), problems[0])
        path, more = self.model.path(where), len(problems) - 1
        others = f"{more} more {'value is' if more == 1 else 'values are'} wrong." if more else ""
        return " ".join(filter(None, (f"{path}:" if path else "", what, others)))

    @property
    def is_naming(self) -> bool:
        """Whether nothing is wrong but that the name of a new attribute is still being typed."""
        problems = self.model.problems if self._form == TREE else []
        return bool(problems) and all(self.model.node(where).naming for where, _ in problems)

    @property
    def is_checking(self) -> bool:
        """Whether there is text that was not read yet."""
        return self._unchecked if self._form != TREE else self.tree.half_typed() is not None

    def settle(self) -> bool:
        """Take in what is being typed right now. False where it is wrong."""
        if self._form == TREE:
            self.tree.close_editor()
        elif self._unchecked:
            self._typing.stop()
            self._checks += 1
            self._checked(self._checks, _read(_READERS[self._form], self.text.typed, self._like))
        return not self.problem

    def begin(self) -> None:
        """Put the cursor where editing begins: in the row that was chosen, or where something is missing."""
        if self._form != TREE:
            self.text.setFocus()
            return
        was_chosen = self.tree.currentIndex().isValid()  # before the focus comes, which chooses the first row: a key
        self.tree.setFocus()
        if self._before is None:
            self.tree.setCurrentIndex(self._first_empty_key())
            self.tree.edit_value()
        elif was_chosen:
            self.tree.edit_value()
        else:
            self.tree.setCurrentIndex(self.model.index(min(len(self._keys), self.model.rowCount() - 1), VALUE))

    def _first_empty_key(self) -> QModelIndex:
        for key_row in range(len(self._base_keys)):
            index = self.model.index(key_row, VALUE)
            if self.model.node(index).value in (String(""), Number(""), Binary(b"")):
                return index
        return self.model.index(0, VALUE)

    # -- forms

    def _show_form(self) -> None:
        self._typing.stop()
        self._checks += 1
        self._unchecked, self._text_problem, self._refused = False, "", ""
        form = self._form
        self._body.setCurrentIndex(0 if form == TREE else 1)
        self.tree.set_editable(self._editable and form == TREE)
        self._tools.setVisible(self._editable)
        with QSignalBlocker(self.text):
            self.text.setReadOnly(not self._editable)
        if form == TREE:
            before = {} if self._before is None else self._before
            current = self.model.node(self.tree.currentIndex()).name
            self.model.show(self._item, self._keys, before, self._base_keys)
            self.tree.unfold_small()
            self.tree.go_to(current)
            self._show_panel()
            return
        self.panel.hide()
        self._like = self._item
        self.text.setAccessibleName("The item as DynamoDB JSON" if form == DYNAMODB_JSON else "The item as JSON")
        with QSignalBlocker(self.text):
            self.text.show_json(written(self._item, form))
        self.text.mark_faulty(())

    @Slot(int)
    def _form_chosen(self, form: int) -> None:
        if form == self._form:
            return
        if self._editable and not self.settle():
            self._refused = self.tabs.tabText(form)
            with QSignalBlocker(self.tabs):
                self.tabs.setCurrentIndex(self._form)
            self.changed.emit()
            return
        self._form = form
        self._show_form()
        self.changed.emit()

    # -- the tree

    @Slot()
    def _tree_changed(self) -> None:
        if not self.model.problems:
            self._item, self._refused = self.model.item, ""
        if not self.panel.edit.hasFocus():
            self._show_panel()
        self.changed.emit()

    @Slot()
    def _current_changed(self) -> None:
        self._show_panel()
        if len(self.model.problems) > 1:
            self.changed.emit()  # another one is explained

    @Slot()
    def _show_panel(self) -> None:
        index = self.tree.currentIndex()
        node = self.model.node(index)
        shown = index.isValid() and isinstance(node.value, String | Binary) and is_long(node)
        if shown:
            editable = self.model.may_edit(index, VALUE)
            self.panel.show_node(node, self.model.path(index), editable=editable)
        self.panel.setVisible(shown and self._form == TREE)

    @Slot(str, object)
    def _typed_in_panel(self, text: str, read: Callable[[str], Value]) -> None:
        self.model.set_text(self.tree.currentIndex(), text, read)

    @Slot(object)
    def _asked_to_edit(self, _index: QModelIndex) -> None:
        self.edit_asked.emit()

    # -- the text

    @Slot()
    def _text_changed(self) -> None:
        if self._editable and self._form != TREE:
            self._unchecked = True
            self._typing.start()

    @Slot()
    def _check(self) -> None:
        self._checks += 1
        text = self.text.typed
        check = partial(_read, _READERS[self._form], text, self._like)
        if len(text) <= AT_ONCE:
            self._checked(self._checks, check())
            return

        def work(_ticket: Ticket) -> tuple[int, dict[str, Value] | InvalidValue]:
            return number, check()

        number = self._checks
        self._runner.start(work, title="Check the item", done=self._checked_apart)

    @Slot(object)
    def _checked_apart(self, found: tuple[int, dict[str, Value] | InvalidValue]) -> None:
        self._checked(*found)

    def _checked(self, number: int, found: dict[str, Value] | InvalidValue) -> None:
        if number != self._checks or self._form == TREE:
            return  # of a text that is not there any more
        self._unchecked = False
        if isinstance(found, InvalidValue):
            line, at = line_and_column(self.text.typed, found.position or 0)
            self._text_problem = f"Line {line}, column {at}: {found.message}. {found.hint}".strip()
            self.text.mark_faulty((line,))
        else:
            self._item, self._text_problem, self._refused = found, "", ""
            self.text.mark_faulty(())
        self.changed.emit()

    # -- drafts

    def draft(self) -> dict[str, Any]:
        """What is in the editor, as JSON can hold it; also what is wrong or half typed."""
        found: dict[str, Any] = {"form": self._form, "item": item_to_dynamodb(self._item)}
        if self._form == TREE:
            found["typed"] = self.model.typed()
            half = self.tree.half_typed()
            if half is not None:
                found["typed"].append([self.model.rows_to(half[0]), half[1]])
        else:
            found |= {"text": self.text.typed, "like": item_to_dynamodb(self._like)}
        return found

    def restore(
        self, found: Mapping[str, Any], before: Item | None, keys: tuple[str, ...], base_keys: tuple[str, ...]
    ) -> None:
        """Go on with a draft. Raises `InvalidFile` for what `draft` did not make."""
        try:
            form, item = int(found["form"]), item_from_dynamodb(found["item"])
            typed: Sequence[tuple[Sequence[int], str]] = found.get("typed", ())
            text, like = found.get("text"), item_from_dynamodb(found.get("like", {}))
            with QSignalBlocker(self.tabs):
                self.tabs.setCurrentIndex(form)
            self._form = form
            self.show_item(item, before, keys, base_keys, editable=True)
            for rows, what in typed:
                self.model.type_again(rows, what)
        except (InvalidValue, KeyError, TypeError, ValueError, IndexError) as problem:
            raise InvalidFile("the draft of an item cannot be read", details=repr(problem)) from problem
        if isinstance(text, str) and form != TREE:
            self._like = like
            with QSignalBlocker(self.text):
                self.text.setPlainText(text)
            self._unchecked = True
            self.settle()


def written(item: Item, form: int) -> str:
    """The item as JSON text of the form."""
    if form == DYNAMODB_JSON:
        return json.dumps(item_to_dynamodb(item), ensure_ascii=False, indent=2)
    return to_plain(item, indent=2)


def _read(read: Read, text: str, like: Item) -> dict[str, Value] | InvalidValue:
    try:
        return read(text, like)
    except InvalidValue as problem:
        return problem
