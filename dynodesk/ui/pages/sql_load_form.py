"""The form of a load: which items of a table, or which files, how fast, and at most for how many units."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QTimer, Signal, Slot
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QLineEdit, QRadioButton

from dynodesk.domain.cells import visible
from dynodesk.domain.collections import View
from dynodesk.domain.errors import DynodeskError, InvalidRequest
from dynodesk.domain.pacing import Limits
from dynodesk.domain.reads import QueryPlan, check_plan, chosen_partitions
from dynodesk.domain.tables import TableInfo
from dynodesk.ui.pages.browse_form import ReadForm
from dynodesk.ui.pages.browse_pane import ViewChooser
from dynodesk.ui.pages.reconcile_parts import LinesField
from dynodesk.ui.pages.sql_work import SEGMENTS, FileWish, TableWish, Wish, cost_words
from dynodesk.ui.theme import Glyph, Text, metrics, ui_font
from dynodesk.ui.widgets.controls import button, combo, field, tool
from dynodesk.ui.widgets.layouts import Area, FlowLayout, area, column, row

SEGMENT_CHOICES = (1, 2, 4, 8, 16, 32, 64)
PAUSE_IN_TYPING = 250
"""Milliseconds after the last key before typed files are looked for."""
_TYPED = "of no table here"


class LoadForm(Area):
    """Stands above the editor while it is open. Files are looked for by the page, which knows what came of it."""

    load_asked = Signal()
    files_changed = Signal()
    file_asked = Signal()

    def __init__(self) -> None:
        super().__init__("window", "b")
        self._info: TableInfo | None = None
        self._free_name: Callable[[str], str] = str
        self.of_table = QRadioButton("Table, index or collection")
        self.of_collections = QRadioButton("Chosen collections")
        self.of_files = QRadioButton("Files")
        self._kinds = QButtonGroup(self)
        self._title = Text("", weight="semibold", mono=True)
        self.close_button = tool("close", "Close the form")
        kinds = FlowLayout(Text("Load", "text2"), self._title, self.of_table, self.of_collections, self.of_files, gap=3)
        for choice in (self.of_table, self.of_collections, self.of_files):
            choice.setFont(ui_font())
            choice.setMinimumHeight(metrics().control)
            self._kinds.addButton(choice)
        head = row(kinds, self.close_button, gap=2, margins=(3, 1.5, 1, 0))
        head.setStretch(0, 1)

        self.read: ReadForm | None = None
        self._read_place = column(gap=0)
        self.index: ViewChooser | None = None
        self._index_place = row(Text("Index", "text2"), gap=1.5)
        self.consistent = QCheckBox("Consistent read")
        self.consistent.setFont(ui_font())
        self.lines = LinesField("Partition keys, one a line", 4)
        self._lines_hint = Text("", "muted", wrap=True)
        self._chosen = area(
            column(
                row(self._index_place, self.consistent, None, gap=3),
                self._lines_hint,
                self.lines,
                gap=1,
                margins=(3, 1, 3, 0.5),
            )
        )
        self.paths = LinesField("Files or folders, one a line", 3)
        self.choose = button("Choose a file…", "folder-opened", tone="quiet")
        self.key_of = combo("The items are of", 180)
        self.key = field("Key of the items", "PK,SK or PK:S,SK:N", 200)
        files_hint = Text(
            "DynamoDB JSON: an export to S3 by its folder or manifest, JSON lines, what `aws dynamodb scan` printed.",
            "muted",
            wrap=True,
        )
        keys = FlowLayout(
            *(self.choose, Text("The items are", "text2"), self.key_of, Text("Key", "text2"), self.key), gap=2
        )
        self._files = area(column(files_hint, self.paths, keys, gap=1, margins=(3, 1, 3, 0.5)))

        self.name = field("Name of the set", width=160)
        self.segments = combo("Segments read at once", 64)
        self.segments.addItems([str(count) for count in SEGMENT_CHOICES])
        self.segments.setCurrentText(str(SEGMENTS))
        self.rate = field("Read units a second", "no limit", 84)
        self.budget = field("Most read units", "no limit", 84)
        self.load_button = button("Load", "database", primary=True)
        self._pace = area(
            row(
                *(Text("At once", "text2"), self.segments, Text("RCU a second", "text2"), self.rate),
                *(Text("RCU at most", "text2"), self.budget),
                gap=1.5,
            )
        )
        named = area(row(Text("Set", "text2"), self.name, gap=1.5))
        last = row(FlowLayout(named, self._pace, gap=3), self.load_button, gap=2, margins=(3, 1, 2, 0.5))
        last.setStretch(0, 1)
        self._sign = Glyph("error", "danger", metrics().icon - 2)
        self._words = Text("", "text2", wrap=True)
        self._problem = Text("", "danger", wrap=True)
        said = row(self._sign, self._words, self._problem, gap=1, margins=(3, 0, 3, 2))
        said.setStretch(1, 1)
        said.setStretch(2, 1)
        self.setLayout(column(head, self._read_place, self._chosen, self._files, last, said, gap=0))

        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(PAUSE_IN_TYPING)
        self._typing.timeout.connect(self.files_changed)
        self._kinds.buttonToggled.connect(self._show_kind)
        self.paths.edit.textChanged.connect(self._typing.start)
        self.lines.edit.textChanged.connect(self._edited)
        for typed in (self.rate, self.budget, self.key):
            typed.textChanged.connect(self._edited)
        self.consistent.toggled.connect(self._edited)
        self.key_of.currentIndexChanged.connect(self._key_of_chosen)
        self.load_button.clicked.connect(self.load_asked)
        self.choose.clicked.connect(self.file_asked)
        self.close_button.clicked.connect(self.hide)
        self.hide()

    # -- what it is about

    def set_tables(self, names: tuple[str, ...]) -> None:
        """Those of the connection, any of which files may be of."""
        chosen = self.key_of.currentText()
        with QSignalBlocker(self.key_of):
            self.key_of.clear()
            self.key_of.addItem(_TYPED)
            for name in names:
                self.key_of.addItem(f"of {name}", name)
            self.key_of.setCurrentIndex(max(0, self.key_of.findText(chosen)))
        self._key_of_chosen()

    def open_for_table(self, info: TableInfo, free_name: Callable[[str], str]) -> None:
        self._info, self._free_name = info, free_name
        views = (View(info), *(View(info, index.name) for index in info.indexes))
        if self.read is not None:
            self._read_place.removeWidget(self.read)
            self.read.deleteLater()
        self.read = ReadForm(info, views)
        self.read.changed.connect(self._edited)
        self.read.run_asked.connect(self.load_asked)
        self._read_place.addWidget(self.read)
        if self.index is not None:
            self._index_place.removeWidget(self.index)
            self.index.deleteLater()
        self.index = ViewChooser(views, "Index of the collections", with_keys=True)
        self.index.setFont(ui_font())
        self.index.currentIndexChanged.connect(self._edited)
        self._index_place.addWidget(self.index)
        self.lines.edit.clear()
        self.name.clear()
        self.name.setPlaceholderText(visible(free_name(info.name)))
        self._title.setText(visible(info.name))
        for choice in (self.of_table, self.of_collections):
            choice.setEnabled(True)
        self.of_table.setChecked(True)
        self._show_kind()
        self.show()
        self.load_button.setFocus()

    def open_for_files(self, free_name: Callable[[str], str]) -> None:
        self._free_name = free_name
        self.name.setPlaceholderText("")
        for choice in (self.of_table, self.of_collections):
            choice.setEnabled(self._info is not None)
        self.of_files.setChecked(True)
        self._show_kind()
        self.show()
        self.paths.setFocus()

    def add_path(self, path: Path) -> None:
        self.paths.edit.appendPlainText(str(path))

    # -- what is asked

    @property
    def file_paths(self) -> tuple[Path, ...]:
        lines = (line.strip() for line in self.paths.edit.toPlainText().splitlines())
        return tuple(Path(line).expanduser() for line in lines if line)

    def wish(self) -> Wish:
        """Raises a `DynodeskError` for what cannot be loaded."""
        if self.of_files.isChecked():
            return self._file_wish()
        info = self._info
        if info is None or self.read is None or self.index is None:
            raise InvalidRequest("no table is chosen", hint="Choose one with +.")
        limits = Limits(_units(self.budget), _units(self.rate))
        segments = int(self.segments.currentText())
        if self.of_table.isChecked():
            plan = self.read.plan()
            if plan is None:
                raise InvalidRequest("the fields of the key are not filled in as they must be")
            return TableWish((plan,), segments, limits)
        view = self.index.chosen
        keys = chosen_partitions(view.schema, self.lines.edit.toPlainText().split("\n"))
        if not keys:
            raise InvalidRequest("no partition key is named", hint="Write one a line.")
        consistent = self.consistent.isChecked()
        plans = tuple(QueryPlan(info.name, key, index=view.index, consistent=consistent) for key in keys)
        check_plan(plans[0], info)
        return TableWish(plans, segments, limits)

    def _file_wish(self) -> FileWish:
        paths, table = self.file_paths, self.key_of.currentData()
        if not paths:
            raise InvalidRequest("no file is named", hint="Choose one, or write one a line.")
        if table:
            return FileWish(paths, table=table)
        if not self.key.text().strip():
            raise InvalidRequest("items in files need the key of their table", hint="As in PK,SK, or PK:S,SK:N.")
        return FileWish(paths, tuple(self.key.text().split(",")))

    def set_name(self, wish: Wish) -> str:
        """What the set is called: as typed, or by what is loaded."""
        typed = self.name.text().strip()
        if typed:
            return typed
        if isinstance(wish, FileWish):
            first = wish.paths[0].name
            return self._free_name(wish.table or first.partition(".")[0] or "items")
        first_plan = wish.plans[0] if isinstance(wish, TableWish) else None
        if first_plan is None:
            return self._free_name("items")
        return self._free_name(
            first_plan.table if first_plan.index is None else f"{first_plan.table} {first_plan.index}"
        )

    # -- what comes of it

    @property
    def words(self) -> str:
        """What the load takes, or what is wrong."""
        return self._problem.text() or self._words.text()

    def show_words(self, words: str, problem: str = "") -> None:
        self._words.setText("" if problem else words)
        self._words.setVisible(not problem)
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        self._sign.setVisible(bool(problem))

    def show_problem(self, error: DynodeskError) -> None:
        parts = (f"{error.message.rstrip('.')}.", error.hint)
        self.show_words("", visible(" ".join(part for part in parts if part)))

    @Slot()
    def _show_kind(self) -> None:
        chosen, files = self.of_collections.isChecked(), self.of_files.isChecked()
        if self.read is not None:
            self.read.setVisible(self.of_table.isChecked())
        self._chosen.setVisible(chosen)
        self._files.setVisible(files)
        self._pace.setVisible(not files)
        self._title.setVisible(chosen)  # the other form names the table itself
        self._edited()
        if files:
            self.files_changed.emit()

    @Slot()
    def _key_of_chosen(self) -> None:
        self.key.setEnabled(self.key_of.currentData() is None)
        self._edited()

    @Slot()
    def _edited(self) -> None:
        if self.of_files.isChecked() or self._info is None:
            return
        self._show_index_facts()
        try:
            wish = self.wish() if self.of_collections.isChecked() else self._draft()
        except DynodeskError as error:
            empty = self.of_collections.isChecked() and not self.lines.edit.toPlainText().strip()
            self.show_words("Name the collections to load.") if empty else self.show_problem(error)
            return
        if isinstance(wish, TableWish):
            self.show_words(cost_words(self._info, wish))
        else:
            self.show_words("")

    def _draft(self) -> TableWish | None:
        plan = None if self.read is None else self.read.draft()
        limits = Limits(_units(self.budget), _units(self.rate))
        return None if plan is None else TableWish((plan,), limits=limits)

    def _show_index_facts(self) -> None:
        if self.index is None:
            return
        view = self.index.chosen
        self.consistent.setEnabled(not view.always_eventual)
        if view.always_eventual:
            self.consistent.setChecked(False)
        names = ", tab, ".join(visible(attribute.name) for attribute in view.schema.partition)
        self._lines_hint.setText(f"One collection a line, by {names}.")


def _units(typed: QLineEdit) -> Decimal | None:
    text = typed.text().strip()
    if not text:
        return None
    try:
        units = Decimal(text)
    except InvalidOperation:
        units = Decimal(0)
    if not units.is_finite() or units <= 0:
        raise InvalidRequest(f"{typed.accessibleName()}: {text} is not a number of units", hint="Empty: no limit.")
    return units
