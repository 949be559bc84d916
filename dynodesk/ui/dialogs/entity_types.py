"""The types of a table's items: named, told by patterns of their keys, tinted; with how many items match by now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QLineEdit, QMenu, QTableView, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.entities import LONGEST_WORD, EntityRule, EntityTypes
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item
from dynodesk.ui.dialogs.form import Form, Remark
from dynodesk.ui.pages.reconcile_rows import Column, RowsModel
from dynodesk.ui.theme import Cell, Row, Text, icon, metrics, px
from dynodesk.ui.theme.tokens import ENTITY_INKS
from dynodesk.ui.widgets.controls import button, combo, field
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.layouts import area, column, row

COUNTED = 5_000
"""Items that a preview looks at: few milliseconds at every key press."""
TINTS = tuple(ink.removeprefix("ink_") for ink in ENTITY_INKS)
HOW = (
    "A pattern is text with {captures}: LIKE#{user} matches LIKE#USER#7c20. The sort key decides; where it says "
    "nothing, the partition key does. The first pattern that matches counts. Two lines with the same word are one type."
)


class EntityTypesDialog(QDialog):
    """Show it with `open`. `done` is handed the types when they are to be kept."""

    def __init__(
        self,
        table: TableInfo,
        types: EntityTypes,
        items: Sequence[Item],
        keep: Callable[[EntityTypes], object],
        window: QWidget | None = None,
    ) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Entity types of {table.name}")
        self._schema, self._items, self._keep = table.key_schema, items[:COUNTED], keep
        self._rules = list(types.rules)
        self._shown: list[EntityRule] = []
        """The rules, then what is usual among the loaded items."""
        self._filling = False

        names = [attribute.name for attribute in (*self._schema.sort, *self._schema.partition)]
        self._columns = (
            Column("Type", 150),
            *(Column(visible(name), 190) for name in names),
            Column("Items", 70, right=True),
            Column("", 130),
        )
        self.model = RowsModel(self._columns, self)
        self.grid = Grid()
        self.grid.setModel(self.model)
        dress_grid(self.grid, "Entity types")
        self.grid.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        for at, of in enumerate(self._columns):
            self.grid.setColumnWidth(at, px(of.width))
        self.grid.horizontalHeader().setStretchLastSection(True)

        self.word = field("Type", "LIKE", 220, mono=False)
        self.word.setMaxLength(LONGEST_WORD)
        self.patterns: dict[str, QLineEdit] = {name: field(f"Pattern of {name}", "any value") for name in names}
        self.tint = combo("Tint", 150)
        self.tint.addItem("goes with the word")
        for tint in TINTS:
            self.tint.addItem(icon("circle-filled", f"ink_{tint}"), tint)
        self.remark = Remark()
        form = Form()
        self._name_row = form.add("Type", row_of(self.word))
        for name, pattern in self.patterns.items():
            form.add(visible(name), pattern)
        form.add("Tint", row_of(self.tint))

        self.add_button = button("Add a type", "add")
        self.up_button = button("Try earlier", "arrow-up", "Alt+Up")
        self.merge_button = button("Merge into…", "combine")
        self.remove_button = button("Forget the name", "trash")
        self.cancel_button = button("Cancel", keys="Esc")
        self.keep_button = button("Keep", "check", "Ctrl+Enter", primary=True)
        counted = f"{len(self._items):,} loaded items looked at"
        heading = row(
            Text("Entity types", size="title", weight="semibold"),
            Text(counted, "text2"),
            None,
            gap=3,
            margins=(5, 4, 5, 0),
        )
        how = Text(HOW, "muted", wrap=True)
        tools = row(
            self.add_button, self.up_button, self.merge_button, self.remove_button, None, gap=1.5, margins=(5, 2, 5, 0)
        )
        foot = row(None, self.cancel_button, self.keep_button, gap=2, margins=(5, 0, 5, 0))
        m = metrics()
        head = area(column(heading, row(how, margins=(5, 1, 5, 3)), gap=0), "window", "b")
        below = area(column(tools, form, row(self.remark, margins=(5, 0, 5, 1)), gap=0), "window", "t")
        parts = column(head, self.grid, below, area(foot, "window", "t", m.control + 6 * m.unit), gap=0)
        parts.setStretch(1, 1)
        self.setLayout(parts)
        self.grid.setMinimumHeight(5 * m.row)
        room = self.screen().availableSize()
        self.resize(min(px(820), round(0.95 * room.width())), min(px(680), round(0.92 * room.height())))

        self.grid.selectionModel().currentRowChanged.connect(self._show_current)
        for typed in (self.word, *self.patterns.values()):
            typed.textEdited.connect(self._edited)
        self.tint.activated.connect(self._edited)
        self.merge_button.clicked.connect(self._offer_merge)
        self.add_button.clicked.connect(self.add)
        self.up_button.clicked.connect(self.move_up)
        self.remove_button.clicked.connect(self.remove)
        self.cancel_button.clicked.connect(self.reject)
        self.keep_button.clicked.connect(self.accept)
        for keys, run in (("Alt+Up", self.move_up), ("Ctrl+Return", self.accept), ("Ctrl+Enter", self.accept)):
            QShortcut(QKeySequence(keys), self).activated.connect(run)
        self._show_rows(0)
        self.grid.setFocus()

    @property
    def types(self) -> EntityTypes:
        return EntityTypes(tuple(self._rules))

    @property
    def current(self) -> int:
        """The row that is edited; -1 where there is none."""
        return self.grid.currentIndex().row()

    # -- what is shown

    def _show_rows(self, current: int) -> None:
        types = self.types
        counts = types.counts(self._items, self._schema)
        usual = sorted((rule for rule in counts if rule not in self._rules), key=lambda rule: -counts[rule])
        self._shown = [*self._rules, *usual]
        known = [
            self._row(rule, types.tint_of(rule.word), counts[rule], named=at < len(self._rules))
            for at, rule in enumerate(self._shown)
        ]
        if len(known) == self.model.rowCount():
            for at, one in enumerate(known):
                self.model.set_row(at, one)
        else:
            self.model.set_rows(known)
        if known and current != self.current:
            self.grid.setCurrentIndex(self.model.index(min(current, len(known) - 1), 0))
        self._show_state()

    def _row(self, rule: EntityRule, tint: str, count: int, *, named: bool) -> Row:
        patterns = [Cell(text, "S") if (text := rule.pattern(name)) else Cell(kind="missing") for name in self.patterns]
        how = Cell("named" if named else "as is usual", "text", ink="text2" if named else "muted")
        return Row((Cell("", "key", rule.word, tint), *patterns, Cell(f"{count:,}", "N"), how))

    @Slot()
    def _show_current(self) -> None:
        """The fields say what the current row says."""
        if self._filling:
            return
        rule = self._shown[self.current] if 0 <= self.current < len(self._shown) else None
        self._filling = True
        self.word.setText("" if rule is None else rule.word)
        for name, pattern in self.patterns.items():
            pattern.setText("" if rule is None else rule.pattern(name))
        self.tint.setCurrentIndex(0 if rule is None or rule.tint not in TINTS else 1 + TINTS.index(rule.tint))
        self._filling = False
        self._say(None)
        self._show_state()

    def _show_state(self) -> None:
        at = self.current
        rule = self._shown[at] if 0 <= at < len(self._shown) else None
        self.merge_button.setEnabled(bool(self._others()))
        for one in (self.word, self.tint, *self.patterns.values()):
            one.setEnabled(rule is not None)
        self.up_button.setEnabled(0 < at < len(self._rules))
        self.remove_button.setEnabled(0 <= at < len(self._rules))

    def _others(self) -> list[str]:
        """Words of the types that the current one could become a part of."""
        at = self.current
        if not 0 <= at < len(self._shown):
            return []
        return list(dict.fromkeys(other.word for other in self._shown if other.word != self._shown[at].word))

    def _say(self, problem: InvalidValue | None) -> None:
        words = "" if problem is None else f"{problem.message}. {problem.hint}".strip()
        self.remark.say("hint" if problem is None else "problem", words)
        self.keep_button.setEnabled(problem is None)

    # -- what the person does

    @Slot()
    def _edited(self) -> None:
        """Take the fields as the rule, as soon as they can be one; what was usual is named from then on."""
        if self._filling:
            return
        tint = "" if self.tint.currentIndex() == 0 else TINTS[self.tint.currentIndex() - 1]
        try:
            rule = EntityRule.of(self.word.text(), {name: of.text() for name, of in self.patterns.items()}, tint)
        except InvalidValue as problem:
            self._say(problem)
            return
        self._say(None)
        self._put(rule)

    def _put(self, rule: EntityRule) -> None:
        at = self.current
        if 0 <= at < len(self._rules):
            self._rules[at] = rule
        else:
            at = len(self._rules)
            self._rules.append(rule)
        self._filling = True  # the fields are what the rule was made of
        typed = self.focusWidget()
        self._show_rows(at)
        self._filling = False
        if typed is not None:
            typed.setFocus()

    @Slot()
    def _offer_merge(self) -> None:
        menu = self.merge_menu()
        menu.popup(self.merge_button.mapToGlobal(self.merge_button.rect().bottomLeft()))

    def merge_menu(self) -> QMenu:
        """The types that the current one can be merged into: it takes their word and tint, its patterns stay."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for word in self._others():
            menu.addAction(word.replace("&", "&&"), partial(self._merge_into, word))
        return menu

    @Slot(str)
    def _merge_into(self, word: str) -> None:
        rule = self._shown[self.current]
        self._put(EntityRule.of(word, dict(rule.patterns), self.types.tint_of(word)))
        self._show_current()

    @Slot()
    def add(self) -> None:
        """A type of which nothing is known yet but that it is the last to be tried."""
        first = next(iter(self.patterns))
        self._rules.append(EntityRule.of("NEW", {first: "NEW#{id}"}))
        self._show_rows(len(self._rules) - 1)
        self._show_current()
        self.word.setFocus()
        self.word.selectAll()

    @Slot()
    def remove(self) -> None:
        at = self.current
        if 0 <= at < len(self._rules):
            del self._rules[at]
            self._show_rows(max(0, at - 1))
            self._show_current()

    @Slot()
    def move_up(self) -> None:
        at = self.current
        if 0 < at < len(self._rules):
            self._rules[at - 1 : at + 1] = [self._rules[at], self._rules[at - 1]]
            self._show_rows(at - 1)

    def accept(self) -> None:
        if self.keep_button.isEnabled():
            super().accept()
            self._keep(self.types)


def row_of(content: QWidget) -> QWidget:
    """A field that keeps its width in a row of a form."""
    made = area(row(content, None))
    made.setFocusProxy(content)
    return made
