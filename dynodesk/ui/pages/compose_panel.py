"""The left side of the Requests page: the actions or statements, buttons that add some, and what all of it takes."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QStackedWidget, QWidget

from dynodesk.domain.actions import ComposedOperation
from dynodesk.domain.drafts import KINDS_OF, STATEMENTS, TRANSACTIONS, WITH_TOKEN
from dynodesk.ui.actions import Action, button_for, tool_for
from dynodesk.ui.pages.browse_parts import ShortText
from dynodesk.ui.pages.compose_cells import Names
from dynodesk.ui.pages.compose_model import ActionsModel
from dynodesk.ui.pages.compose_statements import StatementsEditor
from dynodesk.ui.pages.compose_tree import ActionsTree
from dynodesk.ui.pages.compose_units import Totals
from dynodesk.ui.theme import Text, metrics, px, ui_font
from dynodesk.ui.widgets.controls import combo
from dynodesk.ui.widgets.layouts import Area, FlowLayout, area, column, row
from dynodesk.ui.widgets.token_clock import TokenClock

ADD_PUT = Action("add-put", "Put", "Add a Put: a whole item.", "Ctrl+1", "add")
ADD_UPDATE = Action("add-update", "Update", "Add an Update: changes of one item.", "Ctrl+2", "add")
ADD_DELETE = Action("add-delete", "Delete", "Add a Delete of one item.", "Ctrl+3", "add")
ADD_CHECK = Action("add-check", "ConditionCheck", "Add a condition on an item that is left as it is.", "Ctrl+4", "add")
ADD_GET = Action("add-get", "Get", "Add a Get of one item.", "Ctrl+5", "add")
ADD_STATEMENT = Action("add-statement", "Statement", "Add a statement of PartiQL.", "Ctrl+6", "add")
READ_ITEMS = Action(
    "read-items", "Read the items", "Read the items as they are: units and types are known then.", "F5", "refresh"
)
EMPTY = (
    "Nothing is composed yet. Add an action below, begin with a recipe, or paste a request: as JSON, as a command of "
    "the AWS CLI, as code."
)
ROOM_FOR_PART = 520
"""Width from which a part can be added by a button with words, too."""


class ActionsPanel(Area):
    table_chosen = Signal(str)
    """A table for the current action, and for those that are added."""

    def __init__(self, model: ActionsModel, names: Names, adders: dict[str, QAction], read: QAction) -> None:
        """`adders`: what adds an action, by its kind; "Statement" for statements."""
        super().__init__("base")
        self._model, self._read = model, read
        self.tree = ActionsTree(model, names)
        self.statements = StatementsEditor()
        self._title = Text("Actions", weight="semibold")
        self._in = Text("in", "text2")
        self.table: QComboBox = combo("Table of the current action", 168)
        self.table.setEditable(True)
        self.table.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.tools = QWidget()
        acts = (self.tree.add_action, self.tree.up_action, self.tree.down_action, self.tree.duplicate_action)
        self.tools.setLayout(row(*map(tool_for, (*acts, self.tree.remove_action)), gap=0.5))
        head = row(self._title, self._in, self.table, None, self.tools, gap=1.5, margins=(3, 0, 1.5, 0))
        self._body = QStackedWidget()
        self._body.addWidget(self.tree)
        self._body.addWidget(self.statements)
        self._body.addWidget(area(column(Text(EMPTY, "muted", wrap=True), None, margins=(3, 3, 3, 3)), "base"))
        self._is_statements = False
        self._takes_parts = False
        self._kinds: tuple[str, ...] = ()
        """What can be added."""
        self._adders = {kind: button_for(action, "quiet") for kind, action in adders.items()}
        for made in self._adders.values():
            made.setProperty("keys", "")  # the key stands in the tip and in the menu
        self.part_button = button_for(self.tree.add_action, "quiet", text="Part")
        self._adding = area(
            FlowLayout(*self._adders.values(), self.part_button, gap=0, margins=(1, 0.5, 1, 0.5)), "window", "t"
        )
        self._sizes, self._units = Text("", "text2"), ShortText("text", "medium")
        self.read_button = tool_for(read)
        self.consistent = QCheckBox("Consistent read")
        self.consistent.setFont(ui_font())
        self.clock = TokenClock()
        self._first = row(
            self._sizes, self._units, self.read_button, None, self.consistent, gap=1.5, margins=(3, 0, 1.5, 0)
        )
        self._second = row(None, gap=0, margins=(2, 0, 1.5, 0))
        self._first.addWidget(self.clock)
        self._clock_line = area(self._second, "window", "", metrics().control)
        self._clock_line.hide()
        m = metrics()
        parts = column(
            area(head, "window", "b", m.control + 2 * m.unit),
            self._body,
            self._adding,
            area(self._first, "window", "t", m.control + m.unit),
            self._clock_line,
            gap=0,
        )
        parts.setStretch(1, 1)
        self.setLayout(parts)
        self.setMinimumWidth(px(360))
        self.begin_at(self.tree)
        self.tree.current_changed.connect(self.show_table)
        model.shaped.connect(self._show_body)
        self.table.activated.connect(self._table_chosen)
        edit = self.table.lineEdit()
        if edit is not None:
            edit.editingFinished.connect(self._table_chosen)
            edit.setPlaceholderText("table")
            edit.setAccessibleName(self.table.accessibleName())

    def set_operation(self, operation: ComposedOperation) -> None:
        """Show what an operation is made of."""
        is_statements, is_many = operation in STATEMENTS, operation in TRANSACTIONS
        self._title.setText("Statements" if is_statements else "Actions")
        if not is_many:
            self._title.setText("Statement" if is_statements else "Action")
        self._is_statements = is_statements
        self._show_body()
        for widget in (self._in, self.table):
            widget.setVisible(not is_statements)
        self.tools.setVisible(not is_statements)
        kinds = ("Statement",) if is_statements else KINDS_OF[operation]
        self._kinds = kinds if is_many else ()
        for kind, made in self._adders.items():
            made.setVisible(self.offers(kind))
        self._takes_parts = bool({"Put", "Update"} & set(kinds))
        self._show_part_button()
        self._adding.setVisible(is_many or self._takes_parts)
        self.consistent.setVisible(operation == "GetItem")
        self.tree.takes_many = is_many
        self.tree.show_actions()
        self.clock.setVisible(operation in WITH_TOKEN)
        self._place_clock()

    @Slot()
    def _show_body(self) -> None:
        self._body.setCurrentIndex(1 if self._is_statements else 0 if self._model.actions else 2)

    @property
    def first(self) -> QWidget:
        """Where typing begins."""
        if self._is_statements:
            return self.statements.cards[0].editor
        return self.tree if self._model.actions else next(self._adders[kind] for kind in self._kinds)

    def offers(self, kind: str) -> bool:
        """Whether one of the kind can be added."""
        return kind in self._kinds

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_part_button()
        self._place_clock()

    def _show_part_button(self) -> None:
        self.part_button.setVisible(self._takes_parts and self.width() >= px(ROOM_FOR_PART))

    def _place_clock(self) -> None:
        """It has a line of its own where there is no room beside the units."""
        parts = (self._sizes, self._units, self.read_button, self.clock)
        needed = sum(part.sizeHint().width() for part in parts if not part.isHidden()) + 12 * metrics().unit
        is_narrow = needed > self.width()
        if is_narrow != (self._second.indexOf(self.clock) >= 0):
            shown = not self.clock.isHidden()
            if is_narrow:
                self._second.insertWidget(0, self.clock)
            else:
                self._first.addWidget(self.clock)
            self.clock.setVisible(shown)
        self._clock_line.setVisible(is_narrow and not self.clock.isHidden())

    # -- tables

    def offer_tables(self, names: Iterable[str]) -> None:
        offered = sorted(names, key=str.casefold)
        if [self.table.itemText(at) for at in range(self.table.count())] != offered:
            text = self.table.currentText()
            with QSignalBlocker(self.table):
                self.table.clear()
                self.table.addItems(offered)
                self.table.setEditText(text)

    @Slot()
    def show_table(self) -> None:
        """The table of the current action."""
        at = self.tree.current
        if 0 <= at < len(self._model.actions):
            self.set_table(self._model.actions[at].table)

    def set_table(self, name: str) -> None:
        if self.table.currentText() != name:
            with QSignalBlocker(self.table):
                found = self.table.findText(name, Qt.MatchFlag.MatchExactly)
                self.table.setCurrentIndex(found)
                self.table.setEditText(name)

    @Slot()
    def _table_chosen(self) -> None:
        self.table_chosen.emit(self.table.currentText().strip())

    # -- what it takes

    def show_totals(self, totals: Totals) -> None:
        self._sizes.setText(totals.sizes + (" ·" if totals.units else ""))
        self._units.set_text(totals.units)
        self._read.setEnabled(bool(totals.of_actions))
        self.read_button.setVisible(bool(totals.of_actions) and not totals.is_known)
        self._place_clock()

    @property
    def totals(self) -> str:
        return f"{self._sizes.text()} {self._units.text}".strip()
