"""Choosing a recipe, filling it in for the open table, and seeing what it makes as it is typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QPalette, QResizeEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QDialog, QScrollArea, QSplitter, QTreeView, QWidget

from dynodesk.composing import words
from dynodesk.domain.actions import ComposedRequest
from dynodesk.domain.cells import cell_text, visible
from dynodesk.domain.drafts import DraftAction, draft_of
from dynodesk.domain.recipe_fields import FieldValue, typed_key
from dynodesk.domain.recipes import RECIPES, InvalidField, Recipe
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Item, type_tag
from dynodesk.ui.dialogs.recipe_fields import RecipeForm, TextBox
from dynodesk.ui.theme import Text, metrics, px, ui_font
from dynodesk.ui.widgets.controls import button, combo
from dynodesk.ui.widgets.layouts import area, column, row
from dynodesk.ui.widgets.lines import Line
from dynodesk.ui.widgets.trees import FACE, INK, NOTE, dress_tree

TITLES = ("Part", "Type", "Value")
SAYS = "Keys, tallies and versions are proposed from the table. Nothing is sent: the request is put into the composer."
FROM_RULE = "The rules file that was opened says what is counted."
PEOPLE = ("me", "other")
"""Fields that only a person can fill in: they stay when another recipe is chosen."""


class RecipeDialog(QDialog):
    """Show it with `open`."""

    composed = Signal(object)
    """The `ComposedRequest`. The dialog is closed by then."""

    def __init__(
        self,
        tables: Mapping[str, TableInfo],
        table: str,
        items: Sequence[Item],
        rules: Sequence[TallyRule] = (),
        window: QWidget | None = None,
        recipe: str = "",
    ) -> None:
        """`items` of the table, the selected one first. `recipe`: the name of the one to begin with."""
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Recipe")
        self._tables, self._table = dict(tables), table
        self._items, self._rules = tuple(items), tuple(rules)
        self._request: ComposedRequest | None = None
        self.recipes = combo("Recipe", 250)
        for one in RECIPES:
            self.recipes.addItem(one.title, one.name)
        self.recipes.setMaxVisibleItems(len(RECIPES))
        self.recipes.setCurrentIndex(max(0, self.recipes.findData(recipe)))
        self.summary = Text("", "text2", wrap=True)
        self.form = RecipeForm((), {}, ())
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.viewport().setBackgroundRole(QPalette.ColorRole.Window)
        self._scroll.setAccessibleName("Fields of the recipe")
        self._scroll.setMinimumWidth(px(380))
        self.model = QStandardItemModel(self)
        self.tree = self._make_tree()
        self.trade_off = Text("", "text2", wrap=True)
        self.warning = Text("", "warn", wrap=True)
        self._warned = area(column(self.warning, margins=(4, 2, 4, 2)), "warn_soft", "t")
        self.note = Line("", "muted")
        self.cancel_button = button("Cancel", keys="Esc")
        self.go_button = button("Put into the composer", "check")
        self._arrange()
        self.recipes.currentIndexChanged.connect(self._choose)
        self.cancel_button.clicked.connect(self.reject)
        self.go_button.clicked.connect(self._go)
        self._choose()

    def _make_tree(self) -> QTreeView:
        self.model.setHorizontalHeaderLabels(list(TITLES))
        tree = QTreeView()
        tree.setModel(self.model)
        dress_tree(tree, "What the recipe makes")
        tree.setHeaderHidden(False)
        tree.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        tree.setIndentation(4 * metrics().unit)
        tree.setColumnWidth(0, px(170))
        tree.setColumnWidth(1, px(46))
        head = tree.header()
        head.setFont(ui_font("caption", "medium"))
        head.setFixedHeight(metrics().bar - 3)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setStretchLastSection(True)
        tree.setMinimumHeight(6 * metrics().row)
        return tree

    def _arrange(self) -> None:
        heading = row(Text("Recipe", size="title", weight="semibold"), self.recipes, None, gap=3)
        says = SAYS if not self._rules else f"{SAYS} {FROM_RULE}"
        head = area(
            column(heading, self.summary, Text(says, "muted", wrap=True), gap=1.5, margins=(5, 4, 5, 3)), "window", "b"
        )
        why = column(
            Text("What it protects from, and what it costs", weight="semibold"), self.trade_off,
            gap=1, margins=(4, 3, 4, 3),
        )  # fmt: skip
        made = column(self.tree, self._warned, area(why, "window", "t"), gap=0)
        made.setStretch(0, 1)
        halves = QSplitter()
        halves.setChildrenCollapsible(False)
        halves.addWidget(self._scroll)
        halves.addWidget(area(made, "base"))
        halves.setSizes([px(460), px(480)])
        foot = row(self.note, self.cancel_button, self.go_button, gap=2, margins=(5, 0, 5, 0))
        parts = column(head, halves, area(foot, "window", "t", metrics().control + 6 * metrics().unit), gap=0)
        parts.setStretch(1, 1)
        self.setLayout(parts)
        room = self.screen().availableSize()
        self.resize(min(px(960), round(0.95 * room.width())), min(px(680), round(0.92 * room.height())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrapped words need their height at this width: without it they would be cut."""
        super().resizeEvent(event)
        layout = self.layout()
        if layout is not None:
            room = round(0.95 * self.screen().availableSize().height())
            self.setMinimumHeight(min(layout.totalMinimumHeightForWidth(event.size().width()), room))

    # -- the recipe

    @property
    def recipe(self) -> Recipe:
        return RECIPES[self.recipes.currentIndex()]

    @property
    def request(self) -> ComposedRequest | None:
        """What is made of the fields; None while that is not possible."""
        return self._request

    @Slot()
    def _choose(self) -> None:
        """Another recipe: proposed from the table, with the people that were typed."""
        recipe, typed = self.recipe, self.form.kept()
        info = self._tables.get(self._table)
        values: dict[str, FieldValue] = {} if info is None else recipe.suggest(info, self._items, self._rules)
        values |= {name: typed[name] for name in PEOPLE if name in values and typed.get(name)}
        self.summary.setText(recipe.summary)
        self.trade_off.setText(recipe.trade_off)
        self._fill(values)
        example = "" if info is None else recipe.example_of_me(info, self._items, self._rules)
        box = self.form.boxes.get(PEOPLE[0])
        if example and isinstance(box, TextBox):
            box.edit.setPlaceholderText(f"such as {visible(example)}")

    def _fill(self, values: dict[str, FieldValue]) -> None:
        former = self._scroll.takeWidget()
        if former is not None:  # it may be what has just asked for another one
            former.deleteLater()
        self.form = RecipeForm(self.recipe.fields, values, tuple(self._tables))
        self._scroll.setWidget(self.form)
        self.form.changed.connect(self._show)
        self.form.table_chosen.connect(self._take_table)
        self._show()
        first = self.form.first_empty()
        if first is not None:
            first.setFocus()

    @Slot(str)
    def _take_table(self, name: str) -> None:
        """The keys of another table have other attributes."""
        values = self.form.kept()
        chosen = values.get(name)
        info = self._tables.get(chosen) if isinstance(chosen, str) else None
        if info is None:
            return
        for one in self.recipe.fields:
            if one.table == name and one.kind == "key":
                values[one.name] = typed_key(info.key_schema, None)
            elif one.table == name and one.kind == "attributes":
                values[one.name] = ()
        self._fill(values)

    # -- what it makes

    @Slot()
    def _show(self) -> None:
        try:
            values = self.form.values()
            request = self.recipe.compose(values)
        except InvalidField as problem:
            self._refuse(problem)
            return
        self._request = request
        self.form.show_problem(None)
        self._show_request(request)
        self._warn(self.recipe.warning(values))
        self.note.set_text("")
        self.go_button.setEnabled(True)
        self.go_button.setDefault(True)

    def _refuse(self, problem: InvalidField) -> None:
        self._request = None
        self.form.show_problem(problem)
        self.note.set_text(problem.message)
        self.model.removeRows(0, self.model.rowCount())
        self._warn("")
        self.go_button.setEnabled(False)
        self.go_button.setDefault(False)

    def _warn(self, said: str) -> None:
        self.warning.setText(said)
        self._warned.setVisible(bool(said))

    def _show_request(self, request: ComposedRequest) -> None:
        self.model.removeRows(0, self.model.rowCount())
        titles = words.titles(request, self._tables)
        for at, (title, action) in enumerate(zip(titles, draft_of(request).actions, strict=True)):
            head = _cell(f"{at + 1}  {title}", "semibold")
            head.setData(visible(action.table), NOTE)
            self.model.appendRow(head)
            for made in _parts(action):
                head.appendRow(made)
                if len(made) == 1:
                    self.tree.setFirstColumnSpanned(head.rowCount() - 1, head.index(), True)
            self.tree.setFirstColumnSpanned(at, QModelIndex(), True)
        self.tree.expandAll()

    @Slot()
    def _go(self) -> None:
        request = self._request
        if request is None:
            return
        self.accept()
        self.composed.emit(request)


def _parts(action: DraftAction) -> list[list[QStandardItem]]:
    found = [
        [_cell(visible(name), "mono"), _cell(type_tag(value), "caption", "muted"), _cell(cell_text(value), "mono")]
        for name, value in action.attributes
    ]
    if action.update:
        found.append([_cell(visible(action.update), "mono", "accent")])
    if action.projection:
        found.append([_cell(visible(action.projection), "mono", "accent")])
    if action.condition:
        found.append([_cell(f"if {visible(action.condition)}", "mono", "ink_violet")])
    return found


def _cell(text: str, face: str, ink: str = "text") -> QStandardItem:
    made = QStandardItem(text)
    made.setEditable(False)
    made.setData(face, FACE)
    made.setData(ink, INK)
    return made
