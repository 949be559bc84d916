"""The PartiQL page: a SELECT over a table or index, with what it will cost before and what it cost after."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QCheckBox, QSplitter, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.collections import Entry, View
from dynodesk.domain.errors import (
    DynodeskError,
    InvalidExpression,
    InvalidValue,
    explanation,
)
from dynodesk.domain.expressions import read_statement
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reading import Portion
from dynodesk.domain.statements import Outlook, Select, StatementReader, as_name, as_select, outlook, reading_of
from dynodesk.domain.tables import Key, KeySchema, TableInfo
from dynodesk.ui.actions import Action, button_for, make
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages import browse_actions
from dynodesk.ui.pages.browse_pane import PORTION, CollectionPane
from dynodesk.ui.pages.browse_parts import ShortText
from dynodesk.ui.pages.browse_rows import RowActions
from dynodesk.ui.pages.partiql_outlook import FIRST, HINT, KEYWORDS, OF_SANDBOX, OutlookStrip, Said, run_words, said_of
from dynodesk.ui.pages.partiql_values import MOST, ValueFields, can_be_typed
from dynodesk.ui.pages.sql_editor import SqlEditor
from dynodesk.ui.pages.sql_text import Stretch
from dynodesk.ui.shell import Workspace
from dynodesk.ui.theme import Glyph, Text, icon, metrics, px, ui_font
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import Area, area, column, row

RUN = Action("run-statement", "Run", "Run the selection, or the statement at the cursor.", "Ctrl+Return", "play")
OPEN_ROW = Action(
    "open-statement-row", "Open the item", "Show the item of the current row in its table.", "", "go-to-file"
)
LONG_TEXT = 50_000
"""Characters."""
PAUSE = 300
"""Milliseconds without a key press before a table that a statement names is asked for."""

OpenCollection = Callable[[str, Key, Key | None], object]


class PartiqlPage(Area):
    """One for a connection. Nothing that writes is ever sent from here."""

    ran = Signal(object)
    """A `Select` that was run because somebody asked for it."""

    def __init__(
        self, workspace: Workspace, statements: StatementReader, runner: JobRunner, open_collection: OpenCollection
    ) -> None:
        super().__init__("window")
        self._workspace, self._statements, self._runner = workspace, statements, runner
        self._open_collection = open_collection
        self._infos: dict[str, TableInfo] = {}
        self._asked_for: set[str] = set()
        """Tables whose description was asked for."""
        self._names: tuple[str, ...] = ()
        self._outlook = Outlook(None, ())
        self._asks: Select | None = None
        """A statement that reads everything and was run once; twice is on purpose."""
        self._agreed: Select | None = None
        self._waits: Select | None = None
        """What runs once its table is described."""
        self.setWindowTitle("PartiQL")
        self.setWindowIcon(icon("code"))
        self.setAccessibleName("PartiQL")

        self.run_action = make(RUN, self, self.run)
        self.run_action.setShortcuts([QKeySequence("Ctrl+Return"), QKeySequence("Ctrl+Enter")])
        self.rerun_action = make(browse_actions.RERUN, self, self.rerun)
        self.more_action = make(browse_actions.LOAD_MORE, self, self.load_more)
        self.open_action = make(OPEN_ROW, self, self._open_current)

        self.editor = SqlEditor("PartiQL", HINT, KEYWORDS)
        self.values = ValueFields()
        self.strip = OutlookStrip()
        self.consistent = QCheckBox("Consistent read")
        self.consistent.setFont(ui_font())
        self.run_button = button_for(self.run_action, primary=True)
        self.run_button.setProperty("keys", "Ctrl+Enter")
        self.stop_button = button("Stop", "debug-stop", "Esc")
        self.stop_button.hide()
        self._count = ShortText("text", "semibold")
        self._facts = ShortText("text2")
        opener = button_for(self.open_action)
        opener.setProperty("keys", "Enter")
        bar = row(
            *(self.run_button, self.stop_button, 1, self._count, self._facts, None, self.consistent, opener),
            gap=1.5,
            margins=(3, 1, 2, 2),
        )
        title = QWidget()
        self._title = Text("Answer", weight="semibold")
        title.setLayout(row(Glyph("code", "accent"), self._title, gap=1.5))
        nowhere = View(TableInfo("", KeySchema(())))
        self.pane = CollectionPane(nowhere, workspace.reader, runner, title)
        self.pane.set_grouped(False)
        self.row_actions = RowActions(self, self.pane)
        self.row_actions.offer_copies()
        above = area(column(self.editor, self.strip, self.values, gap=0), "base")
        above.setMinimumHeight(4 * metrics().row)
        below = column(area(bar, "window", "tb"), self.pane, gap=0)
        below.setStretch(1, 1)
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.addWidget(above)
        self.split.addWidget(area(below))
        self.split.setSizes([px(230), px(560)])
        self.split.setStretchFactor(1, 1)
        self.split.setChildrenCollapsible(False)
        self.setLayout(column(self.split, gap=0))
        self.begin_at(self.editor)

        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE)
        self._pause.timeout.connect(self._ask_for_table)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._look)
        for changed in (self.editor.textChanged, self.editor.cursorPositionChanged, self.editor.selectionChanged):
            changed.connect(self._look_soon)
        self.values.changed.connect(self._look)
        self.consistent.toggled.connect(self._look)
        self.stop_button.clicked.connect(self.pane.stop)
        self.pane.changed.connect(self._progress)
        self.pane.failed.connect(self._failed)
        self.pane.followed.connect(self._open_entry)
        self.pane.selected.connect(self._show_opener)
        self.pane.more_asked.connect(self._read_on)
        self.pane.say("\n".join([FIRST, *([OF_SANDBOX] if self._is_sandbox else [])]))
        runner.start(workspace.catalog.table_names, title="List tables", done=self._show_names, failed=self._no_names)
        self._look()
        self._progress()

    # -- what is known

    @property
    def _is_sandbox(self) -> bool:
        return self._workspace.profile.kind == "sandbox"

    @Slot(object)
    def _show_names(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._offer_names()
        self._look()

    @Slot(object)
    def _no_names(self, _error: BaseException) -> None:
        """Who may not list tables may still read those that are named: each is asked for when it is run."""

    def _offer_names(self) -> None:
        names = {*self._names, *self.pane.model.columns}
        for info in self._infos.values():
            names |= {*info.key_schema.names, *(index.name for index in info.indexes)}
            names |= {name for index in info.indexes for name in index.key_schema.names}
        self.editor.set_names(map(as_name, names))

    @Slot()
    def _ask_for_table(self) -> None:
        statement = self._outlook.statement
        if statement is not None and statement.table in self._names:
            self._describe(statement.table)

    def _describe(self, table: str) -> None:
        if table in self._asked_for:
            return
        self._asked_for.add(table)
        self._runner.start(
            partial(_described, self._workspace, table),
            title=f"Describe {table}",
            done=self._show_table,
            failed=partial(self._not_described, table),
        )

    @Slot(object)
    def _show_table(self, info: TableInfo) -> None:
        self._infos[info.name] = info
        self._offer_names()
        self._look()
        self._go_on()

    def _not_described(self, table: str, error: BaseException) -> None:
        self._asked_for.discard(table)
        waits, self._waits = self._waits, None
        if waits is None:
            return
        if isinstance(error, DynodeskError) and error.code == "not-allowed":
            self._start(waits, TableInfo(table, KeySchema(())))
        else:
            self._failed(error)

    # -- what is typed

    @property
    def query(self) -> Select | None:
        """What would be run, if it can be."""
        chosen = self.editor.chosen
        try:
            return None if chosen is None else self._select(chosen)
        except DynodeskError:
            return None

    def set_select(self, select: Select) -> None:
        """Put a statement with its values below what is there."""
        current = self.query
        if current is None or current.text != select.text:
            self.editor.add_statement(select.text)
        if can_be_typed(select.parameters):
            self.values.set_values(select.parameters)
        self.consistent.setChecked(select.consistent)
        self._look()

    def state(self) -> dict[str, object]:
        return {
            "text": self.editor.text,
            "values": [one.typed for one in self.values.shown],
            "consistent": self.consistent.isChecked(),
        }

    def restore(self, state: Mapping[str, object]) -> None:
        text, typed = state.get("text"), state.get("values")
        if not isinstance(text, str):
            return
        self.editor.setPlainText(text)
        self.consistent.setChecked(state.get("consistent") is True)
        if isinstance(typed, list) and len(typed) <= MOST:
            self.values.set_count(len(typed))
            for one, words in zip(self.values.shown, typed, strict=False):
                one.set_typed(words)
        self._look()

    def _select(self, chosen: Stretch) -> Select:
        return as_select(chosen.text, self.values.values(), consistent=self.consistent.isChecked())

    @Slot()
    def _look_soon(self) -> None:
        """At once, but in a long text not at every key: the statement at the cursor has to be found first."""
        if self.editor.document().characterCount() > LONG_TEXT:
            self._soon.start(PAUSE)
        else:
            self._look()

    @Slot()
    def _look(self) -> None:
        """Say what is known of the statement at the cursor."""
        chosen = self.editor.chosen
        if chosen is None:
            self._outlook = Outlook(None, ())
        else:
            named = outlook(chosen.text, None, consistent=self.consistent.isChecked())
            table = None if named.statement is None else self._infos.get(named.statement.table)
            self._outlook = (
                named if table is None else outlook(chosen.text, table, consistent=self.consistent.isChecked())
            )
            if table is None and named.statement is not None:
                self._pause.start()
        if self._outlook.statement is not None or chosen is None:
            self.values.set_count(0 if self._outlook.statement is None else self._outlook.statement.parameters)
        if self._asks is not None and self.query != self._asks:
            self._asks = None
        self._say()

    def _say(self, *more: Said) -> None:
        asks, seen = self._asks is not None, self._outlook
        if seen.statement is not None and seen.can_run and seen.statement.table not in self._infos and self._names:
            table = seen.statement.table
            if table in self._names:  # it will be known in a moment: until then nothing is said that may be wrong
                seen = replace(seen, remarks=(), scans=False)
            else:
                more = (*more, Said(f"There is no table {visible(table)} in the list."))
        self.strip.show_said((*more, *said_of(seen, asks=asks)))
        words = run_words(seen, asks=asks)
        self.run_button.setText(words)
        self.run_button.setAccessibleName(words)
        self.run_action.setEnabled(self._outlook.can_run and not self.pane.feed.running)

    # -- running

    @Slot()
    def run(self) -> None:
        chosen = self.editor.chosen
        if chosen is None or not self.run_action.isEnabled():
            return
        try:
            select = self._select(chosen)
        except (InvalidValue, InvalidExpression) as problem:
            self._say(Said(". ".join(filter(None, [problem.message, problem.hint])), is_error=True))
            return
        except DynodeskError as problem:
            self._say(Said(" ".join(explanation(problem)), is_error=True))
            return
        if self._is_sandbox and not read_statement(select.text).is_plain:
            self._say(Said(f"{OF_SANDBOX} To others it answers wrongly, so it is not asked.", is_error=True))
            return
        self.editor.remember(chosen.text)
        self._waits = select
        if select.table in self._infos:
            self._go_on()
        else:
            self._describe(select.table)

    def _go_on(self) -> None:
        """Run what waits for the description of its table."""
        waits = self._waits
        info = None if waits is None else self._infos.get(waits.table)
        if waits is None or info is None:
            return
        self._waits = None
        if outlook(waits.text, info).scans and waits not in (self._asks, self._agreed):
            self._asks = waits
            self._say()
            return
        self._start(waits, info)

    def _start(self, select: Select, info: TableInfo) -> None:
        self._asks, self._agreed = None, select
        self._title.setText(f"{select.table}.{select.index}" if select.index else select.table)
        reading = reading_of(select, info, self._statements)
        reading.state = "reading"
        self.pane.show_reading(reading)
        self._read_on(PORTION)
        self.ran.emit(select)
        self._look()

    @Slot()
    def rerun(self) -> None:
        """The statement that was run last, whatever stands in the editor now."""
        info = None if self._agreed is None else self._infos.get(self._agreed.table)
        if self._agreed is not None and info is not None and not self.pane.feed.running:
            self._start(self._agreed, info)

    @Slot()
    def load_more(self) -> None:
        self._read_on(PORTION)

    @Slot(int)
    def _read_on(self, items: int) -> None:
        self.pane.read_on(Portion(items))

    @Slot()
    def _progress(self) -> None:
        running = self.pane.feed.running
        if running and self.run_button.hasFocus():
            self.pane.grid.setFocus()
        self.run_button.setVisible(not running)
        self.stop_button.setVisible(running)
        reading = self.pane.reading
        self.run_action.setEnabled(self._outlook.can_run and not running)
        self.rerun_action.setEnabled(self._agreed is not None and not running)
        self.more_action.setEnabled(reading is not None and reading.has_more and not running)
        if reading is not None:
            self._count.set_text(f"{reading.count:,} item{'' if reading.count == 1 else 's'}")
            self._facts.set_text(reading.facts())
        if not running:
            self._offer_names()
        self._show_opener()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        if not isinstance(error, DynodeskError):
            self._runner.error_raised.emit(error)
            return
        self._say(Said(" ".join(explanation(error)), is_error=True))

    # -- rows

    @property
    def _key(self) -> tuple[str, Key, Key] | None:
        """Table, partition key and whole key of the current row; None where it does not have them."""
        entry, view = self.pane.current, self.pane.view
        if entry is None or not view.table.key_schema.partition:
            return None
        try:
            key = view.table.key_schema.key_of(entry.item)
        except InvalidValue:
            return None
        return view.table.name, {name.name: key[name.name] for name in view.table.key_schema.partition}, key

    @Slot()
    def _show_opener(self) -> None:
        self.open_action.setEnabled(self._key is not None)

    @Slot()
    def _open_current(self) -> None:
        if self._key is not None:
            self._open_collection(*self._key)

    @Slot(object)
    def _open_entry(self, _entry: Entry) -> None:
        if self._key is not None:
            self._open_collection(*self._key)
        else:
            names = ", ".join(self.pane.view.table.key_schema.names)
            self.pane.warn(f"the row does not have its whole key: select {names}" if names else "its key is not known")


def _described(workspace: Workspace, table: str, ticket: Ticket) -> TableInfo:
    return workspace.catalog.describe(table, ticket)
